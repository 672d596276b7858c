package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Trees puts the trees of a device into the reading: each of them, and as its bridge and the states of its ports
// those of the first tree, which is the common one (IEEE 802.1Q, CIST).
func Trees(r *devices.Reading, trees []devices.Tree) {
	if len(trees) == 0 {
		return
	}
	bridge := trees[0].Bridge
	r.Bridge = &bridge
	r.Trees = append(r.Trees, trees...)
	ports := make([]devices.Interface, 0, len(trees[0].Ports))
	for _, p := range trees[0].Ports {
		ports = append(ports, devices.Interface{Name: p.Port, STPState: p.State, STPRole: p.Role})
	}
	into.Ports(r, ports)
}

// BridgeID writes a bridge's identity as devices.Bridge has it, "32768.0011.2233.4455", from the priority in decimal and
// the address in any form; ok is false if the address is none.
func BridgeID(priority, address string) (id string, ok bool) {
	mac, ok := text.MAC(address)
	if !ok || priority == "" {
		return "", false
	}
	mac = strings.ReplaceAll(mac, ":", "")
	const group = 4
	return priority + "." + mac[:group] + "." + mac[group:2*group] + "." + mac[2*group:], true
}

// TreeState returns a port's state in the words of devices.TreePort; none for a word that is no state.
func TreeState(word string) devices.Opt[string] {
	switch word = strings.ToLower(word); word {
	case "forwarding", "learning", "listening", "blocking", "disabled", "broken":
		return devices.Some(word)
	case "discarding":
		return devices.Some("blocking")
	case "down":
		return devices.Some("disabled")
	}
	return devices.None[string]()
}

// TreeRole returns a port's role in the words of devices.TreePort, of the whole word or its first four letters; none
// for a word that is no role.
func TreeRole(word string) devices.Opt[string] {
	const short = 4
	word = strings.ToLower(word)
	for _, role := range []string{"root", "designated", "alternate", "backup", "master", "disabled"} {
		if word == role || len(word) == short && word == role[:short] {
			return devices.Some(role)
		}
	}
	return devices.None[string]()
}

// TreesBrief reads "display stp brief" of Comware and VRP: the instance or VLAN, the port, its role, its state and
// what protects it.
func TreesBrief(output string, r *devices.Reading) {
	var trees []devices.Tree
	at := map[string]int{}
	kind := "mst "
	for f := range Rows(output) {
		if f[0] == "VLAN" || f[0] == "VLANID" {
			kind = "vlan "
		}
		const fewest = 4
		id, rest, ok := text.Uint32(f[0])
		if !ok || rest != "" || len(f) < fewest || !isPort(f[1]) {
			continue
		}
		state := TreeState(f[3])
		if !state.OK {
			continue
		}
		name := kind + text.Plain(float64(id))
		if _, ok := at[name]; !ok {
			at[name] = len(trees)
			trees = append(trees, devices.Tree{Name: name})
		}
		t := &trees[at[name]]
		p := devices.TreePort{Port: f[1], State: state, Role: TreeRole(f[2])}
		if p.Role.Value == "disabled" && state.Value == "blocking" {
			p.State = devices.Some("disabled") // a port without a link discards, and blocks nothing
		}
		t.Ports = append(t.Ports, p)
	}
	if r.Bridge != nil || len(trees) == 0 {
		return // the bridge and its trees are known from the command in full
	}
	Trees(r, trees)
	r.Bridge = nil // of which a brief table says nothing
}

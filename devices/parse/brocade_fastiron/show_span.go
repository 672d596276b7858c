package brocade_fastiron

import (
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowSpan reads "show span": the tree of each VLAN by IEEE 802.1D, with how often it changed, how many seconds ago, and
// each port's state and how often it began to forward.
func ShowSpan(output string, r *devices.Reading) {
	var trees []devices.Tree
	for f := range tables.Rows(output) {
		if strings.HasPrefix(strings.Join(f, " "), "STP instance owned by VLAN ") {
			id := f[len(f)-1]
			trees = append(trees, devices.Tree{Name: "vlan " + id, Protocol: "pvst", VLANs: id})
			continue
		}
		if len(trees) == 0 {
			continue
		}
		t := &trees[len(trees)-1]
		const global, ports = 12, 6
		switch {
		case len(f) == global && "vlan "+f[0] == t.Name && isBridge(f[1]):
			spanGlobal(t, f)
		case len(f) >= ports && block.IsPortName(f[0]):
			spanPort(t, f)
		}
	}
	tables.Trees(r, trees)
}

// spanGlobal reads "1 800000e0804d4a00 0 Root 8000 20 2 1 15 689 1 00e0804d4a00".
func spanGlobal(t *devices.Tree, f []string) {
	if priority, err := strconv.ParseUint(f[1][:4], 16, 16); err == nil {
		if id, ok := tables.BridgeID(strconv.FormatUint(priority, 10), f[1][4:]); ok {
			t.DesignatedRoot = devices.Some(id)
		}
	}
	if n, rest, ok := text.Uint32(f[2]); ok && rest == "" {
		t.RootCost = devices.Some(n)
	}
	root := f[3]
	if strings.EqualFold(root, "Root") {
		root = ""
	}
	t.RootPort = devices.Some(root)
	if n, rest, ok := text.Uint32(f[9]); ok && rest == "" {
		t.SinceChange = devices.Some(time.Duration(n) * time.Second)
	}
	text.SetOpt(&t.TopologyChanges, text.Count(f[10]))
}

// isBridge says whether a word is a bridge's identity: a priority and an address, 16 digits.
func isBridge(s string) bool {
	const digits = 16
	return len(s) == digits && strings.Trim(strings.ToLower(s), "0123456789abcdef") == ""
}

// spanPort reads "1/1 80 4 FORWARDING 1 0 800000e0804d4a00 800000e0804d4a00".
func spanPort(t *devices.Tree, f []string) {
	state := tables.TreeState(f[3])
	if !state.OK {
		return
	}
	p := devices.TreePort{Port: f[0], State: state, Forwards: text.Count(f[4])}
	if n, rest, ok := text.Uint32(f[2]); ok && rest == "" {
		p.Cost = devices.Some(n)
	}
	if t.RootPort.Value == f[0] {
		p.Role = devices.Some("root")
	}
	t.Ports = append(t.Ports, p)
}

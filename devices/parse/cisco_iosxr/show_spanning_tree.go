package cisco_iosxr

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowSpanningTree reads "show spanning-tree mst NAME" and "show spanning-tree pvrst NAME", where NAME is the protocol
// instance's in the configuration: the tree of each MSTI or VLAN with its root and its ports. How often it changed, XR
// tells in its log alone.
func ShowSpanningTree(output string, r *devices.Reading) {
	var s treeScanner
	for line := range text.Each(output) {
		s.line(line)
	}
	tables.Trees(r, s.trees)
}

type treeScanner struct {
	trees    []devices.Tree
	about    string // whose priority and address follow: "root", "bridge", ""
	priority string
}

func (s *treeScanner) line(line string) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return
	}
	if t, ok := treeHeader(f); ok {
		s.trees, s.about = append(s.trees, t), ""
		return
	}
	if len(s.trees) == 0 {
		return
	}
	t := &s.trees[len(s.trees)-1]
	if rest, ok := strings.CutPrefix(line, "VLANS Mapped:"); ok {
		t.VLANs = strings.TrimSpace(rest)
		return
	}
	for _, mark := range []struct{ words, about string }{{"CIST Root", "common root"}, {"Root ID", "root"}, {"Bridge ID", "bridge"}} {
		if rest, ok := strings.CutPrefix(line, mark.words); ok {
			s.about = mark.about
			f = strings.Fields(rest)
		}
	}
	switch {
	case len(f) >= 2 && f[0] == "Priority":
		s.priority = f[1]
	case len(f) >= 2 && f[0] == "Address" && s.about == "root":
		text.Set(&t.DesignatedRoot, s.priority+"."+f[1])
	case s.about == "root" && strings.HasPrefix(line, "This bridge is the root"):
		text.Set(&t.RootPort, "")
		text.Set(&t.RootCost, 0)
	case s.about == "root" && len(f) >= 2 && f[len(f)-2] == "Cost":
		if n, rest, ok := text.Uint32(f[len(f)-1]); ok && rest == "" {
			text.Set(&t.RootCost, n)
		}
	default:
		treeRow(t, f)
	}
}

// treeHeader reads "MSTI 0 (CIST):" and "VLAN 2:".
func treeHeader(f []string) (devices.Tree, bool) {
	if len(f) < 2 || len(f) > 3 || !strings.HasSuffix(f[len(f)-1], ":") {
		return devices.Tree{}, false
	}
	id, rest, ok := text.Uint32(strings.TrimSuffix(f[1], ":"))
	switch {
	case !ok || rest != "":
	case f[0] == "MSTI":
		return devices.Tree{Name: "mst " + text.Plain(float64(id)), Protocol: "mstp"}, true
	case f[0] == "VLAN":
		return devices.Tree{Name: "vlan " + text.Plain(float64(id)), Protocol: "rapid-pvst", VLANs: text.Plain(float64(id))}, true
	}
	return devices.Tree{}, false
}

// treeRow reads "Te0/0/0/16  128.1  2000  DSGN FWD  32768 0011.2233.4455 128.1".
func treeRow(t *devices.Tree, f []string) {
	const fewest = 5
	if len(f) < fewest || !block.IsPortName(f[0]) {
		return
	}
	cost, rest, ok := text.Uint32(f[2])
	state, known := treeStates[f[4]]
	if !ok || rest != "" || !known {
		return
	}
	p := devices.TreePort{Port: f[0], State: devices.Some(state), Cost: devices.Some(cost)}
	if role := treeRoles[f[3]]; role != "" {
		p.Role = devices.Some(role)
	}
	if p.Role.Value == "root" {
		text.Set(&t.RootPort, f[0])
	}
	t.Ports = append(t.Ports, p)
}

// The words of XR's legend. A port whose coming up is delayed (DLY) forwards nothing yet.
var (
	treeRoles  = map[string]string{"ROOT": "root", "DSGN": "designated", "ALT": "alternate", "BKP": "backup", "MSTR": "master", "MSTER": "master"}
	treeStates = map[string]string{"FWD": "forwarding", "LRN": "learning", "BLK": "blocking", "DLY": "blocking"}
)

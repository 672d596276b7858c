package cisco_smb

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowSpanningTree reads "show spanning-tree": the tree, its topology changes, and each port's state and role. With MSTP
// there is one such part for each instance.
func ShowSpanningTree(output string, r *devices.Reading) {
	var s treeScanner
	for line := range text.Each(output) {
		s.line(line)
	}
	tables.Trees(r, s.trees)
}

type treeScanner struct {
	trees    []devices.Tree
	protocol string
	priority string
	root     bool // the lines are about the root
}

func (s *treeScanner) line(line string) {
	f := strings.Fields(line)
	if len(f) == 0 {
		return
	}
	if mode, ok := text.After(line, "panning tree enabled mode "); ok {
		s.protocol = strings.ToLower(strings.Fields(mode + " ")[0])
		s.trees = append(s.trees, devices.Tree{Name: s.protocol, Protocol: s.protocol})
		return
	}
	if id, ok := strings.CutPrefix(line, "###### MST "); ok && len(s.trees) > 0 {
		name := "mst " + strings.Fields(id + " ")[0]
		if t := &s.trees[len(s.trees)-1]; t.Name == "mstp" && len(t.Ports) == 0 {
			t.Name = name
		} else {
			s.trees = append(s.trees, devices.Tree{Name: name, Protocol: "mstp"})
		}
		return
	}
	if len(s.trees) == 0 {
		return
	}
	t := &s.trees[len(s.trees)-1]
	switch {
	case strings.HasPrefix(line, "Root ID"), strings.HasPrefix(line, "CST Root ID"):
		s.root, s.priority = true, f[len(f)-1]
	case strings.HasPrefix(line, "Bridge ID"), strings.HasPrefix(line, "IST Master ID"):
		s.root = false
	case s.root && f[0] == "Address" && len(f) > 1:
		if id, ok := tables.BridgeID(s.priority, f[1]); ok {
			text.Set(&t.DesignatedRoot, id)
		}
	case s.root && f[0] == "Cost" && len(f) > 1:
		if n, rest, ok := text.Uint32(f[1]); ok && rest == "" {
			text.Set(&t.RootCost, n)
		}
	case s.root && f[0] == "Port" && len(f) > 1:
		text.Set(&t.RootPort, f[1])
	case strings.HasPrefix(line, "This switch is the root"):
		text.Set(&t.RootPort, "")
		text.Set(&t.RootCost, 0)
	case strings.HasPrefix(line, "Number of topology changes "):
		n, rest, _ := text.Number(line[len("Number of topology changes "):])
		text.SetOpt(&t.TopologyChanges, n)
		if ago, ok := text.After(rest, "last change occurred "); ok {
			if d, ok := text.Ago(strings.TrimSuffix(ago, " ago")); ok {
				text.Set(&t.SinceChange, d)
			}
		}
	default:
		treeRow(t, f)
	}
}

// treeRow reads "gi1 enabled 128.1 20000 Frw Root No P2P (RSTP)".
func treeRow(t *devices.Tree, f []string) {
	const fewest = 6
	if len(f) < fewest || !block.IsPortName(f[0]) || f[1] != "enabled" {
		return
	}
	state, ok := treeStates[strings.ToLower(f[4])]
	if !ok {
		return
	}
	p := devices.TreePort{Port: f[0], State: devices.Some(state), Role: tables.TreeRole(f[5])}
	if role := treeRoles[f[5]]; role != "" {
		p.Role = devices.Some(role)
	}
	if n, rest, ok := text.Uint32(f[3]); ok && rest == "" {
		p.Cost = devices.Some(n)
	}
	t.Ports = append(t.Ports, p)
}

// The words of the table; Dscr is discarding.
var (
	treeStates = map[string]string{"frw": "forwarding", "lrn": "learning", "lsn": "listening", "blk": "blocking", "dscr": "blocking", "dsbl": "disabled"}
	treeRoles  = map[string]string{"Desg": "designated", "Altn": "alternate", "Back": "backup", "Dsbl": "disabled", "Mstr": "master"}
)

package hp_procurve

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowSpanningTree reads "show spanning-tree": the common tree with its root and its topology changes, and the state of
// each port. The roles of ports are not in this table.
func ShowSpanningTree(output string, r *devices.Reading) {
	t := devices.Tree{Name: "mst 0", Protocol: "mstp"}
	enabled, table := false, false
	var priority, mac string
	for line := range text.Each(output) {
		if label, value, ok := strings.Cut(line, ":"); ok && !strings.Contains(label, "|") {
			value = strings.TrimSpace(value)
			switch label = strings.TrimSpace(label); label {
			case "STP Enabled":
				enabled = strings.EqualFold(value, "yes")
			case "Force Version":
				t.Protocol = forced[strings.ToLower(value)]
			case "CST Root MAC Address", "Root MAC Address":
				mac = value
			case "CST Root Priority", "Root Priority":
				priority = value
			case "CST Root Path Cost", "Root Path Cost":
				if n, rest, ok := text.Uint32(value); ok && rest == "" {
					text.Set(&t.RootCost, n)
				}
			case "CST Root Port", "Root Port":
				if strings.HasPrefix(value, "This switch") {
					value = ""
				}
				text.Set(&t.RootPort, value)
			case "Topology Change Count":
				text.SetOpt(&t.TopologyChanges, text.Count(value))
			case "Time Since Last Change":
				// Minutes and hours are whole ones, which would date a change too narrowly.
				if d, ok := text.Ago(value); ok && strings.Contains(value, "sec") {
					text.Set(&t.SinceChange, d)
				}
			}
			continue
		}
		if strings.HasPrefix(line, "---") && strings.Contains(line, " + ") {
			table = true
		} else if table {
			treeRow(&t, line)
		}
	}
	if id, ok := tables.BridgeID(priority, mac); ok {
		t.DesignatedRoot = devices.Some(id)
	}
	if enabled {
		tables.Trees(r, []devices.Tree{t})
	}
}

// forced is what a version that is forced runs.
var forced = map[string]string{"mstp-operation": "mstp", "rstp-operation": "rstp", "stp-compatible": "stp"}

// treeRow reads "24    100/1000T | 20000     128  Forwarding | 001635-b5d8c0 2    Yes No".
func treeRow(t *devices.Tree, line string) {
	const fewest = 2
	parts := strings.Split(line, "|")
	if len(parts) < fewest {
		return
	}
	name, state := strings.Fields(parts[0]), strings.Fields(parts[1])
	if len(name) == 0 || len(state) == 0 {
		return
	}
	p := devices.TreePort{Port: name[0], State: tables.TreeState(state[len(state)-1])}
	if !p.State.OK {
		return
	}
	if n, rest, ok := text.Uint32(state[0]); ok && rest == "" {
		p.Cost = devices.Some(n)
	}
	if t.RootPort.OK && t.RootPort.Value == p.Port {
		p.Role = devices.Some("root")
	}
	if len(parts) > fewest {
		if f := strings.Fields(parts[2]); len(f) >= fewest {
			p.PointToPoint, p.Edge = yesNo(f[len(f)-2]), yesNo(f[len(f)-1])
		}
	}
	t.Ports = append(t.Ports, p)
}

func yesNo(word string) devices.Opt[bool] {
	switch word {
	case "Yes":
		return devices.Some(true)
	case "No":
		return devices.Some(false)
	}
	return devices.None[bool]()
}

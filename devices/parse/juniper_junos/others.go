package juniper_junos

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
	"whydrop/devices/syslog"
)

// ShowInterfacesTerse reads "show interfaces terse": "ge-0/0/0  up  down".
func ShowInterfacesTerse(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 3 || !upDown(f[1]) || !upDown(f[2]) {
			continue
		}
		ports = append(ports, devices.Interface{Name: f[0], Admin: devices.Some(f[1]), Oper: devices.Some(f[2])})
	}
	into.Ports(r, ports)
}

func upDown(s string) bool { return s == "up" || s == "down" }

// ShowSpanningTreeInterface reads "show spanning-tree interface": under "Spanning tree interface parameters for
// instance 0" the rows port, port id, designated port, designated bridge, cost, state, role.
func ShowSpanningTreeInterface(output string, r *devices.Reading) {
	var tree *devices.Tree
	for line := range text.Each(output) {
		if _, rest, ok := strings.Cut(line, "parameters for "); ok {
			r.Trees = append(r.Trees, devices.Tree{Name: treeName(rest)})
			tree = &r.Trees[len(r.Trees)-1]
			continue
		}
		f := strings.Fields(line)
		if tree == nil || len(f) < 7 {
			continue
		}
		state, role := states[f[len(f)-2]], roles[f[len(f)-1]]
		if state == "" || role == "" {
			continue
		}
		p := devices.TreePort{Port: f[0], State: devices.Some(state), Role: devices.Some(role)}
		if n, rest, ok := text.Uint32(f[len(f)-3]); ok && rest == "" {
			p.Cost = devices.Some(n)
		}
		tree.Ports = append(tree.Ports, p)
		if len(r.Trees) == 1 {
			into.Ports(r, []devices.Interface{{Name: f[0], STPState: p.State, STPRole: p.Role}})
		}
	}
}

func treeName(s string) string {
	kind, n, _ := strings.Cut(strings.TrimSpace(s), " ")
	if strings.EqualFold(kind, "VLAN") {
		return "vlan " + n
	}
	return "mst " + n
}

var (
	states = map[string]string{"FWD": "forwarding", "BLK": "blocking", "LRN": "learning", "LIS": "listening", "DIS": "disabled"}
	roles  = map[string]string{"ROOT": "root", "DESG": "designated", "ALT": "alternate", "BKUP": "backup", "MSTR": "master", "DIS": "disabled"}
)

// ShowSpanningTreeBridge reads "show spanning-tree bridge": the root, the topology changes and when the last one was.
func ShowSpanningTreeBridge(output string, r *devices.Reading) {
	b := devices.Bridge{}
	found := false
	for line := range text.Each(output) {
		label, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(label) {
		case "Root ID":
			text.Set(&b.DesignatedRoot, value)
			found = true
		case "Root cost":
			if n, _, ok := text.Uint32(value); ok {
				text.Set(&b.RootCost, n)
			}
		case "Root port":
			text.Set(&b.RootPort, value)
		case "Number of topology changes":
			text.SetOpt(&b.TopologyChanges, text.Count(value))
			found = true
		case "Time since last topology change":
			seconds, _, _ := strings.Cut(value, " ")
			if n, _, ok := text.Uint32(seconds); ok {
				text.Set(&b.SinceChange, time.Duration(n)*time.Second)
			}
		case "Topology change initiator":
			from, _, _ := strings.Cut(value, " ")
			text.Set(&b.ChangeFrom, from)
		}
	}
	if found {
		r.Bridge = &b
	}
}

// ShowLACPInterfaces reads "show lacp interfaces": the groups, their members and whether they collect and distribute.
func ShowLACPInterfaces(output string, r *devices.Reading) {
	if r.Aggregates == nil {
		r.Aggregates = []devices.Aggregate{}
	}
	var cur *devices.Aggregate
	for line := range text.Each(output) {
		if name, ok := strings.CutPrefix(line, "Aggregated interface: "); ok {
			r.Aggregates = append(r.Aggregates, devices.Aggregate{Port: name, Protocol: "lacp"})
			cur = &r.Aggregates[len(r.Aggregates)-1]
			continue
		}
		f := strings.Fields(line)
		if cur == nil || len(f) != 10 || f[1] != "Actor" && f[1] != "Partner" {
			continue
		}
		octet := devices.Some(lacpState(f[2:]))
		if f[1] == "Actor" {
			m := devices.Member{Port: f[0], Actor: octet, State: "down"}
			if f[4] == "Yes" && f[5] == "Yes" {
				m.State = "bundled"
			}
			cur.Members = append(cur.Members, m)
		} else if n := len(cur.Members); n > 0 && cur.Members[n-1].Port == f[0] {
			cur.Members[n-1].Partner = octet
		}
	}
}

// lacpState makes the octet of IEEE 802.1AX, 6.4.2.3, of the words Exp, Def, Dist, Col, Syn, Aggr, Timeout, Activity.
func lacpState(f []string) uint8 {
	var b uint8
	for n, bit := range []uint8{7, 6, 5, 4, 3, 2} {
		if f[n] == "Yes" {
			b |= 1 << bit
		}
	}
	if f[6] == "Fast" {
		b |= 1 << 1
	}
	if f[7] == "Active" {
		b |= 1
	}
	return b
}

// ShowChassisClusterStatus reads "show chassis cluster status": under "Redundancy group: 1 , Failover count: 1" the
// rows of the nodes. The node that is primary is active.
func ShowChassisClusterStatus(output string, r *devices.Reading) {
	if r.Redundancy == nil {
		r.Redundancy = []devices.Redundancy{}
	}
	var cur *devices.Redundancy
	for line := range text.Each(output) {
		if rest, ok := strings.CutPrefix(line, "Redundancy group: "); ok {
			group, count, _ := strings.Cut(rest, ",")
			_, count, _ = strings.Cut(count, ":")
			r.Redundancy = append(r.Redundancy, devices.Redundancy{Protocol: "junos", Group: strings.TrimSpace(group), Changes: text.Count(count)})
			cur = &r.Redundancy[len(r.Redundancy)-1]
			continue
		}
		f := strings.Fields(line)
		if cur == nil || len(f) < 3 || !strings.HasPrefix(f[0], "node") {
			continue
		}
		state := tables.GroupState(f[2])
		if f[2] == "primary" {
			cur.Active = f[0]
		}
		if cur.State == "" {
			cur.State = state
			if n, _, ok := text.Uint32(f[1]); ok {
				cur.Priority = devices.Some(n)
			}
			if reason := f[len(f)-1]; reason != "None" && reason != "n/a" {
				cur.Reason = reason
			}
		} else {
			cur.Peer = state
		}
	}
}

// ShowSystemUptime reads the line "Current time: 2026-11-30 14:02:05 UTC" of "show system uptime".
func ShowSystemUptime(output string) (t time.Time, ok bool) {
	_, rest, ok := strings.Cut(output, "Current time: ")
	if !ok {
		return t, false
	}
	line, _, _ := strings.Cut(rest, "\n")
	f := strings.Fields(line)
	if len(f) < 2 {
		return t, false
	}
	t, err := time.Parse("2006-01-02 15:04:05", f[0]+" "+f[1])
	if err != nil {
		return t, false
	}
	if len(f) > 2 {
		if loc, ok := syslog.Zone(f[2]); ok {
			t = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc).UTC()
		}
	}
	return t, true
}

// ShowChassisRoutingEngine reads the idle share of the CPU in "show chassis routing-engine".
func ShowChassisRoutingEngine(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "Idle" {
			if v, _, ok := text.Float(f[1]); ok && v <= 100 {
				text.Set(&r.CPU, 1-v/100)
			}
		}
	}
}

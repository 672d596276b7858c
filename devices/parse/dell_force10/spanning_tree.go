package dell_force10

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowSpanningTree reads "show spanning-tree rstp brief" and "show spanning-tree pvst brief" of OS9 and "show
// spanning-tree active" of OS10: for each tree the root and the table of ports with role and state. The bridge of the
// reading is the first tree's.
func ShowSpanningTree(output string, r *devices.Reading) {
	s := treeScanner{}
	for line := range text.Each(output) {
		if line != "" {
			s.line(line)
		}
	}
	s.finish()
	if len(s.trees) == 0 {
		return
	}
	r.Trees = append(r.Trees, s.trees...)
	if r.Bridge == nil {
		first := s.trees[0].Bridge
		r.Bridge = &first
	}
	into.Ports(r, statesOf(s.trees[0]))
}

// statesOf returns the ports of a tree with their state and role.
func statesOf(t devices.Tree) []devices.Interface {
	var out []devices.Interface
	for _, p := range t.Ports {
		out = append(out, devices.Interface{Name: p.Port, STPState: p.State, STPRole: p.Role})
	}
	return out
}

type treeScanner struct {
	protocol, name string // of the tree that comes next
	cur            *devices.Tree
	trees          []devices.Tree
	roles          bool // the table has the column Role
}

func (s *treeScanner) line(line string) {
	f := words(line)
	switch {
	case strings.HasPrefix(line, "Spanning tree enabled protocol "):
		s.protocol, _, _ = strings.Cut(strings.ToLower(strings.TrimPrefix(line, "Spanning tree enabled protocol ")), " ")
	case len(f) == 1 && strings.HasPrefix(strings.ToLower(f[0]), "vlan "):
		s.finish()
		s.name = strings.ToLower(f[0])
	case strings.HasPrefix(line, "MSTI "):
		s.finish()
		s.name = "mst " + strings.TrimRight(strings.Fields(line)[1], ":")
	case strings.HasPrefix(line, "Root ID"):
		name := s.name
		s.finish()
		if name == "" {
			name = "rstp"
		}
		s.cur = &devices.Tree{Name: name, Protocol: s.protocol}
		if priority, mac, ok := bridgeID(line); ok {
			s.cur.DesignatedRoot = devices.Some(priority + "." + mac)
		}
	case s.cur == nil:
	case strings.HasPrefix(line, "We are the root"):
		s.cur.RootCost, s.cur.RootPort = devices.Some(uint32(0)), devices.Some("")
	case strings.Contains(line, "Role") && strings.Contains(line, "Sts"):
		s.roles = true
	case strings.Contains(line, "Bridge ID") && strings.Contains(line, "Sts"):
		s.roles = false
	case len(f) > 1 && isPort(f[0]):
		s.port(f)
	}
}

func (s *treeScanner) finish() {
	if s.cur != nil {
		for _, p := range s.cur.Ports {
			if p.Role.OK && p.Role.Value == "root" {
				text.Set(&s.cur.RootPort, p.Port)
			}
		}
		s.trees = append(s.trees, *s.cur)
	}
	s.cur, s.name, s.roles = nil, "", false
}

// bridgeID reads "Priority 32768, Address 90b1.1cf4.a523".
func bridgeID(line string) (priority, mac string, ok bool) {
	_, rest, ok := strings.Cut(line, "Priority ")
	if !ok {
		return "", "", false
	}
	priority, mac, ok = strings.Cut(rest, ", Address ")
	mac = strings.TrimSpace(mac)
	_, isMAC := text.MAC(mac)
	return strings.TrimSpace(priority), mac, ok && isMAC
}

var treeStates = map[string]string{
	"FWD": "forwarding", "BLK": "blocking", "DIS": "blocking", "LRN": "learning", "LIS": "listening", "ERR": "broken", "EDS": "disabled", "BKN": "broken",
}

var treeRoles = map[string]string{
	"Root": "root", "Desg": "designated", "Altr": "alternate", "Bkup": "backup", "Back": "backup", "Mstr": "master", "Dis": "disabled",
}

// port reads "ethernet1/1/5 Desg 128.276 128 500 FWD 0 AUTO No" and, in the table without roles, "ethernet1/1/5
// 128.276 128 500 FWD 0 32769 90b1.1cf4.a523 128.276". The same port's rows are joined.
func (s *treeScanner) port(f []string) {
	p := s.row(f[0])
	f = f[1:]
	if role, ok := treeRoles[f[0]]; ok {
		text.Set(&p.Role, role)
		f = f[1:]
	}
	for n, w := range f {
		state, ok := treeStates[strings.TrimRight(w, "*")]
		if !ok {
			continue
		}
		text.Set(&p.State, state)
		if n > 0 {
			if cost, rest, ok := text.Uint32(f[n-1]); ok && rest == "" {
				text.Set(&p.Cost, cost)
			}
		}
		break
	}
	if p.Role.OK && p.Role.Value == "disabled" && p.State.OK {
		p.State.Value = "disabled" // DIS is discarding else
	}
	if !s.roles || len(f) == 0 {
		return
	}
	if last := strings.ToLower(f[len(f)-1]); last == "yes" || last == "no" {
		text.Set(&p.Edge, last == "yes")
	}
}

func (s *treeScanner) row(name string) *devices.TreePort {
	for n := range s.cur.Ports {
		if s.cur.Ports[n].Port == name {
			return &s.cur.Ports[n]
		}
	}
	s.cur.Ports = append(s.cur.Ports, devices.TreePort{Port: name})
	return &s.cur.Ports[len(s.cur.Ports)-1]
}

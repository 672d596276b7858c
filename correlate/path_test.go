package correlate

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"
)

const (
	macA, macB, macC = "02:00:00:00:00:0a", "02:00:00:00:00:0b", "02:00:00:00:00:0c"
	macSw1, macSw2   = "02:01:00:00:00:01", "02:01:00:00:00:02"
	macFw1In         = "02:0f:00:00:01:01"
	macFw1Out        = "02:0f:00:00:01:02"
	macFw2In         = "02:0f:00:00:02:01"
	macFw2Out        = "02:0f:00:00:02:02"
)

var (
	ipA, ipB = netip.MustParseAddr("192.0.2.10"), netip.MustParseAddr("198.51.100.10")
	endA     = PathEnd{Name: "a", IP: ipA}
	endB     = PathEnd{Name: "b", IP: ipB}
)

// hears makes the two ends of a link hear each other by LLDP.
func hears(a *PathTables, portA string, b *PathTables, portB string) {
	a.Neighbours = append(a.Neighbours, PathNeighbour{Port: portA, Protocol: "lldp", System: b.Device, PortID: portB})
	b.Neighbours = append(b.Neighbours, PathNeighbour{Port: portB, Protocol: "lldp", System: a.Device, PortID: portA})
}

// learns makes a device learn an address at a port.
func (t *PathTables) learns(mac, port string, vlan uint32) {
	t.Stations = append(t.Stations, PathStation{MAC: mac, VLAN: vlan, Port: port, Status: "learned"})
}

func (t *PathTables) binds(ip netip.Addr, mac, port string) {
	t.Bindings = append(t.Bindings, PathBinding{IP: ip, MAC: mac, Port: port, Kind: "dynamic"})
}

// campus is two switches joined by a bundle of two links, and a firewall pair of which fw1 carries: a is in VLAN 10 at
// sw1, b in VLAN 20 at sw2. The firewalls hear no neighbours; fw1 is at sw1, fw2 at sw2.
func campus() map[string]*PathTables {
	sw1 := &PathTables{Device: "sw1", Role: "switch", MACs: []string{macSw1}, Ports: []string{"Gi1/0/1", "Gi1/0/11", "Gi1/0/12", "Gi1/0/23", "Gi1/0/24", "Po1"}}
	sw2 := &PathTables{Device: "sw2", Role: "switch", MACs: []string{macSw2}, Ports: slices.Clone(sw1.Ports)}
	for _, s := range []*PathTables{sw1, sw2} {
		s.Bundles = []PathBundle{{Port: "Po1", Members: []PathMember{{Port: "Gi1/0/23", State: "bundled"}, {Port: "Gi1/0/24", State: "bundled"}}}}
	}
	hears(sw1, "Gi1/0/23", sw2, "GigabitEthernet1/0/23")
	hears(sw1, "Gi1/0/24", sw2, "GigabitEthernet1/0/24")
	sw1.learns(macA, "Gi1/0/1", 10)
	sw2.learns(macA, "Po1", 10)
	sw1.learns(macB, "Po1", 20)
	sw2.learns(macB, "Gi1/0/1", 20)
	sw1.learns(macFw1In, "Gi1/0/11", 10)
	sw1.learns(macFw1Out, "Gi1/0/12", 20)
	sw2.learns(macFw1In, "Po1", 10)
	sw2.learns(macFw1Out, "Po1", 20)
	sw2.learns(macFw2In, "Gi1/0/11", 10)
	sw2.learns(macFw2Out, "Gi1/0/12", 20)
	sw1.learns(macFw2In, "Po1", 10)
	sw1.learns(macFw2Out, "Po1", 20)
	fw := func(name, peer, state, in, out string) *PathTables {
		f := &PathTables{Device: name, Role: "firewall", Peer: peer, PortMACs: map[string]string{"inside": in, "outside": out}, Ports: []string{"inside", "outside"},
			Groups: []PathGroup{{Protocol: "asa", Group: "failover", State: state}}}
		f.binds(ipA, macA, "inside")
		f.binds(ipB, macB, "outside")
		return f
	}
	return map[string]*PathTables{"sw1": sw1, "sw2": sw2,
		"fw1": fw("fw1", "fw2", "active", macFw1In, macFw1Out), "fw2": fw("fw2", "fw1", "standby", macFw2In, macFw2Out)}
}

func tablesOf(m map[string]*PathTables) []PathTables {
	var out []PathTables
	for _, n := range []string{"sw1", "sw2", "sw3", "fw1", "fw2"} {
		if t := m[n]; t != nil {
			out = append(out, *t)
		}
	}
	return out
}

// oneVLAN puts both ends of the campus into VLAN 10, without routers.
func oneVLAN() map[string]*PathTables {
	m := campus()
	delete(m, "fw1")
	delete(m, "fw2")
	for _, s := range []*PathTables{m["sw1"], m["sw2"]} {
		s.Stations = slices.DeleteFunc(s.Stations, func(x PathStation) bool { return x.MAC != macA && x.MAC != macB })
		for i := range s.Stations {
			s.Stations[i].VLAN = 10
		}
	}
	return m
}

func TestLearnPath(t *testing.T) {
	known := [2]PathEnd{{Name: "a", IP: ipA, MAC: macA}, {Name: "b", IP: ipB, MAC: macB}}
	given := [2]PathEnd{endA, endB}
	for name, c := range map[string]struct {
		tables   map[string]*PathTables
		change   func(m map[string]*PathTables)
		links    []Link
		ends     [2]PathEnd
		path     string
		complete bool
		unknown  string // part of what is not known
		warning  string
	}{
		"through the firewall that is active": {tables: campus(), ends: given, complete: true,
			path: "sw1[Gi1/0/1>Gi1/0/11] fw1[inside>outside] sw1[Gi1/0/12>Po1] sw2[Po1>Gi1/0/1]"},
		"the other unit took over": {tables: campus(), ends: given, complete: true,
			change: func(m map[string]*PathTables) {
				m["fw1"].Groups[0].State, m["fw2"].Groups[0].State = "standby", "active"
			},
			path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/11] fw2[inside>outside] sw2[Gi1/0/12>Gi1/0/1]"},
		"neither unit says whether it carries": {tables: campus(), ends: given, unknown: "several may carry: fw1 or fw2",
			change: func(m map[string]*PathTables) { m["fw1"].Groups, m["fw2"].Groups = nil, nil },
			path:   "sw1[Gi1/0/1>?] fw1|fw2[?>?] sw2[?>Gi1/0/1]"},
		"in one VLAN":          {tables: oneVLAN(), ends: known, complete: true, path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
		"no address of an end": {tables: oneVLAN(), ends: given, unknown: "no device has a in its neighbour cache"},
		"an address aged out, and the neighbour has it": {tables: oneVLAN(), ends: known, complete: true, path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]",
			change: func(m map[string]*PathTables) {
				m["sw1"].Stations = slices.DeleteFunc(m["sw1"].Stations, func(x PathStation) bool { return x.MAC == macB })
			}},
		"an address aged out everywhere": {tables: oneVLAN(), ends: known, unknown: "does not have b", path: "sw1[Gi1/0/1>?]",
			change: func(m map[string]*PathTables) {
				for _, s := range m {
					s.Stations = slices.DeleteFunc(s.Stations, func(x PathStation) bool { return x.MAC == macB })
				}
			}},
		"two switches point at each other": {tables: oneVLAN(), ends: known, unknown: "where it comes from",
			path:   "sw1[Gi1/0/1>Po1] sw2[Po1>?]",
			change: func(m map[string]*PathTables) { m["sw2"].Stations[1].Port = "Po1" }},
		"three switches in a ring": {tables: oneVLAN(), ends: known, unknown: "in a ring back to sw1",
			change: func(m map[string]*PathTables) {
				sw3 := &PathTables{Device: "sw3", Ports: []string{"1", "2"}}
				hears(m["sw2"], "Gi1/0/12", sw3, "1")
				hears(sw3, "2", m["sw1"], "Gi1/0/12")
				m["sw2"].Stations[1].Port = "Gi1/0/12"
				sw3.learns(macB, "2", 10)
				m["sw3"] = sw3
			},
			path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/12] sw3[1>2]"},
		"an entry at a port that blocks is old": {tables: oneVLAN(), ends: known, complete: true, warning: "blocking in vlan 10",
			change: func(m map[string]*PathTables) {
				m["sw1"].learns(macB, "Gi1/0/12", 10)
				m["sw1"].States = []PathState{{Port: "Gi1/0/12", Tree: "vlan 10", State: "blocking"}, {Port: "Po1", Tree: "vlan 10", State: "forwarding"}}
			},
			path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
		"an address at two ports": {tables: oneVLAN(), ends: known, unknown: "at several ports: Gi1/0/12, Po1",
			change: func(m map[string]*PathTables) { m["sw1"].learns(macB, "Gi1/0/12", 10) },
			path:   "sw1[Gi1/0/1>?]"},
		"two addresses of one host": {tables: campus(), ends: given, unknown: "several MAC addresses",
			change: func(m map[string]*PathTables) { m["fw2"].Bindings[0].MAC = macC }},
		"a switch in between that is not asked": {tables: oneVLAN(), ends: known, unknown: "other is behind sw1 at Po1",
			change: func(m map[string]*PathTables) {
				for _, s := range m {
					s.Neighbours = []PathNeighbour{{Port: "Gi1/0/23", Protocol: "cdp", System: "other", PortID: "Gi0/7"}}
				}
			},
			path: "sw1[Gi1/0/1>Po1] other sw2[Po1>Gi1/0/1]"},
		"no neighbours heard, but the switches see each other's addresses": {tables: oneVLAN(), ends: known, complete: true,
			change: func(m map[string]*PathTables) {
				for _, s := range m {
					s.Neighbours = nil
				}
				m["sw1"].learns(macSw2, "Po1", 1)
				m["sw2"].learns(macSw1, "Po1", 1)
			},
			path: "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
		"no neighbours heard, and the site file has the cable": {tables: oneVLAN(), ends: known, complete: true,
			change: func(m map[string]*PathTables) {
				for _, s := range m {
					s.Neighbours = nil
				}
			},
			links: []Link{{A: [2]string{"sw1", "Po1"}, B: [2]string{"sw2", "Po1"}}},
			path:  "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
		"no neighbours heard at all": {tables: oneVLAN(), ends: known, unknown: "several ports without a known neighbour",
			change: func(m map[string]*PathTables) {
				for _, s := range m {
					s.Neighbours = nil
				}
			}},
		"the tree changed a moment ago": {tables: oneVLAN(), ends: known, complete: true, warning: "changed 3 s ago",
			change: func(m map[string]*PathTables) { m["sw2"].SinceChange = 3 * time.Second },
			path:   "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
		"a table that was not read": {tables: oneVLAN(), ends: known, complete: true, unknown: "sw2: LLDP: no answer in time",
			change: func(m map[string]*PathTables) { m["sw2"].Missing = []string{"LLDP: no answer in time"} },
			path:   "sw1[Gi1/0/1>Po1] sw2[Po1>Gi1/0/1]"},
	} {
		t.Run(name, func(t *testing.T) {
			if c.change != nil {
				c.change(c.tables)
			}
			got := LearnPath(c.ends[0], c.ends[1], tablesOf(c.tables), c.links)
			if got.Text() != c.path || got.Complete != c.complete {
				t.Errorf("path %q, complete %v; want %q, %v\nnot known: %q", got.Text(), got.Complete, c.path, c.complete, got.Unknown)
			}
			if c.unknown == "" != (len(got.Unknown) == 0) || !strings.Contains(strings.Join(got.Unknown, "\n"), c.unknown) {
				t.Errorf("not known: %q, want %q", got.Unknown, c.unknown)
			}
			if c.warning == "" != (len(got.Warnings) == 0) || !strings.Contains(strings.Join(got.Warnings, "\n"), c.warning) {
				t.Errorf("warnings: %q, want %q", got.Warnings, c.warning)
			}
		})
	}
}

func TestLearntPathIsTheSameFromBothEnds(t *testing.T) {
	there, back := LearnPath(endA, endB, tablesOf(campus()), nil), LearnPath(endB, endA, tablesOf(campus()), nil)
	if want := (LearntPath{Hops: turned(back.Hops)}).Text(); there.Text() != want {
		t.Errorf("there %s, back %s", there.Text(), back.Text())
	}
	fw := there.Hops[1]
	if !slices.Equal(fw.Others, []string{"fw2"}) {
		t.Errorf("the other unit: %v", fw.Others)
	}
	if got := there.Hops[3].Beside; !slices.Equal(got, []string{"Gi1/0/11", "Gi1/0/12"}) {
		t.Errorf("ports of sw2 at which fw2 is: %v", got)
	}
	if got := there.Hops[2].Ports(); !slices.Equal(got, []string{"Gi1/0/12", "Po1", "Gi1/0/23", "Gi1/0/24"}) {
		t.Errorf("ports of sw1: %v", got)
	}
}

func TestPathMoved(t *testing.T) {
	before := LearnPath(endA, endB, tablesOf(campus()), nil)
	moved := campus()
	moved["fw1"].Groups[0].State, moved["fw2"].Groups[0].State = "failed", "active"
	other := LearnPath(endA, endB, tablesOf(moved), nil)
	blind := campus()
	delete(blind, "sw2")
	cut := LearnPath(endA, endB, tablesOf(blind), nil)
	for name, c := range map[string]struct {
		a, b LearntPath
		want bool
	}{
		"the same":                   {before, before, false},
		"the other firewall":         {before, other, true},
		"a device that says nothing": {before, cut, false},
	} {
		if got := PathMoved(c.a, c.b); got != c.want {
			t.Errorf("%s: moved %v, from %s to %s", name, got, c.a.Text(), c.b.Text())
		}
	}
}

func TestPathContradictions(t *testing.T) {
	learnt := LearnPath(PathEnd{Name: "a", MAC: macA}, PathEnd{Name: "b", MAC: macB}, tablesOf(oneVLAN()), nil)
	for name, c := range map[string]struct {
		hops [][]string
		want []string
	}{
		"the same":        {[][]string{{"sw1"}, {"sw2"}}, nil},
		"a group of two":  {[][]string{{"sw9", "sw1"}, {"sw2"}}, nil},
		"one is missing":  {[][]string{{"sw1"}}, []string{"sw2 carries the path by its tables, but is not among the hops"}},
		"one too many":    {[][]string{{"sw1"}, {"sw7"}, {"sw2"}}, []string{"sw7 is among the hops, but does not carry the path by the tables"}},
		"the wrong order": {[][]string{{"sw2"}, {"sw1"}}, []string{"sw2 stands at another place among the hops than the tables say"}},
	} {
		got := PathContradictions(c.hops, learnt)
		if !slices.Equal(got, c.want) && !(name == "the wrong order" && len(got) == 1) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

package app

import (
	"slices"

	"whydrop/correlate"
	"whydrop/devices"
)

// into puts what a reading says into the tables of its device. Ports are called what the device's list of ports calls
// them, whichever way a table spells them.
func into(t *correlate.PathTables, r devices.Reading) {
	if r.SysName.OK {
		t.SysName = r.SysName.Value
	}
	for _, i := range r.Interfaces {
		if !slices.Contains(t.Ports, i.Name) {
			t.Ports = append(t.Ports, i.Name)
		}
		if i.Oper.OK && i.Oper.Value != "up" && i.Oper.Value != "unknown" && i.Oper.Value != "dormant" {
			t.Down = append(t.Down, i.Name)
		}
	}
	name := func(p string) string {
		if have, ok := devices.SamePort(t.Ports, p); ok {
			return have
		}
		return p
	}
	for _, n := range r.Neighbours {
		t.Neighbours = append(t.Neighbours, correlate.PathNeighbour{
			Port: name(n.Port), Protocol: n.Protocol, System: n.System, Chassis: n.Chassis, PortID: n.PortID, PortText: n.PortText, Address: n.Address,
		})
	}
	for _, s := range r.Stations {
		st := correlate.PathStation{MAC: s.MAC, VLAN: s.VLAN.Value, Port: s.Port, Status: s.Status}
		if s.Port != "" {
			st.Port = name(s.Port)
		}
		if !slices.Contains(t.Stations, st) {
			t.Stations = append(t.Stations, st)
		}
	}
	for _, b := range r.Bindings {
		pb := correlate.PathBinding{IP: b.IP, MAC: b.MAC, Port: name(b.Port), Kind: b.Kind}
		if !slices.Contains(t.Bindings, pb) {
			t.Bindings = append(t.Bindings, pb)
		}
	}
	for _, a := range r.Aggregates {
		b := correlate.PathBundle{Port: name(a.Port)}
		for _, m := range a.Members {
			in := m.InSync()
			b.Members = append(b.Members, correlate.PathMember{Port: name(m.Port), State: m.State, Out: in.OK && !in.Value})
		}
		t.Bundles = append(t.Bundles, b)
	}
	for _, tree := range r.Trees {
		for _, p := range tree.Ports {
			if p.State.OK {
				t.States = append(t.States, correlate.PathState{Port: name(p.Port), Tree: tree.Name, State: p.State.Value})
			}
		}
		if s := tree.SinceChange; s.OK && (t.SinceChange == 0 || s.Value < t.SinceChange) {
			t.SinceChange = s.Value
		}
	}
	if r.Bridge != nil && r.Bridge.SinceChange.OK && t.SinceChange == 0 {
		t.SinceChange = r.Bridge.SinceChange.Value
	}
	for _, g := range r.Redundancy {
		t.Groups = append(t.Groups, correlate.PathGroup{Protocol: g.Protocol, Group: g.Group, Port: g.Port, State: g.State, Virtual: g.Virtual})
	}
}

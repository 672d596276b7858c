package correlate

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
)

const (
	macR1, macR2 = "02:0e:00:00:00:01", "02:0e:00:00:00:02"
	macVirtual   = "00:00:0c:07:ac:0a"
)

// gateways is two layer-3 switches, core1 and core2, that share the gateway of VLAN 10 and 20, above one access switch
// at which both hosts are. The states are those of core1 and core2.
func gateways(state1, state2 string) []PathTables {
	acc := PathTables{Device: "acc", Role: "switch", Ports: []string{"1", "2", "51", "52"}}
	core := func(name, mac, state string) PathTables {
		c := PathTables{Device: name, Role: "switch", MACs: []string{mac}, Ports: []string{"Te1/1", "Te1/48"}}
		if state == "active" {
			c.MACs = append(c.MACs, macVirtual)
		}
		c.binds(ipA, macA, "Vlan10")
		c.binds(ipB, macB, "Vlan20")
		c.learns(macA, "Te1/1", 10)
		c.learns(macB, "Te1/1", 20)
		for _, vlan := range []string{"Vlan10", "Vlan20"} {
			c.Groups = append(c.Groups, PathGroup{Protocol: "hsrp", Group: vlan, Port: vlan, State: state, Virtual: netip.MustParseAddr("192.0.2.1")})
		}
		return c
	}
	c1, c2 := core("core1", macR1, state1), core("core2", macR2, state2)
	hears(&acc, "51", &c1, "Te1/1")
	hears(&acc, "52", &c2, "Te1/1")
	acc.learns(macA, "1", 10)
	acc.learns(macB, "2", 20)
	acc.learns(macR1, "51", 10)
	acc.learns(macR2, "52", 10)
	return []PathTables{acc, c1, c2}
}

// routersInARow is a at sw1 behind r1, and b at sw2 behind r2. Both routers hear their neighbours.
func routersInARow() []PathTables {
	sw1 := PathTables{Device: "sw1", Role: "switch", Ports: []string{"1", "24"}}
	sw2 := PathTables{Device: "sw2", Role: "switch", Ports: []string{"1", "24"}}
	link1, link2 := netip.MustParseAddr("203.0.113.1"), netip.MustParseAddr("203.0.113.2")
	r1 := PathTables{Device: "r1", Role: "router", MACs: []string{macR1}, Addresses: []netip.Addr{link1}, Ports: []string{"Gi0/0", "Gi0/1"}}
	r2 := PathTables{Device: "r2", Role: "router", MACs: []string{macR2}, Addresses: []netip.Addr{link2}, Ports: []string{"Gi0/0", "Gi0/1"}}
	hears(&sw1, "24", &r1, "Gi0/0")
	hears(&r1, "Gi0/1", &r2, "Gi0/1")
	hears(&r2, "Gi0/0", &sw2, "24")
	sw1.learns(macA, "1", 0)
	sw2.learns(macB, "1", 0)
	r1.binds(ipA, macA, "Gi0/0")
	r1.binds(link2, macR2, "Gi0/1")
	r2.binds(link1, macR1, "Gi0/1")
	r2.binds(ipB, macB, "Gi0/0")
	return []PathTables{sw1, sw2, r1, r2}
}

// switchBetweenRouters puts a switch that routes, by its addresses alone, between the two routers.
func switchBetweenRouters() []PathTables {
	all := routersInARow()
	r1, r2 := &all[2], &all[3]
	const macM = "02:0e:00:00:00:03"
	near, far := netip.MustParseAddr("203.0.113.5"), netip.MustParseAddr("203.0.113.9")
	m := PathTables{Device: "m", Role: "switch", MACs: []string{macM}, Addresses: []netip.Addr{near, far}, Ports: []string{"1", "2"}}
	for _, r := range []*PathTables{r1, r2} {
		r.Neighbours = slices.DeleteFunc(r.Neighbours, func(n PathNeighbour) bool { return n.Port == "Gi0/1" })
		r.Bindings = slices.DeleteFunc(r.Bindings, func(b PathBinding) bool { return b.Port == "Gi0/1" })
	}
	hears(r1, "Gi0/1", &m, "1")
	hears(r2, "Gi0/1", &m, "2")
	r1.binds(near, macM, "Gi0/1")
	m.binds(r2.Addresses[0], macR2, "2")
	return append(all, m)
}

func TestLearnRoutedPath(t *testing.T) {
	for name, c := range map[string]struct {
		tables   []PathTables
		path     string
		complete bool
		unknown  string
	}{
		"the gateway that is active":     {gateways("active", "standby"), "acc[1>51] core1[Te1/1>Te1/1] acc[51>2]", true, ""},
		"the other gateway":              {gateways("standby", "active"), "acc[1>52] core2[Te1/1>Te1/1] acc[52>2]", true, ""},
		"both gateways say they carry":   {gateways("active", "active"), "acc[1>?] core1|core2[?>?] acc[?>2]", false, "several may carry: core1 or core2"},
		"two routers in a row":           {routersInARow(), "sw1[1>24] r1[Gi0/0>Gi0/1] r2[Gi0/1>Gi0/0] sw2[24>1]", true, ""},
		"a switch that routes between":   {switchBetweenRouters(), "sw1[1>24] r1[Gi0/0>Gi0/1] m[1>2] r2[Gi0/1>Gi0/0] sw2[24>1]", true, ""},
		"a router that is not asked":     {slices.DeleteFunc(routersInARow(), func(t PathTables) bool { return t.Device == "r2" }), "", false, "no router has b in its neighbour cache"},
		"the routers know no way across": {slices.Concat(routersInARow()[:2], withoutBindings(routersInARow()[2:])), "", false, "no neighbour cache says what is between"},
	} {
		a, b := endA, endB
		b.MAC = macB
		got := LearnPath(a, b, c.tables, nil)
		if got.Text() != c.path || got.Complete != c.complete || !strings.Contains(strings.Join(got.Unknown, "\n"), c.unknown) || c.unknown == "" && len(got.Unknown) > 0 {
			t.Errorf("%s: path %q, complete %v, not known %q; want %q, %v, %q", name, got.Text(), got.Complete, got.Unknown, c.path, c.complete, c.unknown)
		}
	}
}

// withoutBindings takes from routers what they know of each other.
func withoutBindings(routers []PathTables) []PathTables {
	for i := range routers {
		routers[i].Bindings = slices.DeleteFunc(routers[i].Bindings, func(b PathBinding) bool { return b.IP != ipA && b.IP != ipB })
	}
	return routers
}

// A firewall that is a bridge has no forwarding table to show, and hears the switches at its two ends.
func TestLearnPathThroughATransparentFirewall(t *testing.T) {
	sw1 := PathTables{Device: "sw1", Role: "switch", Ports: []string{"1", "2", "3"}}
	sw2 := PathTables{Device: "sw2", Role: "switch", Ports: []string{"1", "2", "3"}}
	fw1 := PathTables{Device: "fw1", Role: "firewall", Peer: "fw2", Ports: []string{"inside", "outside"}}
	fw2 := PathTables{Device: "fw2", Role: "firewall", Peer: "fw1", Ports: []string{"inside", "outside"}}
	hears(&sw1, "2", &fw1, "inside")
	hears(&fw1, "outside", &sw2, "2")
	hears(&sw1, "3", &fw2, "inside")
	hears(&fw2, "outside", &sw2, "3")
	for _, x := range []struct {
		t    *PathTables
		mac  string
		port string
	}{{&sw1, macA, "1"}, {&sw1, macB, "2"}, {&sw2, macA, "2"}, {&sw2, macB, "1"}} {
		x.t.learns(x.mac, x.port, 0)
	}
	got := LearnPath(PathEnd{Name: "a", MAC: macA}, PathEnd{Name: "b", MAC: macB}, []PathTables{sw1, sw2, fw1, fw2}, nil)
	if got.Text() != "sw1[1>2] fw1[inside>outside] sw2[2>1]" || !got.Complete || !slices.Equal(got.Hops[1].Others, []string{"fw2"}) {
		t.Errorf("path %s, complete %v, not known %q", got.Text(), got.Complete, got.Unknown)
	}
	for i, want := range map[int]string{0: "3", 2: "3"} {
		if h := got.Hops[i]; !slices.Equal(h.Beside, []string{want}) {
			t.Errorf("%s: ports at which fw2 is: %v, want %s", h.Device, h.Beside, want)
		}
	}
}

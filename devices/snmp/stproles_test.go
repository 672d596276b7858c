package snmp

import (
	"bytes"
	"errors"
	"os"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

func TestRolesAreDerived(t *testing.T) {
	const own, other = "\x02\x00\x00\x00\x00\x0a", "\x02\x00\x00\x00\x00\x0b"
	type shows struct{ state, bridge, port string }
	designated := map[string]shows{"a": {"forwarding", own, "\x80\x01"}, "up": {"forwarding", other, "\x80\x07"}}
	for name, c := range map[string]struct {
		base, root string
		port       shows
		oper       string
		want       string // "" is open
	}{
		"the root port":                             {own, "x", shows{"forwarding", other, "\x80\x03"}, "up", "root"},
		"the root port before it forwards":          {own, "x", shows{"blocking", other, "\x80\x03"}, "up", "root"},
		"it forwards what is its own":               {own, "up", shows{"forwarding", own, "\x80\x02"}, "up", "designated"},
		"it learns":                                 {own, "up", shows{"learning", own, "\x80\x02"}, "up", "designated"},
		"its turn to forward has not come":          {own, "up", shows{"blocking", own, "\x80\x02"}, "up", "designated"},
		"another bridge is better":                  {own, "up", shows{"blocking", other, "\x80\x09"}, "up", "alternate"},
		"another port of the same bridge is better": {own, "up", shows{"blocking", own, "\x80\x01"}, "up", "backup"},
		"off":                                    {own, "up", shows{"disabled", own, "\x80\x02"}, "up", "disabled"},
		"without a link":                         {own, "up", shows{"blocking", own, "\x80\x02"}, "down", "disabled"},
		"a state of link that nobody knows":      {own, "up", shows{"blocking", other, "\x80\x09"}, "unknown", "alternate"},
		"another's messages and yet it forwards": {own, "up", shows{"forwarding", other, "\x80\x09"}, "up", ""},
		"spanning tree is off":                   {own, "up", shows{"forwarding", "\x00\x00\x00\x00\x00\x00", "\x00\x00"}, "up", ""},
		"broken":                                 {own, "up", shows{"broken", own, "\x80\x02"}, "up", ""},
		"the base address is another than in messages": {"\x02\x00\x00\x00\xff\xff", "up", shows{"blocking", other, "\x80\x09"}, "up", "alternate"},
		"no base address": {"", "up", shows{"blocking", own, "\x80\x01"}, "up", "backup"},
	} {
		t.Run(name, func(t *testing.T) {
			roles := treeRoles{own: c.base, root: devices.Some(c.root)}
			for n, s := range designated {
				roles.add(n, devices.Some(s.state), []byte("\x80\x00"+s.bridge), []byte(s.port))
			}
			roles.add("x", devices.Some(c.port.state), []byte("\x80\x00"+c.port.bridge), []byte(c.port.port))
			equal(t, "role", roles.of("x", devices.Some(c.port.state), devices.Some(c.oper)), devices.Opt[string]{Value: c.want, OK: c.want != ""})
			roles.root = devices.None[string]()
			equal(t, "role without a word of the root port", roles.of("x", devices.Some(c.port.state), devices.Some(c.oper)), devices.None[string]())
		})
	}
	alone := treeRoles{root: devices.Some("up")}
	alone.add("up", devices.Some("forwarding"), []byte("\x80\x00"+other), []byte("\x80\x03"))
	alone.add("x", devices.Some("blocking"), []byte("\x80\x00"+other), []byte("\x80\x04"))
	equal(t, "role where the own address can't be told", alone.of("x", devices.Some("blocking"), devices.Some("up")), devices.None[string]())
}

// TestADerivedRoleFollowsThePort: a port that blocked takes over from the root port within one poll.
func TestADerivedRoleFollowsThePort(t *testing.T) {
	bridge := func(last byte) snmptest.Value { return snmptest.Bytes([]byte{0x80, 0, 2, 0, 0, 0, 0, last}) }
	a := tableAgent(rows_{
		dot1dBaseBridgeAddress + ".0": snmptest.Bytes([]byte{2, 0, 0, 0, 0, 0xa}), stpTopChanges: snmptest.C32(1), stpRootPort: snmptest.Int(1),
		stpPortState + "1": snmptest.Int(5), stpPortState + "2": snmptest.Int(2), stpPortState + "3": snmptest.Int(5),
		stpDesignatedBridge + ".1": bridge(0xb), stpDesignatedBridge + ".2": bridge(0xb), stpDesignatedBridge + ".3": bridge(0xa),
		stpDesignatedPort + ".1": snmptest.Bytes([]byte{0x80, 1}), stpDesignatedPort + ".2": snmptest.Bytes([]byte{0x80, 2}), stpDesignatedPort + ".3": snmptest.Bytes([]byte{0x80, 3}),
	})
	c, d := collector(t), tableDevice(t, a, "2c")
	roles := func() (out [2]string) {
		r, err := c.Collect(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		for n, i := range r.Interfaces {
			if out[n] = i.STPRole.Value; i.STPRole.OK && i.STPRoleFrom != rolesFrom {
				t.Errorf("the role of %s is from %q", i.Name, i.STPRoleFrom)
			}
		}
		for _, tree := range r.Trees {
			for n, p := range tree.Ports {
				equal(t, "role in the tree", []string{p.Role.Value, p.RoleFrom}, []string{out[n], rolesFrom})
			}
		}
		return out
	}
	var got [2]string
	for polls := 0; polls < 100 && got[0] == ""; polls++ { // of a slow host it comes later
		got = roles()
	}
	equal(t, "roles", got, [2]string{"root", "alternate"})
	a.Set(stpRootPort, snmptest.Int(2))
	a.Set(stpPortState+"2", snmptest.Int(5))
	a.Set(stpDesignatedBridge+".1", bridge(0xa))
	equal(t, "roles in the next poll", roles(), [2]string{"designated", "root"})
}

// TestRolesOfOtherTrees: the same of IEEE 802.1's own table without MSTP, and of a table of BRIDGE-MIB whose walk is cut short.
func TestRolesOfOtherTrees(t *testing.T) {
	bridge := func(last byte) snmptest.Value { return snmptest.Bytes([]byte{0x80, 0, 2, 0, 0, 0, 0, last}) }
	port := func(n byte) snmptest.Value { return snmptest.Bytes([]byte{0x80, n}) }
	for _, tt := range []tableTest{
		{"ieee8021SpanningTreeTable", rows_{
			ieeeTreeEntry + "5.1": snmptest.C64(1), ieeeTreeEntry + "8.1": snmptest.Gauge(3), ieeeBridgeAddress + ".1": snmptest.Bytes([]byte{2, 0, 0, 0, 0, 0xa}),
			ieeePortState + ".1.1": snmptest.Int(2), ieeePortState + ".1.2": snmptest.Int(5), ieeePortState + ".1.3": snmptest.Int(5),
			ieeeDesignatedBridge + ".1.1": bridge(0xa), ieeeDesignatedBridge + ".1.2": bridge(0xa), ieeeDesignatedBridge + ".1.3": bridge(0xb),
			ieeeDesignatedPort + ".1.1": port(2), ieeeDesignatedPort + ".1.2": port(2), ieeeDesignatedPort + ".1.3": port(9),
		}, func(t *testing.T, r devices.Reading) {
			var got []string
			for _, p := range r.Trees[0].Ports {
				got = append(got, p.Port, p.Role.Value, p.RoleFrom)
			}
			equal(t, "roles", got, []string{"p", "backup", ieeeRolesFrom, "q", "designated", ieeeRolesFrom})
		}},
		{stpRoles.Name, rows_{
			dot1dBaseBridgeAddress + ".0": snmptest.Bytes([]byte{2, 0, 0, 0, 0, 0xa}), stpTopChanges: snmptest.C32(1), stpRootPort: snmptest.Int(1),
			stpPortState + "1": snmptest.Int(5), stpPortState + "2": snmptest.Int(2), stpDesignatedBridge + ".1": bridge(0xb), stpDesignatedBridge + ".2": bridge(0xb),
			stpDesignatedPort + ".1": port(1), stpDesignatedPort + ".2": port(2),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "roles", []string{r.Interfaces[0].STPRole.Value, r.Interfaces[1].STPRole.Value}, []string{"root", "alternate"})
		}},
	} {
		tt.run(t)
	}
}

// TestRolesOfATreeOfEachVLAN: classic per-VLAN spanning tree names no roles.
func TestRolesOfATreeOfEachVLAN(t *testing.T) {
	a := pvst()
	a.Delete(stpxRSTPPortRole + ".20.5")
	a.Delete(stpxRSTPPortRole + ".30.5")
	for _, vlan := range []string{"vlan-20", "vlan-30"} {
		a.SetIn(vlan, dot1dBaseBridgeAddress+".0", snmptest.Bytes([]byte{2, 0, 0, 0, 0, 0xa}))
		a.SetIn(vlan, stpDesignatedBridge+".5", snmptest.Bytes([]byte{0x80, 20, 2, 0, 0, 0, 0, map[string]byte{"vlan-20": 0xa, "vlan-30": 0xb}[vlan]}))
		a.SetIn(vlan, stpDesignatedPort+".5", snmptest.Bytes([]byte{0x80, 5}))
	}
	c, d := collector(t), tableDevice(t, a, "2c")
	var r devices.Reading
	for polls := 0; polls < 500 && len(r.Trees) < 2; polls++ {
		var err error
		if r, err = c.Collect(t.Context(), d); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Trees) != 2 {
		t.Fatalf("%d trees", len(r.Trees))
	}
	forwards, blocks := r.Trees[0].Ports[0], r.Trees[1].Ports[0]
	equal(t, "protocol", r.Trees[0].Protocol, "pvst")
	equal(t, "the port that forwards", []string{forwards.Role.Value, forwards.RoleFrom}, []string{"designated", rolesFrom})
	equal(t, "the port that blocks", []string{blocks.Role.Value, blocks.RoleFrom}, []string{"alternate", rolesFrom})
}

// TestRolesOfRecordedDevices derives roles from walks of real devices, which are not part of the tree.
func TestRolesOfRecordedDevices(t *testing.T) {
	for file, want := range map[string]map[string]string{
		"edgecos/edgecos_ecs4100-28t":       {"Port1": "designated", "Port25": "root"},
		"aos/aos":                           {"e1": "designated", "g2": "root"},
		"powerconnect/powerconnect_2824":    {"g1": "root", "g5": "designated"},
		"ciscosb/ciscosb_sg350x-24p":        {"gi1/0/14": "designated", "te1/0/1": "root"},
		"hirschmann/hirschmann":             {"1/1/10": "designated"},
		"ios/ios_stp-vlans":                 {"Gi2/0/1": "designated", "Gi2/0/24": "root"}, // its base address is another
		"ios/ios_2960x":                     {"Gi1/0/3": "designated", "Po1": "root"},
		"nxos/nxos_n3k-3064pq":              {"port-channel10": "root"},
		"arubaos-cx/arubaos-cx_10.10":       {"1/1/1": "designated", "1/1/3": "disabled"}, // without a link
		"fs-centec/fs-centec_s5850-48s2q4c": {"eth-0-42": ""},                             // bridges as text
		"dlink/dlink_dgs-1510-28":           {"eth1/0/1": ""},                             // spanning tree is off
		"zynos/zynos_gs1900-fdb":            {"GigabitEthernet2": ""},                     // bridges as text of its own
	} {
		t.Run(file, func(t *testing.T) {
			t.Parallel()
			b, err := os.ReadFile("../../../shared/corpus/snmp/" + file + ".snmprec")
			if err != nil {
				t.Skip("no recordings here")
			}
			a := &snmptest.Agent{Community: "public"}
			if _, err := a.Load(bytes.NewReader(b)); err != nil {
				t.Fatal(err)
			}
			a.Set(sysUpTime, snmptest.Ticks(123456)) // some recordings have none
			d := device(snmptest.NewAgent(t, a))
			for name := range want {
				d.Ports = append(d.Ports, name)
			}
			d.SNMP.Timeout = 5 * time.Second // all recordings are played at once
			r, err := collector(t).Survey(t.Context(), d, stpRoles.Name)
			if err != nil && !errors.Is(err, devices.ErrPartial) {
				t.Fatal(err)
			}
			got := map[string]string{}
			for _, i := range r.Interfaces {
				if _, ok := want[i.Name]; ok {
					got[i.Name] = i.STPRole.Value
				}
			}
			equal(t, "roles", got, want)
		})
	}
}

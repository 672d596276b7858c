package snmp

import (
	"context"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// pvst is an agent with a tree for each of three VLANs; the watched ports take part in two of them.
func pvst() *snmptest.Agent {
	root := snmptest.Bytes([]byte{0x80, 20, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff})
	a := tableAgent(rows_{
		sysObjectID: snmptest.OID("1.3.6.1.4.1.9.1.1208"), sysName: snmptest.Str("sw1"),
		vtpVlanState + ".1.20": snmptest.Int(1), vtpVlanState + ".1.30": snmptest.Int(1), vtpVlanState + ".1.40": snmptest.Int(1), vtpVlanState + ".1.1002": snmptest.Int(2),
		stpxRSTPPortRole + ".20.5": snmptest.Int(2), stpxRSTPPortRole + ".30.5": snmptest.Int(4),
	})
	for _, vlan := range []string{"20", "30"} {
		a.SetIn("vlan-"+vlan, dot1dBasePortIfIndex+".5", snmptest.Int(7))
		a.SetIn("vlan-"+vlan, dot1dBasePortIfIndex+".6", snmptest.Int(9))
		a.SetIn("vlan-"+vlan, stpTopChanges, snmptest.C32(3))
		a.SetIn("vlan-"+vlan, stpDesignatedRoot, root)
		a.SetIn("vlan-"+vlan, stpRootPort, snmptest.Int(6))
	}
	a.SetIn("vlan-20", stpPortState+"5", snmptest.Int(5))
	a.SetIn("vlan-30", stpPortState+"5", snmptest.Int(2))
	a.SetIn("vlan-40", dot1dBasePortIfIndex+".6", snmptest.Int(9))
	a.SetIn("vlan-30", dot1dTpFdbPort+".2.0.0.0.0.10", snmptest.Int(6))
	a.SetIn("vlan-30", dot1dTpFdbStatus+".2.0.0.0.0.10", snmptest.Int(3))
	return a
}

func TestATreeOfEachVLAN(t *testing.T) {
	bridge := devices.Bridge{TopologyChanges: devices.C32(3), DesignatedRoot: devices.Some("32788.aabb.ccdd.eeff"), RootPort: devices.Some("r")}
	want := []devices.Tree{
		{Name: "vlan 20", Protocol: "rapid-pvst", VLANs: "20", Bridge: bridge, Ports: []devices.TreePort{{Port: "p", State: devices.Some("forwarding"), Role: devices.Some("root")}}},
		{Name: "vlan 30", Protocol: "rapid-pvst", VLANs: "30", Bridge: bridge, Ports: []devices.TreePort{{Port: "p", State: devices.Some("blocking"), Role: devices.Some("alternate")}}},
	}
	want[0].Ports[0].Role = devices.Some("root")
	for _, version := range []string{"2c", "3"} {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			a := pvst()
			c, d := collector(t), tableDevice(t, a, version)
			var r devices.Reading
			for polls := 0; polls < 500 && len(r.Trees) < 2; polls++ {
				var err error
				if r, err = c.Collect(context.Background(), d); err != nil {
					t.Fatal(err)
				}
			}
			equal(t, "trees", r.Trees, want)
			a.SetIn("vlan-30", stpPortState+"5", snmptest.Int(5))
			r, err := c.Collect(context.Background(), d)
			if err != nil || len(r.Trees) != 2 || r.Trees[1].Ports[0].State.Value != "forwarding" {
				t.Errorf("%v, the next poll has %+v", err, r.Trees)
			}
			// An address that the forwarding database of a VLAN alone has.
			r, err = c.Lookup(context.Background(), d, "02:00:00:00:00:0a")
			if err != nil {
				t.Fatal(err)
			}
			equal(t, "stations", r.Stations, []devices.Station{{MAC: "02:00:00:00:00:0a", VLAN: devices.Some[uint32](30), Port: "r", Status: "learned"}})
		})
	}
}

func TestAgentsThatDoNotShowTheTreesOfVLANs(t *testing.T) {
	a := tableAgent(rows_{
		sysObjectID: snmptest.OID("1.3.6.1.4.1.9.1.1208"), sysName: snmptest.Str("sw1"), vtpVlanState + ".1.20": snmptest.Int(1),
		dot1dStpPort + "3.1": snmptest.Int(5),
	})
	c, d := collector(t), tableDevice(t, a, "2c")
	d.SNMP.Timeout = 5 * time.Second // the VLANs have one of their own
	for polls := 0; polls < 500 && (polls == 0 || !searched(c, d)); polls++ {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 2 {
			t.Fatalf("%v, %+v", err, r)
		}
	}
	before := a.Count("")
	r, err := c.Collect(context.Background(), d)
	if err != nil || len(r.Trees) != 1 || r.Trees[0].Name != "mst 0" {
		t.Errorf("%v, trees %+v, want the common one", err, r.Trees)
	}
	if n := a.Count("") - before; n > 4 {
		t.Errorf("%d messages in a poll: the VLANs are tried again", n)
	}
}

// searched says whether the VLANs were looked through and no table is under way.
func searched(c *Collector, d devices.Device) bool {
	return walkedAll(c, d) && !c.sessions[d.Name].session.vlanSearch.next.IsZero()
}

package snmp

import (
	"net/netip"
	"reflect"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

type rows_ = map[string]snmptest.Value

// equal compares and prints both.
func equal[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\ngot  %+v\nwant %+v", what, got, want)
	}
}

// counters are the columns of one row, each holding its own number.
func counters(entry, index string, wide bool, columns ...int) rows_ {
	out := rows_{}
	for _, c := range columns {
		id := entry + "." + uintText(uint32(c)) + "." + index
		if out[id] = snmptest.C32(uint32(c)); wide {
			out[id] = snmptest.C64(1<<40 + uint64(c))
		}
	}
	return out
}

func TestStandardTables(t *testing.T) {
	root := snmptest.Bytes([]byte{0x80, 1, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff})
	c32 := func(n uint64) devices.Opt[devices.Counter] { return devices.C32(n) }
	wide := func(n uint64) devices.Opt[devices.Counter] { return devices.C64(1<<40 + n) }
	for _, tt := range []tableTest{
		{"dot3StatsTable", together(counters(etherLike.Entry, "7", false, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 18), rows_{etherLike.Entry + ".19.7": snmptest.Int(2)}),
			func(t *testing.T, r devices.Reading) {
				i := r.Interfaces[0]
				equal(t, "errors", []devices.Opt[devices.Counter]{i.Alignment, i.FCS, i.Collisions, i.Deferred, i.LateCollisions, i.ExcessiveCollisions, i.MACOut, i.CarrierSense, i.Giants, i.MACIn, i.Symbol},
					[]devices.Opt[devices.Counter]{c32(2), c32(3), c32(9), c32(7), c32(8), c32(9), c32(10), c32(11), c32(13), c32(16), c32(18)})
				equal(t, "duplex", i.Duplex, devices.Some("half"))
			}},
		{"dot3HCStatsTable", together(counters(etherLike.Entry, "7", false, 3, 10, 16), counters(etherLikeHC.Entry, "7", true, 1, 2, 3, 4, 5, 6)),
			func(t *testing.T, r devices.Reading) {
				i := r.Interfaces[0]
				equal(t, "errors", []devices.Opt[devices.Counter]{i.Alignment, i.FCS, i.MACOut, i.Giants, i.MACIn, i.Symbol},
					[]devices.Opt[devices.Counter]{wide(1), wide(2), wide(3), wide(4), wide(5), wide(6)})
			}},
		{"dot3PauseTable", together(counters(etherPause.Entry, "7", false, 3, 4), counters(etherPause.Entry, "8", true, 5, 6), rows_{etherPause.Entry + ".2.7": snmptest.Int(3), etherPause.Entry + ".2.8": snmptest.Int(1)}),
			func(t *testing.T, r devices.Reading) {
				p, q := r.Interfaces[0], r.Interfaces[1]
				equal(t, "frames", []devices.Opt[devices.Counter]{p.InPause, p.OutPause, q.InPause, q.OutPause}, []devices.Opt[devices.Counter]{c32(3), c32(4), wide(5), wide(6)})
				equal(t, "in use", []devices.Opt[bool]{p.FlowIn, p.FlowOut, q.FlowIn, q.FlowOut}, []devices.Opt[bool]{devices.Some(true), devices.Some(false), devices.Some(false), devices.Some(false)})
			}},
		{"etherStatsTable", together(counters(etherStats.Entry, "31", false, 9, 10, 11, 12), rows_{etherStatsDataSource + ".31": snmptest.OID("1.3.6.1.2.1.2.2.1.1.7")}),
			func(t *testing.T, r devices.Reading) {
				i := r.Interfaces[0]
				equal(t, "frames", []devices.Opt[devices.Counter]{i.Runts, i.Giants, i.Fragments, i.Jabbers, r.Interfaces[1].Jabbers}, []devices.Opt[devices.Counter]{c32(9), c32(10), c32(11), c32(12), {}})
			}},
		{"dot1dBasePortTable", counters(bridgePorts.Entry, "1", false, 5), func(t *testing.T, r devices.Reading) {
			equal(t, "too long", r.Interfaces[0].MTUExceeded, c32(5))
		}},
		{"ifMauTable counters", together(counters(ifMauEntry, "7.1", false, 6), rows_{ifMauType + ".7.1": snmptest.OID(dot3MauType + "30")}), func(t *testing.T, r devices.Reading) {
			equal(t, "exits", r.Interfaces[0].CarrierTransitions, c32(6))
		}},
		{"ifMauAutoNegTable", rows_{
			ifMauType + ".7.1": snmptest.OID(dot3MauType + "16"), ifMauAutoNegAdmin + ".7.1": snmptest.Int(1), ifMauAutoNegSignaling + ".7.1": snmptest.Int(1),
			ifMauAutoNegReceived + ".7.1": snmptest.Bytes([]byte{0x6c, 0x01}), ifMauRemoteFault + ".7.1": snmptest.Int(1),
			ifMauType + ".8.1": snmptest.OID(dot3MauType + "15"), ifMauAutoNegAdmin + ".8.1": snmptest.Int(2), ifMauAutoNegSignaling + ".8.1": snmptest.Int(2),
			ifMauAutoNegReceived + ".8.1": snmptest.Bytes([]byte{0x08}), ifMauRemoteFault + ".8.1": snmptest.Int(3),
		}, func(t *testing.T, r devices.Reading) {
			p, q := r.Interfaces[0], r.Interfaces[1]
			equal(t, "p", []any{p.Media, p.Autoneg, p.Offered, p.OfferedHalf, p.RemoteFault}, []any{devices.Some("100BASE-TX full"), devices.Some(true), []uint64{10e6, 100e6, 1e9}, false, devices.Some(false)})
			equal(t, "q", []any{q.Media, q.Autoneg, q.Offered, q.RemoteFault}, []any{devices.Some("100BASE-TX half"), devices.Some(false), []uint64(nil), devices.Some(true)})
		}},
		{"dot1dStpPortTable", rows_{
			stpTopChanges: snmptest.C32(12), stpDesignatedRoot: root, stpRootPort: snmptest.Int(3), dot1dStp + "16.0": snmptest.Int(2),
			dot1dStpPort + "3.1": snmptest.Int(5), dot1dStpPort + "5.1": snmptest.Int(20000), dot1dStpPort + "10.1": snmptest.C32(4), dot1dStpPort + "3.3": snmptest.Int(2),
			dot1dStp + "19.1.3.1": snmptest.Int(1), dot1dStp + "19.1.5.1": snmptest.Int(2),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "trees", r.Trees, []devices.Tree{{Name: "mst 0", Protocol: "rstp",
				Bridge: devices.Bridge{TopologyChanges: c32(12), DesignatedRoot: devices.Some("32769.aabb.ccdd.eeff"), RootPort: devices.Some("r")},
				Ports:  []devices.TreePort{{Port: "p", State: devices.Some("forwarding"), Cost: devices.Some[uint32](20000), Forwards: c32(4), Edge: devices.Some(true), PointToPoint: devices.Some(false)}}}})
		}},
		{"ieee8021SpanningTreeTable", rows_{
			ieeeTreeEntry + "4.1": snmptest.Ticks(4200), ieeeTreeEntry + "5.1": snmptest.C64(1 << 33), ieeeTreeEntry + "6.1": root, ieeeTreeEntry + "7.1": snmptest.Int(2000), ieeeTreeEntry + "8.1": snmptest.Gauge(2),
			ieeePortState + ".1.1": snmptest.Int(2), ieeePortEntry + "6.1.1": snmptest.Int(20000), ieeePortEntry + "11.1.1": snmptest.C64(3), ieeePortEntry + "14.1.1": snmptest.Int(2), cistPortRole + ".1.1": snmptest.Int(2),
			ieeePortState + ".1.3": snmptest.Int(5),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "trees", r.Trees, []devices.Tree{{Name: "mst 0",
				Bridge: devices.Bridge{TopologyChanges: devices.C64(1 << 33), SinceChange: devices.Some(42 * time.Second), DesignatedRoot: devices.Some("32769.aabb.ccdd.eeff"), RootCost: devices.Some[uint32](2000), RootPort: devices.Some("q")},
				Ports:  []devices.TreePort{{Port: "p", State: devices.Some("blocking"), Role: devices.Some("alternate"), Cost: devices.Some[uint32](20000), Forwards: devices.C64(3), Edge: devices.Some(false)}}}})
		}},
		{"ieee8021MstpTable", rows_{
			mstEntry + "4.1.2": snmptest.Ticks(100), mstEntry + "5.1.2": snmptest.C64(7), mstEntry + "7.1.2": root, mstEntry + "8.1.2": snmptest.Int(0), mstEntry + "9.1.2": snmptest.Gauge(0),
			mstPortEntry + "5.1.2.1": snmptest.Int(5), mstPortEntry + "7.1.2.1": snmptest.Int(200), mstPortEntry + "12.1.2.1": snmptest.Int(4),
			mstOfVLAN + ".1.20": snmptest.Gauge(2), mstOfVLAN + ".1.21": snmptest.Gauge(2), mstOfVLAN + ".1.30": snmptest.Gauge(2), mstOfVLAN + ".1.40": snmptest.Gauge(1),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "trees", r.Trees, []devices.Tree{{Name: "mst 2", Protocol: "mstp", VLANs: "20-21,30",
				Bridge: devices.Bridge{TopologyChanges: devices.C64(7), SinceChange: devices.Some(time.Second), DesignatedRoot: devices.Some("32769.aabb.ccdd.eeff"), RootCost: devices.Some[uint32](0), RootPort: devices.Some("")},
				Ports:  []devices.TreePort{{Port: "p", State: devices.Some("blocking"), Role: devices.Some("backup"), Cost: devices.Some[uint32](200)}}}})
		}},
		{"dot3adAggPortTable", rows_{
			aggPort + "12.7": snmptest.Int(9), aggPort + "13.7": snmptest.Int(9), aggPort + "21.7": snmptest.Bytes([]byte{0xbc}), aggPort + "23.7": snmptest.Bytes([]byte{0xbc}), aggPortActorChanges + ".7": snmptest.C32(3),
			aggPort + "12.8": snmptest.Int(9), aggPort + "13.8": snmptest.Int(0), aggPort + "21.8": snmptest.Bytes([]byte{0xa0}), aggPort + "23.8": snmptest.Bytes([]byte{0x00}),
			aggPort + "12.10": snmptest.Int(0),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "aggregates", r.Aggregates, []devices.Aggregate{{Port: "r", Protocol: "lacp", Members: []devices.Member{
				{Port: "p", State: "bundled", Actor: devices.Some[uint8](0x3d), Partner: devices.Some[uint8](0x3d), Changes: c32(3)},
				{Port: "q", State: "suspended", Actor: devices.Some[uint8](0x05), Partner: devices.Some[uint8](0)},
			}}})
		}},
		{"lldpRemTable", rows_{
			lldpLocPort + "2.101": snmptest.Int(5), lldpLocPort + "3.101": snmptest.Str("q"), lldpLocPort + "4.101": snmptest.Str("to the roof"),
			lldpRem + "4.5.101.1": snmptest.Int(4), lldpRem + "5.5.101.1": snmptest.Bytes([]byte{0, 0x1c, 0x73, 0xb3, 0xaf, 0xbb}), lldpRem + "6.5.101.1": snmptest.Int(5), lldpRem + "7.5.101.1": snmptest.Str("Ethernet1"),
			lldpRem + "8.5.101.1": snmptest.Str("uplink"), lldpRem + "9.5.101.1": snmptest.Str("sw2"), lldpRem + "10.5.101.1": snmptest.Str("a switch"),
			lldpRemManAddr + ".5.101.1.1.4.192.0.2.7": snmptest.Int(2), lldpRemPVID + ".5.101.1": snmptest.Int(20), lldpRemFrameSize + ".5.101.1": snmptest.Int(9216),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "neighbours", r.Neighbours, []devices.Neighbour{{Port: "q", Protocol: "lldp", System: "sw2", Chassis: "00:1c:73:b3:af:bb", PortID: "Ethernet1", PortText: "uplink", Platform: "a switch",
				Address: netip.MustParseAddr("192.0.2.7"), VLAN: devices.Some[uint32](20), MTU: devices.Some[uint32](9216)}})
		}},
		{"lldpV2RemTable", rows_{
			lldpV2Rem + "5.5.8.1.1": snmptest.Int(4), lldpV2Rem + "6.5.8.1.1": snmptest.Bytes([]byte{0, 0x1c, 0x73, 0xb3, 0xaf, 0xbb}), lldpV2Rem + "7.5.8.1.1": snmptest.Int(3), lldpV2Rem + "8.5.8.1.1": snmptest.Bytes([]byte{0, 0x1c, 0x73, 0xb3, 0xaf, 0xbc}),
			lldpV2Rem + "9.5.8.1.1": snmptest.Str("lan1"), lldpV2Rem + "10.5.8.1.1": snmptest.Str("host"), lldpV2Rem + "11.5.8.1.1": snmptest.Str("a system"),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "neighbours", r.Neighbours, []devices.Neighbour{{Port: "q", Protocol: "lldp", System: "host", Chassis: "00:1c:73:b3:af:bb", PortID: "00:1c:73:b3:af:bc", PortText: "lan1", Platform: "a system"}})
		}},
		{"cdpCacheTable", rows_{
			cdpCache + "3.7.2": snmptest.Int(1), cdpCache + "4.7.2": snmptest.Bytes([]byte{192, 0, 2, 9}), cdpCache + "6.7.2": snmptest.Str("sw3.example.net"), cdpCache + "7.7.2": snmptest.Str("GigabitEthernet0/1"),
			cdpCache + "8.7.2": snmptest.Str("cisco WS-C2960X"), cdpCache + "11.7.2": snmptest.Int(1), cdpCache + "12.7.2": snmptest.Int(2), cdpCache + "16.7.2": snmptest.Gauge(1500), cdpCache + "17.7.2": snmptest.Str("sw3"),
		}, func(t *testing.T, r devices.Reading) {
			equal(t, "neighbours", r.Neighbours, []devices.Neighbour{{Port: "p", Protocol: "cdp", System: "sw3", PortID: "GigabitEthernet0/1", Platform: "cisco WS-C2960X",
				Address: netip.MustParseAddr("192.0.2.9"), Duplex: devices.Some("half"), VLAN: devices.Some[uint32](1), MTU: devices.Some[uint32](1500)}})
		}},
		{"ipSystemStatsTable", rows_{ipSystemStatsOutFragFails + ".1": snmptest.C32(5), ipSystemStatsOutFragFails + ".2": snmptest.C32(2), ipFragFails + ".0": snmptest.C32(99)}, func(t *testing.T, r devices.Reading) {
			equal(t, "failed", r.FragFails, c32(7))
		}},
		{"dot1dTpLearnedEntryDiscards", rows_{dot1dTpLearnedEntryDiscards + ".0": snmptest.C32(5)}, func(t *testing.T, r devices.Reading) {
			equal(t, "discards", r.LearnDiscards, c32(5))
		}},
		{"dot1qPortVlanTable", rows_{dot1qPvid + ".1": snmptest.Gauge(20), dot1qPvid + ".2": snmptest.Gauge(20), vmVlan + ".8": snmptest.Int(30)}, func(t *testing.T, r devices.Reading) {
			equal(t, "VLANs", []devices.Opt[uint32]{r.Interfaces[0].AccessVLAN, r.Interfaces[1].AccessVLAN}, []devices.Opt[uint32]{devices.Some[uint32](20), devices.Some[uint32](30)})
		}},
		{"dot1qFdbTable", rows_{dot1qFdbDynamicCount + ".1": snmptest.Gauge(20), dot1qFdbDynamicCount + ".2": snmptest.Gauge(3)}, func(t *testing.T, r devices.Reading) {
			equal(t, "entries", r.StationCount, devices.Some[uint64](23))
		}},
	} {
		tt.run(t)
	}
}

func TestOlderAgentsCountFragmentsElsewhere(t *testing.T) {
	tableTest{"ipSystemStatsTable", rows_{ipFragFails + ".0": snmptest.C32(99)}, func(t *testing.T, r devices.Reading) {
		equal(t, "failed", r.FragFails, devices.C32(99))
	}}.run(t)
}

func TestStatesOfAnAggregatesLink(t *testing.T) {
	for name, c := range map[string]struct {
		octet byte
		want  uint8
	}{
		"as BITS, in sync":               {0xbc, 0x3d}, // active, aggregates, in sync, collects, distributes
		"as BITS, waits":                 {0xa0, 0x05},
		"as BITS, passive":               {0x3c, 0x3c},
		"as it stands in a frame":        {0x3d, 0x3d},
		"as it stands in a frame, short": {0x3f, 0x3f},
		"nothing":                        {0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			cell := Cell{value: gosnmpOctets(c.octet)}
			equal(t, "state", lacpState(cell), devices.Some(c.want))
		})
	}
	equal(t, "no octets", lacpState(Cell{value: gosnmpOctets()}), devices.None[uint8]())
}

func TestNumbersAsRanges(t *testing.T) {
	for want, list := range map[string][]uint32{"": nil, "5": {5}, "1-3,5,7-8": {8, 7, 1, 3, 2, 5}} {
		if got := ranges(list); got != want {
			t.Errorf("%v: %q, want %q", list, got, want)
		}
	}
}

func TestLocalPortsOfLLDP(t *testing.T) {
	for name, c := range map[string]struct {
		subtype int
		id      snmptest.Value
		descr   string
		num     string
		want    string
	}{
		"an interface name":                       {subtype: 5, id: snmptest.Str("q"), num: "101", want: "q"},
		"a description":                           {subtype: 3, id: snmptest.Bytes([]byte{9, 9, 9, 9, 9, 9}), descr: "q", num: "101", want: "q"},
		"a MAC address of a watched port":         {subtype: 3, id: snmptest.Bytes([]byte{2, 0, 0, 0, 0, 1}), num: "101", want: "q"},
		"a local number that is an ifIndex":       {subtype: 7, id: snmptest.Str("8"), num: "8", want: "q"},
		"a local name that is one":                {subtype: 7, id: snmptest.Str("q"), num: "101", want: "q"},
		"nothing but a number of the bridge":      {subtype: 3, id: snmptest.Bytes([]byte{9, 9, 9, 9, 9, 9}), num: "2", want: "q"},
		"a name that no interface has is kept":    {subtype: 5, id: snmptest.Str("Eth99"), num: "101", want: "Eth99"},
		"nothing at all is a number of LLDP":      {subtype: 3, id: snmptest.Bytes([]byte{9, 9, 9, 9, 9, 9}), num: "101", want: "lldp port 101"},
		"the name wins over an ifIndex like that": {subtype: 5, id: snmptest.Str("q"), num: "7", want: "q"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := tableAgent(rows_{
				lldpLocPort + "2." + c.num: snmptest.Int(c.subtype), lldpLocPort + "3." + c.num: c.id, lldpLocPort + "4." + c.num: snmptest.Str(c.descr),
				lldpRem + "7.0." + c.num + ".1": snmptest.Str("far"),
			})
			r, err := collector(t).Survey(t.Context(), tableDevice(t, a, "2c"), "lldpRemTable")
			if err != nil || len(r.Neighbours) != 1 {
				t.Fatalf("%v, %+v", err, r.Neighbours)
			}
			equal(t, "port", r.Neighbours[0].Port, c.want)
		})
	}
}

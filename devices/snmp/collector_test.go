package snmp

import (
	"context"
	"fmt"
	"net/netip"
	"reflect"
	"testing"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// sw fills an agent with a switch of two Gigabit ports (ifIndex 10101, 10102) and a FastEthernet port without
// 64-bit counters (10001).
func sw(a *snmptest.Agent) {
	start := time.Now().Add(-1000 * time.Second)
	a.Set(sysDescr, snmptest.Str("a switch"))
	a.Set(sysName, snmptest.Str("sw1"))
	a.SetFunc(sysUpTime, func() snmptest.Value { return snmptest.Ticks(uint32(time.Since(start) / (10 * time.Millisecond))) })
	a.Set(ifTableLastChange, snmptest.Ticks(7))
	for n, i := range []int{10001, 10101, 10102} {
		col := func(t Table, c int, v snmptest.Value) { a.Set(fmt.Sprintf("%s.%d", column(t, c), i), v) }
		short, long := fmt.Sprintf("Gi1/0/%d", n), fmt.Sprintf("GigabitEthernet1/0/%d", n)
		speed := uint32(1000)
		if n == 0 {
			short, long, speed = "Fa0", "FastEthernet0", 100
		}
		col(ifXTable, ifName, snmptest.Str(short))
		col(ifTable, ifDescr, snmptest.Str(long))
		col(ifXTable, ifAlias, snmptest.Str("to the roof\x00\x00"))
		col(ifTable, ifMTU, snmptest.Int(1500))
		col(ifTable, ifSpeed, snmptest.Gauge(speed*1e6))
		col(ifXTable, ifHighSpeed, snmptest.Gauge(speed))
		col(ifTable, ifAdminStatus, snmptest.Int(1))
		col(ifTable, ifOperStatus, snmptest.Int(1))
		col(ifTable, ifLastChange, snmptest.Ticks(500))
		col(ifXTable, ifCounterDiscontinuity, snmptest.Ticks(0))
		for _, c := range []int{ifInOctets, ifOutOctets, ifInUcastPkts, ifOutUcastPkts, ifInDiscards, ifOutDiscards, ifInErrors, ifOutErrors, ifInUnknownProtos} {
			col(ifTable, c, snmptest.C32(uint32(1000*c)))
		}
		for _, c := range []int{ifInMulticastPkts, ifInBroadcastPkts, ifOutMulticastPkts, ifOutBroadcastPkts} {
			col(ifXTable, c, snmptest.C32(uint32(c)))
		}
		if n > 0 {
			for c := ifHCInOctets; c <= ifHCOutBroadcastPkts; c++ {
				col(ifXTable, c, snmptest.C64(1<<40+uint64(c)))
			}
		}
		for _, c := range []int{dot3Alignment, dot3FCS, dot3SingleCollisions, dot3MultipleCollisions, dot3LateCollisions, dot3TooLongs, dot3Symbol} {
			col(etherLike, c, snmptest.C32(uint32(c)))
		}
		col(etherLike, dot3Duplex, snmptest.Int(3))
		a.Set(fmt.Sprintf("%s.%d", dot1dBasePortIfIndex, n+1), snmptest.Int(i))
		a.Set(fmt.Sprintf("%s%d", stpPortState, n+1), snmptest.Int(5))
		a.Set(fmt.Sprintf("%s.1.%d", stpxRSTPPortRole, n+1), snmptest.Int(3))
	}
	a.Set(stpSinceChange, snmptest.Ticks(4200))
	a.Set(stpTopChanges, snmptest.C32(12))
	a.Set(stpDesignatedRoot, snmptest.Bytes([]byte{0x80, 1, 0xaa, 0xbb, 0xcc, 0xdd, 0xee, 0xff}))
	a.Set(stpRootCost, snmptest.Int(4))
	a.Set(stpRootPort, snmptest.Int(2))
}

// device points at the agent by v2c.
func device(addr netip.AddrPort, ports ...string) devices.Device {
	return devices.Device{
		Name: "sw1", Address: addr.Addr().String(), Ports: ports,
		SNMP: &devices.SNMP{Version: "2c", Port: addr.Port(), Community: devices.NewSecret("public"), Timeout: 5 * time.Second},
	}
}

func collector(t *testing.T) *Collector {
	t.Helper()
	c := New()
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCollectReadsASwitch(t *testing.T) {
	for _, version := range []string{"2c", "3"} {
		t.Run(version, func(t *testing.T) {
			a := &snmptest.Agent{Community: "public", User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
			sw(a)
			c, d := collector(t), device(snmptest.NewAgent(t, a), "GigabitEthernet1/0/1", "Gi1/0/2")
			d.OffPath = []string{"Fa0"}
			if d.SNMP.Version = version; version == "3" {
				d.SNMP.User, d.SNMP.AuthPass, d.SNMP.PrivPass = "ops", devices.NewSecret("authphrase"), devices.NewSecret("privphrase")
			}
			for poll := range 2 {
				before := time.Now()
				r, err := c.Collect(context.Background(), d)
				if err != nil {
					t.Fatal(err)
				}
				checkSwitch(t, r)
				if r.Origin.Collector != "snmp:sw1" || r.Origin.Exchange != uint64(poll+1) {
					t.Errorf("origin %+v", r.Origin)
				}
				if r.Span.From.Before(before) || r.Span.To.After(time.Now()) || r.Span.Width() <= 0 {
					t.Errorf("span %v", r.Span)
				}
				clock := r.Clock.Value
				if clock.Ticks < 100000 || clock.Span.From.Before(r.Span.From) || clock.Span.To.After(r.Span.To) {
					t.Errorf("clock %+v in %v", clock, r.Span)
				}
				if boots := r.EngineBoot; boots.OK != (version == "3") {
					t.Errorf("snmpEngineBoots %v", boots)
				}
			}
		})
	}
}

func checkSwitch(t *testing.T, r devices.Reading) {
	t.Helper()
	if r.Device != "sw1" || r.SysName.Value != "sw1" || r.SysDescr.Value != "a switch" {
		t.Errorf("system: %+v", r)
	}
	b := r.Bridge
	if b == nil {
		t.Fatal("no bridge")
	}
	want := devices.Bridge{
		TopologyChanges: devices.C32(12), SinceChange: devices.Some(42 * time.Second),
		DesignatedRoot: devices.Some("32769.aabb.ccdd.eeff"), RootCost: devices.Some[uint32](4), RootPort: devices.Some("GigabitEthernet1/0/1"),
	}
	if *b != want {
		t.Errorf("bridge %+v, want %+v", *b, want)
	}
	if len(r.Interfaces) != 3 {
		t.Fatalf("%d interfaces: %+v", len(r.Interfaces), r.Interfaces)
	}
	hc := func(c int) devices.Opt[devices.Counter] { return devices.C64(1<<40 + uint64(c)) }
	c32 := func(c int) devices.Opt[devices.Counter] { return devices.C32(uint64(c)) }
	base := devices.Interface{
		Alias: "to the roof", Admin: devices.Some("up"), Oper: devices.Some("up"), Duplex: devices.Some("full"),
		MTU: devices.Some[uint32](1500), LastChange: devices.Some[uint32](500), Discontinue: devices.Some[uint32](0),
		STPState: devices.Some("forwarding"), STPRole: devices.Some("designated"),
		InErrors: c32(14000), OutErrors: c32(20000), InDrops: c32(13000), OutDrops: c32(19000), UnknownProtos: c32(15000),
		FCS: c32(3), Alignment: c32(2), Symbol: c32(18), Giants: c32(13), LateCollisions: c32(8), Collisions: c32(9),
	}
	fast, gig := base, base
	fast.Index, fast.Name, fast.Descr = devices.Some[uint32](10001), "Fa0", "FastEthernet0"
	fast.Speed, fast.SpeedMax = devices.Some[uint64](100e6), devices.Some[uint64](100e6)
	fast.InOctets, fast.OutOctets, fast.InPackets, fast.OutPackets = c32(10000), c32(16000), c32(11005), c32(17009)
	fast.InMulticasts, fast.InBroadcasts, fast.OutMulticasts, fast.OutBroadcasts = c32(2), c32(3), c32(4), c32(5)
	gig.Index, gig.Name, gig.Descr = devices.Some[uint32](10101), "GigabitEthernet1/0/1", "GigabitEthernet1/0/1"
	gig.Speed, gig.SpeedMax = devices.Some[uint64](1e9), devices.Some[uint64](1e9)
	gig.InOctets, gig.OutOctets = hc(6), hc(10)
	gig.InMulticasts, gig.InBroadcasts, gig.OutMulticasts, gig.OutBroadcasts = hc(8), hc(9), hc(12), hc(13)
	gig.InPackets, gig.OutPackets = devices.C64(3<<40+7+8+9), devices.C64(3<<40+11+12+13)
	for n, want := range []devices.Interface{fast, gig} {
		if got := r.Interfaces[n]; !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	if n := r.Interfaces[2].Name; n != "Gi1/0/2" {
		t.Errorf("the third port is %q", n)
	}
}

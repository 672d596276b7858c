package snmp

import (
	"context"
	"fmt"
	"net/netip"
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
		SNMP: &devices.SNMP{Version: "2c", Port: addr.Port(), Community: devices.NewSecret("public"), Timeout: 300 * time.Millisecond},
	}
}

func collector(t *testing.T) *Collector {
	t.Helper()
	c := New()
	t.Cleanup(func() { c.Close() })
	return c
}

func TestCollectReadsASwitch(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	c, d := collector(t), device(snmptest.NewAgent(t, a), "GigabitEthernet1/0/1", "Gi1/0/2", "Fa0")
	for poll := range 2 {
		before := time.Now()
		r, err := c.Collect(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("poll %d: %d GET, %d GETBULK, %s", poll, a.Count("GET"), a.Count("GETBULK"), time.Since(before))
		if len(r.Interfaces) != 3 {
			t.Fatalf("%d interfaces: %+v", len(r.Interfaces), r.Interfaces)
		}
		for n, want := range []string{"Fa0", "GigabitEthernet1/0/1", "Gi1/0/2"} {
			if r.Interfaces[n].Name != want {
				t.Errorf("interface %d is %q, want %q", n, r.Interfaces[n].Name, want)
			}
		}
		t.Logf("%+v", r)
	}
}

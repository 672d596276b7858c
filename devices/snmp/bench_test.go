package snmp

import (
	"context"
	"fmt"
	"testing"

	"whydrop/devices/snmp/snmptest"
)

// BenchmarkCollect polls 48 ports of an agent that has all of IF-MIB's and EtherLike-MIB's counters. The agent's work
// is part of it.
func BenchmarkCollect(b *testing.B) {
	rows := map[string]snmptest.Value{sysUpTime: snmptest.Ticks(1), sysName: snmptest.Str("sw")}
	var ports []string
	for n := range 48 {
		name, i := fmt.Sprintf("GigabitEthernet1/0/%d", n+1), fmt.Sprintf(".%d", 10101+n)
		ports = append(ports, name)
		rows[column(ifXTable, ifName)+i] = snmptest.Str(name)
		rows[column(ifTable, ifOperStatus)+i] = snmptest.Int(1)
		for _, c := range []int{ifInDiscards, ifInErrors, ifInUnknownProtos, ifOutDiscards, ifOutErrors} {
			rows[column(ifTable, c)+i] = snmptest.C32(1 << 30)
		}
		for c := ifHCInOctets; c <= ifHCOutBroadcastPkts; c++ {
			rows[column(ifXTable, c)+i] = snmptest.C64(1 << 50)
		}
		for _, c := range []int{dot3Alignment, dot3FCS, dot3SingleCollisions, dot3MultipleCollisions, dot3LateCollisions, dot3TooLongs, dot3Symbol} {
			rows[column(etherLike, c)+i] = snmptest.C32(1 << 30)
		}
	}
	a, err := snmptest.NewCanned(rows)
	if err != nil {
		b.Fatal(err)
	}
	addr, err := a.Listen("127.0.0.1:0")
	if err != nil {
		b.Fatal(err)
	}
	defer a.Close()
	c := New()
	defer c.Close()
	d := device(addr, ports...)
	for range 20 { // first contact, and what the device lacks
		if _, err := c.Collect(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := c.Collect(context.Background(), d); err != nil {
			b.Fatal(err)
		}
	}
}

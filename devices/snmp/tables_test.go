package snmp

import (
	"context"
	"fmt"
	"testing"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// readPort returns what is read of port "p" (ifIndex 7) from an agent with these columns.
func readPort(t *testing.T, columns map[string]snmptest.Value) devices.Interface {
	t.Helper()
	a := &snmptest.Agent{Community: "public"}
	a.Set(sysUpTime, snmptest.Ticks(5000))
	a.Set(column(ifXTable, ifName)+".7", snmptest.Str("p"))
	a.Set(column(ifTable, ifAdminStatus)+".7", snmptest.Int(1))
	for id, v := range columns {
		a.Set(id+".7", v)
	}
	r, err := collector(t).Collect(context.Background(), device(snmptest.NewAgent(t, a), "p"))
	if err != nil || len(r.Interfaces) != 1 {
		t.Fatalf("%+v, %v", r.Interfaces, err)
	}
	return r.Interfaces[0]
}

func TestSpeed(t *testing.T) {
	for name, c := range map[string]struct {
		low, high snmptest.Value
		want      devices.Opt[uint64]
	}{
		"gigabit":                          {snmptest.Gauge(1e9), snmptest.Gauge(1000), devices.Some[uint64](1e9)},
		"ten gigabit does not fit ifSpeed": {snmptest.Gauge(4294967295), snmptest.Gauge(10000), devices.Some[uint64](10e9)},
		"does not fit, and no ifHighSpeed": {snmptest.Gauge(4294967295), snmptest.Value{}, devices.None[uint64]()},
		"only ifSpeed":                     {snmptest.Gauge(100e6), snmptest.Value{}, devices.Some[uint64](100e6)},
		"only ifHighSpeed":                 {snmptest.Value{}, snmptest.Gauge(1000), devices.Some[uint64](1e9)},
		"ifHighSpeed 0":                    {snmptest.Gauge(100e6), snmptest.Gauge(0), devices.Some[uint64](100e6)},
		"both 0":                           {snmptest.Gauge(0), snmptest.Gauge(0), devices.None[uint64]()},
		"ifHighSpeed in bit/s":             {snmptest.Gauge(100e6), snmptest.Gauge(100e6), devices.Some[uint64](100e6)},
		"a slow line is rounded":           {snmptest.Gauge(1544000), snmptest.Gauge(1), devices.Some[uint64](1544000)},
		"1.6 Tbit/s":                       {snmptest.Gauge(4294967295), snmptest.Gauge(1600000), devices.Some[uint64](1600e9)},
		"text":                             {snmptest.Str("100M"), snmptest.Str("100"), devices.None[uint64]()},
		"an integer":                       {snmptest.Int(1000000000), snmptest.Value{}, devices.Some[uint64](1e9)},
	} {
		t.Run(name, func(t *testing.T) {
			i := readPort(t, map[string]snmptest.Value{column(ifTable, ifSpeed): c.low, column(ifXTable, ifHighSpeed): c.high})
			if i.Speed != c.want {
				t.Errorf("speed %v, want %v", i.Speed, c.want)
			}
		})
	}
}

func TestOctets(t *testing.T) {
	for name, c := range map[string]struct {
		low, high snmptest.Value
		want      devices.Opt[devices.Counter]
	}{
		"64 bits are preferred":       {snmptest.C32(5), snmptest.C64(1<<40 + 5), devices.C64(1<<40 + 5)},
		"64 bits, high":               {snmptest.Value{}, snmptest.C64(0xffffffffff1ee53a), devices.C64(0xffffffffff1ee53a)},
		"only 32 bits":                {snmptest.C32(4294967295), snmptest.Value{}, devices.C32(4294967295)},
		"neither is not 0":            {snmptest.Value{}, snmptest.Value{}, devices.None[devices.Counter]()},
		"both 0 is 0":                 {snmptest.C32(0), snmptest.C64(0), devices.C64(0)},
		"64 bits that never move":     {snmptest.C32(77), snmptest.C64(0), devices.C32(77)},
		"32 bits that never move":     {snmptest.C32(0), snmptest.C64(77), devices.C64(77)},
		"a 64-bit column of 32 bits":  {snmptest.Value{}, snmptest.C32(9), devices.C32(9)},
		"a 32-bit column of 64 bits":  {snmptest.C64(1 << 33), snmptest.Value{}, devices.C64(1 << 33)},
		"an integer is not a counter": {snmptest.Int(9), snmptest.Value{}, devices.None[devices.Counter]()},
		"text is not a counter":       {snmptest.Value{}, snmptest.Str("00 01"), devices.None[devices.Counter]()},
		"a bad one, and a good one":   {snmptest.C32(9), snmptest.Str("x"), devices.C32(9)},
		"a gauge is not a counter":    {snmptest.Gauge(9), snmptest.Value{}, devices.None[devices.Counter]()},
		"a null is not a counter":     {snmptest.Null(), snmptest.Null(), devices.None[devices.Counter]()},
	} {
		t.Run(name, func(t *testing.T) {
			i := readPort(t, map[string]snmptest.Value{column(ifTable, ifInOctets): c.low, column(ifXTable, ifHCInOctets): c.high})
			if i.InOctets != c.want {
				t.Errorf("octets %v, want %v", i.InOctets, c.want)
			}
		})
	}
}

func TestPacketsAreTheSumOfTheirKinds(t *testing.T) {
	for name, c := range map[string]struct {
		columns map[string]snmptest.Value
		want    devices.Opt[devices.Counter]
	}{
		"64 bits": {map[string]snmptest.Value{
			column(ifXTable, ifHCInUcastPkts): snmptest.C64(1 << 40), column(ifXTable, ifHCInMulticastPkts): snmptest.C64(2), column(ifXTable, ifHCInBroadcastPkts): snmptest.C64(3),
			column(ifTable, ifInUcastPkts): snmptest.C32(9), column(ifXTable, ifInMulticastPkts): snmptest.C32(9),
		}, devices.C64(1<<40 + 5)},
		"32 bits": {map[string]snmptest.Value{
			column(ifTable, ifInUcastPkts): snmptest.C32(100), column(ifXTable, ifInMulticastPkts): snmptest.C32(20), column(ifXTable, ifInBroadcastPkts): snmptest.C32(3),
		}, devices.C32(123)},
		"ifTable alone": {map[string]snmptest.Value{
			column(ifTable, ifInUcastPkts): snmptest.C32(100), column(ifTable, ifInNUcastPkts): snmptest.C32(23),
		}, devices.C32(123)},
		"never counted twice": {map[string]snmptest.Value{
			column(ifTable, ifInUcastPkts): snmptest.C32(100), column(ifTable, ifInNUcastPkts): snmptest.C32(23),
			column(ifXTable, ifInMulticastPkts): snmptest.C32(20), column(ifXTable, ifInBroadcastPkts): snmptest.C32(3),
		}, devices.C32(123)},
		"the sum wraps where its parts do": {map[string]snmptest.Value{
			column(ifTable, ifInUcastPkts): snmptest.C32(4294967290), column(ifTable, ifInNUcastPkts): snmptest.C32(10),
		}, devices.C32(4)},
		"multicast alone is not all": {map[string]snmptest.Value{column(ifXTable, ifInMulticastPkts): snmptest.C32(20)}, devices.None[devices.Counter]()},
	} {
		t.Run(name, func(t *testing.T) {
			if i := readPort(t, c.columns); i.InPackets != c.want {
				t.Errorf("packets %v, want %v", i.InPackets, c.want)
			}
		})
	}
}

func TestStatesOutsideOfTheMIBAreVerbatim(t *testing.T) {
	for value, want := range map[int]devices.Opt[string]{
		1: devices.Some("up"), 2: devices.Some("down"), 7: devices.Some("lowerLayerDown"), 0: devices.Some("unknown(0)"), 8: devices.Some("unknown(8)"), -1: devices.None[string](),
	} {
		t.Run(fmt.Sprint(value), func(t *testing.T) {
			if i := readPort(t, map[string]snmptest.Value{column(ifTable, ifOperStatus): snmptest.Int(value)}); i.Oper != want {
				t.Errorf("state %v, want %v", i.Oper, want)
			}
		})
	}
}

func TestDuplex(t *testing.T) {
	for value, want := range map[int]devices.Opt[string]{
		1: devices.Some("unknown"), 2: devices.Some("half"), 3: devices.Some("full"), 0: devices.None[string](), 9: devices.None[string](),
	} {
		t.Run(fmt.Sprint(value), func(t *testing.T) {
			if i := readPort(t, map[string]snmptest.Value{column(etherLike, dot3Duplex): snmptest.Int(value)}); i.Duplex != want {
				t.Errorf("duplex %v, want %v", i.Duplex, want)
			}
		})
	}
}

func TestEtherLike(t *testing.T) {
	i := readPort(t, map[string]snmptest.Value{
		column(etherLike, dot3FCS): snmptest.C32(5), column(etherLikeHC, 2): snmptest.C64(1<<33 + 5),
		column(etherLike, dot3SingleCollisions): snmptest.C32(2), column(etherLike, dot3MultipleCollisions): snmptest.C32(3),
		column(etherPause, 3): snmptest.C32(11), column(etherPause, 6): snmptest.C64(12),
	})
	for name, c := range map[string][2]devices.Opt[devices.Counter]{
		"FCS in 64 bits":             {i.FCS, devices.C64(1<<33 + 5)},
		"collisions":                 {i.Collisions, devices.C32(5)},
		"pause in":                   {i.InPause, devices.C32(11)},
		"pause out":                  {i.OutPause, devices.C64(12)},
		"late collisions, not given": {i.LateCollisions, devices.None[devices.Counter]()},
	} {
		if c[0] != c[1] {
			t.Errorf("%s: %v, want %v", name, c[0], c[1])
		}
	}
}

func TestSpanningTreeOfPorts(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	a.Set(stpPortState+"2", snmptest.Int(2))
	a.Set(stpxRSTPPortRole+".1.2", snmptest.Int(4))
	a.Set(stpxRSTPPortRole+".20.2", snmptest.Int(2)) // another VLAN's
	a.Set(stpRootPort, snmptest.Int(0))
	r, err := collector(t).Collect(context.Background(), device(snmptest.NewAgent(t, a), "Gi1/0/1"))
	if err != nil {
		t.Fatal(err)
	}
	if i := r.Interfaces[0]; i.STPState.Value != "blocking" || i.STPRole.Value != "alternate" {
		t.Errorf("state %v, role %v", i.STPState, i.STPRole)
	}
	if p := r.Bridge.RootPort; !p.OK || p.Value != "" {
		t.Errorf("root port %q, want none: the bridge is the root", p)
	}
}

func TestTheNameOfAPortThatIsNotWatched(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	a.Set(stpRootPort, snmptest.Int(3))
	r, err := collector(t).Collect(context.Background(), device(snmptest.NewAgent(t, a), "Gi1/0/1"))
	if err != nil || r.Bridge.RootPort.Value != "Gi1/0/2" {
		t.Errorf("root port %v, %v, want the device's own name", r.Bridge.RootPort, err)
	}
}

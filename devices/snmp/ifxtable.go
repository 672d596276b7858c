package snmp

import "whydrop/devices"

// ifXTable extends ifTable by names, 64-bit counters and speeds beyond 4 Gbit/s (IF-MIB, RFC 2863, section 6): octets
// and packets by kind, the HC columns Counter64, the others Counter32; ifHighSpeed in Mbit/s.
var ifXTable = Table{
	Name:  "ifXTable",
	MIB:   "IF-MIB, RFC 2863",
	Entry: "1.3.6.1.2.1.31.1.1.1",
	Columns: [][]int{
		{ifHighSpeed, ifCounterDiscontinuity},
		{ifHCInOctets, ifHCInUcastPkts, ifHCInMulticastPkts, ifHCInBroadcastPkts,
			ifHCOutOctets, ifHCOutUcastPkts, ifHCOutMulticastPkts, ifHCOutBroadcastPkts},
		{ifInMulticastPkts, ifInBroadcastPkts, ifOutMulticastPkts, ifOutBroadcastPkts},
	},
	Wide: []int{ifHCInOctets, ifHCInUcastPkts, ifHCInMulticastPkts, ifHCInBroadcastPkts,
		ifHCOutOctets, ifHCOutUcastPkts, ifHCOutMulticastPkts, ifHCOutBroadcastPkts},
	FillPort: fillIfXTable,
}

// Columns of ifXTable.
const (
	ifName                 = 1
	ifInMulticastPkts      = 2
	ifInBroadcastPkts      = 3
	ifOutMulticastPkts     = 4
	ifOutBroadcastPkts     = 5
	ifHCInOctets           = 6
	ifHCInUcastPkts        = 7
	ifHCInMulticastPkts    = 8
	ifHCInBroadcastPkts    = 9
	ifHCOutOctets          = 10
	ifHCOutUcastPkts       = 11
	ifHCOutMulticastPkts   = 12
	ifHCOutBroadcastPkts   = 13
	ifHighSpeed            = 15
	ifAlias                = 18
	ifCounterDiscontinuity = 19
)

func fillIfXTable(r Row, i *devices.Interface) {
	i.Discontinue = r.Number(ifCounterDiscontinuity)
	i.Speed = speed(i.Speed, r.Number(ifHighSpeed))
	i.InOctets = prefer(r.Counter(ifHCInOctets), i.InOctets)
	i.OutOctets = prefer(r.Counter(ifHCOutOctets), i.OutOctets)
	i.InPackets = packets(r, [3]int{ifHCInUcastPkts, ifHCInMulticastPkts, ifHCInBroadcastPkts},
		[2]int{ifInUcastPkts, ifInNUcastPkts}, [2]int{ifInMulticastPkts, ifInBroadcastPkts})
	i.OutPackets = packets(r, [3]int{ifHCOutUcastPkts, ifHCOutMulticastPkts, ifHCOutBroadcastPkts},
		[2]int{ifOutUcastPkts, ifOutNUcastPkts}, [2]int{ifOutMulticastPkts, ifOutBroadcastPkts})
	i.InBroadcasts = prefer(r.Counter(ifHCInBroadcastPkts), r.Counter(ifInBroadcastPkts))
	i.OutBroadcasts = prefer(r.Counter(ifHCOutBroadcastPkts), r.Counter(ifOutBroadcastPkts))
	i.InMulticasts = prefer(r.Counter(ifHCInMulticastPkts), r.Counter(ifInMulticastPkts))
	i.OutMulticasts = prefer(r.Counter(ifHCOutMulticastPkts), r.Counter(ifOutMulticastPkts))
}

// packets adds unicast, multicast and broadcast packets: of 64 bits if unicast has them, else of ifTable's
// unicast column with this table's other two, or with ifTable's one for both where this table has none.
func packets(r Row, hc [3]int, basic, lc [2]int) devices.Opt[devices.Counter] {
	unicast := r.Counter(hc[0])
	if unicast.OK && unicast.Value.Bits == 64 && unicast.Value.Value > 0 {
		return sum(unicast, r.Counter(hc[1]), r.Counter(hc[2]))
	}
	old := r.of(&ifTable)
	unicast = prefer(unicast, old.Counter(basic[0]))
	if unicast.OK && unicast.Value.Bits == 64 {
		return sum(unicast, r.Counter(hc[1]), r.Counter(hc[2]))
	}
	if multicast := r.Counter(lc[0]); multicast.OK {
		return sum(unicast, multicast, r.Counter(lc[1]))
	}
	return sum(unicast, old.Counter(basic[1]))
}

// maxSpeed is the fastest that is believed of a single port: 1.6 Tbit/s. Some agents give ifHighSpeed in bit/s.
const maxSpeed = 1.6e12

// speed chooses between ifSpeed (bit/s, already without its "does not fit") and ifHighSpeed (Mbit/s). Slow ports
// are exact in ifSpeed and rounded in ifHighSpeed; what is absurd in one is taken from the other.
func speed(low devices.Opt[uint64], high devices.Opt[uint32]) devices.Opt[uint64] {
	const exact = 20 // Mbit/s below which rounding shows
	fits := high.OK && high.Value > 0 && float64(high.Value)*1e6 <= maxSpeed
	switch {
	case fits && (high.Value >= exact || !low.OK):
		return devices.Some(uint64(high.Value) * 1e6)
	default:
		return low
	}
}

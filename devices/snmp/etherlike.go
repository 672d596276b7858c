package snmp

import "whydrop/devices"

// etherLike counts what goes wrong on an Ethernet port (EtherLike-MIB dot3StatsTable, RFC 3635).
var etherLike = Table{
	Name:  "dot3StatsTable",
	Entry: "1.3.6.1.2.1.10.7.2.1",
	Columns: [][]int{{
		dot3Duplex, dot3Alignment, dot3FCS, dot3SingleCollisions, dot3MultipleCollisions, dot3LateCollisions,
		dot3TooLongs, dot3Symbol,
	}},
	FillPort: fillEtherLike,
}

// Columns of dot3StatsTable.
const (
	dot3Alignment          = 2
	dot3FCS                = 3
	dot3SingleCollisions   = 4
	dot3MultipleCollisions = 5
	dot3LateCollisions     = 8
	dot3TooLongs           = 13
	dot3Symbol             = 18
	dot3Duplex             = 19
)

// duplexWords are the values of dot3StatsDuplexStatus.
var duplexWords = []string{"unknown", "half", "full"}

func fillEtherLike(r Row, i *devices.Interface) {
	if d := r.Number(dot3Duplex); d.OK && d.Value >= 1 && int(d.Value) <= len(duplexWords) {
		i.Duplex = devices.Some(duplexWords[d.Value-1]) // 0 occurs and means nothing
	}
	i.Alignment, i.FCS, i.Symbol = r.Counter(dot3Alignment), r.Counter(dot3FCS), r.Counter(dot3Symbol)
	i.Collisions = sum(r.Counter(dot3SingleCollisions), r.Counter(dot3MultipleCollisions))
	i.LateCollisions, i.Giants = r.Counter(dot3LateCollisions), r.Counter(dot3TooLongs)
}

// etherLikeHC has the same errors in 64 bits, on ports that are fast enough to wrap the others (dot3HCStatsTable).
var etherLikeHC = Table{
	Name:    "dot3HCStatsTable",
	Entry:   "1.3.6.1.2.1.10.7.11.1",
	Columns: [][]int{{1, 2, 4, 6}},
	FillPort: func(r Row, i *devices.Interface) {
		i.Alignment = prefer(r.Counter(1), i.Alignment)
		i.FCS = prefer(r.Counter(2), i.FCS)
		i.Giants = prefer(r.Counter(4), i.Giants)
		i.Symbol = prefer(r.Counter(6), i.Symbol)
	},
}

// etherPause counts pause frames (dot3PauseTable).
var etherPause = Table{
	Name:    "dot3PauseTable",
	Entry:   "1.3.6.1.2.1.10.7.10.1",
	Columns: [][]int{{3, 4, 5, 6}},
	FillPort: func(r Row, i *devices.Interface) {
		i.InPause = prefer(r.Counter(5), r.Counter(3))
		i.OutPause = prefer(r.Counter(6), r.Counter(4))
	},
}

// superseded lists, by the identifier of a 64-bit column, the 32-bit columns that need not be read once the
// 64-bit one is known to count.
var superseded = map[string][]string{
	column(ifXTable, ifHCInOctets):     {column(ifTable, ifInOctets)},
	column(ifXTable, ifHCOutOctets):    {column(ifTable, ifOutOctets)},
	column(ifXTable, ifHCInUcastPkts):  {column(ifTable, ifInUcastPkts), column(ifTable, ifInNUcastPkts), column(ifXTable, ifInMulticastPkts), column(ifXTable, ifInBroadcastPkts)},
	column(ifXTable, ifHCOutUcastPkts): {column(ifTable, ifOutUcastPkts), column(ifTable, ifOutNUcastPkts), column(ifXTable, ifOutMulticastPkts), column(ifXTable, ifOutBroadcastPkts)},
	column(etherLikeHC, 1):             {column(etherLike, dot3Alignment)},
	column(etherLikeHC, 2):             {column(etherLike, dot3FCS)},
	column(etherLikeHC, 4):             {column(etherLike, dot3TooLongs)},
	column(etherLikeHC, 6):             {column(etherLike, dot3Symbol)},
	column(etherPause, 5):              {column(etherPause, 3)},
	column(etherPause, 6):              {column(etherPause, 4)},
}

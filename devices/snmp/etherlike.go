package snmp

import "whydrop/devices"

// etherLike counts what goes wrong on an Ethernet port: frames, all Counter32 (EtherLike-MIB dot3StatsTable, RFC
// 3635). dot3StatsDuplexStatus is the duplex in use.
var etherLike = Table{
	Name:  "dot3StatsTable",
	MIB:   "EtherLike-MIB, RFC 3635",
	Entry: "1.3.6.1.2.1.10.7.2.1",
	Columns: [][]int{{
		dot3Duplex, dot3Alignment, dot3FCS, dot3SingleCollisions, dot3MultipleCollisions, dot3Deferred, dot3LateCollisions,
		dot3ExcessiveCollisions, dot3MACTransmit, dot3CarrierSense, dot3TooLongs, dot3MACReceive, dot3Symbol,
	}},
	FillPort: fillEtherLike,
}

// Columns of dot3StatsTable.
const (
	dot3Alignment           = 2
	dot3FCS                 = 3
	dot3SingleCollisions    = 4
	dot3MultipleCollisions  = 5
	dot3Deferred            = 7
	dot3LateCollisions      = 8
	dot3ExcessiveCollisions = 9
	dot3MACTransmit         = 10
	dot3CarrierSense        = 11
	dot3TooLongs            = 13
	dot3MACReceive          = 16
	dot3Symbol              = 18
	dot3Duplex              = 19
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
	i.ExcessiveCollisions, i.Deferred = r.Counter(dot3ExcessiveCollisions), r.Counter(dot3Deferred)
	i.CarrierSense = r.Counter(dot3CarrierSense)
	i.MACIn, i.MACOut = r.Counter(dot3MACReceive), r.Counter(dot3MACTransmit)
}

// etherLikeHC has the same errors as Counter64, on ports that are fast enough to wrap the others (EtherLike-MIB
// dot3HCStatsTable, RFC 3635).
var etherLikeHC = Table{
	Name:    "dot3HCStatsTable",
	MIB:     "EtherLike-MIB, RFC 3635",
	Unseen:  true,
	Entry:   "1.3.6.1.2.1.10.7.11.1",
	Columns: [][]int{{1, 2, 3, 4, 5, 6}},
	Wide:    []int{1, 2, 3, 4, 5, 6},
	FillPort: func(r Row, i *devices.Interface) {
		i.Alignment = prefer(r.Counter(1), i.Alignment)
		i.FCS = prefer(r.Counter(2), i.FCS)
		i.MACOut = prefer(r.Counter(3), i.MACOut)
		i.Giants = prefer(r.Counter(4), i.Giants)
		i.MACIn = prefer(r.Counter(5), i.MACIn)
		i.Symbol = prefer(r.Counter(6), i.Symbol)
	},
}

// etherPause counts pause frames, dot3InPauseFrames and dot3OutPauseFrames as Counter32, their HC columns as
// Counter64, and says which of them are in use: dot3PauseOperMode (EtherLike-MIB dot3PauseTable, RFC 3635).
var etherPause = Table{
	Name:     "dot3PauseTable",
	MIB:      "EtherLike-MIB, RFC 3635",
	Unseen:   true,
	Entry:    "1.3.6.1.2.1.10.7.10.1",
	Columns:  [][]int{{2, 3, 4, 5, 6}},
	Wide:     []int{5, 6},
	FillPort: fillPause,
}

func fillPause(r Row, i *devices.Interface) {
	i.InPause = prefer(r.Counter(5), r.Counter(3))
	i.OutPause = prefer(r.Counter(6), r.Counter(4))
	// dot3PauseOperMode: 1 disabled, 2 sends, 3 obeys, 4 both.
	if m := r.Number(2); m.OK && m.Value >= 1 && m.Value <= 4 {
		i.FlowIn, i.FlowOut = devices.Some(m.Value == 3 || m.Value == 4), devices.Some(m.Value == 2 || m.Value == 4)
	}
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
	column(etherLikeHC, 3):             {column(etherLike, dot3MACTransmit)},
	column(etherLikeHC, 4):             {column(etherLike, dot3TooLongs)},
	column(etherLikeHC, 5):             {column(etherLike, dot3MACReceive)},
	column(etherLikeHC, 6):             {column(etherLike, dot3Symbol)},
	column(etherPause, 5):              {column(etherPause, 3)},
	column(etherPause, 6):              {column(etherPause, 4)},
}

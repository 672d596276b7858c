package snmp

import "whydrop/devices"

// cieIfPackets has the counters of a port that Cisco's `show interfaces` prints and IF-MIB lacks, in frames, Counter32
// (CISCO-IF-EXTENSION-MIB cieIfPacketStatsTable, 1.3.6.1.4.1.9.9.276.1.1.1.1, by ifIndex): InRuntsErrs 4, InGiantsErrs 5,
// InOverrunErrs 7, InIgnored 8, InputQueueDrops 10, OutputQueueDrops 11.
var cieIfPackets = Table{
	Name:    "cieIfPacketStatsTable",
	MIB:     "CISCO-IF-EXTENSION-MIB",
	Vendors: []uint32{enterpriseCisco},
	Entry:   "1.3.6.1.4.1.9.9.276.1.1.1.1",
	Columns: [][]int{{4, 5, 7, 8, 10, 11}},
	FillPort: func(r Row, i *devices.Interface) {
		fillIn(&i.Runts, r.Counter(4))
		fillIn(&i.Giants, r.Counter(5))
		fillIn(&i.Overrun, r.Counter(7))
		fillIn(&i.Ignored, r.Counter(8))
		fillIn(&i.InputQueueDrop, r.Counter(10))
		fillIn(&i.OutDrops, r.Counter(11))
	},
}

// cieIfInterface counts resets and losses of carrier (CISCO-IF-EXTENSION-MIB cieIfInterfaceTable,
// 1.3.6.1.4.1.9.9.276.1.1.2.1, by ifIndex): ResetCount 1, CarrierTransitionCount 4, both Counter32.
var cieIfInterface = Table{
	Name:    "cieIfInterfaceTable",
	MIB:     "CISCO-IF-EXTENSION-MIB",
	Vendors: []uint32{enterpriseCisco},
	Entry:   "1.3.6.1.4.1.9.9.276.1.1.2.1",
	Columns: [][]int{{1, 4}},
	FillPort: func(r Row, i *devices.Interface) {
		fillIn(&i.Resets, r.Counter(1))
		fillIn(&i.CarrierTransitions, r.Counter(4))
	},
}

// locIf has what older IOS prints in `show interfaces` (OLD-CISCO-INTERFACES-MIB lifTable, 1.3.6.1.4.1.9.2.2.1.1, by
// ifIndex), in frames: InRunts 10, InGiants 11, InCRC 12, InOverrun 14, InIgnored 15, Resets 17, CarTrans 21, Load 24 (of
// 255), Collisions 25, InputQueueDrops 26, OutputQueueDrops 27. They are INTEGERs: at which width they wrap is not said.
var locIf = Table{
	Name:    "lifTable",
	MIB:     "OLD-CISCO-INTERFACES-MIB",
	Unseen:  true,
	Vendors: []uint32{enterpriseCisco},
	Entry:   "1.3.6.1.4.1.9.2.2.1.1",
	Columns: [][]int{{10, 11, 12, 14, 15, 17, 21, 24, 25, 26, 27}},
	FillPort: func(r Row, i *devices.Interface) {
		for _, c := range [...]struct {
			col  int
			into *devices.Opt[devices.Counter]
		}{
			{10, &i.Runts}, {11, &i.Giants}, {12, &i.FCS}, {14, &i.Overrun}, {15, &i.Ignored}, {17, &i.Resets},
			{21, &i.CarrierTransitions}, {25, &i.Collisions}, {26, &i.InputQueueDrop}, {27, &i.OutDrops},
		} {
			if n := r.Number(c.col); n.OK {
				fillIn(c.into, devices.CCLI(uint64(n.Value)))
			} else {
				fillIn(c.into, r.Counter(c.col))
			}
		}
		if n := r.Number(24); n.OK && n.Value <= 255 {
			i.Load = devices.Some(float64(n.Value) / 255)
		}
	},
}

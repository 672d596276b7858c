package snmp

import "whydrop/devices"

// stormControl counts what storm control suppressed (CISCO-PORT-STORM-CONTROL-MIB cpscStatusTable,
// 1.3.6.1.4.1.9.9.362.1.2.1.1, by ifIndex and kind of traffic): cpscSuppressedPacket 3, Counter64. There is one table for
// each kind, broadcast 1, multicast 2 and unicast 3, and their sum is the port's; 4 is all together, where a platform does not
// count them apart.
func stormControl(kind, index string) Table {
	return Table{
		Name:    "cpscStatusTable " + kind,
		MIB:     "CISCO-PORT-STORM-CONTROL-MIB",
		Unseen:  true,
		Vendors: []uint32{enterpriseCisco},
		Entry:   "1.3.6.1.4.1.9.9.362.1.2.1.1",
		Columns: [][]int{{3}},
		Wide:    []int{3},
		Index:   func(_ View, ifIndex uint32) string { return dotted([]uint32{ifIndex}) + "." + index },
		FillPort: func(r Row, i *devices.Interface) {
			if index == "4" {
				fillIn(&i.StormDrops, r.Counter(3))
				return
			}
			addTo(&i.StormDrops, r.Counter(3))
		},
	}
}

// addTo adds a counter that was given.
func addTo(into *devices.Opt[devices.Counter], c devices.Opt[devices.Counter]) {
	if !into.OK {
		*into = c
		return
	}
	*into = sum(*into, c)
}

// portPolicer counts what a port's ingress policers found over their rate (CISCO-PORT-QOS-MIB
// cportQosClassIngressStatsTable, 1.3.6.1.4.1.9.9.189.1.3.7.1, by ifIndex and two levels of class): PoliceExceedPkts 7,
// PoliceViolatePkts 9, Counter64.
var portPolicer = Table{
	Name:    "cportQosClassIngressStatsTable",
	MIB:     "CISCO-PORT-QOS-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{portPolice + "7", portPolice + "9"},
	Live:    []string{portPolice + "7", portPolice + "9"},
	LiveRow: watchedFirst,
	Part:    partInterfaces,
	Fill: func(v View, r *devices.Reading) {
		for _, column := range []string{"7", "9"} {
			for _, c := range v.Rows(portPolice + column) {
				if i := interfaceOf(r, c.Index[0]); i != nil {
					addTo(&i.PolicerDrops, c.Counter())
				}
			}
		}
	},
}

const portPolice = "1.3.6.1.4.1.9.9.189.1.3.7.1."

// udld is whether a link works both ways (CISCO-UDLDP-MIB cudldpInterfaceOperStatus, 1.3.6.1.4.1.9.9.118.1.2.1.1.2, by
// ifIndex): shutdown 1 (found to be unidirectional, and shut), indeterminant 2, biDirectional 3, notApplicable 4.
var udld = Table{
	Name:    "cudldpInterfaceTable",
	MIB:     "CISCO-UDLDP-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{udldStatus},
	Live:    []string{udldStatus},
	LiveRow: watchedFirst,
	Part:    partInterfaces,
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(udldStatus) {
			if n := c.Number(); n.OK && n.Value >= 1 && n.Value <= 3 {
				if i := interfaceOf(r, c.Index[0]); i != nil {
					i.UDLD = devices.Some([]string{"unidirectional", "unknown", "bidirectional"}[n.Value-1])
				}
			}
		}
	},
}

const udldStatus = "1.3.6.1.4.1.9.9.118.1.2.1.1.2"

// arpInspection counts what dynamic ARP inspection dropped (CISCO-DYNAMIC-ARP-INSPECTION-MIB cdaiVlanDropped,
// 1.3.6.1.4.1.9.9.374.1.4.1.1.3, by VLAN, Counter32). The sum of all VLANs counts.
var arpInspection = Table{
	Name:    "cdaiStatisticsTable",
	MIB:     "CISCO-DYNAMIC-ARP-INSPECTION-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{daiDropped},
	Live:    []string{daiDropped},
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(daiDropped) {
			addTo(&r.ARPDrops, c.Counter())
		}
	},
}

const daiDropped = "1.3.6.1.4.1.9.9.374.1.4.1.1.3"

// cableTest is the last result of a cable test, which others have started (CISCO-CABLE-DIAG-MIB, 1.3.6.1.4.1.9.9.390.1.2):
// ccdTdrIfResultValid 1.1.4 by ifIndex (TruthValue); ccdTdrIfResultTable 2.1 by ifIndex and pair: PairLength 3,
// PairDistToFault 5, PairLengthUnit 7, PairStatus 8; -1 is not known.
var cableTest = Table{
	Name:    "ccdTdrIfResultTable",
	MIB:     "CISCO-CABLE-DIAG-MIB",
	Unseen:  true,
	Sparse:  true,
	Cadence: Slow,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{tdrValid, tdrResult + "3", tdrResult + "5", tdrResult + "7", tdrResult + "8"},
	Part:    partInterfaces,
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(tdrResult + "8") {
			if len(c.Index) != 2 || c.Index[1] < 1 || c.Index[1] > 4 {
				continue
			}
			i, status := interfaceOf(r, c.Index[0]), c.Word(tdrWords)
			if i == nil || !status.OK || status.Value == "" || !v.At(tdrValid, c.Index[0]).Truth().Value {
				continue
			}
			p := devices.CablePair{Pair: string("ABCD"[c.Index[1]-1]), Status: status.Value}
			column := "5"
			if status.Value == "normal" {
				column = "3"
			}
			metres, known := tdrUnits[v.At(tdrResult+"7", c.Index...).Number().Value]
			if n := v.At(tdrResult+column, c.Index...).Signed(); known && n.OK && n.Value >= 0 {
				p.Length = devices.Some(float64(n.Value) * metres)
			}
			i.Cable = append(i.Cable, p)
		}
	},
}

const (
	tdrValid  = "1.3.6.1.4.1.9.9.390.1.2.1.1.4"
	tdrResult = "1.3.6.1.4.1.9.9.390.1.2.2.1."
)

// tdrWords are the values of ccdTdrIfResultPairStatus; "" is no result. tdrUnits are metres by ccdTdrIfResultPairLengthUnit.
var (
	tdrWords = []string{"", "normal", "", "", "open", "short", "impedance", "broken", "indeterminate"}
	tdrUnits = map[uint32]float64{2: 1, 3: 0.01, 4: 1000}
)

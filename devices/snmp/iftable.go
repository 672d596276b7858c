package snmp

import "whydrop/devices"

// ifTable is the basic table of ports (IF-MIB, RFC 2863, section 6): states, ifLastChange in TimeTicks, ifSpeed in
// bit/s, octets, packets, discards and errors, all Counter32.
var ifTable = Table{
	Name:  "ifTable",
	MIB:   "IF-MIB, RFC 2863",
	Entry: "1.3.6.1.2.1.2.2.1",
	Columns: [][]int{
		{ifAdminStatus, ifOperStatus, ifLastChange, ifSpeed},
		{ifInOctets, ifInUcastPkts, ifInNUcastPkts, ifOutOctets, ifOutUcastPkts, ifOutNUcastPkts,
			ifInDiscards, ifInErrors, ifInUnknownProtos, ifOutDiscards, ifOutErrors},
	},
	FillPort: fillIfTable,
}

// Columns of ifTable.
const (
	ifDescr           = 2
	ifMTU             = 4
	ifSpeed           = 5
	ifPhysAddress     = 6
	ifAdminStatus     = 7
	ifOperStatus      = 8
	ifLastChange      = 9
	ifInOctets        = 10
	ifInUcastPkts     = 11
	ifInNUcastPkts    = 12
	ifInDiscards      = 13
	ifInErrors        = 14
	ifInUnknownProtos = 15
	ifOutOctets       = 16
	ifOutUcastPkts    = 17
	ifOutNUcastPkts   = 18
	ifOutDiscards     = 19
	ifOutErrors       = 20
)

// statusWords are the values of ifAdminStatus (the first three) and ifOperStatus.
var statusWords = []string{"up", "down", "testing", "unknown", "dormant", "notPresent", "lowerLayerDown"}

func fillIfTable(r Row, i *devices.Interface) {
	i.Admin = r.Word(ifAdminStatus, statusWords[:3])
	i.Oper = r.Word(ifOperStatus, statusWords)
	i.LastChange = r.Number(ifLastChange)
	if v := r.Number(ifSpeed); v.OK && v.Value > 0 && v.Value != unknownSpeed {
		i.Speed = devices.Some(uint64(v.Value))
	}
	i.InOctets, i.OutOctets = r.Counter(ifInOctets), r.Counter(ifOutOctets)
	i.InDrops, i.OutDrops = r.Counter(ifInDiscards), r.Counter(ifOutDiscards)
	i.InErrors, i.OutErrors = r.Counter(ifInErrors), r.Counter(ifOutErrors)
	i.UnknownProtos = r.Counter(ifInUnknownProtos)
}

// unknownSpeed is what ifSpeed holds when the speed does not fit it (RFC 2863, ifSpeed).
const unknownSpeed = 1<<32 - 1

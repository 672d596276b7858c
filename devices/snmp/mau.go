package snmp

import (
	"slices"
	"strings"

	"whydrop/devices"
)

// mauExits counts how often a port's medium went away: ifMauMediaAvailableStateExits, Counter32 (MAU-MIB ifMauTable,
// RFC 4836). Its row is that of the port's first MAU.
var mauExits = Table{
	Name:    "ifMauTable counters",
	MIB:     "MAU-MIB, RFC 4836",
	Unseen:  true,
	Entry:   ifMauEntry,
	Columns: [][]int{{6}},
	Roots:   []string{ifMauType},
	Index: func(v View, ifIndex uint32) string {
		for _, c := range v.Rows(ifMauType) {
			if len(c.Index) == 2 && c.Index[0] == ifIndex {
				return dotted(c.Index)
			}
		}
		return ""
	},
	FillPort: func(r Row, i *devices.Interface) { i.CarrierTransitions = r.Counter(6) },
}

// mau says what medium a port uses and what was negotiated (MAU-MIB ifMauTable and ifMauAutoNegTable, RFC 4836; the
// bits are those of IANAifMauAutoNegCapBits in IANA-MAU-MIB). Both are indexed by ifIndex and the MAU's number.
var mau = Table{
	Name:    "ifMauAutoNegTable",
	MIB:     "MAU-MIB, RFC 4836",
	Unseen:  true,
	Cadence: Slow,
	Roots:   []string{ifMauType, ifMauAutoNegAdmin, ifMauAutoNegSignaling, ifMauAutoNegReceived, ifMauRemoteFault},
	Part:    partInterfaces,
	Fill:    fillMAU,
}

const (
	ifMauEntry            = "1.3.6.1.2.1.26.2.1.1"
	ifMauType             = ifMauEntry + ".3"
	ifMauAutoNegEntry     = "1.3.6.1.2.1.26.5.1.1"
	ifMauAutoNegAdmin     = ifMauAutoNegEntry + ".1"  // 1 enabled, 2 disabled
	ifMauAutoNegSignaling = ifMauAutoNegEntry + ".2"  // 1 the neighbour negotiates, 2 it does not
	ifMauAutoNegReceived  = ifMauAutoNegEntry + ".11" // BITS
	ifMauRemoteFault      = ifMauAutoNegEntry + ".13" // 1 none
	dot3MauType           = "1.3.6.1.2.1.26.4."       // dot3MauTypeList
)

// mauTypes are the media by the last arc of dot3MauType.
var mauTypes = map[string]string{
	"5": "10BASE-T", "10": "10BASE-T half", "11": "10BASE-T full", "14": "100BASE-T4", "15": "100BASE-TX half",
	"16": "100BASE-TX full", "17": "100BASE-FX half", "18": "100BASE-FX full", "21": "1000BASE-X half",
	"22": "1000BASE-X full", "23": "1000BASE-LX half", "24": "1000BASE-LX full", "25": "1000BASE-SX half",
	"26": "1000BASE-SX full", "27": "1000BASE-CX half", "28": "1000BASE-CX full", "29": "1000BASE-T half",
	"30": "1000BASE-T full", "31": "10GBASE-X", "32": "10GBASE-LX4", "33": "10GBASE-R", "34": "10GBASE-ER",
	"35": "10GBASE-LR", "36": "10GBASE-SR", "41": "10GBASE-CX4", "54": "10GBASE-T", "55": "10GBASE-LRM",
	"56": "1000BASE-KX", "57": "10GBASE-KX4", "58": "10GBASE-KR",
}

func fillMAU(v View, r *devices.Reading) {
	for _, c := range v.Rows(ifMauType) {
		if len(c.Index) != 2 {
			continue
		}
		n := slices.IndexFunc(r.Interfaces, func(i devices.Interface) bool { return i.Index.Value == c.Index[0] })
		if n < 0 || c.Index[1] > 1 && v.At(ifMauType, c.Index[0], 1).OK() {
			continue // the first MAU of a port tells
		}
		i := &r.Interfaces[n]
		if t := mauTypes[strings.TrimPrefix(c.OID(), dot3MauType)]; t != "" {
			i.Media = devices.Some(t)
		}
		i.Autoneg = v.At(ifMauAutoNegAdmin, c.Index...).Truth()
		if f := v.At(ifMauRemoteFault, c.Index...).Number(); f.OK && f.Value > 0 {
			i.RemoteFault = devices.Some(f.Value != 1)
		}
		if s := v.At(ifMauAutoNegSignaling, c.Index...).Truth(); s.OK && s.Value {
			i.Offered, i.OfferedHalf = offered(v.At(ifMauAutoNegReceived, c.Index...).Octets())
		}
	}
}

// autoNegBits are the bits of IANAifMauAutoNegCapBits that name a speed; those of half duplex come first of a pair.
var autoNegBits = []struct {
	bit   int
	speed uint64
	full  bool
}{
	{1, 10e6, false}, {2, 10e6, true}, {3, 100e6, false}, {4, 100e6, false}, {5, 100e6, true}, {6, 100e6, false},
	{7, 100e6, true}, {12, 1e9, false}, {13, 1e9, true}, {14, 1e9, false}, {15, 1e9, true},
}

// offered reads BITS (RFC 2578, section 7.1.4: the first bit is the highest of the first octet). half says that no
// speed was offered in full duplex.
func offered(bits []byte) (speeds []uint64, half bool) {
	half = true
	for _, b := range autoNegBits {
		if b.bit/8 >= len(bits) || bits[b.bit/8]&(0x80>>(b.bit%8)) == 0 {
			continue
		}
		half = half && !b.full
		if !slices.Contains(speeds, b.speed) {
			speeds = append(speeds, b.speed)
		}
	}
	return speeds, half && len(speeds) > 0
}

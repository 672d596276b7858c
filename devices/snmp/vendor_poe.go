package snmp

import (
	"strconv"
	"strings"

	"whydrop/devices"
)

// poe counts what goes wrong with power over a port (POWER-ETHERNET-MIB pethPsePortTable, RFC 3621, 1.3.6.1.2.1.105.1.1.1,
// by group and port, all Counter32): MPSAbsent 8, PowerDenied 12, OverLoad 13, Short 14. Which interface a row belongs to
// is not said by the RFC: Cisco names the entity (CISCO-POWER-ETHERNET-EXT-MIB cpeExtPsePortEntPhyIndex,
// 1.3.6.1.4.1.9.9.402.1.2.1.11); elsewhere it is the interface whose name has the group's and the port's numbers, or whose
// ifIndex is the port's number.
var poe = Table{
	Name:    "pethPsePortTable",
	MIB:     "POWER-ETHERNET-MIB, RFC 3621",
	Entry:   "1.3.6.1.2.1.105.1.1.1",
	Columns: [][]int{{8, 12, 13, 14}},
	Roots:   []string{pethAdmin, pethEntity, entAlias},
	Index:   poeRow,
	FillPort: func(r Row, i *devices.Interface) {
		i.PoEAbsent, i.PoEDenied, i.PoEOverload, i.PoEShort = r.Counter(8), r.Counter(12), r.Counter(13), r.Counter(14)
	},
}

const (
	pethAdmin  = "1.3.6.1.2.1.105.1.1.1.3"
	pethEntity = "1.3.6.1.4.1.9.9.402.1.2.1.11"
)

func poeRow(v View, ifIndex uint32) string {
	rows := v.Rows(pethAdmin)
	if len(rows) == 0 {
		return ""
	}
	if entities := v.Rows(pethEntity); len(entities) > 0 {
		ports := aliases(v)
		for _, c := range entities {
			if n := c.Number(); n.OK && ports[n.Value] == ifIndex && len(c.Index) == 2 {
				return dotted(c.Index)
			}
		}
	}
	numbers := numbersOf(v.Port(ifIndex))
	for _, c := range rows {
		if len(c.Index) != 2 || len(numbers) == 0 || numbers[len(numbers)-1] != c.Index[1] {
			continue
		}
		if len(numbers) > 1 && numbers[0] == c.Index[0] || len(numbers) == 1 && c.Index[0] == 1 {
			return dotted(c.Index)
		}
	}
	for _, c := range rows {
		if len(c.Index) == 2 && c.Index[1] == ifIndex {
			return dotted(c.Index)
		}
	}
	return ""
}

// numbersOf returns the numbers in a port's name, in order.
func numbersOf(name string) (out []uint32) {
	for _, f := range strings.FieldsFunc(name, func(c rune) bool { return c < '0' || c > '9' }) {
		n, err := strconv.ParseUint(f, 10, 32)
		if err != nil {
			return nil
		}
		out = append(out, uint32(n))
	}
	return out
}

package snmp

import (
	"strconv"
	"strings"

	"whydrop/devices"
)

// etherStats counts what a port's hardware rejects (RMON-MIB etherStatsTable, RFC 2819): frames, all Counter32. A row
// is about the port that etherStatsDataSource names. etherStatsDropEvents is no count of frames but of moments in which
// the counting itself fell behind, and is left out.
var etherStats = Table{
	Name:     "etherStatsTable",
	MIB:      "RMON-MIB, RFC 2819",
	Entry:    "1.3.6.1.2.1.16.1.1.1",
	Columns:  [][]int{{etherStatsUndersize, etherStatsOversize, etherStatsFragments, etherStatsJabbers}},
	Roots:    []string{etherStatsDataSource},
	Index:    etherStatsRow,
	FillPort: fillEtherStats,
}

// Columns of etherStatsTable.
const (
	etherStatsDataSource = "1.3.6.1.2.1.16.1.1.1.2"
	etherStatsUndersize  = 9
	etherStatsOversize   = 10
	etherStatsFragments  = 11
	etherStatsJabbers    = 12
)

// etherStatsRow finds the row whose data source is the port: the lowest, if an operator made others.
func etherStatsRow(v View, ifIndex uint32) string {
	const source = "1.3.6.1.2.1.2.2.1.1." // ifIndex
	want := strconv.FormatUint(uint64(ifIndex), 10)
	for _, c := range v.Rows(etherStatsDataSource) {
		if of, ok := strings.CutPrefix(c.OID(), source); ok && of == want {
			return dotted(c.Index)
		}
	}
	return ""
}

func fillEtherStats(r Row, i *devices.Interface) {
	i.Fragments, i.Jabbers = r.Counter(etherStatsFragments), r.Counter(etherStatsJabbers)
	i.Runts = r.Counter(etherStatsUndersize)
	if !i.Giants.OK {
		i.Giants = r.Counter(etherStatsOversize)
	}
}

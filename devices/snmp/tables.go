package snmp

import "slices"

// Tables lists what is read of a device beyond its clock and the bare states of its ports, in the order in which it
// is asked. A new table is one file and one line here.
var Tables = slices.Concat(standardTables, vendorTables)

// indexSources are the roots whose values, not their rows alone, say which row of a table of counters is whose.
var indexSources = func() map[string]bool {
	out := map[string]bool{}
	for _, t := range Tables {
		if t.FillPort == nil {
			continue
		}
		for _, id := range t.Roots {
			out[id] = true
		}
	}
	return out
}()

// standardTables are those of the IETF, of IEEE 802 and what every vendor has of them.
var standardTables = []Table{
	ifTable, ifXTable, etherLike, etherLikeHC, etherPause, etherStats, bridgePorts, mauExits,
	ieeeTree, mstTrees, commonTree, stpRoles, vlans, lag, fragments, learning,
	lldp, lldpV2, cdp, mau, vlanPorts, fdbSize,
}

package snmp

import "slices"

// Tables lists what is read of a device beyond its clock and the bare states of its ports, in the order in which it
// is asked. A new table is one file and one line here.
var Tables = slices.Concat(standardTables, vendorTables)

// standardTables are those of the IETF, of IEEE 802 and what every vendor has of them.
var standardTables = []Table{
	ifTable, ifXTable, etherLike, etherLikeHC, etherPause, etherStats, bridgePorts, mauExits,
	ieeeTree, mstTrees, commonTree, vlans, lag, fragments, learning,
	lldp, lldpV2, cdp, mau, vlanPorts, fdbSize,
}

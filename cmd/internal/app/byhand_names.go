package app

import "strconv"

// columnName is what a column is called in its MIB, and its unit.
type columnName struct{ name, unit string }

// moreTables are tables that a walk knows by name beside those that are polled, in lower case.
var moreTables = map[string]string{
	"system": "1.3.6.1.2.1.1", "ipaddrtable": "1.3.6.1.2.1.4.20.1", "ipnettomediatable": "1.3.6.1.2.1.4.22.1", "ipnettophysicaltable": "1.3.6.1.2.1.4.35.1",
	"dot1dtpfdbtable": "1.3.6.1.2.1.17.4.3.1", "dot1qtpfdbtable": "1.3.6.1.2.1.17.7.1.2.2.1", "dot1dbaseporttable": "1.3.6.1.2.1.17.1.4.1",
	"entphysicaltable": "1.3.6.1.2.1.47.1.1.1.1",
}

// columnNames are the columns of the common tables (RFC 1213, 2863, 3635, 2819, 4188, 4363, 4293, 3433; IEEE 802.1AB and
// 802.1AX; CISCO-CDP-MIB), by identifier.
var columnNames = named(map[string][]columnName{
	"1.3.6.1.2.1.1": {{"sysDescr", ""}, {"sysObjectID", ""}, {"sysUpTime", "1/100 s"}, {"sysContact", ""}, {"sysName", ""}, {"sysLocation", ""}, {"sysServices", ""}},
	"1.3.6.1.2.1.2.2.1": {{"ifIndex", ""}, {"ifDescr", ""}, {"ifType", ""}, {"ifMtu", "octets"}, {"ifSpeed", "bit/s"}, {"ifPhysAddress", ""}, {"ifAdminStatus", ""},
		{"ifOperStatus", ""}, {"ifLastChange", "1/100 s"}, {"ifInOctets", "octets"}, {"ifInUcastPkts", "packets"}, {"ifInNUcastPkts", "packets"}, {"ifInDiscards", "packets"},
		{"ifInErrors", "packets"}, {"ifInUnknownProtos", "packets"}, {"ifOutOctets", "octets"}, {"ifOutUcastPkts", "packets"}, {"ifOutNUcastPkts", "packets"},
		{"ifOutDiscards", "packets"}, {"ifOutErrors", "packets"}, {"ifOutQLen", "packets"}, {"ifSpecific", ""}},
	"1.3.6.1.2.1.31.1.1.1": {{"ifName", ""}, {"ifInMulticastPkts", "packets"}, {"ifInBroadcastPkts", "packets"}, {"ifOutMulticastPkts", "packets"}, {"ifOutBroadcastPkts", "packets"},
		{"ifHCInOctets", "octets"}, {"ifHCInUcastPkts", "packets"}, {"ifHCInMulticastPkts", "packets"}, {"ifHCInBroadcastPkts", "packets"}, {"ifHCOutOctets", "octets"},
		{"ifHCOutUcastPkts", "packets"}, {"ifHCOutMulticastPkts", "packets"}, {"ifHCOutBroadcastPkts", "packets"}, {"ifLinkUpDownTrapEnable", ""}, {"ifHighSpeed", "Mbit/s"},
		{"ifPromiscuousMode", ""}, {"ifConnectorPresent", ""}, {"ifAlias", ""}, {"ifCounterDiscontinuityTime", "1/100 s"}},
	"1.3.6.1.2.1.10.7.2.1": {{"dot3StatsIndex", ""}, {"dot3StatsAlignmentErrors", "frames"}, {"dot3StatsFCSErrors", "frames"}, {"dot3StatsSingleCollisionFrames", "frames"},
		{"dot3StatsMultipleCollisionFrames", "frames"}, {"dot3StatsSQETestErrors", ""}, {"dot3StatsDeferredTransmissions", "frames"}, {"dot3StatsLateCollisions", "frames"},
		{"dot3StatsExcessiveCollisions", "frames"}, {"dot3StatsInternalMacTransmitErrors", "frames"}, {"dot3StatsCarrierSenseErrors", "frames"}, {}, {"dot3StatsFrameTooLongs", "frames"},
		{}, {}, {"dot3StatsInternalMacReceiveErrors", "frames"}, {"dot3StatsEtherChipSet", ""}, {"dot3StatsSymbolErrors", ""}, {"dot3StatsDuplexStatus", ""}},
	"1.3.6.1.2.1.16.1.1.1": {{"etherStatsIndex", ""}, {"etherStatsDataSource", ""}, {"etherStatsDropEvents", ""}, {"etherStatsOctets", "octets"}, {"etherStatsPkts", "packets"},
		{"etherStatsBroadcastPkts", "packets"}, {"etherStatsMulticastPkts", "packets"}, {"etherStatsCRCAlignErrors", "packets"}, {"etherStatsUndersizePkts", "packets"},
		{"etherStatsOversizePkts", "packets"}, {"etherStatsFragments", "packets"}, {"etherStatsJabbers", "packets"}, {"etherStatsCollisions", ""}},
	"1.3.6.1.2.1.17.2.15.1": {{"dot1dStpPort", ""}, {"dot1dStpPortPriority", ""}, {"dot1dStpPortState", ""}, {"dot1dStpPortEnable", ""}, {"dot1dStpPortPathCost", ""},
		{"dot1dStpPortDesignatedRoot", ""}, {"dot1dStpPortDesignatedCost", ""}, {"dot1dStpPortDesignatedBridge", ""}, {"dot1dStpPortDesignatedPort", ""}, {"dot1dStpPortForwardTransitions", ""}},
	"1.3.6.1.2.1.17.1.4.1":     {{"dot1dBasePort", ""}, {"dot1dBasePortIfIndex", ""}, {"dot1dBasePortCircuit", ""}, {"dot1dBasePortDelayExceededDiscards", "frames"}, {"dot1dBasePortMtuExceededDiscards", "frames"}},
	"1.3.6.1.2.1.17.4.3.1":     {{"dot1dTpFdbAddress", ""}, {"dot1dTpFdbPort", ""}, {"dot1dTpFdbStatus", ""}},
	"1.3.6.1.2.1.17.7.1.2.2.1": {{"dot1qTpFdbAddress", ""}, {"dot1qTpFdbPort", ""}, {"dot1qTpFdbStatus", ""}},
	"1.3.6.1.2.1.4.20.1":       {{"ipAdEntAddr", ""}, {"ipAdEntIfIndex", ""}, {"ipAdEntNetMask", ""}, {"ipAdEntBcastAddr", ""}, {"ipAdEntReasmMaxSize", "octets"}},
	"1.3.6.1.2.1.4.22.1":       {{"ipNetToMediaIfIndex", ""}, {"ipNetToMediaPhysAddress", ""}, {"ipNetToMediaNetAddress", ""}, {"ipNetToMediaType", ""}},
	"1.3.6.1.2.1.4.35.1":       {{"ipNetToPhysicalIfIndex", ""}, {"ipNetToPhysicalNetAddressType", ""}, {"ipNetToPhysicalNetAddress", ""}, {"ipNetToPhysicalPhysAddress", ""}, {"ipNetToPhysicalLastUpdated", "1/100 s"}, {"ipNetToPhysicalType", ""}, {"ipNetToPhysicalState", ""}},
	"1.0.8802.1.1.2.1.4.1.1": {{"lldpRemTimeMark", "1/100 s"}, {"lldpRemLocalPortNum", ""}, {"lldpRemIndex", ""}, {"lldpRemChassisIdSubtype", ""}, {"lldpRemChassisId", ""}, {"lldpRemPortIdSubtype", ""},
		{"lldpRemPortId", ""}, {"lldpRemPortDesc", ""}, {"lldpRemSysName", ""}, {"lldpRemSysDesc", ""}, {"lldpRemSysCapSupported", ""}, {"lldpRemSysCapEnabled", ""}},
	"1.0.8802.1.1.2.1.3.7.1": {{"lldpLocPortNum", ""}, {"lldpLocPortIdSubtype", ""}, {"lldpLocPortId", ""}, {"lldpLocPortDesc", ""}},
	"1.3.6.1.4.1.9.9.23.1.2.1.1": {{"cdpCacheIfIndex", ""}, {"cdpCacheDeviceIndex", ""}, {"cdpCacheAddressType", ""}, {"cdpCacheAddress", ""}, {"cdpCacheVersion", ""}, {"cdpCacheDeviceId", ""},
		{"cdpCacheDevicePort", ""}, {"cdpCachePlatform", ""}, {"cdpCacheCapabilities", ""}, {"cdpCacheVTPMgmtDomain", ""}, {"cdpCacheNativeVLAN", ""}, {"cdpCacheDuplex", ""}},
	"1.2.840.10006.300.43.1.2.1.1": {{"dot3adAggPortIndex", ""}, {"dot3adAggPortActorSystemPriority", ""}, {"dot3adAggPortActorSystemID", ""}, {"dot3adAggPortActorAdminKey", ""}, {"dot3adAggPortActorOperKey", ""},
		{"dot3adAggPortPartnerAdminSystemPriority", ""}, {"dot3adAggPortPartnerOperSystemPriority", ""}, {"dot3adAggPortPartnerAdminSystemID", ""}, {"dot3adAggPortPartnerOperSystemID", ""},
		{"dot3adAggPortPartnerAdminKey", ""}, {"dot3adAggPortPartnerOperKey", ""}, {"dot3adAggPortSelectedAggID", ""}, {"dot3adAggPortAttachedAggID", ""}, {"dot3adAggPortActorPort", ""},
		{"dot3adAggPortActorPortPriority", ""}, {"dot3adAggPortPartnerAdminPort", ""}, {"dot3adAggPortPartnerOperPort", ""}, {"dot3adAggPortPartnerAdminPortPriority", ""},
		{"dot3adAggPortPartnerOperPortPriority", ""}, {"dot3adAggPortActorAdminState", ""}, {"dot3adAggPortActorOperState", ""}, {"dot3adAggPortPartnerAdminState", ""}, {"dot3adAggPortPartnerOperState", ""}, {"dot3adAggPortAggregateOrIndividual", ""}},
	"1.3.6.1.2.1.99.1.1.1": {{"entPhySensorType", ""}, {"entPhySensorScale", ""}, {"entPhySensorPrecision", ""}, {"entPhySensorValue", ""}, {"entPhySensorOperStatus", ""}, {"entPhySensorUnitsDisplay", ""}},
})

// columnWords are the values of enumerations, from 1 (RFC 2863, 4188, 3635, 4293).
var columnWords = map[string][]string{
	"ifAdminStatus":         {"up", "down", "testing"},
	"ifOperStatus":          {"up", "down", "testing", "unknown", "dormant", "notPresent", "lowerLayerDown"},
	"dot1dStpPortState":     {"disabled", "blocking", "listening", "learning", "forwarding", "broken"},
	"dot3StatsDuplexStatus": {"unknown", "halfDuplex", "fullDuplex"},
	"dot1dTpFdbStatus":      {"other", "invalid", "learned", "self", "mgmt"},
	"dot1qTpFdbStatus":      {"other", "invalid", "learned", "self", "mgmt"},
	"ipNetToMediaType":      {"other", "invalid", "dynamic", "static"},
	"ifPromiscuousMode":     {"true", "false"},
	"ifConnectorPresent":    {"true", "false"},
}

// wordOf writes a value of an enumeration as its MIB does: up(1). Any other value stays.
func wordOf(column, value string) string {
	n, err := strconv.Atoi(value)
	if words := columnWords[column]; err == nil && n >= 1 && n <= len(words) {
		return words[n-1] + "(" + value + ")"
	}
	return value
}

// named numbers the columns of each entry, from 1; a nameless one is a column that is not in use.
func named(entries map[string][]columnName) map[string]columnName {
	out := map[string]columnName{}
	for entry, list := range entries {
		for i, c := range list {
			if c.name != "" {
				out[entry+"."+strconv.Itoa(i+1)] = c
			}
		}
	}
	return out
}

package parse

import (
	"whydrop/devices/parse/dell_force10"
	"whydrop/devices/parse/internal/tables"
)

// dellForce10 is of Dell OS9 (FTOS, Force10).
var dellForce10 = map[string]Parser{
	"show interfaces port-channel brief": plain(dell_force10.ShowPortChannelBrief),
	"show interfaces":                    plain(dell_force10.ShowInterfaces),
	"show arp":                           plain(dell_force10.ShowARP),
	"show mac-address-table":             plain(dell_force10.ShowMACAddressTable),
	"show lldp neighbors detail":         plain(dell_force10.ShowLLDPNeighborsDetail),
	"show spanning-tree rstp brief":      plain(dell_force10.ShowSpanningTree),
	"show spanning-tree pvst brief":      plain(dell_force10.ShowSpanningTree),
	"show processes cpu":                 plain(tables.Processor),
	"show logging":                       logLines,
	"show clock":                         clock,
	"show version":                       version("Dell", "Force10"),
}

// dellOS10 is of Dell SmartFabric OS10, which prints as OS9 does.
var dellOS10 = map[string]Parser{
	"show interface":             plain(dell_force10.ShowInterfaces),
	"show ip arp":                plain(dell_force10.ShowARP),
	"show mac address-table":     plain(dell_force10.ShowMACAddressTable),
	"show lldp neighbors detail": plain(dell_force10.ShowLLDPNeighborsDetail),
	"show port-channel summary":  plain(tables.Channels),
	"show spanning-tree active":  plain(dell_force10.ShowSpanningTree),
	"show logging log-file":      logLines,
	"show clock":                 isoClock,
	"show version":               version("OS10", "OS Version"),
}

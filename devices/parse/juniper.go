package parse

import (
	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/juniper_junos"
)

// juniperJunos is of Juniper Junos.
var juniperJunos = map[string]Parser{
	"show virtual-chassis":               plain(juniper_junos.ShowVirtualChassis),
	"show interfaces diagnostics optics": optics,
	"show interfaces":                    plain(juniper_junos.ShowInterfaces),
	"show interfaces extensive":          plain(juniper_junos.ShowInterfaces),
	"show policer":                       plain(juniper_junos.ShowPolicer),
	"show interfaces terse":              plain(juniper_junos.ShowInterfacesTerse),
	"show spanning-tree interface":       plain(juniper_junos.ShowSpanningTreeInterface),
	"show spanning-tree bridge":          plain(juniper_junos.ShowSpanningTreeBridge),
	"show lacp interfaces":               plain(juniper_junos.ShowLACPInterfaces),
	"show chassis cluster status":        plain(juniper_junos.ShowChassisClusterStatus),
	"show chassis routing-engine":        plain(juniper_junos.ShowChassisRoutingEngine),
	"show ethernet-switching table":      plain(tables.Stations),
	"show arp no-resolve":                plain(tables.Bindings),
	"show lldp neighbors interface":      neighbours("lldp"),
	"show log messages":                  logLines,
	"show system uptime":                 junosUptime,
	"show version":                       version("Junos:", "JUNOS "),
}

func junosUptime(in Input, r *devices.Reading) {
	t, ok := juniper_junos.ShowSystemUptime(in.Text)
	localTime(in, r, t, ok)
}

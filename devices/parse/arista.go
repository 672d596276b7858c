package parse

import (
	"whydrop/devices"
	"whydrop/devices/parse/arista_eos"
	"whydrop/devices/parse/internal/tables"
)

// aristaEOS is of Arista EOS.
var aristaEOS = map[string]Parser{
	"show interfaces":                    plain(arista_eos.ShowInterfaces),
	"show interfaces counters errors":    plain(tables.PortErrors),
	"show interfaces flow-control":       plain(tables.FlowControl),
	"show interfaces status":             plain(tables.PortStatus),
	"show interfaces status errdisabled": plain(tables.PortStatus),
	"show interfaces transceiver":        plain(arista_eos.ShowInterfacesTransceiver),
	"show spanning-tree detail":          spanningTree,
	"show vrrp":                          groups("vrrp"),
	"show mlag":                          plain(arista_eos.ShowMLAG),
	"show port-channel summary":          plain(tables.Channels),
	"show mac address-table":             plain(tables.Stations),
	"show ip arp":                        plain(tables.Bindings),
	"show lldp neighbors detail":         neighbours("lldp"),
	"show processes top once":            plain(arista_eos.ShowProcessesTop),
	"show logging":                       logLines,
	"show clock":                         aristaClock,
	"show version":                       version("Arista", "Software image version"),
}

func aristaClock(in Input, r *devices.Reading) {
	t, ok := arista_eos.ShowClock(in.Text)
	localTime(in, r, t, ok)
}

package parse

import (
	"whydrop/devices/parse/brocade_fastiron"
	"whydrop/devices/parse/internal/tables"
)

// brocadeFastIron is of FastIron: Brocade ICX and FCX, now Ruckus.
var brocadeFastIron = map[string]Parser{
	"show interfaces":       plain(brocade_fastiron.ShowInterfaces),
	"show interfaces brief": plain(brocade_fastiron.ShowInterfacesBrief),
	"show arp":              plain(brocade_fastiron.ShowARP),
	"show span":             plain(brocade_fastiron.ShowSpan),
	"show cpu":              plain(tables.Busy),
	"show mac-address":      plain(brocade_fastiron.ShowMACAddress),
	"show lldp neighbors":   plain(brocade_fastiron.ShowLLDPNeighbors),
	"show logging":          datedLog,
	"show clock":            clock,
	"show version":          version("FastIron", "ICX", "SW: Version"),
}

// brocadeNetIron is of NetIron: MLX, XMR, CES and CER.
var brocadeNetIron = map[string]Parser{
	"show interfaces":       plain(brocade_fastiron.ShowInterfaces),
	"show interfaces brief": plain(brocade_fastiron.ShowInterfacesBrief),
	"show arp":              plain(brocade_fastiron.ShowARP),
	"show span":             plain(brocade_fastiron.ShowSpan),
	"show cpu":              plain(tables.Busy),
	"show mac-address":      plain(brocade_fastiron.ShowMACAddress),
	"show lldp neighbors":   plain(brocade_fastiron.ShowLLDPNeighbors),
	"show logging":          datedLog,
	"show clock":            clock,
	"show version":          version("NetIron", "System: ", "IronWare"),
}

package parse

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/linux"
	"whydrop/devices/parse/mikrotik_routeros"
)

// linuxHost is of a Linux host and its tools.
var linuxHost = map[string]Parser{
	"ethtool -m":            named(optic),
	"bridge fdb show":       plain(linux.BridgeFDB),
	"ip -s -s -d link":      plain(linux.IPLink),
	"ip -s -s -d link show": plain(linux.IPLink),
	"ethtool -S":            named(linux.Statistics),
	"ethtool":               plain(linux.Settings),
	"bridge -d link":        plain(linux.BridgeLink),
	"ifconfig":              plain(linux.Ifconfig),
	"netstat -i":            plain(linux.InterfaceTable),
	"cat /proc/net/dev":     plain(linux.ProcNetDev),
	"ip neigh":              plain(linux.IPNeighbours),
	"arp -a":                plain(tables.Bindings),
	"journalctl -k -n 200 --no-pager -o short-iso-precise": datedLog,
	"dmesg --time-format iso":                              datedLog,
	"date +%FT%T.%N%:z":                                    isoClock,
	"cat /proc/version":                                    version("Linux version"),
}

// mikrotikRouterOS is of MikroTik RouterOS.
var mikrotikRouterOS = map[string]Parser{
	"interface bridge host print detail without-paging":    plain(mikrotik_routeros.Hosts),
	"ip neighbor print detail without-paging":              plain(mikrotik_routeros.Neighbours),
	"interface print detail without-paging":                plain(mikrotik_routeros.Interfaces),
	"interface print stats-detail without-paging":          plain(mikrotik_routeros.Interfaces),
	"interface ethernet print stats-detail without-paging": plain(mikrotik_routeros.Interfaces),
	"interface vlan print detail without-paging":           plain(mikrotik_routeros.Interfaces),
	"interface ethernet monitor once":                      plain(mikrotik_routeros.Monitor),
	"interface bonding print detail without-paging":        plain(mikrotik_routeros.Bonds),
	"ip arp print without-paging":                          plain(mikrotik_routeros.ARP),
	"system resource print":                                plain(mikrotik_routeros.Resources),
	"system clock print":                                   routerClock,
	"log print without-paging":                             routerLog,
}

// named makes a parser of a function for an answer that does not name the port it is about: the last word of the
// command does.
func named(f func(text, port string, r *devices.Reading)) Parser {
	return func(in Input, r *devices.Reading) {
		f(in.Text, in.Command[strings.LastIndexByte(in.Command, ' ')+1:], r)
	}
}

package parse

import (
	"whydrop/devices/parse/arista_eos"
	"whydrop/devices/parse/fortios"
	"whydrop/devices/parse/paloalto_panos"
)

// fortinetFortiOS is of Fortinet FortiOS.
var fortinetFortiOS = map[string]Parser{
	"get system interface physical":      plain(fortios.Physical),
	"get system interface":               plain(fortios.Interfaces),
	"diagnose hardware deviceinfo nic":   named(fortios.DeviceInfo),
	"get system ha status":               plain(fortios.HAStatus),
	"get system session-info statistics": plain(fortios.SessionInfo),
	"get system performance status":      plain(fortios.Performance),
	"get system arp":                     plain(fortios.ARP),
	"get system status":                  both(version("Version: Forti"), wallClock("System time:")),
	"diagnose sys ha history read":       haHistory,
}

// paloAltoPANOS is of Palo Alto Networks PAN-OS.
var paloAltoPANOS = map[string]Parser{
	"show lacp aggregate-ethernet all":                plain(paloalto_panos.ShowLACP),
	"show interface all":                              plain(paloalto_panos.Interfaces),
	"show interface hardware":                         plain(paloalto_panos.Interfaces),
	"show interface logical":                          plain(paloalto_panos.Interfaces),
	"show interface":                                  plain(paloalto_panos.ShowInterface),
	"show high-availability state":                    plain(paloalto_panos.HighAvailability),
	"show high-availability all":                      plain(paloalto_panos.HighAvailability),
	"show session info":                               plain(paloalto_panos.SessionInfo),
	"show arp all":                                    plain(paloalto_panos.ARP),
	"show system resources":                           plain(arista_eos.ShowProcessesTop), // the same program's
	"show system info":                                plain(paloalto_panos.SystemInfo),
	"show clock":                                      wallClock(""),
	"show log system receive_time in last-15-minutes": datedLog,
}

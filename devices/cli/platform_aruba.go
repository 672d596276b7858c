package cli

import "regexp"

// arubaAOSCX is AOS-CX on Aruba CX switches.
var arubaAOSCX = Platform{
	Setup:     []string{"no page"},
	Counters:  []string{"show interface [NAME]"},
	States:    []string{"show spanning-tree", "show vsx status"},
	Log:       []string{"show clock"},
	LogToo:    []string{"show events -r -n 200"},
	Slow:      []string{"show lldp neighbor-info", "show lacp interfaces", "show interface dom detail", "show system resource-utilization"},
	Once:      []string{"show version"},
	OnRequest: []string{"show mac-address-table", "show arp all-vrfs"},
	Refused:   regexp.MustCompile(`^(?:Invalid input|Ambiguous command|Command incomplete|Cannot execute command)`),
	Marks:     Marks{Software: regexp.MustCompile(`ArubaOS-CX|AOS-CX|^Aruba \w+ +[A-Z]{2}\.10\.\d\d`)},
}

// hpProcurve is HP ProCurve and ArubaOS-Switch. Its table of all ports counts octets in both directions together;
// the counters of a port that the site file names are asked one by one, and are complete.
var hpProcurve = Platform{
	Setup:     []string{"no page", "terminal width 511"},
	Counters:  []string{"show interfaces [NAME]"},
	States:    []string{"show interfaces brief", "show spanning-tree"},
	Log:       []string{"show logging", "show time"},
	Slow:      []string{"show lldp info remote-device", "show cpu"},
	Once:      []string{"show version"},
	OnRequest: []string{"show mac-address", "show arp"},
	Enable:    "enable",
	Refused:   regexp.MustCompile(`^(?:Invalid input:|Ambiguous input:|Incomplete input:|Module not present for port)`),
	Marks:     Marks{Software: regexp.MustCompile(`ProCurve|ArubaOS-Switch|(?m:^Image stamp: )|(?:HP|HPE|Aruba) \w+ .*Switch.*, revision [A-Z]{1,2}\.`), Banner: regexp.MustCompile(`-Mocana SSH`)},
}

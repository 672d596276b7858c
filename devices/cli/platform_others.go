package cli

import "regexp"

// aristaEOS is Arista EOS.
var aristaEOS = Platform{
	Setup:    []string{"terminal width 32767", "terminal length 0"},
	Counters: []string{"show interfaces [NAME]"},
	States:   []string{"show interfaces counters errors", "show spanning-tree detail", "show interfaces status errdisabled", "show mlag", "show vrrp"},
	Log:      []string{"show logging", "show clock"},
	Slow: []string{
		"show port-channel summary", "show lldp neighbors detail", "show processes top once", "show interfaces transceiver",
	},
	Once:      []string{"show version"},
	OnRequest: []string{"show interfaces status", "show mac address-table", "show mac address-table address MAC", "show ip arp", "show ip arp IP"},
	Enable:    "enable",
	Marks:     Marks{Software: regexp.MustCompile(`(?m)^Arista |Arista Networks EOS`)},
}

// juniperJunos is Juniper Junos. A pair or a stack prints its role in a line of its own above the prompt.
var juniperJunos = Platform{
	Setup:     []string{"set cli screen-width 511", "set cli screen-length 0", "set cli complete-on-space off"},
	Counters:  []string{"show interfaces [NAME] extensive"},
	States:    []string{"show spanning-tree bridge", "show spanning-tree interface", "show chassis cluster status"},
	Log:       []string{"show log messages", "show system uptime"},
	Slow:      []string{"show lacp interfaces", "show virtual-chassis", "show chassis routing-engine", "show interfaces diagnostics optics NAME", "show lldp neighbors interface NAME"},
	Once:      []string{"show version"},
	OnRequest: []string{"show interfaces terse", "show ethernet-switching table", "show arp no-resolve"},
	Refused:   regexp.MustCompile(`^(?:unknown command|syntax error|error: |\s*\^$)`),
	Marks:     Marks{Software: regexp.MustCompile(`(?mi)^Junos: |JUNOS (?:Software|Base|OS)|Juniper Networks`)},
}

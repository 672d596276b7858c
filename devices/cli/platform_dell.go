package cli

import "regexp"

// dellForce10 is Dell OS9 (FTOS, Force10). What spanning tree runs is asked for each kind; the others say nothing.
var dellForce10 = Platform{
	Setup:     []string{"terminal length 0"},
	Counters:  []string{"show interfaces [NAME]"},
	States:    []string{"show spanning-tree rstp brief", "show spanning-tree pvst brief"},
	Log:       []string{"show logging", "show clock"},
	Slow:      []string{"show lldp neighbors detail", "show interfaces port-channel brief", "show processes cpu"},
	Once:      []string{"show version"},
	OnRequest: []string{"show mac-address-table", "show arp"},
	Enable:    "enable",
	Marks:     Marks{Software: regexp.MustCompile(`Force10 (?:Operating System|Networks)|Dell (?:Networking OS|Networking Operating System|Real Time Operating System|Application Software)`), Unless: regexp.MustCompile(`OS10`)},
}

// dellOS10 is Dell SmartFabric OS10.
var dellOS10 = Platform{
	Setup:     []string{"terminal length 0"},
	Counters:  []string{"show interface [NAME]"},
	States:    []string{"show spanning-tree active"},
	Log:       []string{"show logging log-file", "show clock"},
	Slow:      []string{"show lldp neighbors detail", "show port-channel summary"},
	Once:      []string{"show version"},
	OnRequest: []string{"show mac address-table", "show ip arp"},
	Refused:   regexp.MustCompile(`^%? ?Error: `),
	Marks:     Marks{Software: regexp.MustCompile(`(?:Dell EMC Networking|Dell SmartFabric|SmartFabric|Dell) OS10|OS10[ -]Enterprise`)},
}

package cli

import "regexp"

// brocadeFastIron is FastIron: Brocade ICX and FCX, now Ruckus. It takes no interface by the name that it prints, so all
// are asked for. The paging of a session can be switched off only with rights.
var brocadeFastIron = Platform{
	Setup:     []string{"skip-page-display", "terminal length 0"},
	Counters:  []string{"show interfaces"},
	States:    []string{"show span"},
	Log:       []string{"show logging", "show clock"},
	Slow:      []string{"show lldp neighbors", "show cpu"},
	Once:      []string{"show version"},
	OnRequest: []string{"show interfaces brief", "show mac-address", "show arp"},
	Enable:    "enable",
	Refused:   regexp.MustCompile(`^(?:Invalid input|Unrecognized command|Incomplete command|Ambiguous input|Error: |Error - )`),
	Marks:     Marks{Software: regexp.MustCompile(`FastIron|\bICX ?\d{4}|Ruckus Networks`), Unless: regexp.MustCompile(`NetIron`)},
}

// brocadeNetIron is NetIron: MLX, XMR, CES and CER.
var brocadeNetIron = with(brocadeFastIron, Marks{Software: regexp.MustCompile(`NetIron|BigIron RX|Brocade MLX|Extreme Networks MLX`)})

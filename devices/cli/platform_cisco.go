package cli

// ciscoIOS is Cisco IOS and IOS-XE.
var ciscoIOS = Platform{
	Setup:    []string{"terminal width 511", "terminal length 0"},
	Counters: []string{"show interfaces [NAME]"},
	States:   []string{"show spanning-tree detail"},
	Log:      []string{"show logging", "show clock"},
	Once:     []string{"show version"},
}

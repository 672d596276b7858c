package cli

import "regexp"

// ciscoIOS is Cisco IOS and IOS-XE.
var ciscoIOS = Platform{
	Setup:    []string{"terminal width 511", "terminal length 0"},
	Counters: []string{"show interfaces [NAME]"},
	States:   []string{"show interfaces counters errors", "show spanning-tree detail", "show interfaces status err-disabled", "show standby", "show vrrp", "show power inline NAME detail"},
	Log:      []string{"show logging", "show clock"},
	Slow: []string{
		"show etherchannel summary", "show pagp neighbor", "show lldp neighbors detail", "show cdp neighbors detail", "show processes cpu",
		"show interfaces transceiver detail", "show switch", "show redundancy",
	},
	Once: []string{"show version"},
	OnRequest: []string{
		"show interfaces status", "show errdisable recovery", "show udld neighbors", "show storm-control", "show spanning-tree mst detail", "show spanning-tree inconsistentports", "show mac address-table", "show mac address-table address MAC",
		"show power inline", "show pagp internal", "show etherchannel port-channel", "show ip arp", "show ip arp IP", "show policy-map interface NAME", "show cable-diagnostics tdr interface NAME",
	},
	Enable:  "enable",
	Refused: regexp.MustCompile(`(?i)^Interface \S+: inline power (?:is )?not supported`),
	Marks:   Marks{Software: regexp.MustCompile(`Cisco (?:IOS|Internetwork Operating System) Software(?:,| \()`), Unless: regexp.MustCompile(`IOS[- ]XE`)},
}

// ciscoIOSXE is Cisco IOS-XE, which is asked the same as IOS.
var ciscoIOSXE = with(ciscoIOS, Marks{Software: regexp.MustCompile(`IOS[- ]XE`)})

// with returns a platform with other marks.
func with(p Platform, m Marks) Platform {
	p.Marks = m
	return p
}

// ciscoNXOS is Cisco NX-OS.
var ciscoNXOS = Platform{
	Setup:    []string{"terminal width 511", "terminal length 0"},
	Counters: []string{"show interface [NAME]"},
	States:   []string{"show interface counters errors", "show spanning-tree detail", "show interface status err-disabled", "show hsrp detail", "show vrrp detail", "show vpc"},
	Log:      []string{"show logging logfile", "show clock"},
	Slow: []string{
		"show port-channel summary", "show lldp neighbors detail", "show cdp neighbors detail", "show processes cpu", "show interface transceiver details",
	},
	Once:      []string{"show version"},
	OnRequest: []string{"show interface status", "show mac address-table", "show mac address-table address MAC", "show ip arp", "show ip arp IP"},
	Marks:     Marks{Software: regexp.MustCompile(`Cisco Nexus Operating System|NX-OS`)},
}

// ciscoIOSXR is Cisco IOS XR. It tells a spanning tree by the name that its configuration gives the protocol's instance,
// which is not known: trees are asked for on request alone.
var ciscoIOSXR = Platform{
	Setup:     []string{"terminal width 511", "terminal length 0"},
	Counters:  []string{"show interfaces [NAME]"},
	States:    []string{"show hsrp detail", "show vrrp detail"},
	Log:       []string{"show logging", "show clock"},
	Slow:      []string{"show bundle", "show lldp neighbors detail", "show cdp neighbors detail", "show processes cpu"},
	Once:      []string{"show version"},
	OnRequest: []string{"show arp", "show spanning-tree mst NAME", "show spanning-tree pvrst NAME"},
	Marks:     Marks{Software: regexp.MustCompile(`Cisco IOS[ -]XR|IOS XR Software`), Prompt: regexp.MustCompile(`^RP/\d+/\w+/CPU\d+:`)},
}

// ciscoASA is Cisco ASA. Its account without rights sees next to nothing: `enable` in the site file is needed. The
// prompt may hold the unit's state, which a failover changes.
var ciscoASA = Platform{
	Setup:     []string{"terminal pager 0", "terminal width 511"},
	Counters:  []string{"show interface [NAME]"},
	States:    []string{"show failover", "show conn count"},
	Log:       []string{"show logging", "show clock"},
	Slow:      []string{"show resource usage resource conns", "show asp drop", "show cpu usage"},
	Once:      []string{"show version"},
	OnRequest: []string{"show arp", "show mac-address-table"},
	Enable:    "enable",
	Volatile:  regexp.MustCompile(`/(?:act|stby|actNoFailover|stbyNoFailover|pri|sec)\b(?:/(?:act|stby|actNoFailover|stbyNoFailover))?`),
	Refused:   regexp.MustCompile(`^ERROR: `),
	Marks:     Marks{Software: regexp.MustCompile(`Adaptive Security Appliance|Firepower Threat Defense|Cisco Firepower`), Prompt: regexp.MustCompile(`/(?:act|stby|pri|sec)\b.*[>#]$`)},
}

// ciscoSMB is Cisco's switches for small businesses.
var ciscoSMB = Platform{
	Setup:     []string{"terminal datadump", "terminal width 0"},
	Counters:  []string{"show interfaces counters [NAME]"},
	States:    []string{"show interfaces status", "show spanning-tree"},
	Log:       []string{"show logging", "show clock"},
	Slow:      []string{"show cpu utilization"},
	Once:      []string{"show version"},
	OnRequest: []string{"show mac address-table", "show arp"},
	Enable:    "enable",
	Marks:     Marks{Software: regexp.MustCompile(`(?:SG|SF|CBS)\d{3}[-\w]* .*Switch|(?m)^Active-image: flash://`)},
}

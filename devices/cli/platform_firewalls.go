package cli

import "regexp"

// fortinetFortiOS is Fortinet FortiOS. Its paging is part of the configuration, which is left alone: the pages are
// turned. The counters of a port are those of its driver, and need a port that the site file names. Its log can be shown
// only by execute commands after a filter was set, which is left alone: it comes by syslog, and the history of its pair
// is read.
var fortinetFortiOS = Platform{
	Counters:  []string{"get system interface physical", "diagnose hardware deviceinfo nic NAME"},
	States:    []string{"get system ha status", "get system session-info statistics"},
	Log:       []string{"get system status"}, // which has the time
	LogToo:    []string{"diagnose sys ha history read"},
	Slow:      []string{"get system performance status"},
	Once:      []string{"get system status"},
	OnRequest: []string{"get system interface", "get system arp"},
	Lacks:     regexp.MustCompile(`(?i)^(?:unknown action|command parse error|command fail\.|the device does not exist)`),
	Marks:     Marks{Software: regexp.MustCompile(`FortiGate|FortiOS|Version: Forti`), Prompt: regexp.MustCompile(`^[\w-]+ (?:\([\w.-]+\) )?[#$]$`)},
}

// paloAltoPANOS is Palo Alto Networks PAN-OS. The prompt of a pair holds the unit's state, which a failover changes.
// The settings of the session end with it.
var paloAltoPANOS = Platform{
	Setup:     []string{"set cli terminal width 500", "set cli pager off"},
	Counters:  []string{"show interface all", "show interface NAME"},
	States:    []string{"show high-availability state", "show session info"},
	Log:       []string{"show clock"},
	LogToo:    []string{"show log system receive_time in last-15-minutes"},
	Slow:      []string{"show system resources", "show lacp aggregate-ethernet all"},
	Once:      []string{"show system info"},
	OnRequest: []string{"show interface hardware", "show interface logical", "show high-availability all", "show arp all"},
	Volatile:  regexp.MustCompile(`\((?:active|passive|initial|tentative|suspended|non-functional|active-primary|active-secondary)\)`),
	Lacks:     regexp.MustCompile(`(?i)^(?:invalid syntax|unknown command|server error)`),
	Marks: Marks{
		Software: regexp.MustCompile(`Palo Alto Networks|PAN-OS`),
		Prompt:   regexp.MustCompile(`\((?:active|passive|initial|tentative|suspended|non-functional|active-primary|active-secondary)\)>$`),
	},
}

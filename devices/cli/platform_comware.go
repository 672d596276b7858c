package cli

import "regexp"

// hpComware is HPE and H3C Comware. Its "screen-length disable" is of the session alone.
var hpComware = Platform{
	Setup:     []string{"screen-length disable"},
	Counters:  []string{"display interface [NAME]"},
	States:    []string{"display stp", "display vrrp verbose"},
	Log:       []string{"display logbuffer", "display clock"},
	Slow:      []string{"display lldp neighbor-information verbose", "display link-aggregation verbose", "display irf", "display cpu-usage"},
	Once:      []string{"display version"},
	OnRequest: []string{"display stp brief", "display counters inbound interface", "display counters outbound interface", "display mac-address", "display arp"},
	Exit:      "quit",
	Refused:   regexp.MustCompile(`^(?:\^$|Permission denied)`),
	Marks:     Marks{Software: regexp.MustCompile(`Comware (?:Platform )?Software`), Banner: regexp.MustCompile(`-Comware-`)},
}

// huaweiVRP is Huawei VRP. Its "screen-length 0 temporary" is of the session alone.
var huaweiVRP = Platform{
	Setup:     []string{"screen-length 0 temporary"},
	Counters:  []string{"display interface [NAME]"},
	States:    []string{"display stp brief", "display vrrp"},
	Log:       []string{"display logbuffer", "display clock"},
	Slow:      []string{"display lldp neighbor", "display stp", "display eth-trunk", "display cpu-usage"},
	Once:      []string{"display version"},
	OnRequest: []string{"display mac-address", "display arp"},
	Exit:      "quit",
	Refused:   regexp.MustCompile(`^(?:\^$|Error: ?)`),
	Marks:     Marks{Software: regexp.MustCompile(`Versatile Routing Platform|VRP \(R\) software`), Banner: regexp.MustCompile(`-HUAWEI-`)},
}

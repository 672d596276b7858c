package syslog

import "whydrop/correlate/timeline"

// arista: EOS, where it does not speak as IOS does. Source: Arista EOS System Message Guide.
var arista = []rule{
	on("SPANTREE-6-ROOTCHANGE", `Root changed for instance (?P<tree>\S+?):? new root interface is (?P<port>[^\s,]+)`, timeline.EventRootPort).then(toPort),
	on("SPANTREE-6-", `TOPOLOGY_CHANGE\w*: .*?(?:instance (?P<tree>\S+)).*?(?:interface|port) (?P<port>[^\s,]+)`, timeline.EventTopologyChange, "count", "1"),
	on("BLOCK_BPDUGUARD", `eceived BPDU on (?:port )?(?P<port>\S+)`, timeline.EventInconsistent, "guard", "bpdu", "to", "blocked"),
	on("%LAG-", `%LAG-\d-\w+: .*?(?P<port>Ethernet\S+) .*?(?P<aggregate>Port-Channel\d+).*?(?P<to>(?i:inactive|active))`, timeline.EventLAGMember).then(lagWords),
	on("%LACP-", `(?P<port>Ethernet\S+) .*(?P<to>(?i:joined|left|inactive|active)).*?(?P<aggregate>Port-Channel\d+)`, timeline.EventLAGMember).then(lagWords),
	on("%MLAG-", `%MLAG-\d-\w+: .*?(?:peer|MLAG).*?(?P<to>(?i:inactive|active|disconnected|connected|down|up))`, timeline.EventMember, "unit", "mlag peer"),
	on("%VRRP-", `(?:VRID|group|Group) (?P<group>\d+).*?(?:interface|on) (?P<port>[^\s,]+).*?(?:from (?P<from>\w+) )?to (?P<to>(?i:master|backup|initialize|stopped))`, timeline.EventGateway, "protocol", "vrrp"),
	on("%BGP-", `%(?P<protocol>BGP)-\d-ADJCHANGE: peer (?P<neighbour>\S+) .*old state (?P<from>\w+) event (?P<reason>\w+) new state (?P<to>\w+)`, timeline.EventRoute),
	on("%ISIS-", `%(?P<protocol>ISIS)-\d-ISIS_ADJCHG: .*SystemID (?P<neighbour>\S+) on (?P<port>\S+) to (?P<to>UP|DOWN)(?:: (?P<reason>.*))?`, timeline.EventRoute),
}

func lagWords(a map[string]string) {
	switch a["to"] {
	case "active", "joined":
		a["to"] = "bundled"
	case "inactive", "left":
		a["to"] = "down"
	}
}

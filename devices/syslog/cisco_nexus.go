package syslog

import "whydrop/correlate/timeline"

// ciscoNexus: NX-OS. Source: Cisco NX-OS System Messages Reference.
var ciscoNexus = []rule{
	on("ERROR_DISABLED", `ETHPORT-\d-IF_DOWN_ERROR_DISABLED: Interface (?P<port>\S+) is down \(Error disabled\. Reason:\s*(?P<cause>[^)]*)\)?`, timeline.EventErrDisabled, "from", "up", "to", "disabled"),
	on("ETHPORT", `ETHPORT-\d-IF_(?:UP|DOWN\w*): Interface (?P<port>\S+) is (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("ERRDIS_RECOVERY", `ETHPORT-\d-IF_ERRDIS_RECOVERY: Interface (?P<port>\S+) is being recovered from error disabled state \(Last Reason:\s*(?P<cause>[^)]*)\)`, timeline.EventErrDisabled, "from", "disabled", "to", "up"),
	on("PORT_INDIVIDUAL_DOWN", `individual port (?P<port>\S+) is (?P<to>down)`, timeline.EventOper, "layer", "link").then(admin),
	on("ETH_PORT_CHANNEL", `PORT_(?:UP|DOWN|SUSPENDED): (?P<aggregate>\S+?): (?P<port>\S+) is (?P<to>up|down|suspended)`, timeline.EventLAGMember).then(func(a map[string]string) {
		if a["to"] == "up" {
			a["to"] = "bundled"
		}
	}),
	on("MAC_MOVE", `(?i:mac|host) (?P<mac>[0-9a-fA-F.:]{12,17}) in vlan (?P<vlan>\d+) has moved (?:from (?P<from_port>\S+) to (?P<to_port>[^\s.,]+)|between (?P<one>\S+) to (?P<other>[^\s.,]+))`, timeline.EventMACMove).then(func(a map[string]string) {
		if a["one"] != "" {
			a["from_port"], a["to_port"] = a["one"], a["other"]
		}
		delete(a, "one")
		delete(a, "other")
		movedPorts(a)
	}),
	on("GRPSTATECHANGE", `%(?P<protocol>HSRP|VRRP)\w*-\d-\w*STATECHANGE: Interface (?P<port>\S+) (?:\[\S+\] )?Group (?P<group>\d+) state changed to (?P<to>\w+)(?:,? reason:? (?P<reason>.*))?`, timeline.EventGateway),
	on("VRRP", `%VRRP\w*-\d-\w+: (?:VR|Group) ?(?P<group>\d+).*?(?P<port>(?:Vlan|Ethernet|port-channel)\S+).* (?:to|is) (?P<to>(?i:master|backup|init))`, timeline.EventGateway, "protocol", "vrrp"),
	on("STORM_CONTROL_ABOVE", `Traffic in port (?P<port>\S+) exceeds`, timeline.EventStorm, "to", "active"),
	on("STORM_CONTROL_BELOW", `Traffic in port (?P<port>\S+) `, timeline.EventStorm, "to", "cleared"),
	on("Bridge Assurance", `Bridge Assurance blocking port (?P<port>\S+?)(?: on)? (?P<tree>VLAN\d+)`, timeline.EventInconsistent, "guard", "bridge-assurance", "to", "blocked"),
	on("Bridge Assurance", `Bridge Assurance unblocking port (?P<port>\S+?)(?: on)? (?P<tree>VLAN\d+)`, timeline.EventInconsistent, "guard", "bridge-assurance", "to", "cleared"),
	on("PORT_ROLE", `Port (?P<port>\S+) instance (?P<tree>\S+) role changed to (?P<to>\w+)`, timeline.EventSTPRole),
	on("%VPC-", `%VPC-\d-PEER_KEEP_ALIVE_RECV_FAIL: (?P<reason>.*)`, timeline.EventMember, "unit", "vpc peer", "to", "keep-alive lost"),
	on("%VPC-", `%VPC-\d-PEER_KEEP_ALIVE_RECV_SUCCESS: (?P<reason>.*)`, timeline.EventMember, "unit", "vpc peer", "to", "keep-alive ok"),
	on("%VPC-", `%VPC-\d-VPC_(?:DELAY_)?.*peer-link .*(?P<to>down|up)`, timeline.EventMember, "unit", "vpc peer-link"),
}

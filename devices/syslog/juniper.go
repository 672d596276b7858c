package syslog

import "whydrop/correlate/timeline"

// juniper: Junos. Source: Junos OS System Log Explorer.
var juniper = []rule{
	on("SNMP_TRAP_LINK_", `SNMP_TRAP_LINK_(?:UP|DOWN): .*ifOperStatus (?P<to>up|down)\(\d\).*ifName (?P<port>\S+)`, timeline.EventOper, "layer", "link").then(admin),
	on("SNMP_TRAP_LINK_", `SNMP_TRAP_LINK_(?P<to>UP|DOWN)\b.*snmp-interface-name="(?P<port>[^"]+)"|SNMP_TRAP_LINK_(?P<state>UP|DOWN)\b.* interface-name="(?P<name>[^"]+)"`, timeline.EventOper, "layer", "link").then(func(a map[string]string) {
		if a["to"] == "" {
			a["to"], a["port"] = normal("to", a["state"]), a["name"]
		}
		delete(a, "state")
		delete(a, "name")
		admin(a)
	}),
	on("LACP_INTF_DOWN", `LACP_INTF_DOWN: (?P<aggregate>\S+?): (?P<reason>Interface marked down .*?)(?: on)? member (?P<port>\S+)`, timeline.EventLAGMember, "from", "bundled", "to", "down"),
	on("LACP_INTF_DOWN", `LACP_INTF_DOWN: (?P<aggregate>\S+?): (?P<reason>.*)`, timeline.EventLAGMember, "to", "down"),
	on("LACPD_TIMEOUT", `LACPD_TIMEOUT: (?P<port>[^\s:]+): (?P<reason>.*)`, timeline.EventLAGMember, "to", "down"),
	on("VRRPD_NEWMASTER_TRAP", `Interface (?P<port>\S+) \(local.*?group (?P<group>\d+)`, timeline.EventGateway, "protocol", "vrrp", "to", "active"),
	on("VRRPD_NEW_", `VRRPD_NEW_(?P<to>MASTER|BACKUP)(?:_TRAP)?: Interface (?P<port>\S+) .*?group (?P<group>\d+)`, timeline.EventGateway, "protocol", "vrrp"),
	on("VRRPD_", `Interface (?P<port>\S+?),? .*?[Gg]roup:? (?P<group>\d+).*?(?:state (?:changed )?)?from (?P<from>\w+) to (?P<to>\w+)`, timeline.EventGateway, "protocol", "vrrp"),
	on("ESWD_STP_STATE_CHANGE_INFO", `STP state for interface (?P<port>\S+) +context id \d+ changed from (?P<from>\w+) to (?P<to>\w+)`, timeline.EventSTPState),
	on("L2CPD_RECEIVE_BPDU_BLOCK_ENABLED", `[Ii]nterface (?P<port>\S+)`, timeline.EventInconsistent, "guard", "bpdu", "to", "blocked"),
	on("BPDU", `ESWD_BPDU_BLOCK_ERROR_(?:ENABLED|DISABLED): .*?(?P<port>[a-z]{2}-\S+?)[:,. ]`, timeline.EventInconsistent, "guard", "bpdu", "to", "blocked"),
	on("ROOT_PORT", `(?:root port|Root_port).*?(?P<port>[a-z]{2}-\d\S+)`, timeline.EventRootPort).then(toPort),
	on("TOPO_CH", `TOPO_CH\w*:? .*?(?P<port>[a-z]{2}-\d[^\s,]*)?`, timeline.EventTopologyChange, "count", "1"),
	on("JSRPD_", `JSRPD_RG_STATE_CHANGE: Redundancy-group (?P<group>\d+) transitioned from '(?P<from>[\w-]+)' to '(?P<to>[\w-]+)' state due to (?P<reason>.*)`, timeline.EventFailover),
	on("CHASSISD_VCHASSIS_", `CHASSISD_VCHASSIS_MEMBER_OP_NOTICE: Membership event (?P<to>\w+) .*?member (?P<unit>\d+)`, timeline.EventMember),
	on("Alarm set", `Alarm set: (?P<unit>Pwr supply) .*reason=(?P<reason>.*)`, timeline.EventPower, "to", "failed"),
	on("Alarm cleared", `Alarm cleared: (?P<unit>Pwr supply) .*reason=(?P<reason>.*)`, timeline.EventPower, "to", "ok"),
	on("Ethernet Link Down", `(?:Major|Minor) alarm set, .*?(?P<port>(?:me|fxp|em|vme)\d+) : Ethernet Link Down`, timeline.EventOper, "to", "down", "from", "up", "layer", "link"),
	on("Ethernet Link Down", `(?:Major|Minor) alarm cleared, .*?(?P<port>(?:me|fxp|em|vme)\d+) : Ethernet Link Down`, timeline.EventOper, "to", "up", "from", "down", "layer", "link"),
	on("STORM_CONTROL", `STORM_CONTROL_(?:IN_)?EFFECT\w*: (?:interface )?(?P<port>[a-z]{2}-[^\s:,]+)`, timeline.EventStorm, "to", "active"),
	on("MAC_MOVE", `L2ALD_MAC_MOVE\w*: .*?(?P<mac>[0-9a-f:]{17}).*?from (?P<from_port>\S+) to (?P<to_port>\S+)`, timeline.EventMACMove).then(movedPorts),
	on("RPD_OSPF_", `RPD_(?P<protocol>OSPF)_NBR(?:UP|DOWN): OSPF neighbor (?P<neighbour>\S+) \(realm \S+ (?P<port>\S+) .*from (?P<from>\w+) to (?P<to>\w+) due to (?P<reason>.*)`, timeline.EventRoute),
	on("RPD_ISIS_", `RPD_(?P<protocol>ISIS)_ADJDOWN: .*adjacency to (?P<neighbour>\S+) on (?P<port>[^\s,]+)(?:, reason: (?P<reason>.*))?`, timeline.EventRoute, "to", "down"),
	on("RPD_ISIS_", `RPD_(?P<protocol>ISIS)_ADJUP: .*adjacency to (?P<neighbour>\S+) on (?P<port>[^\s,]+)`, timeline.EventRoute, "to", "up"),
	on("RPD_BGP_", `RPD_(?P<protocol>BGP)_NEIGHBOR_STATE_CHANGED: BGP peer (?P<neighbour>\S+) .*from (?P<from>\w+) to (?P<to>\w+) \(event (?P<reason>\w+)`, timeline.EventRoute),
}

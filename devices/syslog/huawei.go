package syslog

import "whydrop/correlate/timeline"

// huawei: Huawei VRP (%%01MODULE/severity/NAME) and H3C or HPE Comware (%%10MODULE/severity/NAME, or
// MODULE/severity/NAME). Sources: Huawei S series Log Reference, H3C System Log Messages Reference.
var huawei = []rule{
	on("IFNET/", `IFNET/\d/(?:LINK_STATE|IF_STATE)\S*?: ?The line protocol (?:IP |IPv6 )?on the interface (?P<port>\S+) has entered the (?P<to>UP|DOWN) state`, timeline.EventOper, "layer", "protocol").then(admin),
	on("_STATE", `/\d/IF_?\w*STATE\S*?: ?Interface (?P<port>\S+) has turned into (?P<to>UP|DOWN) state`, timeline.EventOper, "layer", "link").then(admin),
	on("LINK_UPDOWN", `(?:IFNET|IFMGR)/\d/LINK_UPDOWN\S*?: ?(?:Line protocol (?:state )?on the interface )?(?P<port>[A-Za-z][\w/.:-]*\d)(?: link status is|:? .*changed to|: change port status to) (?P<to>UP|DOWN|up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("PHY", `PHY/\d/PHY\S*?: ?(?:Slot=\d+; ?)?(?P<port>[A-Z]\S*\d): change status to (?P<to>(?i:up|down))`, timeline.EventOper, "layer", "link").then(admin),
	on("PHY_UPDOWN", `PHY_UPDOWN\S*?: ?Physical state on the interface (?P<port>\S+) changed to (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("LINK_UPDOWN", `LINK_UPDOWN\S*?: ?Line protocol state on the interface (?P<port>\S+) changed to (?P<to>up|down)`, timeline.EventOper, "layer", "protocol").then(admin),
	on("hwIfMonitor", `ifName=(?P<port>[^,)]+).*(?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("ifDown", `linkDown.*ifName=(?P<port>[^,)]+)|ifName=(?P<name>[^,)]+).*ifDown`, timeline.EventOper, "layer", "link", "to", "down", "from", "up"),

	on("STP_", `(?:MSTP|STP)/\d/\S*?(?:STATE_)?FORWARDING\S*: ?(?:Instance (?P<instance>\d+)'?s )?(?:port |In process \d+ instance \d+, MSTP set port )?(?P<port>[A-Za-z][\w/.-]*\d)(?: has been set to| as)? (?P<to>forwarding)`, timeline.EventSTPState),
	on("STP", `(?:MSTP|STP)/\d/\S*?: ?.*?set port (?P<port>\S+?) (?:state )?as (?P<to>forwarding|discarding|learning)`, timeline.EventSTPState),
	on("STP", `(?:MSTP|STP)/\d/\w*(?:FORWARDING|DISCARDING|LEARNING)\S*: ?Instance (?P<instance>\d+)'s port (?P<port>\S+) has been set to (?P<to>forwarding|discarding|learning)`, timeline.EventSTPState),
	on("_TC", `(?:MSTP|STP)/\d/\w*TC\S*: ?.*?(?:port name is|port|interface) (?P<port>[A-Za-z][\w/.-]*\d)`, timeline.EventTopologyChange, "count", "1"),
	on("_GUARD", `(?:MSTP|STP)/\d/\w*(?P<guard>BPDU|ROOT|LOOP)\w*(?:GUARD|PROTECTION)\S*: ?.*?(?P<port>[A-Z][\w-]*\d+/\d[\w/]*)`, timeline.EventInconsistent, "to", "blocked"),
	on("PROTECTION", `(?:MSTP|STP)/\d/\w*(?P<guard>BPDU|ROOT|LOOP)\w*PROTECTION\S*: ?.*?(?P<port>[A-Z][\w-]*\d+/\d[\w/]*)`, timeline.EventInconsistent, "to", "blocked"),

	on("VRRP", `VRRP4?/\d/\S*?: ?.*?state (?P<from>(?i:master|backup|initialize)) changed to (?P<to>(?i:master|backup|initialize))(?:, because of (?P<reason>.*?))?\.? \(Interface=(?P<port>[^,)\s]+), ?Vr[iI]d=(?P<group>\d+)`, timeline.EventGateway, "protocol", "vrrp"),
	on("VRRP", `VRRP4?/\d/\S*?: ?.*?(?:from|From) (?P<from>Master|Backup|Initialize) to (?P<to>Master|Backup|Initialize).*?Interface ?= ?(?P<port>[^,)\s]+), ?Vr[iI]d ?= ?(?P<group>\d+)`, timeline.EventGateway, "protocol", "vrrp"),
	on("VRRP", `VRRP4?/\d/\S*?: ?.*?[Vv]irtual [Rr]outer (?P<group>\d+).*?(?:interface|Interface) (?P<port>\S+?)\)? .*?from (?P<from>Master|Backup|Initialize) to (?P<to>Master|Backup|Initialize)`, timeline.EventGateway, "protocol", "vrrp"),
	on("VRRP", `VRRP4?/\d/\S*?: ?.*?[Ii]nterface (?P<port>\S+?),? .*?(?:VRID|router|Group) ?(?P<group>\d+).*?from (?P<from>\w+) to (?P<to>\w+)`, timeline.EventGateway, "protocol", "vrrp"),

	on("ERRDOWN", `(?i:errdown|error-down).*?(?:ifName|InterfaceName|interface) ?=? ?(?P<port>[A-Za-z][^,)\s]*).*?(?:Cause|reason) ?=? ?(?P<cause>[^,)\s]+)`, timeline.EventErrDisabled, "from", "up", "to", "disabled"),
	on("MAC", `(?:MFLP|MAC)\w*/\d/\S*?: ?.*?(?i:mac)[ -]?(?i:address)?[ =]*(?P<mac>[0-9a-fA-F-]{14}).*?(?:from|OriginalPort ?=) ?(?P<from_port>[^\s,]+) ?(?:to|, ?(?:FlappingPort|port) ?=) ?(?P<to_port>[^\s,)]+)`, timeline.EventMACMove).then(movedPorts),
	on("MflpVlanLoopAlarm", `MflpVlanLoopAlarm\S*: ?.*?Vlan[Ii]d ?= ?(?P<vlan>\d+), ?Original-Port ?= ?(?P<from_port>[^\s,]+), ?Flapping port 1 ?= ?(?P<to_port>[^\s,]+)`, timeline.EventMACMove).then(movedPorts),
	on("DLDP", `DLDP/\d/hwDldpUnidirectionalLink_active.*?IfName ?= ?(?P<port>[^,)\s]+)(?:.*?FaultReason ?= ?(?P<reason>[^,)]+))?`, timeline.EventUDLD, "to", "unidirectional"),
	on("DLDP", `DLDP/\d/DLDP_LINK_UNIDIRECTIONAL\S*: ?DLDP detected a unidirectional link on interface (?P<port>[A-Z]\S*\d)`, timeline.EventUDLD, "to", "unidirectional"),
	on("LAGG/", `LAGG/\d/LAGG_(?P<to>ACTIVE|INACTIVE)\S*: ?Member port (?P<port>\S+) of aggregation group (?P<aggregate>\S+)`, timeline.EventLAGMember).then(lagWords),
	on("STORM", `(?i:storm).*?(?:interface|port|Interface) ?=? ?(?P<port>[A-Z][\w-]*\d+/\d[\w/]*)`, timeline.EventStorm, "to", "active"),
	on("PWR", `(?i:power|pwr)\w*.*?(?P<reason>(?i:fail|fault|absent|invalid))`, timeline.EventPower, "to", "failed"),
	on("STM_", `STM_LINK_(?P<to>UP|DOWN)\S*: ?IRF port (?P<unit>\d+)`, timeline.EventMember),
	on("SYSLOG_RESTART", `SYSLOG_RESTART: (?P<reason>.*)`, timeline.EventRestart),
}

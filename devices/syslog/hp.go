package syslog

import "whydrop/correlate/timeline"

// hp: ProCurve and ArubaOS-Switch (event numbers of five digits), and AOS-CX (Event|number|...). Sources: ArubaOS-Switch
// Event Log Message Reference Guide, AOS-CX Event Log Message Reference Guide.
var hp = []rule{
	on("ports: port ", `ports: +port (?P<port>\S+)(?: in Trk\d+)? is now (?P<to>on-line|off-line)`, timeline.EventOper, "layer", "link").then(admin),
	on("Loop Protect", `(?P<cause>Loop Protect)\(\d+\) has disabled port (?P<port>\S+)`, timeline.EventErrDisabled, "from", "up", "to", "disabled").then(loopProtect),
	on("loop-protect: ", `(?P<cause>loop-protect): +port (?P<port>\S+) disabled`, timeline.EventErrDisabled, "from", "up", "to", "disabled"),
	on("BPDU", `(?P<cause>BPDU) [Pp]rotect.*?port (?P<port>\S+)`, timeline.EventErrDisabled, "from", "up", "to", "disabled"),
	on("has been disabled by", `[Pp]ort (?P<port>\S+) has been disabled by (?P<cause>[^.]+)`, timeline.EventErrDisabled, "from", "up", "to", "disabled"),
	on("FFI: port ", `FFI: +port (?P<port>\S+?)-(?P<reason>.*(?i:duplex mismatch).*)`, timeline.EventDuplexMismatch),
	on("Denied power", `ports: +port (?P<port>\S+) (?P<reason>PD Denied power.*)`, timeline.EventPower, "to", "denied"),
	on("Over Current", `ports: +port (?P<port>\S+) (?P<reason>PD Over Current.*)`, timeline.EventPower, "to", "denied"),
	on("FFI: port ", `FFI: +port (?P<port>\S+?)-(?P<reason>.*(?i:broadcast).*)`, timeline.EventStorm, "kind", "broadcast", "to", "active"),
	on("CST", `(?:Topology|topology)[ _][Cc]hange.*?port (?P<port>[A-Z]?\d+)`, timeline.EventTopologyChange, "count", "1"),
	on("oot", `stp: +.*(?:CST Root|Root) changed from (?P<from>\S+) to (?P<to>\S+)`, timeline.EventRootBridge),
	on("vrrp: ", `vrrp: +.*[Vv]irtual [Rr]outer (?P<group>\d+).*?(?:vid|VLAN|vlan) (?P<port>\d+).*?(?:to|is now|as|became) (?P<to>(?i:master|backup|init))`, timeline.EventGateway, "protocol", "vrrp"),
	on("lacp: ", `lacp: +(?:Passive Dynamic )?.*port (?P<port>\S+) .*(?P<to>(?i:joined|left|added|removed))`, timeline.EventLAGMember).then(lagWords),
	on("chassis: ", `chassis: +.*(?P<unit>Power Supply.*?)(?: failed| failure|: Faulted)`, timeline.EventPower, "to", "failed"),
	on("System reboot", `(?P<reason>System rebooted|System reboot.*)`, timeline.EventRestart),

	on("|LOG_", `Event\|40[34]\|.*?(?:Link status for interface|[Ii]nterface) (?P<port>\S+) is (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("Link status for interface ", `Link status for interface (?P<port>\S+) is (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("Event|", `Event\|\d+\|.*?[Tt]opology [Cc]hange.*?(?:port|interface) (?P<port>\d+/\d+/\d+|lag\d+)`, timeline.EventTopologyChange, "count", "1"),
	// MAC address management events, 4801.
	on(" moved from ", `Event\|\d+\|.*?(?i:mac)[^|]*? (?P<mac>[0-9a-f]{2}(?::[0-9a-f]{2}){5}) moved from (?:port )?(?P<from_port>\S+) to (?:port )?(?P<to_port>\S+)(?: on VLAN (?P<vlan>\d+))?`, timeline.EventMACMove).then(movedPorts),
	on("Event|", `Event\|\d+\|.*?VRRP.*?(?:VRID|vrid|group) ?(?P<group>\d+).*?interface (?P<port>\S+?)[, ].*?(?:to|is) (?P<to>(?i:master|backup|init))`, timeline.EventGateway, "protocol", "vrrp"),
}

func loopProtect(a map[string]string) { a["cause"] = "loop-protect" }

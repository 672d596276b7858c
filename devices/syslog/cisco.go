package syslog

import (
	"strings"

	"whydrop/correlate/timeline"
)

// cisco: IOS, IOS-XE and IOS-XR, and what others took over from them. Sources: the system message guides of Cisco.
var cisco = []rule{
	on("ine protocol on Interface ", `ine protocol on Interface (?P<port>[^\s,]+)(?: \([^)]*\))?, changed state to (?P<to>(?i:administratively down|admin down|up|down))\b`, timeline.EventOper, "layer", "protocol").then(admin),
	on(", changed state to ", `Interface (?P<port>[^\s,]+)(?: \([^)]*\))?, changed state to (?P<to>(?i:administratively down|admin down|up|down))\b`, timeline.EventOper, "layer", "link").then(admin),

	// Spanning tree.
	on("Topology Change Trap", `SPANTREE-.*TOPOTRAP: Topology Change Trap for (?:(?P<tree>vlan \d+)|instance (?P<instance>\d+))`, timeline.EventTopologyChange, "count", "1"),
	on("moving from ", `(?:[Pp]ort|Interface) (?P<port>\S+) (?:instance (?:(?P<tree>(?i:vlan|vl|mst)\s?\d+)|(?P<instance>\d+)) )?(?:role \w+ )?moving from (?P<from>[\w-]+) to (?P<to>[\w-]+)`, timeline.EventSTPState),
	on("New Root Port is ", `Root Changed for (?:(?P<tree>vlan \d+)|instance (?P<instance>\d+)): New Root Port is (?P<port>[^\s,]+?)\.?(?: New Root Mac Address is (?P<root>\S+))?\s*$`, timeline.EventRootPort).then(toPort),
	on("uard blocking port", `(?i:(?P<guard>root|loop|bpdu)[ -]?guard) blocking port (?P<port>\S+?) on (?P<tree>VLAN\s?\d+|MST\s?\d+)`, timeline.EventInconsistent, "to", "blocked"),
	on("uard unblocking port", `(?i:(?P<guard>root|loop|bpdu)[ -]?guard) unblocking port (?P<port>\S+?) on (?P<tree>VLAN\s?\d+|MST\s?\d+)`, timeline.EventInconsistent, "to", "cleared"),
	on("BLOCK_PVID", `-BLOCK_PVID_(?:LOCAL|PEER): Blocking (?P<port>\S+) on (?P<tree>VLAN\d+)`, timeline.EventInconsistent, "to", "blocked", "guard", "pvid"),
	on("UNBLOCK_CONSIST_PORT", `Unblocking (?P<port>\S+) on (?P<tree>VLAN\d+)`, timeline.EventInconsistent, "to", "cleared"),
	on("PVSTSIM_FAIL", `Blocking (?:\w+ )?port (?P<port>[^\s:]+):? Inconsistent`, timeline.EventInconsistent, "to", "blocked", "guard", "pvst"),
	on("PVSTSIM_OK", `(?i:inconsistency cleared) .*?port (?P<port>[^\s:]+)`, timeline.EventInconsistent, "to", "cleared", "guard", "pvst"),
	on("BPDU", `BLOCK_BPDUGUARD: Received BPDU on port (?P<port>\S+?)(?: with BPDU [Gg]uard enabled.*)?$`, timeline.EventInconsistent, "to", "blocked", "guard", "bpdu"),

	// Ports shut by the device.
	on("error detected on ", `(?:ERR_DISABLE|ERRDISABLE): (?P<cause>[\w-]+) error detected on (?P<port>[^\s,]+)`, timeline.EventErrDisabled, "from", "up", "to", "disabled").then(shortPort),
	on("err-disable state on ", `ecover from (?P<cause>[\w-]+) err-disable state on (?P<port>\S+)`, timeline.EventErrDisabled, "from", "disabled", "to", "up"),
	on("ERRDISABLE", `%ETH-\d-ERRDISABLE_RECOVER\w*: .*?(?P<cause>[\w-]+) .*? (?P<port>Ethernet\S+)`, timeline.EventErrDisabled, "from", "disabled", "to", "up"),
	on("UDLD", `UDLD disabled interface (?P<port>[^\s,]+), (?P<reason>.*)`, timeline.EventUDLD, "to", "unidirectional"),
	on("UDLD", `UDLD (?:enabled|recovered) (?:interface|port) (?P<port>[^\s,]+)`, timeline.EventUDLD, "from", "unidirectional", "to", "bidirectional"),
	on("STORM_CONTROL", `A (?P<kind>Broadcast|Multicast|Unicast)?\s*storm detected on (?P<port>\S+?)\.`, timeline.EventStorm, "to", "active"),
	on("STORM_CONTROL", `STORM_CONTROL-\d-FILTERED: .*?(?i:(?P<kind>broadcast|multicast|unicast)).* on (?P<port>\S+?)\.`, timeline.EventStorm, "to", "active"),
	on("DUPLEX", `uplex mismatch discovered on (?P<port>\S+) \((?P<own>[^)]*)\), with (?P<neighbor>.*) (?P<neighbor_port>\S+) \((?P<other>[^)]*)\)`, timeline.EventDuplexMismatch).then(duplexes),
	on("uplex mismatch", `(?i:duplex mismatch)(?: discovered| detected)? on (?:port |interface )?(?P<port>[^\s,(]+)`, timeline.EventDuplexMismatch),

	// Light, as modules with thresholds of their own have it.
	on("THRESHOLD_VIOLATION", `(?:SFF8472|SFP|XCVR|TRANSCEIVER)\S*-\d-THRESHOLD_VIOLATION: (?P<port>[A-Z]\S*\d): (?P<sensor>Rx power|Tx power|Temperature|Voltage|Current) (?P<to>(?:low|high) (?:alarm|warning))(?:; Operating value: *(?P<value>-?[\d.]+))?`, timeline.EventOptics).then(optics),

	// Addresses that move.
	on(" is flapping between ", `Host (?P<mac>\S+) in (?i:vlan) (?P<vlan>\d+) is flapping between (?:port|interface) (?P<from_port>\S+) and (?:port|interface) (?P<to_port>[^\s.]+)`, timeline.EventMACMove).then(movedPorts),
	on("DUPADDR", `Duplicate address (?P<ip>[0-9a-fA-F.:]+) on (?P<port>\S+), sourced by (?P<mac>\S+)`, timeline.EventBinding, "conflict", "true").then(func(a map[string]string) {
		a["to"] = a["mac"]
		delete(a, "mac")
	}),

	// Gateways.
	on("STATE", `%(?P<protocol>HSRP|VRRP|GLBP|STANDBY|IP_STANDBY)-\d-(?:INFO_)?STATE(?:CHANGE)?\s?: (?P<port>\S+) (?:IPv[46] )?(?i:grp|group) (?P<group>\d+)\s+state (?P<from>\w+) -> (?P<to>\w+)`, timeline.EventGateway).then(standby),

	on("STATECHANGE", `%STANDBY-\d-STATECHANGE\s?: Standby: (?P<group>\d+): (?P<port>\S+) state (?P<from>\w+)\s*-> (?P<to>\w+)`, timeline.EventGateway, "protocol", "hsrp"),

	// Links of aggregates.
	on("EC-5-", `Interface (?P<port>\S+) joined port-channel (?P<aggregate>\S+)`, timeline.EventLAGMember, "to", "bundled"),
	on("EC-5-", `Interface (?P<port>\S+) left the port-channel (?P<aggregate>\S+)`, timeline.EventLAGMember, "from", "bundled", "to", "down"),
	on("%EC-5-", `%EC-5-\w+: (?P<port>\S+) (?:suspended|.*will be suspended)`, timeline.EventLAGMember, "to", "suspended"),
	on("as part of Bundle", `: (?P<port>\S+) is no longer Active as part of (?P<aggregate>\S+)(?: \((?P<reason>[^)]*)\))?`, timeline.EventLAGMember, "from", "bundled", "to", "down"),
	on("as part of Bundle", `: (?P<port>\S+) is Active as part of (?P<aggregate>\S+)`, timeline.EventLAGMember, "to", "bundled"),

	// Power.
	on("ILPOWER", `Interface (?P<port>\S+?): Power granted`, timeline.EventPower, "to", "on"),
	on("ILPOWER", `Interface (?P<port>\S+?): (?P<reason>PD removed)`, timeline.EventPower, "to", "off"),
	on("ILPOWER", `Interface (?P<port>\S+?): (?P<reason>(?i:.*(?:denied|error|fault|overload|shut).*))`, timeline.EventPower, "to", "denied"),
	on("ower supply", `(?i:power supply) ?(?P<unit>[\w/]+)? .*?(?P<reason>(?i:failed|failure|removed|not responding|faulty|lost|has turned off|is not functioning))`, timeline.EventPower, "to", "failed"),
	on("ower supply", `(?i:power supply) ?(?P<unit>[\w/]+)? .*?(?P<reason>(?i:restored|inserted|is ok|turned on|is functioning|good))`, timeline.EventPower, "to", "ok"),

	// Members of stacks and chassis, and the whole.
	on("the stack", `(?P<unit>[Ss]witch \d+) has been (?P<to>ADDED|REMOVED) (?:to|from) the stack`, timeline.EventMember).then(lowerUnit),
	on("tack port", `(?P<unit>Stack port \d+ on (?i:switch) \d+) (?:is|has changed to|changed state to) (?P<to>(?i:up|down))`, timeline.EventMember).then(lowerUnit),
	on("%REDUNDANCY-", `%REDUNDANCY-\d-SWITCHOVER: (?P<reason>.*)`, timeline.EventMember, "unit", "supervisor", "to", "switched over"),
	on("%SYS-", `%SYS-\d-(?:RESTART|RELOAD|BOOTTIME): (?P<reason>[^\n]*)`, timeline.EventRestart),
	on("_SYSTEM_RESET", `SYSTEM_RESET: (?P<reason>.*)`, timeline.EventRestart),

	// Routes.
	on("-ADJCHG", `%(?P<protocol>OSPF|OSPFv3)-\d-ADJCHG: Process \d+,? (?:Area \S+ )?Nbr (?P<neighbour>\S+) on (?P<port>\S+) from (?P<from>\w+) to (?P<to>\w+)(?:, (?P<reason>.*))?`, timeline.EventRoute),
	on("ADJCHANGE", `%(?:ROUTING-)?(?P<protocol>BGP)-\d-ADJCHANGE\s?: neighbor (?P<neighbour>\S+) (?:.* )?(?P<to>Up|Down)\b ?-? ?(?P<reason>.*)`, timeline.EventRoute),
	on("ADJCHANGE", `%(?:ROUTING-)?(?P<protocol>ISIS|CLNS)-\d-ADJCHANGE\s?: (?:ISIS: )?Adjacency to (?P<neighbour>\S+) \((?P<port>[^)]+)\) (?:\(\w+\) )?(?P<to>Up|Down)(?:, (?P<reason>.*))?`, timeline.EventRoute),
}

// admin notes that a person shut the port.
func admin(a map[string]string) {
	if a["to"] == "down" {
		a["from"] = "up"
	} else {
		a["from"] = "down"
	}
}

// toPort makes the port of a line the one that something changed to.
func toPort(a map[string]string) { a["to"] = a["port"] }

// movedPorts gives the two ports of a move their names: states are put in lower case, ports are not.
func movedPorts(a map[string]string) {
	a["from"], a["to"] = a["from_port"], a["to_port"]
	delete(a, "from_port")
	delete(a, "to_port")
	a["port"] = ""
}

// shortPort cuts what follows the port: "Gi1/0/1, putting ...".
func shortPort(a map[string]string) { a["port"] = strings.TrimRight(a["port"], ".") }

func standby(a map[string]string) {
	if strings.Contains(a["protocol"], "standby") {
		a["protocol"] = "hsrp" // its name before IOS 12.4, and in IOS-XR
	}
}

func lowerUnit(a map[string]string) { a["unit"] = strings.ToLower(a["unit"]) }

// duplexes reads "not full duplex" and "half duplex" of both ends.
// optics writes a module's sensor and threshold as the timeline has them.
func optics(a map[string]string) {
	a["sensor"] = strings.ReplaceAll(strings.ToLower(a["sensor"]), " ", "_")
	a["to"] = strings.NewReplacer(" ", "-", "warning", "warn").Replace(strings.ToLower(a["to"]))
}

func duplexes(a map[string]string) {
	a["duplex"], a["neighbor_duplex"] = duplexWord(a["own"]), duplexWord(a["other"])
	delete(a, "own")
	delete(a, "other")
}

func duplexWord(s string) string {
	not := strings.HasPrefix(s, "not ")
	full := strings.Contains(s, "full")
	if !full && !strings.Contains(s, "half") {
		return ""
	}
	if full != not {
		return "full"
	}
	return "half"
}

package syslog

import "whydrop/correlate/timeline"

// firewalls: FortiOS (key=value), PAN-OS (comma-separated, type SYSTEM), SonicWall. Sources: FortiOS Log Message
// Reference, PAN-OS Administrator's Guide (Syslog Field Descriptions).
var firewalls = []rule{
	on("interface-stat-change", `action="?interface-stat-change"?.*status="?(?P<to>UP|DOWN)"?.*msg="Link monitor: Interface (?P<port>\S+) was turned`, timeline.EventOper, "layer", "link").then(admin),
	on("Link monitor: Interface ", `Link monitor: Interface (?P<port>\S+) was turned (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("logid=", `logid="?01000?2009[0-9]"?.*?(?:interface|intf)="?(?P<port>[^"\s]+)"?.*status="?(?P<to>(?i:up|down))"?`, timeline.EventOper, "layer", "link").then(admin),
	// Of the history of a pair: "port4 link status changed: 1->0", "FGT1 is elected as the cluster primary of 2 members".
	on("link status changed: ", `(?:hbdev )?(?P<port>[A-Za-z][\w.-]*) link status changed: \d->(?P<to>[01])`, timeline.EventOper, "layer", "link").then(zeroOne),
	on("as the cluster ", `(?P<reason>(?P<unit>\S+) (?:is elected|is selected|becomes|becoming) (?:as )?the cluster (?P<to>primary|master|secondary|slave).*)`, timeline.EventFailover),
	on(" as the ", `(?P<reason>(?P<unit>[\w-]+) is selected as the (?P<to>primary|master) because .*)`, timeline.EventFailover),
	on("lost heartbeat on ", `(?P<reason>member (?P<unit>\S+) lost heartbeat on .*)`, timeline.EventMember, "to", "lost"),
	on("irtual cluster", `(?i:virtual cluster).*?(?:ha_role|role)="?(?P<to>master|slave|primary|secondary)"?`, timeline.EventFailover),
	on("HA ", `(?:subtype="?ha"?|logid="?01080\d+"?).*msg="(?P<reason>[^"]*(?:become|becomes|state is|change to|moved to) ?(?:a |the )?(?P<to>master|slave|primary|secondary|standalone)[^"]*)"`, timeline.EventFailover),
	on("subtype=", `subtype="?ha"?.*?ha_role="?(?P<to>master|slave|primary|secondary)"?.*?msg="(?P<reason>[^"]*(?i:state|role|master|primary)[^"]*)"`, timeline.EventFailover),
	on("subtype=", `subtype="?ha"?.*?msg="(?P<reason>[^"]*(?i:heartbeat|left|dead|lost|join|monitor)[^"]*)"`, timeline.EventMember, "unit", "ha peer").then(peerWords),

	on(",SYSTEM,ha,", `,SYSTEM,ha,(?:[^,]*,)*?(?P<event>state-change|ha\d?-link-change|[a-z0-9-]*link[a-z-]*|[a-z0-9-]+),.*?(?P<reason>"?[^",]*(?i:state|HA Group)[^",]*[Mm]oved from state (?P<from>\w+(?:-\w+)?) to state (?P<to>\w+(?:-\w+)?))`, timeline.EventFailover).then(dropEvent),
	on("oved from state ", `HA Group \d+: Moved from state (?P<from>[\w-]+) to state (?P<to>[\w-]+)`, timeline.EventFailover),
	on(",SYSTEM,ha,", `,SYSTEM,ha,.*?(?P<reason>[^",]*(?i:peer|link|path)[^",]*(?i:down|up|lost|fail)[^",]*)`, timeline.EventMember, "unit", "ha peer").then(peerWords),
	// As PAN-OS prints them: "2026/11/30 14:02:05 info port ethernet1/3 link-change 0 Port ethernet1/3: Down 1Gb/s-full duplex".
	on("Port ", `\bPort (?P<port>(?:ethernet|ae)\d[\w/.]*): (?P<to>Up|Down)\b`, timeline.EventOper, "layer", "link").then(admin),
	on("Port MGT", `\bPort (?P<port>MGT): (?P<to>Up|Down)\b`, timeline.EventOper, "layer", "link").then(admin),
	on(",SYSTEM,port,", `,SYSTEM,port,.*?Port (?P<port>\S+): (?P<to>Up|Down)`, timeline.EventOper, "layer", "link").then(admin),
	on("link-change", `link-change,(?P<port>[a-z]+\d[\d/]*),.*?(?P<to>(?i:up|down))`, timeline.EventOper, "layer", "link").then(admin),

	on("nterface ", `msg="(?:Interface )?(?P<port>X\d+) (?:[Ll]ink |is )?(?:[Ii]s )?(?P<to>(?i:up|down))`, timeline.EventOper, "layer", "link").then(admin),
	on("m=", `\bm=(?:146|147|148|149|150)\b.*msg="(?P<reason>[^"]*)"`, timeline.EventFailover).then(peerWords),
}

// zeroOne writes a state in numbers as a word.
func zeroOne(a map[string]string) {
	a["to"] = map[string]string{"0": "down", "1": "up"}[a["to"]]
	admin(a)
}

func dropEvent(a map[string]string) { delete(a, "event") }

// peerWords reads from a sentence what became of the other unit.
func peerWords(a map[string]string) {
	if a["to"] == "" {
		a["to"] = firstWord(a["reason"], map[string]string{"join": "up", "up": "up", "lost": "lost", "dead": "lost", "left": "lost", "fail": "failed", "down": "down"})
	}
}

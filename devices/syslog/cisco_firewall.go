package syslog

import (
	"strings"

	"whydrop/correlate/timeline"
)

// ciscoFirewall: ASA and FTD. Source: Cisco Secure Firewall ASA Series Syslog Messages.
var ciscoFirewall = []rule{
	on("-104001", `-1-104001:? +\((?P<unit>\w+)\) Switching to ACTIVE ?(?:\(cause: (?P<reason>[^)]*)\)|- (?P<why>.*))?`, timeline.EventFailover, "from", "standby", "to", "active").then(failover),
	on("-104002", `-1-104002:? +\((?P<unit>\w+)\) Switching to STANDBY ?(?:\(cause: (?P<reason>[^)]*)\)|- (?P<why>.*))?`, timeline.EventFailover, "from", "active", "to", "standby").then(failover),
	on("-104003", `-1-104003:? +\((?P<unit>\w+)\) Switching to FAILED`, timeline.EventFailover, "to", "failed").then(failover),
	on("-104004", `-1-104004:? +\((?P<unit>\w+)\) Switching to OK`, timeline.EventFailover, "from", "failed", "to", "standby").then(failover),
	on("-105005", `-1-105005:? +\((?P<unit>\w+)\) (?P<reason>Lost Failover communications with mate) on interface (?P<port>\S+)`, timeline.EventMember, "to", "lost").then(mate),
	on("-103001", `-1-103001:? +\((?P<unit>\w+)\) (?P<reason>No response from other firewall.*)`, timeline.EventMember, "to", "lost").then(mate),
	on("-10500", `-1-10500[34]:? +\((?P<unit>\w+)\) Monitoring on interface (?P<port>\S+) (?P<to>\w+)`, timeline.EventMember).then(mate),
	on("-105009", `-1-105009:? +\((?P<unit>\w+)\) (?P<reason>Testing on) interface (?P<port>\S+) (?P<to>Failed|Passed)`, timeline.EventMember).then(mate),
	on("-105043", `-1-105043:? +\((?P<unit>\w+)\) (?P<reason>Failover interface failed)`, timeline.EventMember, "to", "failed").then(mate),
	on("-10500", `-1-10500[67]:? +\((?P<unit>\w+)\) Link status (?:'|)(?P<to>Up|Down)(?:'|) on interface (?P<port>\S+)`, timeline.EventOper, "layer", "link").then(func(a map[string]string) {
		failover(a)
		admin(a)
	}),
	on("-405001", `-4-405001:? +Received ARP \w+ collision from (?P<ip>[^/\s]+)/(?P<mac>\S+) on interface (?P<port>\S+) with existing ARP entry [^/\s]+/(?P<old>\S+)`, timeline.EventBinding, "conflict", "true").then(collided),
	on("-405003", `-4-405003:? +IP address collision detected between host (?P<ip>\S+) at (?P<mac>\S+) and interface (?P<port>[^\s,]+)`, timeline.EventBinding, "conflict", "true").then(collided),
	on("-199", `%(?:ASA|FTD)-\d-19900[25]:? (?P<reason>.*)`, timeline.EventRestart),
}

func failover(a map[string]string) {
	a["unit"] = strings.ToLower(a["unit"])
	if a["reason"] == "" {
		a["reason"] = strings.Trim(a["why"], " .")
	}
	delete(a, "why")
}

// mate makes the unit that speaks the one whose mate the line is about.
func mate(a map[string]string) { a["unit"] = "mate of " + strings.ToLower(a["unit"]) }

func collided(a map[string]string) {
	a["from"], a["to"] = mac(a["old"]), a["mac"]
	delete(a, "old")
	delete(a, "mac")
}

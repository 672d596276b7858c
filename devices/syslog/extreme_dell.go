package syslog

import (
	"strings"

	"whydrop/correlate/timeline"
)

// extremeDell: Extreme EXOS and VOSS, Dell OS9 (Force10) and OS10, Brocade and Ruckus FastIron and NetIron, MikroTik
// RouterOS. Sources: EXOS EMS Messages Catalog, Dell Command Line Reference (logging), FastIron Monitoring Guide,
// MikroTik manual (Log).
var extremeDell = []rule{
	on("portLinkState", `vlan\.msgs\.portLinkState(?:Up|Down)> .*?[Pp]ort (?P<port>[\d:]+) link (?P<to>UP|DOWN|up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on(" link ", `(?i)<(?:Info|Noti|Warn):vlan\S*> .*?Port (?P<port>[\d:]+) link (?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("STP", `<\w+:STP\S*> .*?[Pp]ort (?P<port>[\d:]+) .*?(?:to|is) (?P<to>(?i:forwarding|blocking|learning|listening|discarding|disabled))`, timeline.EventSTPState),
	on("STP.TopoChg", `STP\.TopoChg\S*> .*?(?:[Pp]ort (?P<port>[\d:]+))?`, timeline.EventTopologyChange, "count", "1"),
	on("Link Up", `Link (?P<to>Up)\(?(?P<port>\d+/\d+(?:/\d+)?)\)?`, timeline.EventOper, "layer", "link").then(admin),
	on("Link Down", `Link (?P<to>Down)\(?(?P<port>\d+/\d+(?:/\d+)?)\)?`, timeline.EventOper, "layer", "link").then(admin),
	on("VRRP", `<\w+:VRRP\S*> .*?(?:VR|vrid) ?(?P<group>\d+).*?(?:to|is) (?P<to>(?i:master|backup|init))`, timeline.EventGateway, "protocol", "vrrp"),

	on("OSTATE_", `OSTATE_(?:UP|DN): Changed interface state to (?P<to>up|down): (?P<port>\S+ ?[\d/]+)`, timeline.EventOper, "layer", "link").then(glued),
	on("OSTATE_", `IFM_OSTATE_(?:UP|DN): Interface operational state is (?P<to>up|down) ?: ?(?P<port>\S+)`, timeline.EventOper, "layer", "link").then(admin),
	on("SPANMGR", `SPANMGR-\d-STP_ROOT_CHANGE: .*?(?:New )?[Rr]oot.*?(?:port|Port):? ?(?P<port>\S+ [\d/]+)`, timeline.EventRootPort).then(func(a map[string]string) {
		a["port"] = strings.ReplaceAll(a["port"], " ", "")
		a["to"] = a["port"]
	}),
	on("TOPOLOGY_CHANGE", `TOPOLOGY_CHANGE\w*: .*?(?:(?:interface|port) (?P<port>[A-Za-z]\S*\d))?`, timeline.EventTopologyChange, "count", "1"),

	on("nterface ethernet ", `[Ii]nterface (?P<port>ethernet ?\d+(?:/\d+)*), state (?P<to>up|down)(?: ?- ?(?P<reason>.*?))?(?:<\d+>|$)`, timeline.EventOper, "layer", "link").then(glued),
	on("STP: VLAN ", `STP: VLAN (?P<vlan>\d+) Port (?P<port>\S+) STP State -> (?P<to>\w+)`, timeline.EventSTPState).then(vlanTree),
	on("STP: VLAN ", `STP: VLAN (?P<vlan>\d+) .*(?i:topology change)`, timeline.EventTopologyChange, "count", "1").then(vlanTree),
	on("VRRP", `VRRP\w*: intf state changed, intf (?P<port>\S+), vrid (?P<group>\d+), state (?P<to>\w+)`, timeline.EventGateway, "protocol", "vrrp"),

	on(" link ", `(?:interface,(?:info|warning)\S* |^)(?P<port>[a-z][\w.<>-]*\d[\w.-]*) link (?P<to>up|down)(?: \(speed (?P<speed>\S+), (?P<duplex>\w+) duplex\))?`, timeline.EventOper, "layer", "link").then(admin),
	on("vrrp,", `vrrp,\S+ (?P<port>\S+) now (?P<to>MASTER|BACKUP)`, timeline.EventGateway, "protocol", "vrrp"),
}

// glued takes the blank out of a port's name: "Te 0/1", "ethernet 3/8".
func glued(a map[string]string) {
	a["port"] = strings.ReplaceAll(a["port"], " ", "")
	admin(a)
}

func vlanTree(a map[string]string) {
	a["tree"] = tree("vlan " + a["vlan"])
	delete(a, "vlan")
}

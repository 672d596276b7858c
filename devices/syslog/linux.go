package syslog

import (
	"strings"

	"whydrop/correlate/timeline"
)

// linux: the kernel, bonding, the bridge, systemd-networkd and NetworkManager, keepalived, and the link states of the BSDs. Sources: the messages in
// the Linux kernel (net/bridge/br_stp.c, drivers/net/bonding/bond_main.c, drivers/net/ethernet, drivers/net/phy), in sys/net/if.c
// of FreeBSD, keepalived and systemd sources.
var linux = []rule{
	on("NIC Link is ", `(?P<port>[A-Za-z][\w.@-]*):? (?:[a-z0-9_]+: [A-Za-z][\w.-]* )?NIC [Ll]ink is (?P<to>[Uu]p|[Dd]own)`, timeline.EventOper, "layer", "link").then(admin),
	on("Link is ", `(?P<port>[A-Za-z][\w.@-]*)(?:: | )Link is (?P<to>[Uu]p|[Dd]own)`, timeline.EventOper, "layer", "link").then(admin),
	on("excessive or late collision", `(?P<port>\S+) (?P<reason>excessive or late collision, link duplex mismatch\?)`, timeline.EventDuplexMismatch),                   // RouterOS
	on("PHY: ", `PHY: \S+ - Link is (?P<to>Up|Down)`, timeline.EventOper, "layer", "link").then(admin),                                                                 // a chip's address is no port, either
	on("Downshift occurred", `Downshift occurred from negotiated speed (?P<from>[\d.]+[MG])bps to actual speed (?P<to>[\d.]+[MG])bps`, timeline.EventSpeed).then(bits), // of a transceiver chip: its name is none of a port
	on("link state changed to ", `(?P<port>[a-z][\w.]*\d): link state changed to (?P<to>UP|DOWN)`, timeline.EventOper, "layer", "link").then(admin),                    // FreeBSD
	on("link ", `(?P<port>[A-Za-z][\w.@-]*): link (?:is )?(?P<to>up|down)\b`, timeline.EventOper, "layer", "link").then(admin),
	on("link becomes ready", `(?P<port>[A-Za-z][\w.@-]*): link becomes ready`, timeline.EventOper, "layer", "protocol", "from", "down", "to", "up"),
	on("arrier", `(?P<port>[A-Za-z][\w.@-]*): (?P<word>Gained|Lost) carrier`, timeline.EventOper, "layer", "link").then(carrier),
	on("carrier", `(?P<port>[A-Za-z][\w.@-]*): carrier (?P<word>acquired|lost)`, timeline.EventOper, "layer", "link").then(carrier),
	on("(carrier:", `device \((?P<port>[^)]+)\): (?:carrier|link) (?P<word>connected|disconnected)`, timeline.EventOper, "layer", "link").then(carrier),
	on("entered ", `(?P<bridge>[A-Za-z][\w.-]*): port \d+\((?P<port>[^)]+)\) entered (?P<to>disabled|blocking|listening|learning|forwarding) state`, timeline.EventSTPState),
	on("topology change detected", `(?P<bridge>[A-Za-z][\w.-]*): (?:port \d+\((?P<port>[^)]+)\) )?topology change detected`, timeline.EventTopologyChange, "count", "1"),
	on("received tcn bpdu", `port \d+\((?P<port>[^)]+)\) received tcn bpdu`, timeline.EventTopologyChange, "count", "1"),
	on("BPDU received on blocked port", `(?P<bridge>[A-Za-z][\w.-]*): BPDU received on blocked port \d+\((?P<port>[^)]+)\)`, timeline.EventInconsistent, "guard", "bpdu", "to", "blocked"),
	on("link status definitely ", `(?P<aggregate>[A-Za-z][\w.-]*): (?:\([^)]*\): )?link status definitely (?P<to>up|down) for (?:interface|slave) (?P<port>[^\s,]+)`, timeline.EventLAGMember).then(bonded),
	on("link status definitely ", `(?P<aggregate>[A-Za-z][\w.-]*): \(slave (?P<port>[^)]+)\): link status definitely (?P<to>up|down)`, timeline.EventLAGMember).then(bonded),
	on("aking interface ", `(?P<aggregate>[A-Za-z][\w.-]*): (?:\([^)]*\): )?making interface (?P<port>\S+) the new active one`, timeline.EventLAGMember, "to", "bundled"),
	on("eepalived", `Keepalived_vrrp\S*: .*?(?:VRRP_Instance)?\(?\(?(?P<group>[\w.-]+)\)? Entering (?P<to>MASTER|BACKUP|FAULT|INIT) STATE`, timeline.EventGateway, "protocol", "vrrp"),
	on("eepalived", `Keepalived\S*: .*?(?:Netlink reports|Interface|interface) (?P<port>[A-Za-z][\w.-]*) (?:is |link |now )?(?P<to>up|down)`, timeline.EventOper, "layer", "link").then(admin),
	on("received packet on", `(?P<port>[A-Za-z][\w.-]*): received packet on \S+ with own address as source address`, timeline.EventMACMove).then(func(a map[string]string) {
		a["from"], a["to"] = "", a["port"]
	}),
	on("Linux version ", `kernel: (?:\[ *0\.0+\] )?(?P<reason>Linux version \S+)`, timeline.EventRestart),
	on("%ADJCHANGE: neighbor ", `%ADJCHANGE: neighbor (?P<neighbour>[^\s(]+)\S*(?: in vrf \S+)? (?P<to>Up|Down) ?(?P<reason>.*)`, timeline.EventRoute, "protocol", "bgp"),
}

func carrier(a map[string]string) {
	a["to"] = firstWord(strings.ToLower(a["word"]), map[string]string{"gained": "up", "acquired": "up", "disconnected": "down", "connected": "up", "lost": "down"})
	delete(a, "word")
	admin(a)
}

// bits writes speeds as the timeline has them: in bit/s.
func bits(a map[string]string) {
	for _, k := range []string{"from", "to"} {
		a[k] = strings.NewReplacer("2.5g", "2500000000", "g", "000000000", "m", "000000").Replace(strings.ToLower(a[k]))
	}
}

func bonded(a map[string]string) {
	if a["to"] == "up" {
		a["to"] = "bundled"
	}
}

// firstWord returns what the longest of the words that s holds stands for; "" if it holds none.
func firstWord(s string, meanings map[string]string) (meaning string) {
	longest := 0
	for word, m := range meanings {
		if len(word) > longest && strings.Contains(strings.ToLower(s), word) {
			longest, meaning = len(word), m
		}
	}
	return meaning
}

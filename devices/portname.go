package devices

import "strings"

// portTypes lists the interface types of Cisco's command line: long name, the short forms in use, and the speed
// the hardware of that name offers (bit/s; 0 for what is no hardware). Source: the interface names of Cisco IOS,
// IOS-XE and NX-OS, and of Comware and VRP.
var portTypes = []struct {
	long   string
	short  []string
	offers uint64
}{
	{"ethernet", []string{"eth", "et"}, 0},
	{"fastethernet", []string{"fa", "fas"}, 100e6},
	{"gigabitethernet", []string{"gi", "gig", "ge"}, 1e9},
	{"twogigabitethernet", []string{"tw", "two"}, 2500e6},
	{"fivegigabitethernet", []string{"fi", "fiv"}, 5e9},
	{"tengigabitethernet", []string{"te", "ten"}, 10e9},
	{"ten-gigabitethernet", []string{"xge", "xgigabitethernet"}, 10e9}, // Comware, VRP
	{"m-gigabitethernet", []string{"m-ge", "mge"}, 1e9},
	{"bridge-aggregation", []string{"bagg"}, 0},
	{"route-aggregation", []string{"ragg"}, 0},
	{"vlan-interface", []string{"vlan-int"}, 0},
	{"twentyfivegige", []string{"twe", "twentyfivegigabitethernet"}, 25e9},
	{"fortygigabitethernet", []string{"fo", "for", "fortygige", "fge"}, 40e9},
	{"hundredgige", []string{"hu", "hun", "hundredgigabitethernet", "hge"}, 100e9},
	{"twohundredgige", []string{"twoh"}, 200e9},
	{"fourhundredgige", []string{"fou"}, 400e9},
	{"appgigabitethernet", []string{"ap"}, 1e9},
	{"port-channel", []string{"po", "por"}, 0},
	{"vlan", []string{"vl"}, 0},
	{"loopback", []string{"lo"}, 0},
	{"tunnel", []string{"tu"}, 0},
	{"serial", []string{"se", "ser"}, 0},
	{"management", []string{"ma", "mgmt", "managementethernet"}, 0},
}

// PortKey returns a spelling that the long and the short names of a port have in common: Gi1/0/1, gig 1/0/1 and
// GigabitEthernet1/0/1 have the same key. A name without a known type (in, out, ether1) keeps its own, in lower
// case.
func PortKey(name string) string {
	kind, number := splitPort(name)
	if t := portType(kind); t >= 0 && number != "" {
		kind = portTypes[t].long
	}
	return kind + number
}

// PortOffers returns the speed (bit/s) that the hardware of a port with this name offers, where the name says so.
func PortOffers(name string) Opt[uint64] {
	kind, number := splitPort(name)
	if t := portType(kind); t >= 0 && number != "" && portTypes[t].offers > 0 {
		return Some(portTypes[t].offers)
	}
	return None[uint64]()
}

// splitPort cuts a name before its first digit.
func splitPort(name string) (kind, number string) {
	name = strings.ToLower(strings.TrimSpace(name))
	i := strings.IndexFunc(name, func(r rune) bool { return r >= '0' && r <= '9' })
	if i < 0 {
		return name, ""
	}
	return strings.TrimSpace(name[:i]), name[i:]
}

func portType(kind string) int {
	for i, t := range portTypes {
		if kind == t.long {
			return i
		}
		for _, s := range t.short {
			if kind == s {
				return i
			}
		}
	}
	return -1
}

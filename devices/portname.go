package devices

import (
	"slices"
	"strings"
)

// portTypes lists the interface types of command lines: long name, the other forms in use, and the speed the hardware
// of that name offers (bit/s; 0 for what is no hardware). Sources: the interface names of Cisco IOS, IOS-XE, NX-OS,
// IOS XR and the switches for small businesses, of Arista EOS, Comware, VRP, Dell OS9 and OS10, FastIron and NetIron.
var portTypes = []struct {
	long   string
	short  []string
	offers uint64
}{
	{"ethernet", []string{"eth", "et", "ethe", "e"}, 0},
	{"fastethernet", []string{"fa", "fas"}, 100e6},
	{"gigabitethernet", []string{"gi", "gig", "ge"}, 1e9},
	{"twogigabitethernet", []string{"tw", "two"}, 2500e6},
	{"fivegigabitethernet", []string{"fi", "fiv"}, 5e9},
	{"tengigabitethernet", []string{"te", "ten", "tengige", "10gigabitethernet", "10ge"}, 10e9}, // TenGigE: IOS XR; 10GigabitEthernet: FastIron
	{"ten-gigabitethernet", []string{"xge", "xgigabitethernet"}, 10e9},                          // Comware, VRP
	{"m-gigabitethernet", []string{"m-ge", "mge"}, 1e9},
	{"bridge-aggregation", []string{"bagg"}, 0},
	{"route-aggregation", []string{"ragg"}, 0},
	{"twentyfivegige", []string{"twe", "twentyfivegigabitethernet", "tf", "25ge", "twenty-fivegige", "wge"}, 25e9},
	{"fortygigabitethernet", []string{"fo", "for", "fortygige", "fge", "40ge", "40gigabitethernet"}, 40e9},
	{"hundredgige", []string{"hu", "hun", "hundredgigabitethernet", "hge", "100ge", "100gigabitethernet"}, 100e9},
	{"twohundredgige", []string{"twoh", "th"}, 200e9},
	{"fourhundredgige", []string{"fou", "fh"}, 400e9},
	{"appgigabitethernet", []string{"ap"}, 1e9},
	{"port-channel", []string{"po", "por"}, 0},
	{"bundle-ether", []string{"be"}, 0},
	{"lag", []string{"lg"}, 0},
	{"vlan", []string{"vl", "vlan-interface", "vlan-int", "vlanif"}, 0},
	{"ve", []string{"v"}, 0},
	{"bvi", []string{"bv"}, 0},
	{"loopback", []string{"lo", "lb"}, 0},
	{"tunnel", []string{"tu", "tn"}, 0},
	{"serial", []string{"se", "ser"}, 0},
	{"management", []string{"ma", "mgmt", "managementethernet", "mgmteth", "mg", "ethernetmanagement", "gigethernetmgmt"}, 0},
}

// PortKey returns a spelling that the long and the short names of a port have in common: Gi1/0/1, gig 1/0/1 and
// GigabitEthernet1/0/1 have the same key, and so have ethernet1/1 and 1/1. A name without a known type (in, out, ether1)
// keeps its own, in lower case.
func PortKey(name string) string {
	kind, number := splitPort(name)
	switch t := portType(kind); {
	case t >= 0 && number != "":
		kind = portTypes[t].long
	case kind == "" && isSlots(number):
		kind = portTypes[0].long // which some tables leave out
	}
	return kind + number
}

// SamePort returns which of a device's ports is meant by a name, in whatever spelling: the one that is called so, the one
// with the same [PortKey], or, where there is neither, the only one with the same numbers if one of the two names leaves
// open what kind of Ethernet it is: FastIron calls a port GigabitEthernet1/1/1, ethernet1/1/1 and 1/1/1, ExtremeXOS calls
// one 1:5 and 5.
func SamePort(ports []string, name string) (port string, ok bool) {
	if slices.Contains(ports, name) {
		return name, true
	}
	key := PortKey(name)
	for _, p := range ports {
		if PortKey(p) == key {
			return p, true
		}
	}
	if kind, number := splitPort(key); !isSlots(number) && (kind != "" || number == "") {
		return "", false // of its kind for certain
	}
	found := 0
	for _, p := range ports {
		if AlikePorts(p, name) {
			port = p
			found++
		}
	}
	if found != 1 {
		return "", false
	}
	return port, true
}

// PortLike returns the name of a port that is not watched in the spelling of those that are: beside Gi1/0/1,
// GigabitEthernet1/0/7 is Gi1/0/7. It stays as it is where none is of its kind.
func PortLike(ports []string, name string) string {
	kind, number := splitPort(PortKey(name))
	if portType(kind) < 0 || number == "" {
		return name
	}
	for _, p := range ports {
		p = strings.TrimSpace(p)
		k, _ := splitPort(PortKey(p))
		if _, n := splitPort(p); k == kind && n != "" && strings.HasSuffix(p, n) {
			return strings.TrimSuffix(p, n) + number
		}
	}
	return name
}

// AlikePorts says whether two names with different keys may be of one port, since one of them says less than the other.
func AlikePorts(a, b string) bool {
	a, b = PortKey(a), PortKey(b)
	if a == "1:"+b || b == "1:"+a {
		return true
	}
	kindA, numberA := splitPort(a)
	kindB, numberB := splitPort(b)
	general := portTypes[0].long
	return numberA == numberB && isSlots(numberA) && (kindA == general && isEthernet(kindB) || kindB == general && isEthernet(kindA))
}

// isEthernet says whether a kind of port is one of Ethernet, by its name.
func isEthernet(kind string) bool {
	return strings.HasSuffix(kind, "ethernet") || strings.HasSuffix(kind, "gige")
}

// isSlots says whether a port's number is one of slots and ports: 1/1, 1/1/1, 1/1/1:2.
func isSlots(number string) bool {
	slashes := 0
	for i := range len(number) {
		switch c := number[i]; {
		case c == '/':
			slashes++
		case (c < '0' || c > '9') && c != ':':
			return false
		}
	}
	return slashes > 0
}

// PortOffers returns the speed (bit/s) that the hardware of a port with this name offers, where the name says so.
func PortOffers(name string) Opt[uint64] {
	kind, number := splitPort(name)
	if t := portType(kind); t >= 0 && number != "" && portTypes[t].offers > 0 {
		return Some(portTypes[t].offers)
	}
	return None[uint64]()
}

// splitPort cuts a name before its first digit, or before its second number where it begins with a speed: 10GE1/0/1.
func splitPort(name string) (kind, number string) {
	name = strings.ToLower(strings.TrimSpace(name))
	digit := func(r rune) bool { return r >= '0' && r <= '9' }
	speed := len(name) - len(strings.TrimLeftFunc(name, digit))
	if speed == len(name) || name[speed] != 'g' {
		speed = 0
	}
	i := strings.IndexFunc(name[speed:], digit)
	if i < 0 {
		return name, ""
	}
	i += speed
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

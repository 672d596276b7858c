package linux

import (
	"strconv"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// IPLink reads "ip -s -s -d link" and "ip -s -s -d link show NAME": states, all counters of the kernel, and which
// links are members of a bond or a bridge. A second -s is needed for the kinds of errors.
func IPLink(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: header, Line: line}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
	for i := range ports {
		bond(&ports[i], r)
	}
}

// header reads "2: eth0.100@eth0: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue master br0 state UP mode
// DEFAULT group default qlen 1000".
func header(p *block.Port, line string) bool {
	index, rest, ok := strings.Cut(line, ": ")
	n, end, isNumber := text.Uint32(index)
	if !ok || !isNumber || end != "" {
		return false
	}
	name, rest, ok := strings.Cut(rest, ": <")
	flags, rest, closed := strings.Cut(rest, ">")
	name, lower, _ := strings.Cut(name, "@")
	if !ok || !closed || name == "" || strings.ContainsAny(name, " \t") {
		return false
	}
	p.Name, p.Index = name, devices.Some(n)
	p.Know("lower", lower)
	p.Know("flags", flags)
	p.Admin = devices.Some("down")
	for flag := range strings.SplitSeq(flags, ",") {
		if flag == "UP" {
			p.Admin = devices.Some("up")
		}
	}
	pairs(rest, func(word, value string) {
		switch word {
		case "mtu":
			if v, rest, ok := text.Uint32(value); ok && rest == "" {
				p.MTU = devices.Some(v)
			}
		case "state":
			state(p, value)
		case "master", "qdisc":
			p.Know(word, value)
		}
	})
	return true
}

// state keeps the operational state (RFC 2863) that ip prints in capitals, or the state of a bridge's port that
// bridge prints in small letters.
func state(p *block.Port, word string) {
	switch word {
	case "UP", "DOWN", "UNKNOWN", "DORMANT", "TESTING":
		p.Oper = devices.Some(strings.ToLower(word))
	case "NOTPRESENT":
		p.Oper = devices.Some("notPresent")
	case "LOWERLAYERDOWN":
		p.Oper = devices.Some("lowerLayerDown")
	case "disabled", "blocking", "listening", "learning", "forwarding":
		text.Set(&p.STPState, word)
	}
}

// pairs goes through the words of a line two at a time wherever a pair may begin, since some words stand alone.
func pairs(s string, each func(word, value string)) {
	f := strings.Fields(s)
	for i := 0; i+1 < len(f); i++ {
		each(f[i], f[i+1])
	}
}

func line(p *block.Port, line string, lines *text.Lines) bool {
	for _, t := range []struct {
		begin  string
		fields map[string]block.Where
	}{{"RX errors:", rxErrors}, {"TX errors:", txErrors}, {"RX:", rx}, {"TX:", tx}} {
		if titles, ok := strings.CutPrefix(line, t.begin); ok {
			if values := lines.Peek(); values != "" && text.IsDigit(values[0]) {
				lines.Next()
				row(p, strings.Fields(titles), strings.Fields(values), t.fields, t.begin[:2])
			}
			return true
		}
	}
	word, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(word, "link/"):
		mac, _, _ := strings.Cut(rest, " ")
		if m, ok := text.MAC(mac); ok {
			p.MAC = m
		}
		p.Know("link", strings.TrimPrefix(word, "link/"))
	case word == "alias":
		p.Alias = rest
	case word == "altname", word == "vf", word == "RX", word == "TX":
	case word == "vlan", word == "bond_slave", word == "bridge_slave":
		p.Know(word, rest)
		if word == "bridge_slave" {
			pairs(rest, func(word, value string) {
				if word == "state" {
					state(p, value)
				}
			})
		}
	default:
		// What else -d prints begins with the kind of the link, or with what all kinds have.
		p.KnowOnce("kind", word)
		return strings.Contains(line, "addrgenmode ") || strings.Contains(line, "numtxqueues ") || kinds[word]
	}
	return true
}

// kinds lists the kinds of links whose own line may be the only one.
var kinds = map[string]bool{"bond": true, "bridge": true, "veth": true, "tun": true, "vxlan": true, "dummy": true, "ifb": true, "macvlan": true, "ipvlan": true, "vrf": true, "team": true, "wireguard": true, "gre": true, "ipip": true, "sit": true, "team_slave": true, "vrf_slave": true, "openvswitch": true, "openvswitch_slave": true}

// row puts values where their titles say, if there is one for each.
func row(p *block.Port, titles, values []string, fields map[string]block.Where, way string) {
	if len(titles) != len(values) {
		return
	}
	for i, t := range titles {
		if fields[t] == nil {
			t = way + " " + t
		}
		block.Labelled(p, t, values[i], fields)
	}
}

// The titles of the tables. missed is what the hardware had no buffer for (rx_missed_errors), which is not in
// dropped; overrun and fifo are names that drivers use for one thing, of which the first that is printed counts.
var (
	rx = map[string]block.Where{
		"bytes":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InOctets },
		"packets": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPackets },
		"errors":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InErrors },
		"dropped": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
		"missed":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.NoBuffer },
		"mcast":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InMulticasts },
	}
	rxErrors = map[string]block.Where{
		"crc":    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.FCS },
		"frame":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Alignment },
		"fifo":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Overrun },
		"missed": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.NoBuffer },
	}
	tx = map[string]block.Where{
		"bytes":   func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutOctets },
		"packets": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPackets },
		"errors":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
		"dropped": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
		"carrier": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierSense },
		"collsns": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	}
	txErrors = map[string]block.Where{
		"aborted": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.ExcessiveCollisions },
		"fifo":    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Underruns },
		"window":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.LateCollisions },
		"transns": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
	}
)

// bond makes a port a member of its bond if it is one: "bond_slave state ACTIVE mii_status UP link_failure_count 0
// perm_hwaddr ... ad_actor_oper_port_state 63 ad_partner_oper_port_state 61".
func bond(i *devices.Interface, r *devices.Reading) {
	slave, master := i.Fact("bond_slave"), i.Fact("master")
	if slave == "" || master == "" {
		return
	}
	m := devices.Member{Port: i.Name}
	protocol := "static"
	octet := func(value string) devices.Opt[uint8] {
		n, err := strconv.ParseUint(value, 10, 8)
		if err != nil {
			return devices.None[uint8]()
		}
		return devices.Some(uint8(n))
	}
	down := false
	pairs(slave, func(word, value string) {
		switch word {
		case "state":
			m.State = map[string]string{"ACTIVE": "bundled", "BACKUP": "standby"}[value]
		case "mii_status":
			down = value == "DOWN"
		case "link_failure_count":
			m.Changes = text.Count(value)
		case "ad_actor_oper_port_state":
			protocol, m.Actor = "lacp", octet(value)
		case "ad_partner_oper_port_state":
			m.Partner = octet(value)
		}
	})
	if down {
		m.State = "down"
	}
	for n := range r.Aggregates {
		if r.Aggregates[n].Port == master {
			r.Aggregates[n].Members = append(r.Aggregates[n].Members, m)
			return
		}
	}
	r.Aggregates = append(r.Aggregates, devices.Aggregate{Port: master, Protocol: protocol, Members: []devices.Member{m}})
}

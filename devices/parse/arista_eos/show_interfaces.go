package arista_eos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces", of all ports or of one.
func ShowInterfaces(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// header reads "Ethernet1 is administratively down, line protocol is notpresent (disabled)".
func header(p *block.Port, line string) bool {
	_, reason, ok := block.LineProtocol(p, line)
	if !ok {
		return false
	}
	p.ErrDisabled = block.ErrDisabled(reason)
	return true
}

var (
	fields = block.With(map[string]block.Where{
		"link status changes since last clear": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
	})
	facts = map[string]string{}
)

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Internet address is ", "ip"}, {"Broadcast address is ", "broadcast"}, {"Address determined by ", "address_by"},
	{"IPv6 link-local address is ", "ipv6"}, {"No IPv6 ", "no_ipv6"}, {"IPv6 global unicast", "ipv6_global"}, {"Loopback Mode : ", "loopback_mode"},
	{"Member of ", "member_of"}, {"Active members in this channel: ", "member_count"}, {"Fallback mode is: ", "fallback"},
	{"Fallback timeout is: ", "fallback_timeout"}, {"... ", "member"}, {"Source interface is ", "vxlan_source"}, {"Up ", "up"}, {"Down ", "down"},
	{"Replication/Flood Mode is ", "vxlan_flood"}, {"Remote MAC learning is ", "vxlan_learning"}, {"Listening on UDP port ", "vxlan_port"},
	{"VNI mapping to VLANs", "vni"}, {"Static VLAN to VNI mapping is", "vni"}, {"Dynamic VLAN to VNI mapping", "vni"}, {"[", "vni"},
	{"Note: ", "note"}, {"Headend replication flood vtep list is", "vtep"}, {"MLAG Shared Router MAC is ", "mlag_mac"}, {"Shared Router MAC is ", "mlag_mac"},
	{"Static VRF to VNI mapping is", "vni"}, {"Vxlan ", "vxlan"}, {"VTEP ", "vtep"}, {"Tunnel ", "tunnel"}, {"Key ", "tunnel_key"}, {"Path MTU Discovery", "path_mtu"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	switch c := line[0]; {
	case text.IsDigit(c):
		return block.Rate(p, line) || block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "Received "):
		p.Out = false
		return block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "Sent "):
		p.Out = true
		return block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "IP MTU "), strings.HasPrefix(line, "Ethernet MTU "), strings.HasPrefix(line, "MTU "):
		return block.Figures(p, line)
	case strings.HasPrefix(line, "Hardware is "):
		hardware(p, line[len("Hardware is "):])
		return true
	case strings.HasPrefix(line, "Description:"):
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(line[len("Description:"):])
		}
		return true
	case strings.HasPrefix(line, "Last clearing of "):
		if when, ok := text.After(line, "counters "); ok {
			text.Set(&p.LastClear, when)
		}
		return true
	}
	if duplex(p, line) {
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.Know(f.name, rest)
			return true
		}
	}
	return false
}

// hardware reads "Ethernet, address is fcbd.67e2.b922 (bia fcbd.67e2.b922)".
func hardware(p *block.Port, s string) {
	kind, addr, _ := strings.Cut(s, ", address is ")
	p.KnowOnce("hardware", kind)
	mac, bia, _ := strings.Cut(addr, " (bia ")
	p.KnowOnce("mac", mac)
	p.KnowOnce("bia", strings.TrimRight(bia, ")"))
	if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
		p.MAC = m
	}
}

// duplex reads "Full-duplex, 10Gb/s, auto negotiation: off, uni-link: n/a" and "Full-duplex, Unconfigured".
func duplex(p *block.Port, line string) bool {
	first, rest, ok := strings.Cut(line, ",")
	if !ok || !strings.Contains(strings.ToLower(first), "duplex") {
		return false
	}
	if strings.HasPrefix(strings.ToLower(first), "full") {
		text.Set(&p.Duplex, "full")
	} else if strings.HasPrefix(strings.ToLower(first), "half") {
		text.Set(&p.Duplex, "half")
	}
	for i, part := range strings.Split(rest, ",") {
		part = strings.TrimSpace(part)
		switch word, ok := strings.CutPrefix(part, "auto negotiation: "); {
		case ok && (word == "on" || word == "off" || word == "success"):
			text.Set(&p.Autoneg, word != "off")
		case i == 0:
			p.KnowOnce("speed", part)
			if v, ok := text.Rate(part); ok && v > 0 && v <= text.MaxSpeed {
				text.Set(&p.Speed, uint64(v))
			}
		}
	}
	return true
}

func end(p *block.Port) { p.SpeedMax = devices.PortOffers(p.Name) }

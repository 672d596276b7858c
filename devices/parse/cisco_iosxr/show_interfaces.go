package cisco_iosxr

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces", with or without a name or detail.
func ShowInterfaces(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// header reads "Bundle-Ether1 is up, line protocol is up".
func header(p *block.Port, line string) bool {
	status, reason, ok := block.LineProtocol(p, line)
	if !ok {
		return false
	}
	p.ErrDisabled = block.ErrDisabled(status + " " + reason)
	return true
}

var (
	fields = block.With(map[string]block.Where{
		"drops for unrecognized upper-level protocol": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.UnknownProtos },
		"resets": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Resets },
	})
	facts = map[string]string{
		"parity": "in_parity", "abort": "in_abort", "applique": "out_applique",
		"output buffer failures": "out_buffer_failures", "output buffers swapped out": "out_buffers_swapped",
	}
)

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Interface state transitions:", "state_transitions"}, {"Internet address is ", "ip"}, {"Last link flapped ", "last_link_flapped"},
	{"Carrier delay (up) is ", "carrier_delay"}, {"No. of members in this bundle: ", "member_count"}, {"loopback ", "loopback"},
	{"Ethertype: ", "ethertype"}, {"Dampening ", "dampening"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	switch c := line[0]; {
	case text.IsDigit(c):
		return block.Rate(p, line) || block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "Received "):
		p.Out = false
		return block.Counters(p, line, fields, facts)
	case c == 'O' && strings.HasPrefix(line, "Output ") && !strings.Contains(line, "flow"):
		p.Out = true
		return block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "MTU "), strings.HasPrefix(line, "reliability "):
		return block.Figures(p, line)
	case strings.HasPrefix(line, "Hardware is "):
		hardware(p, line[len("Hardware is "):])
		return true
	case strings.HasPrefix(line, "Description:"):
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(line[len("Description:"):])
		}
		return true
	case strings.HasPrefix(line, "Encapsulation "):
		encapsulation(p, line)
		return true
	case strings.HasPrefix(line, "Last input "):
		in, out, _ := strings.Cut(line[len("Last input "):], ",")
		p.KnowOnce("last_input", in)
		p.KnowOnce("last_output", strings.TrimPrefix(strings.TrimSpace(out), "output "))
		return true
	case strings.HasPrefix(line, "Last clearing of "):
		if when, ok := text.After(line, "counters "); ok && !text.Unset(when) {
			text.Set(&p.LastClear, when)
		}
		return true
	case strings.HasPrefix(line, "ARP type "):
		kind, timeout, _ := strings.Cut(line[len("ARP type "):], ",")
		p.KnowOnce("arp_type", kind)
		p.KnowOnce("arp_timeout", strings.TrimPrefix(strings.TrimSpace(timeout), "ARP timeout "))
		return true
	case strings.HasPrefix(line, "Input/output data rate is disabled"), strings.HasPrefix(line, "Outer Match:"), strings.HasPrefix(line, "Src Match"), strings.HasPrefix(line, "Dest Match"):
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.KnowOnce(f.name, strings.TrimRight(rest, ", "))
			return true
		}
	}
	return block.Flow(p, line) || duplex(p, line) || member(p, line)
}

// hardware reads "GigabitEthernet, address is aaaa.bbff.8888 (bia 5254.00ff.0c7e)".
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

// encapsulation reads "Encapsulation 802.1Q Virtual LAN, VLAN Id 20,  loopback not set,".
func encapsulation(p *block.Port, line string) {
	for i, part := range strings.Split(line[len("Encapsulation "):], ",") {
		part = strings.TrimSpace(part)
		switch {
		case i == 0:
			p.KnowOnce("encapsulation", part)
		case strings.HasPrefix(part, "VLAN Id "):
			p.KnowOnce("vlan", part[len("VLAN Id "):])
		case strings.HasPrefix(part, "2nd VLAN Id "):
			p.KnowOnce("second_vlan", part[len("2nd VLAN Id "):])
		case strings.HasPrefix(part, "loopback "):
			p.KnowOnce("loopback", part[len("loopback "):])
		}
	}
}

// duplex reads "Full-duplex, 1000Mb/s, THD, link type is autonegotiation" and "Duplex unknown, 0Kb/s, ...".
func duplex(p *block.Port, line string) bool {
	first, rest, ok := strings.Cut(line, ",")
	if !ok || !strings.Contains(strings.ToLower(first), "duplex") {
		return false
	}
	switch word := strings.ToLower(strings.TrimPrefix(strings.TrimSuffix(strings.ToLower(first), "-duplex"), "duplex ")); word {
	case "full", "half":
		text.Set(&p.Duplex, word)
		p.KnowOnce("duplex", first)
	default:
		p.KnowOnce("duplex", word)
	}
	for i, part := range strings.Split(rest, ",") {
		part = strings.TrimSpace(part)
		switch kind, ok := strings.CutPrefix(part, "link type is "); {
		case ok:
			p.KnowOnce("link_type", kind)
			text.Set(&p.Autoneg, kind == "autonegotiation")
		case i == 0:
			p.KnowOnce("speed", part)
			if v, ok := text.Rate(part); ok && v > 0 && v <= text.MaxSpeed {
				text.Set(&p.Speed, uint64(v))
			}
		case i == 1 && part != "":
			p.KnowOnce("media", part)
			if !text.Unset(part) {
				text.Set(&p.Media, part)
			}
		}
	}
	return true
}

// member reads "HundredGigE0/0/1/2/0         Full-duplex  100000Mb/s   Active".
func member(p *block.Port, line string) bool {
	f := strings.Fields(line)
	if len(f) < 4 || !block.IsPortName(f[0]) || !strings.HasSuffix(strings.ToLower(f[1]), "duplex") {
		return false
	}
	p.Know("member", strings.Join(f, " "))
	return true
}

func end(p *block.Port) {
	if p.Overrun.OK && p.Ignored.OK {
		// Both are frames that the receiver had no room for.
		p.Overrun.Value.Value += p.Ignored.Value.Value
	}
	p.SpeedMax = devices.PortOffers(p.Name)
	if bw, ok := text.After(p.Fact("bandwidth"), "(Max: "); ok && p.Fact("member_count") == "" {
		if v, ok := text.Rate(bw); ok && v > 0 && v <= text.MaxSpeed {
			text.Set(&p.SpeedMax, uint64(v))
		}
	}
}

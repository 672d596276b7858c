package cisco_asa

import (
	"strconv"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterface reads "show interface", with or without a name or detail.
func ShowInterface(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// Sections of a block.
const (
	traffic = "traffic" // Traffic Statistics for "outside":
	control = "control" // Control Point Interface States:
)

// header reads `Interface GigabitEthernet0/0 "outside", is up, line protocol is up`.
func header(p *block.Port, line string) bool {
	rest, ok := strings.CutPrefix(line, "Interface ")
	if !ok {
		return false
	}
	name, rest, ok := strings.Cut(rest, " ")
	if name = strings.Trim(name, ","); !ok || name == "" {
		return false // a name may be that of the zone: "DMZ"
	}
	zone, state, ok := strings.Cut(rest, "\", is ")
	if !ok {
		if zone, state, ok = strings.Cut(rest, "\" is "); !ok {
			return false
		}
	}
	status, protocol, ok := strings.Cut(state, ", line protocol is ")
	if !ok {
		return false
	}
	p.Name = name
	p.Know("nameif", strings.Trim(zone, `" ,`))
	p.Know("status", status)
	p.Know("protocol", protocol)
	p.Oper = block.Oper(protocol)
	p.Admin = devices.Some("up")
	if strings.HasPrefix(status, "administratively") || status == "disabled" {
		p.Admin = devices.Some("down")
	}
	return true
}

var (
	fields = block.With(map[string]block.Where{
		"L2 decode drops":             func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
		"switch ingress policy drops": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
		"switch egress policy drops":  func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
		"rate limit drops":            func(p *block.Port) *devices.Opt[devices.Counter] { return &p.PolicerDrops },
	})
	facts = map[string]string{
		"abort": "in_abort", "resume input": "in_resume", "resume output": "out_resume", "input reset drops": "in_reset_drops",
		"output reset drops": "out_reset_drops", "babbles": "out_babbles", "tx hangs": "out_tx_hangs", "no carrier": "out_no_carrier",
		"demux drops": "in_demux_drops", "output decode drops": "out_decode_drops",
	}
	// trafficFields is of the second set of counters, which counts what the first may not.
	trafficFields = map[string]block.Where{
		"packets input":   func(p *block.Port) *devices.Opt[devices.Counter] { p.Out = false; return &p.InPackets },
		"packets output":  func(p *block.Port) *devices.Opt[devices.Counter] { p.Out = true; return &p.OutPackets },
		"packets dropped": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.ACLDrops },
		"bytes":           block.Common["bytes"],
	}
)

func line(p *block.Port, line string, _ *text.Lines) bool {
	switch c := line[0]; {
	case strings.HasPrefix(line, "Traffic Statistics for "):
		p.Section = traffic
		return true
	case strings.HasPrefix(line, "Control Point "):
		p.Section = control
		return true
	case text.IsDigit(c):
		return figures(p, line)
	case p.Section == control:
		name, value, ok := strings.Cut(line, " is ")
		if ok {
			p.Know("control_"+strings.ReplaceAll(strings.ToLower(name), " ", "_"), value)
		}
		return ok
	case strings.HasPrefix(line, "Received "):
		p.Out = false
		return block.Counters(p, line, fields, facts)
	case strings.HasPrefix(line, "Hardware is "):
		kind, rest, _ := strings.Cut(line[len("Hardware is "):], ",")
		p.KnowOnce("hardware", kind)
		block.Figures(p, rest)
		return true
	case strings.HasPrefix(line, "BW "), strings.HasPrefix(line, "MTU "):
		return block.Figures(p, line)
	case strings.HasPrefix(line, "Description:"):
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(line[len("Description:"):])
		}
		return true
	case strings.HasPrefix(line, "MAC address "):
		mac, rest, _ := strings.Cut(line[len("MAC address "):], ",")
		p.KnowOnce("mac", mac)
		if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
			p.MAC = m
		}
		block.Figures(p, strings.TrimSpace(rest))
		if v, ok := text.After(rest, "MTU "); ok && !p.MTU.OK {
			p.KnowOnce("mtu_text", v)
		}
		return true
	}
	return words(p, line)
}

// figures reads a line of counters or rates.
func figures(p *block.Port, line string) bool {
	if strings.Contains(line, "put rate ") || strings.Contains(line, " drop rate") {
		return rates(p, line)
	}
	if p.Section == traffic {
		return second(p, line)
	}
	return block.Counters(p, line, fields, facts)
}

// second reads a line of the traffic statistics. They are kept as facts where the hardware counts as well.
func second(p *block.Port, line string) (known bool) {
	way := "in"
	for n, label := range text.Pairs(line) {
		value := strconv.FormatUint(n.Value.Value, 10)
		switch label {
		case "packets output":
			way = "out"
			fallthrough
		case "packets input":
			p.KnowOnce("traffic_"+way+"_packets", value)
		case "bytes":
			p.KnowOnce("traffic_"+way+"_bytes", value)
		case "packets dropped":
			p.KnowOnce("traffic_dropped", value)
		}
		if w := trafficFields[label]; w != nil {
			if to := w(p); !to.OK {
				*to = n
			}
			known = true
		}
	}
	return known
}

// rates reads "1 minute input rate 0 pkts/sec,  0 bytes/sec" and "1 minute drop rate, 0 pkts/sec".
func rates(p *block.Port, line string) bool {
	every, rest, ok := strings.Cut(line, " rate")
	if !ok {
		return false
	}
	name := strings.ReplaceAll(every, " ", "_") // 1_minute_input
	for part := range strings.SplitSeq(strings.TrimLeft(rest, ", "), ",") {
		v, unit, ok := text.Decimal(strings.TrimSpace(part))
		if !ok {
			continue
		}
		if scale, ok := text.BitScale(unit); ok {
			p.KnowOnce(name+"_rate", text.Plain(v*scale))
		} else if scale, ok := text.PacketScale(unit); ok {
			p.KnowOnce(name+"_packet_rate", text.Plain(v*scale))
		}
	}
	return true
}

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"VLAN identifier ", "vlan"}, {"input queue ", "in_queue"}, {"output queue ", "out_queue"}, {"Available but not configured ", "not_configured"},
	{"Members in this channel:", "members"}, {"Active:", "members_active"}, {"Management-only interface", "management_only"},
	{"Source interface ", "tunnel_source"}, {"Source IP address ", "tunnel_source_ip"}, {"Destination IP address ", "tunnel_destination_ip"}, {"Destination IP ", "tunnel_destination_ip"}, {"Source IP ", "tunnel_source_ip"},
	{"Mode", "tunnel_mode"}, {"IPsec profile ", "ipsec_profile"}, {"Active member of ", "member_of"}, {"Member of ", "member_of"}, {"Part of ", "part_of"}, {"Interface config status is ", "config_status"}, {"Interface state is ", "state"},
}

// words reads the other lines.
func words(p *block.Port, line string) bool {
	if rest, ok := strings.CutPrefix(line, "IP address "); ok {
		ip, mask, _ := strings.Cut(rest, ",")
		p.KnowOnce("ip", ip)
		p.KnowOnce("netmask", strings.TrimPrefix(strings.TrimSpace(mask), "subnet mask "))
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.KnowOnce(f.name, strings.TrimLeft(rest, " ,:"))
			return true
		}
	}
	return duplex(p, line) || block.Flow(p, line) || strings.HasPrefix(strings.ToLower(line), "input flow control")
}

// duplex reads "Auto-Duplex(Full-duplex), Auto-Speed(1000 Mbps)", "Full-Duplex(Full-duplex), 1000 Mbps(1000 Mbps)"
// and "Auto-Duplex, Auto-Speed", which says what is configured and not what there is.
func duplex(p *block.Port, line string) bool {
	first, rest, ok := strings.Cut(line, ",")
	if !ok || !strings.Contains(strings.ToLower(first), "duplex") {
		return false
	}
	rest = strings.TrimSpace(rest)
	set, now := cutBracket(first)
	p.KnowOnce("duplex_set", set)
	p.KnowOnce("duplex", now)
	if now == "" && !strings.HasPrefix(strings.ToLower(set), "auto") {
		now = set
	}
	switch lower := strings.ToLower(now); {
	case strings.HasPrefix(lower, "full"):
		text.Set(&p.Duplex, "full")
	case strings.HasPrefix(lower, "half"):
		text.Set(&p.Duplex, "half")
	}
	set, now = cutBracket(rest)
	p.KnowOnce("speed_set", set)
	p.KnowOnce("speed", now)
	if now == "" {
		now = set
	}
	if v, ok := text.Rate(now); ok && v > 0 && v <= text.MaxSpeed {
		text.Set(&p.Speed, uint64(v))
	}
	return true
}

func cutBracket(s string) (before, within string) {
	before, within, _ = strings.Cut(s, "(")
	within, _, _ = strings.Cut(within, ")")
	return strings.TrimSpace(before), strings.TrimSpace(within)
}

func end(p *block.Port) {
	if p.Overrun.OK && p.Ignored.OK {
		// Both are frames that the receiver had no room for.
		p.Overrun.Value.Value += p.Ignored.Value.Value
	}
	p.SpeedMax = devices.PortOffers(p.Name)
}

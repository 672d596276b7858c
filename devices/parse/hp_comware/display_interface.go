package hp_comware

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// DisplayInterface reads "display interface", of all ports or of one.
func DisplayInterface(output string, r *devices.Reading) {
	ports, unread := platform.Scan(joined(output))
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// joined brings the header of Comware 7, a name and in the line below "Current state: UP", to that of Comware 5:
// "NAME current state: UP".
func joined(output string) string {
	const mark = "Current state:"
	if !strings.Contains(output, mark) {
		return output
	}
	var b strings.Builder
	lines := text.NewLines(output)
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			return b.String()
		}
		b.WriteString(line)
		if strings.HasPrefix(lines.Peek(), mark) && block.IsPortName(line) {
			state, _, _, _ := lines.Next()
			b.WriteString(" current state:" + state[len(mark):])
		}
		b.WriteByte('\n')
	}
}

func header(p *block.Port, line string) bool {
	name, words, ok := block.CurrentState(line)
	if !ok {
		return false
	}
	p.Name = name
	p.State(words)
	return true
}

type counter = devices.Opt[devices.Counter]

var (
	fields = block.With(map[string]block.Where{
		"packets":      block.Either(func(p *block.Port) *counter { return &p.InPackets }, func(p *block.Port) *counter { return &p.OutPackets }),
		"errors":       block.Either(func(p *block.Port) *counter { return &p.InErrors }, func(p *block.Port) *counter { return &p.OutErrors }),
		"drops":        block.Either(func(p *block.Port) *counter { return &p.InDrops }, func(p *block.Port) *counter { return &p.OutDrops }),
		"multicasts":   block.Either(func(p *block.Port) *counter { return &p.InMulticasts }, func(p *block.Port) *counter { return &p.OutMulticasts }),
		"pauses":       block.Either(func(p *block.Port) *counter { return &p.InPause }, func(p *block.Port) *counter { return &p.OutPause }),
		"crc":          func(p *block.Port) *counter { return &p.FCS },
		"align errors": func(p *block.Port) *counter { return &p.Alignment },
		"overruns":     func(p *block.Port) *counter { return &p.Overrun },
		// Sent and not: the transmit buffer of the port ran low.
		"buffer failures": func(p *block.Port) *counter { return &p.OutDrops },
		"no buffers":      func(p *block.Port) *counter { return &p.NoBuffer },
		"lost carriers": func(p *block.Port) *counter {
			return &p.CarrierSense
		},
	})
	facts = map[string]string{
		"unicasts": "_unicast_packets", "aborts": "_aborts", "parity errors": "_parity_errors", "no carrier": "_no_carrier",
		"frame errors": "_frame_errors", "dribbles": "_dribbles", "babbles": "_babbles",
	}
)

// prefixes lists how lines begin whose rest is a fact, in lower case.
var prefixes = []struct{ begin, name string }{
	{"bandwidth:", "bandwidth"}, {"port link-type:", "port_link_type"}, {"pvid:", "pvid"}, {"vlan passing", "vlan_passing"}, {"vlan permitted", "vlan_permitted"},
	{"untagged vlans:", "untagged_vlans"}, {"untagged vlan id", "untagged_vlans"}, {"tagged vlans:", "tagged_vlans"}, {"tagged   vlan id", "tagged_vlans"}, {"untagged vlan:", "untagged_vlans"}, {"tagged vlan:", "tagged_vlans"},
	{"trunk port encapsulation:", "encapsulation"}, {"port hardware type is", "hardware"}, {"internet address:", "ip"}, {"internet address is", "ip"}, {"internet protocol processing", "ip_processing"},
	{"loopback is ", "loopback"}, {"port priority:", "port_priority"}, {"last link flapping:", "last_flapped"}, {"peak ", "peak"}, {"last time when physical state changed to ", "state_changed"},
	{"current system time:", "system_time"}, {"broadcast ", "broadcast_ratio"}, {"multicast ", "multicast_ratio"}, {"unicast ", "unicast_ratio"}, {"allow jumbo", "jumbo_allowed"}, {"forbid jumbo", "jumbo_forbidden"},
	{"mdi type:", "mdi"}, {"link delay is", "link_delay"}, {"tunnel ", "tunnel"}, {"gre key", "gre_key"}, {"checksumming", "gre_checksum"}, {"encapsulation is", "encapsulation"},
	{"ipv6 ", "ipv6"}, {"no connector", "no_connector"}, {"transfer time:", "transfer_time"}, {"physical layer:", "physical_layer"}, {"phy-mru", "phy_mru"}, {"dcd", "lines"}, {"port mode", "port_mode"},
	{"maximal ", "maximal"}, {"hash", "hash"}, {"timer", "timer"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	if block.LastRate(p, line) || setting(p, line) {
		return true
	}
	lower := strings.ToLower(line)
	if strings.HasPrefix(lower, "output queue") {
		queue(p, line)
		return true
	}
	for _, way := range []string{"input", "output"} {
		if rest, ok := strings.CutPrefix(lower, way); ok && (strings.HasPrefix(rest, ":") || strings.HasPrefix(rest, " (total):") || strings.HasPrefix(rest, " (normal):")) {
			p.Out = way == "output"
			_, rest, _ = strings.Cut(line, ":")
			return strings.TrimSpace(rest) == "" || block.Counters(p, strings.TrimSpace(rest), fields, facts)
		}
	}
	if text.IsDigit(line[0]) || line[0] == '-' {
		return block.Counters(p, line, fields, facts)
	}
	for _, f := range prefixes {
		if strings.HasPrefix(lower, f.begin) {
			p.KnowOnce(f.name, strings.TrimLeft(line[len(f.begin):], " :"))
			return true
		}
	}
	return false
}

// setting reads the lines that fields are for.
func setting(p *block.Port, line string) bool {
	label, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch lower := strings.ToLower(line); {
	case label == "Line protocol state", label == "Line protocol current state":
		p.Protocol(value)
	case label == "Description":
		p.Alias = value
	case strings.HasPrefix(lower, "the maximum transmit unit is "):
		mtu(p, line[len("the maximum transmit unit is "):])
	case label == "Maximum transmission unit", label == "Maximum Transmit Unit":
		mtu(p, value)
	case strings.HasPrefix(lower, "the maximum frame length is "):
		p.KnowOnce("frame_length", line[len("the maximum frame length is "):])
	case label == "Maximum frame length":
		p.KnowOnce("frame_length", value)
	case label == "Last clearing of counters":
		text.Set(&p.LastClear, value)
	case strings.Contains(lower, "frame type:"):
		_, mac, _ := strings.Cut(lower, "hardware address: ")
		p.Know("mac", mac)
		if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
			p.MAC = m
		}
	case strings.HasPrefix(lower, "media type"):
		media, _, _ := strings.Cut(strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(lower, "media type"), " is"), " :"), ",")
		p.Know("media", media)
		text.Set(&p.Media, strings.TrimSpace(media))
	case strings.HasPrefix(lower, "link speed type is "):
		p.Know("link_speed_type", line[len("link speed type is "):])
		text.Set(&p.Autoneg, strings.HasPrefix(lower, "link speed type is autonegotiation"))
	case strings.Contains(lower, "flow-control"):
		flow(p, lower)
	default:
		return speed(p, line)
	}
	return true
}

func mtu(p *block.Port, value string) {
	if n, _, ok := text.Uint32(strings.TrimSpace(value)); ok {
		text.Set(&p.MTU, n)
	}
}

// flow reads "Flow-control is not enabled", "Flow-control: Disabled" and "Output flow-control is disabled, input
// flow-control is disabled".
func flow(p *block.Port, lower string) {
	p.KnowOnce("flow_control", lower)
	for part := range strings.SplitSeq(lower, ",") {
		on := strings.HasSuffix(part, "enabled") && !strings.HasSuffix(part, "not enabled")
		if !strings.Contains(part, "output") {
			text.Set(&p.FlowIn, on)
		}
		if !strings.Contains(part, "input") {
			text.Set(&p.FlowOut, on)
		}
	}
}

// speed reads "20Gbps-speed mode, full-duplex mode", "1000M, Full, link type is autonegotiation" and "1000Mb/s,
// Full-duplex, link type: autonegotiation,".
func speed(p *block.Port, line string) bool {
	f := strings.Split(strings.TrimRight(line, " ,"), ",")
	const old = 3
	switch {
	case len(f) == 2 && strings.HasSuffix(f[0], "-speed mode"):
	case len(f) == old && strings.HasPrefix(f[2], " link type"):
		text.Set(&p.Autoneg, strings.HasSuffix(f[2], "autonegotiation"))
	default:
		return false
	}
	rate, duplex := strings.TrimSuffix(f[0], " mode"), strings.TrimSuffix(strings.TrimSpace(f[1]), " mode")
	p.Know("speed", rate)
	p.Know("duplex", duplex)
	if v, ok := text.Rate(strings.TrimSuffix(rate, "-speed")); ok && v > 0 && v <= text.MaxSpeed {
		text.Set(&p.Speed, uint64(v))
	}
	switch lower := strings.ToLower(duplex); {
	case strings.HasPrefix(lower, "full"):
		text.Set(&p.Duplex, "full")
	case strings.HasPrefix(lower, "half"):
		text.Set(&p.Duplex, "half")
	}
	return true
}

// queue reads "Output queue - FIFO queuing: Size/Length/Discards 0/75/430" and "Output queue : (FIFO queuing :
// Size/Length/Discards)  0/75/430". A port that counts its drops in its queues alone gets their sum.
func queue(p *block.Port, line string) {
	f := strings.Fields(line)
	name := ""
	for _, n := range []string{"urgent", "protocol", "fifo"} {
		if strings.Contains(strings.ToLower(line), n+" queuing") {
			name = "queue_" + n
		}
	}
	p.KnowOnce(name, f[len(f)-1])
}

// end adds up the discards of the queues where the port has no counter of its own.
func end(p *block.Port) {
	p.SpeedMax = devices.PortOffers(p.Name)
	if p.OutDrops.OK {
		return
	}
	for _, name := range []string{"queue_urgent", "queue_protocol", "queue_fifo"} {
		v := p.Fact(name)
		if i := strings.LastIndexByte(v, '/'); i >= 0 && strings.Count(v, "/") == 2 {
			p.OutDrops = text.Sum(p.OutDrops, text.Count(v[i+1:]))
		}
	}
}

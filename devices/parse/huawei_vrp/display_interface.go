package huawei_vrp

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// DisplayInterface reads "display interface", of all ports or of one.
func DisplayInterface(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

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
	packets = block.Either(func(p *block.Port) *counter { return &p.InPackets }, func(p *block.Port) *counter { return &p.OutPackets })
	failed  = block.Either(func(p *block.Port) *counter { return &p.InErrors }, func(p *block.Port) *counter { return &p.OutErrors })
	dropped = block.Either(func(p *block.Port) *counter { return &p.InDrops }, func(p *block.Port) *counter { return &p.OutDrops })
	multi   = block.Either(func(p *block.Port) *counter { return &p.InMulticasts }, func(p *block.Port) *counter { return &p.OutMulticasts })
	broad   = block.Either(func(p *block.Port) *counter { return &p.InBroadcasts }, func(p *block.Port) *counter { return &p.OutBroadcasts })
	paused  = block.Either(func(p *block.Port) *counter { return &p.InPause }, func(p *block.Port) *counter { return &p.OutPause })
	octets  = block.Either(func(p *block.Port) *counter { return &p.InOctets }, func(p *block.Port) *counter { return &p.OutOctets })
	checked = func(p *block.Port) *counter { return &p.FCS }
)

// fields lists the labels of counters, in lower case.
var fields = map[string]block.Where{
	"packets": packets, "bytes": octets, "total error": failed, "errors": failed, "packet errors": failed, "error": failed, "discard": dropped, "packet discards": dropped, "drops": dropped,
	"multicast": multi, "broadcast": broad, "pause": paused, "crc": checked, "fcs": checked, "fcs error packets": checked,
	"giants": func(p *block.Port) *counter { return &p.Giants }, "jabbers": func(p *block.Port) *counter { return &p.Jabbers },
	"runts": func(p *block.Port) *counter { return &p.Runts }, "fragments": func(p *block.Port) *counter { return &p.Fragments },
	"alignments": func(p *block.Port) *counter { return &p.Alignment }, "symbols": func(p *block.Port) *counter { return &p.Symbol }, "symbol": func(p *block.Port) *counter { return &p.Symbol },
	"ignoreds": func(p *block.Port) *counter { return &p.Ignored }, "throttles": func(p *block.Port) *counter { return &p.Throttles },
	"dropevents": func(p *block.Port) *counter { return &p.NoBuffer }, "overruns": func(p *block.Port) *counter { return &p.Overrun }, "underruns": func(p *block.Port) *counter { return &p.Underruns },
	"collisions": func(p *block.Port) *counter { return &p.Collisions }, "excessivecollisions": func(p *block.Port) *counter { return &p.ExcessiveCollisions },
	"late collisions": func(p *block.Port) *counter { return &p.LateCollisions }, "deferreds": func(p *block.Port) *counter { return &p.Deferred },
	"unknownprotocol": func(p *block.Port) *counter { return &p.UnknownProtos },
}

// facts lists the labels of counters that no field is for.
var facts = map[string]string{
	"unicast": "_unicast_packets", "ununicast": "_other_packets", "jumbo": "_jumbos", "frames": "_frame_length_errors", "buffers purged": "_buffers_purged", "cell errors": "_cell_errors",
	"oam cells": "_oam_cells", "asm cells": "_asm_cells", "address error packets": "_address_errors", "control field control error packets": "_control_errors",
	"phyerr": "_phy_errors", "mic": "_mic_errors", "rtssuccess": "_rts_success", "sendfail": "_send_failures", "lost": "_lost",
}

// counters reads "Discard:  0,  Pause:  0", "Input: 38 packets, 512 bytes" and "9 errors,9 unknownprotocol", and says
// whether it knew any.
func counters(p *block.Port, line string) (known bool) {
	for part := range strings.SplitSeq(line, ",") {
		label, value, labelled := strings.Cut(strings.ToLower(part), ":")
		label, value = strings.TrimSpace(label), strings.TrimSpace(value)
		switch way, rest, _ := strings.Cut(label, " "); {
		case labelled && (way == "input" || way == "output") && (rest == "" || rest == "packets"):
			p.Out = way == "output"
			if value == "" {
				return true
			}
			label = "packets"
			if rest == "" {
				value, label, _ = strings.Cut(value, " ")
			}
		case !labelled:
			value, label, _ = strings.Cut(label, " ")
		}
		where, name := fields[strings.TrimSpace(label)], facts[strings.TrimSpace(label)]
		n := text.Count(value)
		switch {
		case where != nil:
			text.SetOpt(where(p), n)
			known = true
		case name != "":
			known = true
			if n.OK {
				p.Know(name, value)
			}
		}
	}
	return known
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	if strings.HasPrefix(line, "PortName ") {
		p.Section = "members"
		return true
	}
	if p.Section == "members" {
		return member(p, line)
	}
	return strings.HasPrefix(line, "-----") || block.LastRate(p, line) || setting(p, line) || counters(p, line) || fact(p, line)
}

// member reads a line of the table of a trunk's members.
func member(p *block.Port, line string) bool {
	f := strings.Fields(line)
	const columns = 3
	if len(f) == columns && block.IsPortName(f[0]) {
		p.Know("member", f[0])
		return true
	}
	return strings.HasPrefix(line, "-----") || strings.HasPrefix(line, "The Number of ")
}

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Last physical up time", "physical_up"}, {"Last physical down time", "physical_down"}, {"Last line protocol up time", "protocol_up"}, {"Current system time", "system_time"},
	{"Internet protocol processing", "ip_processing"}, {"Link layer protocol is", "link_layer"}, {"Physical is", "physical"}, {"Input peak rate", "in_peak"}, {"Output peak rate", "out_peak"},
	{"LCP ", "lcp"}, {"Bound to ", "bound_to"}, {"Current work mode", "work_mode"}, {"Current Work Mode", "work_mode"}, {"Port PHY type", "phy"}, {"Modem State", "modem"}, {"Model ", "modem_model"}, {"Current ", "current"},
	{"Tunnel ", "tunnel"}, {"keepalive", "keepalive"}, {"Checksumming", "checksum"}, {"Packets statistics", "statistics"}, {"Encapsulation ", "encapsulation"}, {"Route ", "route"}, {"Mdi", "mdi"},
	{"The Vendor PN", "optics_part"}, {"The Vendor Name", "optics_vendor"}, {"Port BW", "port_bandwidth"}, {"WaveLength", "wavelength"}, {"Rx Power", "rx_power"}, {"Tx Power", "tx_power"}, {"RX Power", "rx_power"}, {"TX Power", "tx_power"},
	{"Last 10 seconds", "burst"}, {"Loopback", "loopback_line"}, {"QoS", "qos"}, {"Statistics last cleared", "cleared"},
}

func fact(p *block.Port, line string) bool {
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			if rest = strings.TrimLeft(rest, " :"); rest != "-" {
				p.KnowOnce(f.name, rest)
			}
			return true
		}
	}
	return false
}

// setting reads the lines that fields are for.
func setting(p *block.Port, line string) bool {
	label, value, _ := strings.Cut(line, ":")
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	switch lower := strings.ToLower(line); {
	case label == "Line protocol current state":
		p.Protocol(value)
	case label == "Description":
		p.Alias = value
	case strings.HasPrefix(lower, "internet address is "):
		p.KnowOnce("ip", line[len("internet address is "):])
	case strings.Contains(lower, "hardware address is "):
		_, mac, _ := strings.Cut(lower, "hardware address is ")
		p.KnowOnce("mac", mac)
		if m, ok := text.MAC(strings.TrimSpace(mac)); ok && p.MAC == "" {
			p.MAC = m
		}
	case strings.HasPrefix(lower, "last clearing of counters"):
		text.Set(&p.LastClear, value)
	case strings.Contains(lower, "bandwidth utilization"):
		utilization(p, label, value)
	case strings.HasPrefix(line, "Route Port"), strings.HasPrefix(line, "Switch Port"), strings.HasPrefix(line, "PVID"), strings.HasPrefix(line, "Port Mode"),
		strings.HasPrefix(line, "Speed"), strings.HasPrefix(line, "Duplex"), strings.HasPrefix(line, "Mdi"), strings.HasPrefix(lower, "negotiation"), strings.Contains(lower, "flow-control"):
		for part := range strings.SplitSeq(line, ",") {
			option(p, strings.TrimSpace(part))
		}
	default:
		return false
	}
	return true
}

// utilization reads "0.01%" of the busier direction; what stands for a threshold is none.
func utilization(p *block.Port, label, value string) {
	v, rest, ok := text.Decimal(value)
	if strings.Contains(label, "threshold") || !ok || rest != "%" || v > 100 {
		return
	}
	if !p.Load.OK || v/100 > p.Load.Value {
		p.Load = devices.Some(v / 100)
	}
}

// option reads one part of a line of settings: "Speed : 1000", "The Maximum Transmit Unit is 1500", "Route Port".
func option(p *block.Port, part string) {
	label, value, _ := strings.Cut(part, ":")
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	lower := strings.ToLower(label)
	for _, begin := range []string{"the maximum transmit unit is ", "the maximum frame length is ", "the mtu is ", "hold timer is "} {
		if strings.HasPrefix(lower, begin) {
			lower, value = begin, label[len(begin):]
		}
	}
	switch lower {
	case "the maximum transmit unit is ", "the mtu is ":
		p.KnowOnce("mtu", value)
		if n, _, ok := text.Uint32(value); ok {
			text.Set(&p.MTU, n)
		}
	case "the maximum frame length is ":
		p.KnowOnce("frame_length", value)
	case "hold timer is ":
		p.KnowOnce("hold_timer", value)
	case "route port", "switch port":
		p.KnowOnce("port_type", label)
	case "link-type", "pvid", "tpid", "hash arithmetic", "mdi", "clock", "transceiver", "loopback":
		p.KnowOnce(strings.ReplaceAll(lower, "-", "_"), value)
	case "port mode":
		p.KnowOnce("port_mode", value)
		if !text.Unset(value) {
			text.Set(&p.Media, value)
		}
	case "speed":
		p.KnowOnce("speed", value)
		if n, rest, ok := text.Uint32(value); ok && rest == "" && n > 0 && float64(n)*1e6 <= text.MaxSpeed {
			text.Set(&p.Speed, uint64(n)*1e6)
		}
	case "duplex":
		p.KnowOnce("duplex", value)
		if word := strings.ToLower(value); word == "full" || word == "half" {
			text.Set(&p.Duplex, word)
		}
	case "negotiation":
		p.KnowOnce("negotiation", value)
		if !text.Unset(value) {
			text.Set(&p.Autoneg, value == "ENABLE")
		}
	default:
		flow(p, lower, value)
	}
}

// flow reads "Flow-control: DISABLE", "Input flow-control: ENABLE" and "Output flow-control: ENABLE".
func flow(p *block.Port, label, value string) {
	if !strings.HasSuffix(label, "flow-control") || value != "ENABLE" && value != "DISABLE" {
		return
	}
	if label != "output flow-control" {
		text.Set(&p.FlowIn, value == "ENABLE")
	}
	if label != "input flow-control" {
		text.Set(&p.FlowOut, value == "ENABLE")
	}
}

func end(p *block.Port) { p.SpeedMax = devices.PortOffers(p.Name) }

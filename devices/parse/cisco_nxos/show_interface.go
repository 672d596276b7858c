package cisco_nxos

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterface reads "show interface", of all ports or of one.
func ShowInterface(output string, r *devices.Reading) {
	ports, unread := platform.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

var platform = block.Platform{Header: header, Line: line, End: end}

// header reads "Ethernet1/1 is down (Link not connected)" and "Vlan1 is up, line protocol is up, autostate enabled".
func header(p *block.Port, line string) bool {
	name, status, protocol, reason, ok := block.Header(line)
	if !ok {
		return false
	}
	p.Name = name
	p.Know("status", status)
	p.Know("protocol", protocol)
	p.Know("reason", reason)
	oper := protocol
	if oper == "" {
		oper = status
	}
	p.Oper = block.Oper(oper)
	p.ErrDisabled = block.ErrDisabled(reason)
	if strings.EqualFold(reason, "Administratively down") || strings.EqualFold(status, "administratively down") {
		p.Admin = devices.Some("down")
	}
	if strings.Contains(line, "autostate enabled") {
		p.Know("autostate", "enabled")
	}
	return true
}

// fields and facts list the labels of the counters; a fact that begins with "_" is of the direction above it.
var (
	fields = block.With(map[string]block.Where{
		"short frame":    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Fragments },
		"bad proto drop": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.UnknownProtos },
		"underrun":       func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Underruns },
	})
	facts = map[string]string{
		"unicast packets": "_unicast_packets", "jumbo packets": "_jumbo_packets", "storm suppression bytes": "in_storm_suppression_bytes",
		"watchdog": "in_watchdog", "bad etype drop": "in_bad_etype_drop", "if down drop": "in_if_down_drop",
		"input with dribble": "in_dribble", "no carrier": "out_no_carrier", "babble": "out_babble",
	}
)

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Port mode is ", "port_mode"}, {"EtherType is ", "ethertype"}, {"Beacon is turned ", "beacon"}, {"Auto-mdix is turned ", "auto_mdix"},
	{"Switchport monitor is ", "switchport_monitor"}, {"Last link flapped ", "last_link_flapped"}, {"Internet Address is ", "ip"},
	{"Internet address is ", "ip"}, {"EEE (efficient-ethernet) : ", "eee"}, {"Belongs to ", "port_channel"}, {"Members in this channel: ", "members"},
	{"Port WWN is ", "wwn"}, {"Management transceiver: ", "transceiver"}, {"Active connector: ", "connector"}, {"Configured Media-type: ", "configured_media"},
	{"Carrier delay ", "carrier_delay"}, {"Port description is ", "description"}, {"Rate mode is ", "rate_mode"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	switch c := line[0]; {
	case text.IsDigit(c), c == '-':
		return block.Rate(p, line) || block.Counters(p, line, fields, facts)
	case strings.EqualFold(line, "RX"), strings.EqualFold(line, "TX"):
		p.Out = lower(c) == 't'
		return true
	case c == 'i' && (strings.HasPrefix(line, "input rate ") || strings.HasPrefix(line, "input interval")):
		summary(p, line)
		return true
	case strings.HasPrefix(line, "MTU "), strings.HasPrefix(line, "BW "), strings.HasPrefix(line, "reliability "):
		return block.Figures(p, line)
	case strings.HasPrefix(line, "Hardware"):
		hardware(p, line)
		return true
	case strings.HasPrefix(strings.ToLower(line), "admin state"):
		admin(p, line)
		return true
	case strings.HasPrefix(line, "Dedicated Interface"):
		p.Know("dedicated", "true")
		return true
	case strings.HasPrefix(line, "Description:"):
		description(p, strings.TrimSpace(line[len("Description:"):]))
		return true
	case strings.HasPrefix(line, "Encapsulation "):
		encapsulation(p, line)
		return true
	case strings.HasPrefix(line, "Auto-Negotiation is turned "):
		rest := line[len("Auto-Negotiation is turned "):]
		word, fec, _ := strings.Cut(rest, " ")
		text.Set(&p.Autoneg, word == "on")
		if mode, ok := text.After(fec, "FEC mode is "); ok {
			p.Know("fec_mode", mode)
		}
		return true
	case strings.HasPrefix(line, "Last clearing of "):
		if when, ok := text.After(line, "counters "); ok {
			text.Set(&p.LastClear, when)
		}
		return true
	case strings.HasPrefix(line, "ucast: "):
		overlay(p, line)
		return true
	case strings.HasPrefix(line, "Load-Interval "):
		return true
	}
	for _, f := range prefixes {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			p.KnowOnce(f.name, rest)
			return true
		}
	}
	return block.Flow(p, line) || speed(p, line)
}

func lower(c byte) byte { return c | 0x20 }

// hardware reads "Hardware: 10/100/1000 Ethernet, address: aaaa.bbff.8888 (bia 5254.00ff.8506)" and "Hardware is
// EtherSVI, address is  000c.29ff.f8a2".
func hardware(p *block.Port, line string) {
	rest := strings.TrimPrefix(strings.TrimPrefix(line, "Hardware: "), "Hardware is ")
	kind, addr, ok := strings.Cut(rest, ", address")
	p.KnowOnce("hardware", kind)
	if most, ok := offers(kind); ok {
		text.Set(&p.SpeedMax, most)
	}
	if !ok {
		return
	}
	addr = strings.TrimLeft(strings.TrimPrefix(addr, ": "), " ")
	addr = strings.TrimSpace(strings.TrimPrefix(addr, "is "))
	mac, bia, _ := strings.Cut(addr, " (bia ")
	p.KnowOnce("mac", mac)
	p.KnowOnce("bia", strings.TrimRight(bia, ")"))
	if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
		p.MAC = m
	}
}

// offers returns the highest of the speeds in "100/1000/10000 Ethernet" (Mbit/s).
func offers(kind string) (uint64, bool) {
	speeds, _, ok := strings.Cut(kind, " Ethernet")
	if !ok {
		return 0, false
	}
	var most uint64
	for s := range strings.SplitSeq(speeds, "/") {
		n, rest, ok := text.Uint32(s)
		if !ok || rest != "" {
			return 0, false
		}
		most = max(most, uint64(n)*1e6)
	}
	return most, most > 0 && most <= text.MaxSpeed
}

// admin reads "admin state is up, Dedicated Interface, [parent interface is Ethernet2/1]".
func admin(p *block.Port, line string) {
	rest := strings.TrimLeft(line[len("admin state"):], ": ")
	rest = strings.TrimPrefix(rest, "is ")
	for i, part := range strings.Split(rest, ",") {
		part = strings.TrimSpace(part)
		switch {
		case i == 0 && part == "": // cut off
		case i == 0:
			text.Set(&p.Admin, strings.ToLower(part))
			p.KnowOnce("admin_state", part)
		case part == "Dedicated Interface":
			p.Know("dedicated", "true")
		case strings.HasPrefix(part, "[parent interface is "):
			p.Know("parent", strings.Trim(part[len("[parent interface is "):], "]"))
		case strings.HasPrefix(part, "Hardware"):
			hardware(p, part)
		}
	}
}

// description keeps a description. Some releases print the address on the same line behind it.
func description(p *block.Port, s string) {
	if before, ip, ok := strings.Cut(s, " Internet Address is "); ok {
		if prefix, err := netip.ParsePrefix(ip); err == nil && prefix.IsValid() {
			p.KnowOnce("ip", ip)
			s = before
		}
	}
	if p.Alias == "" {
		p.Alias = s
	}
}

// encapsulation reads "Encapsulation 802.1Q Virtual LAN, Vlan ID 10, medium is broadcast".
func encapsulation(p *block.Port, line string) {
	for i, part := range strings.Split(line[len("Encapsulation "):], ",") {
		part = strings.TrimSpace(part)
		if i == 0 {
			p.KnowOnce("encapsulation", part)
		} else if id, ok := strings.CutPrefix(part, "Vlan ID "); ok {
			p.KnowOnce("vlan", id)
		} else if m, ok := strings.CutPrefix(part, "medium is "); ok {
			p.KnowOnce("medium", m)
		}
	}
}

// summary reads "input rate 5.32 Kbps, 1 pps; output rate 0 bps, 0 pps", which repeats what stands above it, or is
// all that there is.
func summary(p *block.Port, line string) {
	for i, half := range strings.SplitN(line, ";", 2) {
		way := [2]string{"in", "out"}[i]
		_, half, _ = strings.Cut(half, "rate ")
		for part := range strings.SplitSeq(half, ",") {
			v, unit, ok := text.Decimal(strings.TrimSpace(part))
			if !ok {
				continue
			}
			if scale, ok := text.BitScale(unit); ok {
				p.KnowOnce(way+"_rate_rounded", text.Plain(v*scale))
			} else if scale, ok := text.PacketScale(unit); ok {
				p.KnowOnce(way+"_packet_rate_rounded", text.Plain(v*scale))
			}
		}
	}
}

// overlay reads "ucast: 25139 pkts, 3095784 bytes - mcast: 125 pkts, 14722 bytes" of an NVE interface.
func overlay(p *block.Port, line string) {
	var packets, octets devices.Opt[devices.Counter]
	for part := range strings.SplitSeq(line, " - ") {
		kind, rest, _ := strings.Cut(part, ": ")
		for n, label := range text.Pairs(rest) {
			switch {
			case label == "pkts":
				packets = text.Sum(packets, n)
				if kind == "mcast" {
					if p.Out {
						text.SetOpt(&p.OutMulticasts, n)
					} else {
						text.SetOpt(&p.InMulticasts, n)
					}
				}
			case label == "bytes":
				octets = text.Sum(octets, n)
			}
		}
	}
	if p.Out {
		text.SetOpt(&p.OutPackets, packets)
		text.SetOpt(&p.OutOctets, octets)
	} else {
		text.SetOpt(&p.InPackets, packets)
		text.SetOpt(&p.InOctets, octets)
	}
}

// speed reads "full-duplex, 1000 Mb/s, media type is 10G" and "auto-duplex, auto-speed".
func speed(p *block.Port, line string) bool {
	first, rest, ok := strings.Cut(line, ",")
	if !ok || !strings.HasSuffix(strings.ToLower(first), "duplex") {
		return false
	}
	p.KnowOnce("duplex", first)
	switch strings.ToLower(strings.TrimSuffix(strings.ToLower(first), "-duplex")) {
	case "full":
		text.Set(&p.Duplex, "full")
	case "half":
		text.Set(&p.Duplex, "half")
	}
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(part)
		if media, ok := strings.CutPrefix(part, "media type is "); ok {
			text.Set(&p.Media, media)
			p.Know("media", media)
			continue
		}
		p.KnowOnce("speed", part)
		if v, ok := text.Rate(part); ok && v > 0 && v <= text.MaxSpeed {
			text.Set(&p.Speed, uint64(v))
		}
	}
	return true
}

func end(p *block.Port) {
	if !p.Admin.OK && (p.Oper.Value == "up" || p.Fact("reason") != "") {
		p.Admin = devices.Some("up") // it says so where it is administratively down
	}
	if p.Overrun.OK && p.Ignored.OK {
		// Both are frames that the receiver had no room for.
		p.Overrun.Value.Value += p.Ignored.Value.Value
	}
	if !p.SpeedMax.OK {
		p.SpeedMax = devices.PortOffers(p.Name)
	}
	// "media type is 10G": the transceiver sets the limit, however fast the port's hardware is.
	if most, ok := text.Rate(p.Media.Value); ok && uint64(most) >= p.Speed.Value && uint64(most) < p.SpeedMax.Value {
		p.SpeedMax = devices.Some(uint64(most))
	}
	if d := p.Fact("description"); d != "" && p.Alias == "" {
		p.Alias = d
	}
}

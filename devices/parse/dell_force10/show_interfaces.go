package dell_force10

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces" of OS9 and "show interface" of OS10, of all ports or of one. The power that a
// module receives is a sensor.
func ShowInterfaces(output string, r *devices.Reading) {
	ports, unread := block.Platform{Header: header, Line: line, End: end}.Scan(output)
	into.Ports(r, ports)
	into.Unread(r, unread...)
	for _, p := range ports {
		if v, unit, ok := text.Float(p.Fact("receive_power")); ok && strings.TrimSpace(unit) == "dBm" {
			r.Sensors = append(r.Sensors, devices.Sensor{Port: p.Name, Kind: "rx_power", Unit: "dBm", Value: devices.Some(v)})
		}
	}
}

// header reads "TenGigabitEthernet 0/1 is up, line protocol is down(error-disabled[BPDU])". The first state is the
// administrative one.
func header(p *block.Port, line string) bool {
	name, rest, ok := strings.Cut(line, " is ")
	if !ok {
		return false
	}
	_, status, protocol, reason, ok := block.Header(joined(name) + " is " + rest)
	if !ok || protocol == "" {
		return false
	}
	p.Name = name
	p.Know("status", status)
	p.Know("protocol", protocol)
	p.Know("reason", reason)
	p.Oper = block.Oper(protocol)
	p.Admin = devices.Some("down")
	if strings.EqualFold(status, "up") {
		p.Admin = devices.Some("up")
	}
	if why, ok := strings.CutPrefix(strings.ToLower(reason), "error-disabled"); ok {
		p.ErrDisabled = errDisabled(strings.Trim(why, "[] :"))
	}
	return true
}

// errDisabled returns the reason that OS9 puts into square brackets, in the words that other platforms use.
func errDisabled(why string) string {
	switch why {
	case "":
		return "err-disabled"
	case "bpdu", "bpdu guard", "bpduguard":
		return "bpduguard"
	}
	return why
}

// joined takes the blank out of "TenGigabitEthernet 0/1"; any other text with blanks stays what it is.
func joined(name string) string {
	kind, number, ok := strings.Cut(name, " ")
	if ok && number != "" && text.IsDigit(number[0]) {
		return kind + number
	}
	return name
}

var (
	fields = block.With(map[string]block.Where{
		"packets":    func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InPackets, &p.OutPackets) },
		"octets":     func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InOctets, &p.OutOctets) },
		"Multicasts": func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InMulticasts, &p.OutMulticasts) },
		"Broadcasts": func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InBroadcasts, &p.OutBroadcasts) },
		"errors":     func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InErrors, &p.OutErrors) },
		"discarded":  func(p *block.Port) *devices.Opt[devices.Counter] { return way(p, &p.InDrops, &p.OutDrops) },
		"Collisions": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Collisions },
	})
	facts = map[string]string{
		"Unicasts": "_unicast_packets", "wreddrops": "_wred_drops", "wred drops": "_wred_drops", "WRED drops": "_wred_drops", "invalid protocol": "_invalid_protocol",
		"64-byte pkts": "_64", "over 64-byte pkts": "_over_64", "over 127-byte pkts": "_over_127", "over 255-byte pkts": "_over_255",
		"over 511-byte pkts": "_over_511", "over 1023-byte pkts": "_over_1023",
	}
	// outThrottles: what is sent has throttles of its own, which no field is for.
	outThrottles = map[string]string{"throttles": "_throttles"}
)

// way returns the field of the direction that the lines are about.
func way(p *block.Port, in, out *devices.Opt[devices.Counter]) *devices.Opt[devices.Counter] {
	if p.Out {
		return out
	}
	return in
}

// prefixes lists how lines begin whose rest is a fact.
var prefixes = []struct{ begin, name string }{
	{"Wavelength is ", "wavelength"}, {"Medium is ", "medium"}, {"Receive power reading is ", "receive_power"}, {"SFP receive power reading is ", "receive_power"},
	{"SFP+ receive power reading is ", "receive_power"}, {"XFP receive power reading is ", "receive_power"}, {"QSFP receive power reading is ", "receive_power"},
	{"Internet address is ", "ip"}, {"Mode of IPv4 Address Assignment", "address_mode"}, {"Mode of IPv6 Address Assignment", "address_mode_ipv6"},
	{"Interface IPv6 oper status", "ipv6_status"}, {"DHCP Client-ID", "dhcp_client"}, {"Virtual-IP ", "virtual_ip"}, {"Configured FEC is ", "fec"}, {"FEC is ", "fec"},
	{"ARP type: ", "arp_type"}, {"Queueing strategy: ", "queueing"}, {"Queuing strategy: ", "queueing"}, {"Time since last interface status change: ", "last_link_flapped"},
	{"Members in this channel: ", "members"}, {"Minimum number of links to bring Port-channel up is ", "minimum_links"}, {"Port is part of Port-channel ", "member_of"},
	{"Interface Alias is ", "alias"}, {"NTP Status:", "ntp"}, {"Port mode", "port_mode"}, {"VLAN membership", "vlans"}, {"Auto-Negotiation", "auto_negotiation"}, {"Link local IPv6 address: ", "ipv6"}, {"Global IPv6 address: ", "ipv6"},
	{"Operational Speed", "operational_speed"}, {"Beacon is ", "beacon"}, {"Port-channel is part of VLT", "vlt"}, {"Vlan alias name is: ", "vlan_name"}, {"LACP mode", "lacp"},
}

func line(p *block.Port, line string, _ *text.Lines) bool {
	if text.IsDigit(line[0]) {
		return counters(p, line)
	}
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "Input", "Output", "Received":
		return direction(p, word, rest)
	case "Rate":
		if i := strings.Index(rest, "nterval "); i >= 0 {
			p.Section = strings.TrimRight(rest[i+len("nterval "):], "): ")
		}
		return true
	case "Hardware", "Current", "Address":
		return address(p, line)
	case "Pluggable":
		p.KnowOnce("media", strings.TrimPrefix(rest, "media "))
		if kind, ok := text.After(rest, " type is "); ok {
			text.Set(&p.Media, kind)
		}
		return true
	case "Description:":
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(rest)
		}
		return true
	case "Last":
		if when, ok := text.After(line, "counters"); ok {
			text.Set(&p.LastClear, strings.TrimLeft(when, ": "))
		}
		return true
	case "MTU":
		return block.Figures(p, line)
	case "LineSpeed":
		lineSpeed(p, rest)
		return true
	case "Flowcontrol":
		flow(p, strings.Fields(rest))
		return true
	}
	if n, ok := strings.CutPrefix(line, "Interface index is "); ok {
		if v, _, ok := text.Uint32(n); ok {
			text.Set(&p.Index, v)
		}
		return true
	}
	for _, f := range prefixes {
		if value, ok := strings.CutPrefix(line, f.begin); ok {
			p.Know(f.name, strings.TrimLeft(value, ": "))
			return true
		}
	}
	return false
}

func counters(p *block.Port, line string) bool {
	if p.Out && strings.Contains(line, " throttles") {
		block.Counters(p, line, nil, outThrottles)
		_, line, _ = strings.Cut(line, "throttles") // always first
	}
	return block.Counters(p, line, fields, facts)
}

// direction reads "Input Statistics:", the rates "Input 00.12 Mbits/sec, 81 packets/sec, 0.01% of line-rate", and the
// lines of a management port: "Input 12 packets, 840 bytes, 3 multicast", "Received 0 errors, 0 discarded".
func direction(p *block.Port, word, rest string) bool {
	p.Out = word == "Output"
	switch {
	case strings.EqualFold(strings.TrimRight(rest, ": "), "statistics"):
		return true
	case strings.Contains(rest, "packets/sec"):
		if p.Section == "" {
			p.Section = "0 seconds"
		}
		return block.Rate(p, p.Section+" "+strings.ToLower(word)+" rate "+rest)
	}
	return counters(p, rest)
}

// address reads "Hardware is DellEth, address is 90:b1:1c:00:01:02" and "Current address is 90:b1:1c:00:01:02".
func address(p *block.Port, line string) bool {
	if kind, ok := strings.CutPrefix(line, "Hardware is "); ok {
		kind, _, _ = strings.Cut(kind, ",")
		p.KnowOnce("hardware", kind)
	}
	i := strings.LastIndex(line, "ddress is ")
	if i < 0 {
		return strings.HasPrefix(line, "Hardware is ")
	}
	if m, ok := text.MAC(strings.TrimSpace(line[i+len("ddress is "):])); ok {
		p.MAC = m
		p.KnowOnce("mac", m)
	}
	return true
}

// lineSpeed reads "10000 Mbit, Mode full duplex", "100G, Auto-Negotiation on" and "auto". A port that is down prints
// what it would have.
func lineSpeed(p *block.Port, s string) {
	for n, part := range strings.Split(s, ",") {
		part = strings.TrimSpace(part)
		lower := strings.ToLower(part)
		switch {
		case n == 0:
			p.KnowOnce("speed", part)
			if v, ok := text.Rate(part); ok && v > 0 && v <= text.MaxSpeed && p.Oper.OK && p.Oper.Value == "up" {
				text.Set(&p.Speed, uint64(v))
			}
		case strings.HasPrefix(lower, "auto-negotiation "):
			if state := strings.TrimPrefix(lower, "auto-negotiation "); state == "on" || state == "off" {
				text.Set(&p.Autoneg, state == "on")
			}
		case strings.HasPrefix(lower, "mode full"):
			text.Set(&p.Duplex, "full")
		case strings.HasPrefix(lower, "mode half"):
			text.Set(&p.Duplex, "half")
		}
	}
}

// flow reads the words of "rx off tx on".
func flow(p *block.Port, words []string) {
	for n := 0; n+1 < len(words); n += 2 {
		if state := words[n+1]; state == "on" || state == "off" {
			switch words[n] {
			case "rx":
				text.Set(&p.FlowIn, state == "on")
			case "tx":
				text.Set(&p.FlowOut, state == "on")
			}
		}
	}
}

func end(p *block.Port) { p.SpeedMax = devices.PortOffers(p.Name) }

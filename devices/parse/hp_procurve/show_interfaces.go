package hp_procurve

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces": the table of all ports, and the counters of one port.
func ShowInterfaces(output string, r *devices.Reading) {
	var ports []devices.Interface
	var one *block.Port
	for line := range text.Each(output) {
		if _, name, ok := strings.Cut(line, "Port Counters for port "); ok {
			ports = finish(ports, one)
			one = nil
			if name, trunk := portName(name); name != "" {
				one = &block.Port{}
				one.Name = name
				one.Know("trunk", trunk)
			}
			continue
		}
		if one != nil {
			counters(one, line)
		} else if i, ok := row(strings.Fields(line)); ok {
			ports = append(ports, i)
		}
	}
	into.Ports(r, finish(ports, one))
}

// finish sums up what one port counts apart, and adds it.
func finish(ports []devices.Interface, one *block.Port) []devices.Interface {
	if one == nil {
		return ports
	}
	one.InPackets = packets(one, "in")
	one.OutPackets = packets(one, "out")
	return append(ports, one.Interface)
}

// packets returns the sum of unicasts and of the others, if both are known.
func packets(p *block.Port, way string) devices.Opt[devices.Counter] {
	a, b := text.Count(p.Fact(way+"_unicast_packets")), text.Count(p.Fact(way+"_other_packets"))
	if !a.OK || !b.OK {
		return devices.None[devices.Counter]()
	}
	return text.Sum(a, b)
}

// portName cuts "25-Trk1" into the port and its trunk, and takes the star of a foreign transceiver off "25*".
func portName(word string) (name, trunk string) {
	name, trunk, _ = strings.Cut(word, "-")
	name = strings.TrimRight(name, "*")
	if !block.IsPortName(name) {
		return "", ""
	}
	return name, trunk
}

// row reads "1  98,581  869  0  0  on  0": bytes and frames in both directions, errors received, drops sent, flow
// control, and a limit of broadcasts that not every switch has.
func row(f []string) (i devices.Interface, ok bool) {
	const least, most = 6, 7
	if len(f) < least || len(f) > most || f[5] != "on" && f[5] != "off" {
		return i, false
	}
	var p block.Port
	name, trunk := portName(f[0])
	if name == "" {
		return i, false
	}
	p.Name = name
	p.Know("trunk", trunk)
	p.Know("total_bytes", f[1])
	p.Know("total_frames", f[2])
	p.InErrors, p.OutDrops = text.Count(f[3]), text.Count(f[4])
	p.Know("flow_control", f[5])
	if len(f) == most {
		p.Know("broadcast_limit", f[6])
	}
	return p.Interface, true
}

// labels lists what stands before a colon in the counters of one port.
var labels = []struct {
	label string
	where block.Where
	fact  string
}{
	{label: "Bytes Rx", where: func(p *block.Port) *counter { return &p.InOctets }},
	{label: "Bytes Tx", where: func(p *block.Port) *counter { return &p.OutOctets }},
	{label: "Unicast Rx", fact: "in_unicast_packets"}, {label: "Unicast Tx", fact: "out_unicast_packets"},
	{label: "Bcast/Mcast Rx", fact: "in_other_packets"}, {label: "Bcast/Mcast Tx", fact: "out_other_packets"},
	{label: "FCS Rx", where: func(p *block.Port) *counter { return &p.FCS }},
	{label: "Alignment Rx", where: func(p *block.Port) *counter { return &p.Alignment }},
	{label: "Runts Rx", where: func(p *block.Port) *counter { return &p.Runts }},
	{label: "Giants Rx", where: func(p *block.Port) *counter { return &p.Giants }},
	{label: "Total Rx Errors", where: func(p *block.Port) *counter { return &p.InErrors }},
	{label: "Drops Tx", where: func(p *block.Port) *counter { return &p.OutDrops }},
	{label: "Collisions Tx", where: func(p *block.Port) *counter { return &p.Collisions }},
	{label: "Late Colln Tx", where: func(p *block.Port) *counter { return &p.LateCollisions }},
	{label: "Excessive Colln", where: func(p *block.Port) *counter { return &p.ExcessiveCollisions }},
	{label: "Deferred Tx", where: func(p *block.Port) *counter { return &p.Deferred }},
	{label: "Discard Rx", where: func(p *block.Port) *counter { return &p.InDrops }},
	{label: "Unknown Protos", where: func(p *block.Port) *counter { return &p.UnknownProtos }},
	{label: "Total Rx (bps)", fact: "in_rate"}, {label: "Total Tx (bps)", fact: "out_rate"},
	{label: "Out Queue Len", fact: "out_queue"},
}

type counter = devices.Opt[devices.Counter]

// counters reads a line of the counters of one port, which has one or two labels with their values.
func counters(p *block.Port, line string) {
	line = strings.Join(strings.Fields(line), " ")
	for _, l := range labels {
		_, rest, ok := strings.Cut(" "+line, " "+l.label+" :")
		if !ok {
			continue
		}
		value, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n := text.Count(value)
		if l.where != nil {
			text.SetOpt(l.where(p), n)
		} else if n.OK {
			p.KnowOnce(l.fact, strings.ReplaceAll(value, ",", ""))
		}
	}
	label, value, ok := strings.Cut(line, " :")
	if !ok {
		return
	}
	switch value = strings.TrimSpace(value); label {
	case "Name":
		p.Alias = value
	case "MAC Address":
		if mac, ok := text.MAC(value); ok {
			p.MAC = mac
		}
	case "Link Status":
		p.Oper = block.Oper(value)
	}
}

// ShowInterfacesBrief reads "show interfaces brief": states, mode and flow control. A type may be empty, and so may
// be the mode of a port that is down.
func ShowInterfacesBrief(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		left, right, ok := strings.Cut(line, "|")
		names, f := strings.Fields(left), strings.Fields(right)
		const fewest = 3
		if !ok || len(names) == 0 || len(f) < fewest || f[1] != "Yes" && f[1] != "No" {
			continue
		}
		var p block.Port
		name, trunk := portName(names[0])
		if name == "" {
			continue
		}
		p.Name = name
		p.Know("trunk", trunk)
		if len(names) > 1 {
			kind := strings.Join(names[1:], " ")
			p.Know("type", kind)
			p.Media = devices.Some(kind)
			if speeds, ok := strings.CutSuffix(kind, "T"); ok { // 100/1000T
				if v, ok := text.MediaSpeed(speeds + "base"); ok {
					p.SpeedMax = devices.Some(v)
				}
			}
		}
		p.Know("intrusion_alert", f[0])
		p.Know("enabled", f[1])
		p.Know("status", f[2])
		p.Admin = devices.Some(map[string]string{"Yes": "up", "No": "down"}[f[1]])
		p.Oper = block.Oper(f[2])
		for _, word := range f[3:] {
			modeWord(&p, word)
		}
		ports = append(ports, p.Interface)
	}
	into.Ports(r, ports)
}

// modeWord reads one word behind the status: "1000FDx", "MDIX", "off", "0".
func modeWord(p *block.Port, word string) {
	switch {
	case word == "on" || word == "off":
		p.Know("flow_control", word)
	case word == "Auto" || word == "NA" || strings.HasPrefix(word, "MDI"):
		p.Know("mdi", word)
	case strings.Contains(word, "FD") || strings.Contains(word, "HD"):
		p.Know("mode", word)
		mode(p, word)
	default:
		p.Know("broadcast_limit", word)
	}
}

// mode reads "1000FDx", "10GigFD" and "100HDx". Of a port that is down it says what was set, not what is.
func mode(p *block.Port, word string) {
	n, unit, ok := text.Decimal(word)
	if p.Oper.Value != "up" || !ok || n <= 0 {
		return
	}
	scale := 1e6
	if strings.HasPrefix(unit, "Gig") {
		scale = 1e9
	}
	if v := n * scale; v <= text.MaxSpeed {
		text.Set(&p.Speed, uint64(v))
	}
	if strings.Contains(unit, "HD") {
		text.Set(&p.Duplex, "half")
	} else {
		text.Set(&p.Duplex, "full")
	}
}

// ShowMACAddress reads "show mac-address": address, port and, on most switches, the VLAN.
func ShowMACAddress(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for f := range tables.Rows(output) {
		mac, ok := text.MAC(f[0])
		if !ok || len(f) < 2 || !block.IsPortName(f[1]) {
			continue
		}
		s := devices.Station{MAC: mac, Port: f[1], Status: "learned"}
		if len(f) > 2 {
			if n, rest, ok := text.Uint32(f[2]); ok && rest == "" && n > 0 && n < 4095 {
				s.VLAN = devices.Some(n)
			}
		}
		r.Stations = append(r.Stations, s)
	}
}

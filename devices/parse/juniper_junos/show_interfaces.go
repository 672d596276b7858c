package juniper_junos

import (
	"strconv"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads "show interfaces", with or without a name, and with extensive, detail, statistics or media
// behind it.
func ShowInterfaces(output string, r *devices.Reading) {
	s := scanner{r: r}
	p := block.Platform{Header: header, Line: s.line, End: end}
	ports, unread := p.Scan(output)
	for i := range ports {
		inherit(ports[:i], &ports[i])
	}
	into.Ports(r, ports)
	into.Unread(r, unread...)
}

// scanner reads the lines of a block; queues go straight into the reading.
type scanner struct{ r *devices.Reading }

// header reads "Physical interface: ge-9/2/2, Enabled, Physical link is Up" and "Logical interface ge-0/0/0.0 (Index
// 333) (SNMP ifIndex 606)".
func header(p *block.Port, line string) bool {
	if rest, ok := strings.CutPrefix(line, "Physical interface: "); ok {
		name, rest, _ := strings.Cut(rest, ",")
		p.Name = strings.TrimSpace(name)
		for part := range strings.SplitSeq(rest, ",") {
			switch part = strings.TrimSpace(part); {
			case strings.HasPrefix(part, "Physical link is "):
				word := part[len("Physical link is "):]
				p.Know("link", word)
				p.Oper = block.Oper(word)
			case part != "":
				p.KnowOnce("admin_state", part)
				p.Admin = admin(part)
			}
		}
		return p.Name != ""
	}
	rest, ok := strings.CutPrefix(line, "Logical interface ")
	if !ok {
		return false
	}
	p.Name, rest, _ = strings.Cut(rest, " ")
	p.Section = "logical"
	indexes(p, rest)
	return p.Name != ""
}

// admin reads "Enabled" and "Administratively down".
func admin(s string) devices.Opt[string] {
	switch s = strings.ToLower(s); s {
	case "enabled":
		return devices.Some("up")
	case "administratively down", "disabled":
		return devices.Some("down")
	}
	return devices.Some(s)
}

// indexes reads "(Index 333) (SNMP ifIndex 606) (Generation 148)".
func indexes(p *block.Port, s string) {
	if v, ok := text.After(s, "(Index "); ok {
		v, _, _ = strings.Cut(v, ")")
		p.KnowOnce("index", v)
	}
	if v, ok := text.After(s, "SNMP ifIndex "); ok {
		if n, _, ok := text.Uint32(v); ok {
			p.Index = devices.Some(n)
		}
	}
}

// Sections are the headings over lines whose labels mean something else under each.
var sections = []string{
	"Traffic statistics:", "Local statistics:", "Transit statistics:", "IPv6 transit statistics:", "Dropped traffic statistics due to STP State:",
	"Input errors:", "Output errors:", "MAC statistics:", "Filter statistics:", "PCS statistics", "Ethernet FEC statistics", "FEC statistics",
	"Queue counters:", "Queue number:", "Egress queues:", "Ingress queues:", "CoS information:", "Packet Forwarding Engine configuration:",
	"Label-switched interface (LSI) traffic statistics:", "Autonegotiation information:", "Link:", "LACP info:", "LACP Statistics:",
	"Marker Statistics:", "List-Type", "Statistics ", "Bundle:", "Adaptive Statistics:", "Flow Statistics", "Flow Input statistics", "Flow Output statistics",
	"Flow error statistics", "Security:", "Protocol ", "PRBS ", "Fec ", "Forward error correction", "Pre-FEC", "Aggregate member links:", "Interface transmit statistics:", "OTN ",
}

// line reads a line that is no header.
func (s scanner) line(p *block.Port, line string, _ *text.Lines) bool {
	for _, name := range sections {
		if !strings.HasPrefix(line, name) || strings.HasPrefix(line, "Statistics last cleared") {
			continue
		}
		logical := strings.HasPrefix(p.Section, "logical")
		p.Section = strings.TrimSuffix(name, ":")
		if logical {
			p.Section = "logical " + p.Section
		}
		switch name {
		case "Protocol ":
			protocol(p, line)
		case "Ingress queues:", "Egress queues:":
			p.Out = name == "Egress queues:"
		case "Input errors:", "Output errors:":
			p.Out = name == "Output errors:"
			if rest := strings.TrimSpace(line[len(name):]); rest != "" {
				bothErrors(p, line) // "Input errors: 0, Output errors: 0"
			}
		}
		return true
	}
	switch section := strings.TrimPrefix(p.Section, "logical "); section {
	case "Input errors", "Output errors":
		if errorList(p, line) {
			return true
		}
	case "MAC statistics":
		if macStatistics(p, line) {
			return true
		}
	case "PCS statistics", "Ethernet FEC statistics", "Filter statistics", "FEC statistics":
		if figures(p, section, line) {
			return true
		}
	case "Queue counters":
		if s.queue(p, line) {
			return true
		}
	}
	return traffic(p, line) || fields(p, line)
}

// protocol reads "Protocol inet, MTU: 1500", which is all that a logical interface says of its MTU.
func protocol(p *block.Port, line string) {
	if mtu, ok := text.After(line, "Protocol inet, MTU: "); ok {
		mtu, _, _ = strings.Cut(mtu, ",")
		field(p, "MTU", mtu)
	}
}

// bothErrors reads "Input errors: 0, Output errors: 0".
func bothErrors(p *block.Port, line string) {
	for part := range strings.SplitSeq(line, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), ":")
		n := text.Count(value)
		if name == "Input errors" {
			text.SetOpt(&p.InErrors, n)
		} else if name == "Output errors" {
			text.SetOpt(&p.OutErrors, n)
		}
	}
}

var (
	inErrors = map[string]block.Where{
		"Errors":         func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InErrors },
		"Drops":          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InDrops },
		"Framing errors": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.FCS },
		"Runts":          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Runts },
		"Giants":         func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Giants },
		"FIFO errors":    func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Overrun },
		"L3 incompletes": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.UnknownProtos },
	}
	outErrors = map[string]block.Where{
		"Carrier transitions": func(p *block.Port) *devices.Opt[devices.Counter] { return &p.CarrierTransitions },
		"Errors":              func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutErrors },
		"Drops":               func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutDrops },
		"Collisions":          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Collisions },
		"FIFO errors":         func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Underruns },
		"MTU errors":          func(p *block.Port) *devices.Opt[devices.Counter] { return &p.MTUExceeded },
	}
)

// errorList reads "Errors: 0, Drops: 0, Framing errors: 0,".
func errorList(p *block.Port, line string) (known bool) {
	list := inErrors
	if p.Out {
		list = outErrors
	}
	for part := range strings.SplitSeq(line, ",") {
		name, value, ok := strings.Cut(strings.TrimSpace(part), ":")
		n := text.Count(value)
		if !ok || !n.OK {
			continue
		}
		known = true
		p.Know("_"+under(name), strings.TrimSpace(value))
		if w := list[name]; w != nil {
			*w(p) = n
		}
	}
	return known
}

// under makes a fact's name of a label.
func under(label string) string {
	return strings.ReplaceAll(strings.ReplaceAll(strings.ToLower(strings.TrimSpace(label)), " ", "_"), "-", "_")
}

// macFields lists the rows of the MAC statistics: what is received, then what is sent.
var macFields = map[string][2]block.Where{
	"Broadcast packets": {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InBroadcasts }, func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutBroadcasts }},
	"Multicast packets": {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InMulticasts }, func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutMulticasts }},
	"CRC/Align errors":  {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.FCS }, nil},
	"MAC pause frames":  {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.InPause }, func(p *block.Port) *devices.Opt[devices.Counter] { return &p.OutPause }},
	"Oversized frames":  {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Giants }, nil},
	"Jabber frames":     {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Jabbers }, nil},
	"Fragment frames":   {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Fragments }, nil},
	"Code violations":   {func(p *block.Port) *devices.Opt[devices.Counter] { return &p.Symbol }, nil},
}

// macStatistics reads "CRC/Align errors                         0                0".
func macStatistics(p *block.Port, line string) bool {
	label, values := columns(line)
	if label == "" || len(values) == 0 || len(values) > 2 {
		return false
	}
	for i, v := range values {
		n := text.Count(v)
		if !n.OK {
			return false
		}
		p.Know([2]string{"in_", "out_"}[i]+"mac_"+under(strings.ReplaceAll(label, "/", "_")), v)
		if w := macFields[label][i]; w != nil {
			*w(p) = n // what the MAC counts is more exact than what the errors above add up
		}
	}
	return true
}

// figures reads a label and one figure of a section, which is kept as a fact.
func figures(p *block.Port, section, line string) bool {
	label, values := columns(line)
	if label == "" || len(values) != 1 {
		return false
	}
	p.Know(under(strings.TrimSuffix(section, " statistics"))+"_"+under(label), values[0])
	return true
}

// columns cuts a row into its label and the figures at its end, which two blanks or more divide.
func columns(line string) (label string, values []string) {
	i := strings.Index(line, "  ")
	if i < 0 {
		return "", nil
	}
	label = strings.TrimSpace(line[:i])
	return label, strings.Fields(line[i:])
}

// queue reads "0 best-effort      104629656            104629656                    0", with or without the name.
func (s scanner) queue(p *block.Port, line string) bool {
	f := strings.Fields(line)
	if len(f) < 4 || !text.IsDigit(f[0][0]) {
		return false
	}
	drops := text.Count(f[len(f)-1])
	if !drops.OK {
		return false
	}
	q := devices.Queue{Port: p.Name, Name: f[0], Way: "in", Kind: "queue", Drops: drops}
	if len(f) > 4 {
		q.Name = strings.Join(f[1:len(f)-3], " ")
	}
	if p.Out {
		q.Way = "out"
	}
	s.r.Queues = append(s.r.Queues, q)
	return true
}

// traffic reads "Input  bytes  :         100615221914             23189648 bps", "Input packets : 133657033" and "Input
// rate     : 648 bps (1 pps)". Of several sections the first is that of all traffic.
func traffic(p *block.Port, line string) bool {
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return false
	}
	way, what, ok := strings.Cut(strings.TrimSpace(label), " ")
	if !ok || way != "Input" && way != "Output" {
		return false
	}
	what = strings.TrimSpace(what)
	in := way == "Input"
	section := strings.TrimPrefix(strings.TrimPrefix(p.Section, "logical"), " ")
	if section != "" && section != "Traffic statistics" && !strings.HasPrefix(section, "Protocol") && what != "rate" {
		n, _, _ := strings.Cut(strings.TrimSpace(value), " ")
		p.Know(under(section)+"_"+under(way)+"_"+under(what), n)
		return what == "bytes" || what == "packets"
	}
	f := strings.Fields(value)
	if len(f) == 0 {
		return false
	}
	n := text.Count(f[0])
	rate := ""
	if len(f) >= 3 {
		rate = f[1]
	}
	prefix := map[bool]string{true: "in", false: "out"}[in]
	switch what {
	case "bytes":
		set(in, &p.InOctets, &p.OutOctets, n)
		p.KnowOnce(prefix+"_rate", rate)
	case "packets":
		set(in, &p.InPackets, &p.OutPackets, n)
		p.KnowOnce(prefix+"_packet_rate", rate)
	case "rate":
		p.KnowOnce(prefix+"_rate", f[0])
		if len(f) >= 3 {
			p.KnowOnce(prefix+"_packet_rate", strings.Trim(f[2], "()"))
		}
	default:
		return false
	}
	return true
}

func set(in bool, a, b *devices.Opt[devices.Counter], n devices.Opt[devices.Counter]) {
	if in {
		text.SetOpt(a, n)
	} else {
		text.SetOpt(b, n)
	}
}

// fields reads a line of "Label: value, Label: value", of which the known labels are used.
func fields(p *block.Port, line string) (known bool) {
	if rest, ok := strings.CutPrefix(line, "Description:"); ok {
		if p.Alias == "" {
			p.Alias = strings.TrimSpace(rest)
		}
		return true
	}
	if strings.HasPrefix(line, "(Generation ") || strings.HasPrefix(line, "Flags:") || strings.HasPrefix(line, "Addresses, Flags:") {
		if enc, ok := text.After(line, "Encapsulation: "); ok {
			p.KnowOnce("encapsulation", enc)
		}
		if strings.HasPrefix(line, "Flags: ") && strings.HasPrefix(p.Section, "logical") && !p.Oper.OK {
			logicalState(p, line)
		}
		return true
	}
	if rest, ok := strings.CutPrefix(line, "Hold-times"); ok {
		up, down, _ := strings.Cut(strings.TrimLeft(rest, " :"), ",")
		p.Know("hold_time_up", strings.TrimPrefix(up, "Up "))
		p.Know("hold_time_down", strings.TrimPrefix(strings.TrimSpace(down), "Down "))
		return true
	}
	for part := range strings.SplitSeq(line, ", ") {
		label, value, ok := strings.Cut(part, ":")
		if !ok {
			continue
		}
		field(p, strings.TrimSpace(label), strings.TrimRight(strings.TrimSpace(value), ","))
		known = true
	}
	return known
}

// logicalState reads "Flags: Up SNMP-Traps 0x4004000" and "Flags: Down ...".
func logicalState(p *block.Port, line string) {
	for word := range strings.FieldsSeq(line) {
		switch word {
		case "Up":
			p.Oper = devices.Some("up")
			return
		case "Down", "Hardware-Down", "Device-Down":
			p.Oper = devices.Some("down")
			return
		}
	}
}

func field(p *block.Port, label, value string) {
	p.KnowOnce(under(label), value)
	switch label {
	case "SNMP ifIndex":
		if n, _, ok := text.Uint32(value); ok {
			text.Set(&p.Index, n)
		}
	case "MTU":
		if n, _, ok := text.Uint32(value); ok {
			text.Set(&p.MTU, n)
		}
	case "Speed":
		if v, ok := text.Rate(value); ok && v > 0 && v <= text.MaxSpeed {
			text.Set(&p.Speed, uint64(v))
		}
	case "Link-mode", "Link type":
		if word := strings.ToLower(value); strings.HasPrefix(word, "full") || strings.HasPrefix(word, "half") {
			text.Set(&p.Duplex, word[:4])
		}
	case "Auto-negotiation":
		text.Set(&p.Autoneg, value == "Enabled")
	case "Remote fault":
		if !text.Unset(value) {
			text.Set(&p.RemoteFault, value != "Online")
		}
	case "Flow control":
		text.Set(&p.FlowIn, value == "Enabled")
	case "Current address":
		if m, ok := text.MAC(value); ok {
			p.MAC = m
		}
	case "Statistics last cleared":
		text.Set(&p.LastClear, value)
	case "Media type":
		text.Set(&p.Media, value)
	}
}

// end gives a port the highest speed that its name stands for.
func end(p *block.Port) {
	for _, k := range []struct {
		prefix string
		speed  uint64
	}{{"ge-", 1e9}, {"fe-", 100e6}, {"xe-", 10e9}, {"mge-", 10e9}} {
		if strings.HasPrefix(p.Name, k.prefix) && !strings.Contains(p.Name, ".") {
			text.Set(&p.SpeedMax, max(k.speed, p.Speed.Value))
		}
	}
}

// inherit gives a logical interface the administrative state of its physical one, which stands before it.
func inherit(before []devices.Interface, p *devices.Interface) {
	physical, unit, ok := strings.Cut(p.Name, ".")
	if _, err := strconv.Atoi(unit); !ok || err != nil {
		return
	}
	for i := len(before) - 1; i >= 0; i-- {
		if before[i].Name == physical {
			if !p.Admin.OK {
				p.Admin = before[i].Admin
			}
			if before[i].Oper.Value == "down" {
				p.Oper = devices.Some("lowerLayerDown")
			}
			return
		}
	}
}

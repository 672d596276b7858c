package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// ShowInterfaces reads the output of "show interfaces", of all or of one, and returns the ports in their order.
// It returns every block whose header it sees, however little else is in it.
func ShowInterfaces(output string) []Port { return scan(output, false) }

// FindInterfaces finds blocks of show interfaces anywhere in a text, as people paste them between sentences. A
// block begins with its header and ends with the last line that belongs to it; a word about it in the middle of
// a sentence is none.
func FindInterfaces(output string) []Port {
	ports := scan(output, true)
	out := ports[:0]
	for _, p := range ports {
		if p.Extra.Hardware != "" || p.Interface.InPackets.OK || p.Interface.MTU.OK || p.Extra.Interval.OK {
			out = append(out, p)
		}
	}
	return out
}

// scanner goes through a text and fills one port after another.
type scanner struct {
	lines text.Lines
	ports []Port
	cur   *Port // the last of ports; nil outside of a block
	end   int   // where the line being read ends

	out        bool // the counters that follow are about output
	direction  bool // they stand under RX or TX
	totalDrops devices.Opt[devices.Counter]
	prose      bool
	strange    int // lines in a row that belong to no block
}

// maxStrange is how many lines in a row may be no part of a block in prose before the block is over.
const maxStrange = 2

func scan(output string, prose bool) []Port {
	if text.Noisy(output) {
		output = text.Denoise(output)
	}
	s := scanner{lines: text.NewLines(output), prose: prose}
	for {
		line, from, to, ok := s.lines.Next()
		if !ok {
			break
		}
		s.end = to
		if line == "" {
			continue
		}
		if name, status, protocol, reason, ok := header(line); ok {
			s.begin(from)
			s.cur.Interface.Name = name
			s.cur.Extra.Status, s.cur.Extra.Protocol, s.cur.Extra.Reason = status, protocol, reason
			s.cur.To = to
			continue
		}
		if s.cur == nil {
			continue
		}
		if s.field(line) {
			s.cur.To, s.strange = s.end, 0
		} else if s.strange++; prose && s.strange > maxStrange || isPromptLine(line) {
			s.finish()
		}
	}
	s.finish()
	return s.ports
}

func (s *scanner) begin(from int) {
	s.finish()
	if s.ports == nil {
		s.ports = make([]Port, 0, 8)
	}
	s.ports = append(s.ports, Port{From: from})
	s.cur = &s.ports[len(s.ports)-1]
	s.out, s.direction, s.totalDrops, s.strange = false, false, devices.None[devices.Counter](), 0
}

// finish draws what follows from several lines of the port.
func (s *scanner) finish() {
	p := s.cur
	if p == nil {
		return
	}
	s.cur = nil
	i := &p.Interface
	p.states()
	p.offers()
	text.SetOpt(&i.InDrops, i.InputQueueDrop)
	p.more()
	if i.Overrun.OK && p.Extra.Ignored.OK {
		// Both are frames that the receiver had no room for.
		i.Overrun.Value.Value += p.Extra.Ignored.Value.Value
	}
	if i.OutErrors.OK && i.OutErrors == i.OutDrops && i.OutErrors.Value.Value > 0 {
		// Catalyst 3850, IOS-XE 3.x and 16.x count output drops as output errors too: they are drops.
		i.OutErrors = devices.None[devices.Counter]()
	}
}

// multicasts reads " broadcasts (0 IP multicasts)".
func multicasts(s string) devices.Opt[devices.Counter] {
	_, s, _ = strings.Cut(s, "(")
	n, rest, ok := text.Number(s)
	if !ok || !strings.HasSuffix(strings.TrimSpace(rest), "multicasts)") {
		return devices.None[devices.Counter]()
	}
	return n
}

// address reads "5e00.00ff.0101 (bia 5e00.00ff.0101)".
func (p *Port) address(s string) {
	mac, bia, _ := strings.Cut(s, "(bia ")
	p.fact("mac", mac)
	p.fact("bia", strings.TrimRight(bia, ")"))
	if m, ok := text.MAC(strings.TrimSpace(mac)); ok {
		p.Interface.MAC = m
	}
}

// isPromptLine says whether a line is a prompt with or without a command, which ends a block.
func isPromptLine(line string) bool {
	i := strings.IndexAny(line, "#>")
	return i > 0 && i <= maxPortName && strings.IndexByte(line[:i], ' ') < 0
}

// field reads one line of a block, and says whether it belongs to it.
func (s *scanner) field(line string) bool {
	p := s.cur
	switch c := line[0]; {
	case text.IsDigit(c), c == '-':
		if s.direction {
			for n, label := range text.Pairs(line) {
				s.count(label, n)
			}
			return true
		}
		return s.rates(line) || s.counters(line)
	case line == "RX", line == "TX":
		s.out, s.direction = line == "TX", true
		return true
	case c == 'H':
		if rest, ok := strings.CutPrefix(line, "Hardware is "); ok {
			rest, addr, _ := strings.Cut(rest, ", address is ")
			p.address(addr)
			if p.Extra.Hardware == "" {
				p.Extra.Hardware = rest
			}
			return true
		}
	case c == 'D':
		if rest, ok := strings.CutPrefix(line, "Description:"); ok {
			if p.Interface.Alias == "" {
				p.Interface.Alias = strings.TrimSpace(rest)
			}
			return true
		}
	case c == 'M' && strings.HasPrefix(line, "MTU "), c == 'B' && strings.HasPrefix(line, "BW "), c == 'r' && strings.HasPrefix(line, "rel"), c == 't' && strings.HasPrefix(line, "txload "):
		s.line(line)
		return true
	case c == 'I' && strings.HasPrefix(line, "Input queue"), c == 'O' && strings.HasPrefix(line, "Output queue"), c == 'T' && strings.HasPrefix(line, "Total output drops"):
		s.queues(line)
		return true
	case c == 'R':
		if rest, ok := strings.CutPrefix(line, "Received "); ok {
			n, rest, ok := text.Number(rest)
			if ok && strings.HasPrefix(rest, " broadcasts") {
				text.SetOpt(&p.Extra.Broadcasts, n)
				text.SetOpt(&p.Extra.Multicasts, multicasts(rest))
			}
			return ok
		}
	case c == 'L':
		if rest, ok := strings.CutPrefix(line, "Last clearing of "); ok {
			if when, ok := text.After(rest, "counters "); ok {
				text.Set(&p.Interface.LastClear, when)
			}
			return true
		}
	}
	return p.speedDuplex(line) || p.known(line)
}

// facts lists how lines begin whose rest is a fact; those without a name are passed over.
var facts = []struct{ begin, name string }{
	{"Internet address is ", "ip"}, {"Queueing strategy: ", "queue_strategy"}, {"Keepalive set (", "keepalive"}, {"ARP type: ", "arp_type"},
	{"Carrier delay", "carrier_delay"}, {"Carrier Delay", "carrier_delay"}, {"No. of active members in this channel: ", "member_count"},
	{"No. of PF_JUMBO supported members in this channel : ", "jumbo_members"}, {"Members in this channel: ", "members"},
	{"Tunnel source ", "tunnel_source"}, {"Tunnel transport MTU ", "tunnel_mtu"}, {"Tunnel TTL ", "tunnel_ttl"}, {"Tunnel protocol/transport ", "tunnel_protocol"},
	{"Tunnel transmit bandwidth ", "tunnel_transmit_bandwidth"}, {"Tunnel receive bandwidth ", "tunnel_receive_bandwidth"},
	{"Interface is unnumbered. Using address of ", "unnumbered"}, {"Fec is ", "fec_mode"}, {"Time since last port disconnect: ", "since_disconnect"},
	{"Unidirectional", ""}, {"Member ", ""}, {"No. of ", ""}, {"Time since", ""}, {"loopback not set", ""}, {"Interface is ", ""}, {"Conversations ", ""},
	{"Reserved Conversations", ""}, {"Available Bandwidth", ""}, {"Tunnel ", ""}, {"Keepalive", ""}, {"Output ", ""}, {"Key ", ""},
	{"Checksumming of packets", ""}, {"Fast tunneling", ""}, {"Linestate EVENT", ""}, {"Path MTU Discovery", ""}, {"ARP Timeout", ""},
}

// known reads the lines whose figures are only kept as facts, and says whether the line was one.
func (p *Port) known(line string) bool {
	switch {
	case strings.HasPrefix(line, "Encapsulation "):
		p.encapsulation(line[len("Encapsulation "):])
		return true
	case strings.HasPrefix(line, "Last input "):
		for i, part := range strings.Split(line[len("Last input "):], ",") {
			part = strings.TrimSpace(part)
			switch rest, ok := strings.CutPrefix(part, "output "); {
			case i == 0:
				p.fact("last_input", part)
			case ok && strings.HasPrefix(rest, "hang "):
				p.fact("output_hang", rest[len("hang "):])
			case ok:
				p.fact("last_output", rest)
			}
		}
		return true
	case strings.Contains(line, "flow-control is "):
		p.flow(line)
		return true
	case strings.HasPrefix(line, "Keepalive set ("):
		every, _, _ := strings.Cut(line[len("Keepalive set ("):], " ")
		p.fact("keepalive", every)
		return true
	case strings.HasPrefix(line, "ARP type: "):
		kind, timeout, _ := strings.Cut(line[len("ARP type: "):], ",")
		p.fact("arp_type", kind)
		p.fact("arp_timeout", strings.TrimPrefix(strings.TrimSpace(timeout), "ARP Timeout "))
		return true
	case strings.HasPrefix(line, "Output ") && strings.Contains(line, " broadcasts ("):
		n, rest, _ := text.Number(line[len("Output "):])
		p.Interface.OutBroadcasts, p.Interface.OutMulticasts = n, multicasts(rest)
		return true
	case strings.HasPrefix(line, "Member ") && strings.Contains(line, " : "):
		_, name, _ := strings.Cut(line, " : ")
		p.member(name)
		return true
	case strings.HasPrefix(line, "Tunnel TTL "):
		ttl, _, _ := strings.Cut(line[len("Tunnel TTL "):], ",")
		p.fact("tunnel_ttl", ttl)
		return true
	case strings.HasPrefix(line, "DCD="), strings.HasPrefix(line, "RTS "), strings.HasPrefix(line, "DCD "):
		p.signals(line)
		return true
	case strings.HasPrefix(line, "Peer IP "):
		peer, vc, _ := strings.Cut(line[len("Peer IP "):], ",")
		p.fact("peer_ip", peer)
		p.fact("vc_id", strings.TrimPrefix(strings.TrimSpace(vc), "VC ID "))
		return true
	case strings.HasPrefix(line, "Tunnel source "):
		source, to, ok := strings.Cut(line[len("Tunnel source "):], ", destination ")
		p.fact("tunnel_source", source)
		if ok {
			p.fact("tunnel_destination", to)
		}
		return true
	}
	for _, f := range facts {
		if rest, ok := strings.CutPrefix(line, f.begin); ok {
			if f.name != "" {
				p.fact(f.name, rest)
			}
			return true
		}
	}
	return false
}

// member keeps the name of one more member of a channel.
func (p *Port) member(s string) {
	name, _, _ := strings.Cut(strings.TrimSpace(s), " ")
	for i := range p.Interface.Facts {
		if f := &p.Interface.Facts[i]; f.Name == "members" {
			f.Value += " " + name
			return
		}
	}
	p.fact("members", name)
}

// signals reads "DCD=up  DSR=up  DTR=up" and "RTS up, CTS up, DTR up" of a serial line.
func (p *Port) signals(line string) {
	name := ""
	for word := range strings.FieldsSeq(strings.NewReplacer(",", " ", "=", " ").Replace(line)) {
		if name == "" {
			name = word
			continue
		}
		p.fact("signal_"+strings.ToLower(name), word)
		name = ""
	}
}

// fact keeps what no field is for.
func (p *Port) fact(name, value string) {
	if value = strings.TrimRight(strings.TrimSpace(value), ","); value == "" || p.Interface.Fact(name) != "" {
		return
	}
	if p.Interface.Facts == nil {
		p.Interface.Facts = make([]devices.Fact, 0, 24)
	}
	p.Interface.Facts = append(p.Interface.Facts, devices.Fact{Name: name, Value: value})
}

// encapsulation reads "802.1Q Virtual LAN, Vlan ID  300., loopback not set" and "QinQ Virtual LAN, outer ID 2, inner
// ID 3".
func (p *Port) encapsulation(s string) {
	for i, part := range strings.Split(s, ",") {
		part = strings.TrimSpace(part)
		switch {
		case i == 0:
			p.fact("encapsulation", part)
		case strings.HasPrefix(part, "Vlan ID"):
			p.fact("vlan", strings.TrimRight(strings.TrimSpace(part[len("Vlan ID"):]), "."))
		case strings.HasPrefix(part, "outer ID "):
			p.fact("outer_vlan", strings.TrimSpace(part[len("outer ID "):]))
		case strings.HasPrefix(part, "inner ID "):
			p.fact("second_vlan", strings.TrimSpace(part[len("inner ID "):]))
		case strings.HasPrefix(part, "loopback "):
			p.fact("loopback", part[len("loopback "):])
		}
	}
}

// flow reads "input flow-control is off, output flow-control is unsupported".
func (p *Port) flow(line string) {
	for part := range strings.SplitSeq(line, ",") {
		way, value, ok := strings.Cut(strings.TrimSpace(part), " flow-control is ")
		if !ok || value != "on" && value != "off" && value != "unsupported" {
			continue
		}
		if way == "input" {
			text.Set(&p.Interface.FlowIn, value == "on")
		} else {
			text.Set(&p.Interface.FlowOut, value == "on")
		}
	}
}

// line reads the fields between MTU and rxload, which stand on one line or on two, folded or not:
//
//	MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec,
//	reliability 255/255, txload 1/255, rxload 1/255
func (s *scanner) line(line string) {
	p := s.cur
	if strings.HasSuffix(line, "/") {
		// "rely 255/" and "255, load 51/255" on the next line, as IOS 10 to 12 print it.
		if next := s.lines.Peek(); next != "" && text.IsDigit(next[0]) {
			_, _, s.end, _ = s.lines.Next()
			line += next
		}
	}
	for rest := line; rest != ""; {
		var part string
		part, rest, _ = strings.Cut(rest, ",")
		word, value, ok := strings.Cut(strings.TrimSpace(part), " ")
		if !ok {
			continue
		}
		switch word {
		case "MTU":
			if n, _, ok := text.Number(value); ok && n.OK && n.Value.Value <= 1<<31 {
				text.Set(&p.Interface.MTU, uint32(n.Value.Value))
			}
		case "DLY":
			p.fact("delay", value)
		case "BW":
			p.fact("bandwidth", value)
			if v, ok := text.Rate(value); ok {
				text.Set(&p.Extra.Bandwidth, uint64(v))
			}
		case "reliability", "rely":
			p.fact("reliability", value)
			load(&p.Extra.Reliability, value)
		case "txload":
			p.fact("txload", value)
			load(&p.Extra.TxLoad, value)
		case "rxload":
			p.fact("rxload", value)
			load(&p.Extra.RxLoad, value)
		}
	}
}

// load reads "51/255".
func load(to *devices.Opt[uint8], s string) {
	n, rest, ok := text.Number(s)
	if ok && n.OK && n.Value.Value <= 255 && strings.HasPrefix(rest, "/255") {
		text.Set(to, uint8(n.Value.Value))
	}
}

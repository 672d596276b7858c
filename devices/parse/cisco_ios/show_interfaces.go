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
	s.out, s.totalDrops, s.strange = false, devices.None[devices.Counter](), 0
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
	i.InDrops = i.InputQueueDrop
	if i.Overrun.OK && p.Extra.Ignored.OK {
		// Both are frames that the receiver had no room for.
		i.Overrun.Value.Value += p.Extra.Ignored.Value.Value
	}
	if i.OutErrors.OK && i.OutErrors == i.OutDrops && i.OutErrors.Value.Value > 0 {
		// Catalyst 3850, IOS-XE 3.x and 16.x count output drops as output errors too: they are drops.
		i.OutErrors = devices.None[devices.Counter]()
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
		return s.rates(line) || s.counters(line)
	case c == 'H':
		if rest, ok := strings.CutPrefix(line, "Hardware is "); ok {
			rest, _, _ = strings.Cut(rest, ", address")
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
	return p.speedDuplex(line) || known(line)
}

// others lists how lines begin that belong to a block and hold nothing that is read.
var others = []string{
	"Last input ", "Output ", "Internet address ", "Encapsulation ", "Keepalive ", "ARP type", "Queueing strategy",
	"input flow-control", "output flow-control", "Carrier delay", "Fec is", "Members in this channel", "Member ",
	"No. of ", "Time since", "loopback not set", "Interface is ", "Conversations ", "Reserved Conversations",
	"Available Bandwidth", "Tunnel ",
}

func known(line string) bool {
	for _, o := range others {
		if strings.HasPrefix(line, o) {
			return true
		}
	}
	return false
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
		case "BW":
			if v, ok := text.Rate(value); ok {
				text.Set(&p.Extra.Bandwidth, uint64(v))
			}
		case "reliability", "rely":
			load(&p.Extra.Reliability, value)
		case "txload":
			load(&p.Extra.TxLoad, value)
		case "rxload":
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

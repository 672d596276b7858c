package cisco_ios

import (
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// counters reads a line of "N label, N label". It says whether it knew any of it.
func (s *scanner) counters(line string) (known bool) {
	for line != "" {
		n, rest, ok := text.Number(line)
		if !ok {
			return known
		}
		label, more, cut := strings.Cut(rest, ",")
		label = strings.TrimSpace(label)
		if !cut && !s.complete(label) {
			// The line was folded between the number and the end of its label.
			if joined, ok := s.folded(line); ok {
				line = joined
				continue
			}
		}
		known = s.count(label, n) || known
		line = strings.TrimLeft(more, " \t")
	}
	return known
}

// complete says whether a label at the end of a line needs no more words.
func (s *scanner) complete(label string) bool {
	switch label {
	case "", "input", "packets", "output", "no", "late", "lost", "pause", "interface", "unknown", "unknown protocol", "output buffer", "output buffers", "output buffers swapped":
		return false
	}
	return true
}

// folded joins the rest of a line with the next one, if that goes on in lower case.
func (s *scanner) folded(line string) (string, bool) {
	next := s.lines.Peek()
	if next == "" || !text.IsLetter(next[0]) || next[0] != lower(next[0]) && !strings.HasPrefix(next, "CRC") {
		return "", false
	}
	_, _, s.end, _ = s.lines.Next()
	return line + " " + next, true
}

func lower(c byte) byte {
	if c >= 'A' && c <= 'Z' {
		return c + 'a' - 'A'
	}
	return c
}

// count puts one counter where it belongs, and says whether its label is known.
func (s *scanner) count(label string, n devices.Opt[devices.Counter]) bool {
	i, e := &s.cur.Interface, &s.cur.Extra
	var to *devices.Opt[devices.Counter]
	switch label {
	case "packets input":
		s.out, to = false, &i.InPackets
	case "packets output":
		s.out, to = true, &i.OutPackets
	case "bytes":
		to = &i.InOctets
		if s.out {
			to = &i.OutOctets
		}
	case "input errors":
		to = &i.InErrors
	case "CRC":
		to = &i.FCS
	case "frame":
		to = &i.Alignment
	case "overrun":
		to = &i.Overrun
	case "ignored":
		to = &e.Ignored
	case "runts":
		to = &i.Runts
	case "giants":
		to = &i.Giants
	case "throttles":
		to = &e.Throttles
	case "no buffer":
		to = &e.NoBuffer
	case "output errors":
		to = &i.OutErrors
	case "collisions":
		to = &i.Collisions
	case "late collision", "late collisions":
		to = &i.LateCollisions
	case "pause input", "PAUSE input":
		to = &i.InPause
	case "pause output", "PAUSE output":
		to = &i.OutPause
	case "unknown protocol drops":
		to = &i.UnknownProtos
	case "underruns":
		to = &e.Underruns
	case "interface resets":
		to = &e.Resets
	case "deferred":
		to = &e.Deferred
	case "lost carrier":
		to = &e.LostCarrier
	case "no carrier":
		to = &e.NoCarrier
		if n.OK {
			s.cur.fact("out_no_carrier", strconv.FormatUint(n.Value.Value, 10))
		}
	case "multicast":
		e.Multicasts = n // all of them, where "Received" has those of IP alone
		return true
	case "packets", "drops": // of a pseudowire, under RX or TX
		to = s.pseudowire(label)
	case "carrier transitions":
		to = &i.CarrierTransitions
	default:
		name, ok := factLabels[label]
		if ok && n.OK {
			s.cur.fact(name, strconv.FormatUint(n.Value.Value, 10))
		}
		return ok
	}
	if !to.OK {
		*to = n
	}
	return true
}

// pseudowire returns where "0 packets 0 bytes 0 drops" belongs.
func (s *scanner) pseudowire(label string) *devices.Opt[devices.Counter] {
	i := &s.cur.Interface
	switch {
	case label == "packets" && s.out:
		return &i.OutPackets
	case label == "packets":
		return &i.InPackets
	case s.out:
		return &i.OutDrops
	}
	return &i.InDrops
}

// factLabels lists counters that no field is for.
var factLabels = map[string]string{
	"abort": "in_abort", "watchdog": "in_watchdog", "babbles": "out_babble", "input packets with dribble condition detected": "in_dribble",
	"output buffer failures": "out_buffer_failures", "output buffers swapped out": "out_buffers_swapped", "applique": "out_applique", "parity": "in_parity",
}

// queues reads "Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 0", either half of it, and
// the older "Output queue 0/40, 0 drops; input queue 0/75, 0 drops".
func (s *scanner) queues(line string) {
	for part := range strings.SplitSeq(line, ";") {
		part = strings.TrimSpace(part)
		if rest, ok := strings.CutPrefix(part, "Total output drops:"); ok {
			n, _, _ := text.Number(strings.TrimSpace(rest))
			s.cur.Interface.OutDrops = text.First(s.totalDrops, n)
			s.totalDrops = s.cur.Interface.OutDrops
			continue
		}
		s.cur.queueFacts(part)
		drops, ok := queueDrops(part)
		switch {
		case !ok:
		case lower(part[0]) == 'i':
			text.SetOpt(&s.cur.Interface.InputQueueDrop, drops)
		case !s.totalDrops.OK:
			text.SetOpt(&s.cur.Interface.OutDrops, drops)
		}
	}
}

// queueFacts keeps the figures of "Input queue: 0/75/0/0 (size/max/drops/flushes)".
func (p *Port) queueFacts(part string) {
	way, rest, ok := strings.Cut(part, "put queue: ")
	if !ok {
		return
	}
	figures, names, ok := strings.Cut(rest, " (")
	if !ok {
		return
	}
	values := strings.Split(figures, "/")
	for i, name := range strings.Split(strings.TrimRight(names, ")"), "/") {
		if i < len(values) {
			name, _, _ = strings.Cut(strings.TrimSpace(name), " ") // "max total"
			p.fact(strings.ToLower(way)+"_queue_"+name, values[i])
		}
	}
}

// queueDrops returns the figure that the brackets behind a queue's figures call drops, or the one that is
// called so in words.
func queueDrops(part string) (devices.Opt[devices.Counter], bool) {
	none := devices.None[devices.Counter]()
	_, rest, ok := strings.Cut(part, " queue")
	if !ok {
		return none, false
	}
	rest = strings.TrimLeft(rest, ": ")
	if figures, names, ok := strings.Cut(rest, "("); ok {
		names = strings.TrimRight(names, ") ")
		for figures = strings.TrimSpace(figures); ; {
			n, more, ok := text.Number(figures)
			if !ok {
				return none, false
			}
			name, others, _ := strings.Cut(names, "/")
			if strings.TrimSpace(name) == "drops" {
				return n, true
			}
			if figures, ok = strings.CutPrefix(more, "/"); !ok {
				return none, false
			}
			names = others
		}
	}
	if _, drops, ok := strings.Cut(rest, ", "); ok && strings.HasSuffix(drops, " drops") {
		n, _, ok := text.Number(drops)
		return n, ok
	}
	return none, false
}

// rates reads "5 minute input rate 2000 bits/sec, 2 packets/sec", and says whether the line was one.
func (s *scanner) rates(line string) bool {
	every, rest, ok := strings.Cut(line, "put rate ")
	if !ok {
		return false
	}
	n, unit, ok := text.Number(every)
	if !ok || !n.OK || n.Value.Value > 86400 {
		return false
	}
	interval := time.Duration(n.Value.Value)
	switch unit = strings.TrimSpace(unit); {
	case strings.HasPrefix(unit, "minute"):
		interval *= time.Minute
	case strings.HasPrefix(unit, "second"):
		interval *= time.Second
	default:
		return false
	}
	e := &s.cur.Extra
	bits, packets := &e.InRate, &e.InPacketRate
	if strings.HasSuffix(unit, "out") {
		bits, packets = &e.OutRate, &e.OutPacketRate
	}
	text.Set(&e.Interval, interval)
	for part := range strings.SplitSeq(rest, ", ") {
		v, unit, ok := text.Decimal(strings.TrimSpace(part))
		if !ok {
			continue
		}
		unit = strings.ToLower(strings.TrimSpace(unit))
		if scale, ok := text.BitScale(unit); ok {
			text.Set(bits, v*scale)
		} else if scale, ok := text.PacketScale(unit); ok {
			text.Set(packets, v*scale)
		}
	}
	return true
}

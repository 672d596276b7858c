package block

import (
	"strings"

	"whydrop/devices/parse/internal/text"
)

// Figures reads the fields of "MTU 1500 bytes, BW 1000000 Kbit/sec, DLY 10 usec, reliability 255/255, txload 1/255,
// rxload 1/255" that stand on a line, and says whether there was one. An unknown figure is not given.
func Figures(p *Port, line string) (known bool) {
	for part := range strings.SplitSeq(line, ",") {
		part = strings.TrimSpace(part)
		word, value, ok := strings.Cut(part, " ")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch word {
		case "IP", "Ethernet":
			if rest, ok := strings.CutPrefix(value, "MTU "); ok {
				mtu(p, rest)
				known = true
			}
		case "MTU":
			mtu(p, value)
			known = true
		case "BW":
			p.KnowOnce("bandwidth", value)
			known = true
		case "DLY":
			p.KnowOnce("delay", value)
			known = true
		case "reliability", "rely", "txload", "rxload":
			if !text.Unset(value) {
				p.KnowOnce(word, value)
				load(p, word, value)
			}
			known = true
		}
	}
	return known
}

// load reads "51/255" of the busier direction.
func load(p *Port, word, value string) {
	n, rest, ok := text.Uint32(value)
	if word != "txload" && word != "rxload" || !ok || rest != "/255" || n > 255 {
		return
	}
	if v := float64(n) / 255; !p.Load.OK || v > p.Load.Value {
		p.Load.Value, p.Load.OK = v, true
	}
}

func mtu(p *Port, value string) {
	if n, _, ok := text.Uint32(value); ok {
		text.Set(&p.MTU, n)
	}
}

// Rate reads "5 minute input rate 2000 bits/sec, 2 packets/sec" and its like, in any unit, and says whether the
// line was one. Rates of further intervals are
// further facts.
func Rate(p *Port, line string) bool {
	every, rest, ok := strings.Cut(line, "put rate ")
	if !ok || line == "" || !text.IsDigit(line[0]) {
		return false
	}
	way := "in"
	if strings.HasSuffix(every, "out") {
		way = "out"
	}
	if p.Fact(way+"_rate") != "" || p.Fact(way+"_packet_rate") != "" {
		way = "further_" + way
	}
	p.KnowOnce("interval", strings.TrimSuffix(strings.TrimSuffix(every, " in"), " out"))
	for part := range strings.SplitSeq(rest, ",") {
		part = strings.TrimSpace(part)
		if i := strings.IndexByte(part, '('); i > 0 {
			part = strings.TrimSpace(part[:i]) // "0 bps (0.0% with framing overhead)"
		}
		v, unit, ok := text.Decimal(part)
		if !ok {
			continue
		}
		if scale, ok := text.BitScale(unit); ok {
			p.Know(way+"_rate", text.Plain(v*scale))
		} else if strings.HasPrefix(strings.TrimSpace(unit), "frames") { // Fibre Channel's
			p.Know(way+"_frame_rate", text.Plain(v))
		} else if scale, ok := text.PacketScale(unit); ok {
			p.Know(way+"_packet_rate", text.Plain(v*scale))
		}
	}
	return true
}

// Flow reads "Input flow-control is off, output flow-control is on" in either order and spelling.
func Flow(p *Port, line string) bool {
	lower := strings.ToLower(line)
	if !strings.Contains(lower, "flow-control is ") && !strings.Contains(lower, "flow control is ") {
		return false
	}
	for part := range strings.SplitSeq(lower, ",") {
		part = strings.TrimSpace(part)
		_, value, ok := strings.Cut(part, " is ")
		if !ok || value != "on" && value != "off" && value != "unsupported" {
			continue
		}
		if strings.HasPrefix(part, "input") {
			text.Set(&p.FlowIn, value == "on")
		} else if strings.HasPrefix(part, "output") {
			text.Set(&p.FlowOut, value == "on")
		}
	}
	return true
}

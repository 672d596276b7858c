package sim

import (
	"math"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// trial is one test that somebody runs: a step of a sweep, or a comparison before and after something was switched. What
// comes of it follows from the path as it is then; what was switched is the trial's own change of the path.
type trial struct {
	at, length time.Duration
	proto      string // tcp, udp, ping
	way        way
	offered    float64 // bit/s
	size       int     // payload of a datagram, bytes; 0 is 1448
	paced      bool
	streams    int
	window     int // bytes asked for; 0: as large as needed
	note       string
	switched   func(*condition) // nil: the path as it is
}

// every is how far apart trials begin.
const every = 3 * time.Second

// tries adds trials one after the other, from a moment on, and returns the end of the last.
func (s *Story) tries(from time.Duration, list ...trial) time.Duration {
	for _, t := range list {
		t.at, t.length = from, 2*time.Second
		s.trials = append(s.trials, t)
		from += every
	}
	return from
}

// sweep is trials with datagrams at several rates.
func sweep(w way, paced bool, note string, rates ...float64) []trial {
	var out []trial
	for _, r := range rates {
		out = append(out, trial{proto: "udp", way: w, offered: r, paced: paced, note: note})
	}
	return out
}

// result is what a trial comes to on the path, as the attributes of an EventResult.
func (t trial) result(s *Story, c condition) map[string]string {
	if t.switched != nil {
		t.switched(&c)
	}
	a := map[string]string{"proto": t.proto, "direction": t.way.String(), "duration_s": number(t.length.Seconds())}
	if t.note != "" {
		a["note"] = t.note
	}
	rtt := c.delay[forward] + c.delay[reverse]
	switch t.proto {
	case "tcp":
		t.tcp(s, c, rtt, a)
	case "ping":
		a["proto"], a["rtt_ms"] = "icmp", millis(rtt+c.queue[forward]+c.queue[reverse])
		delete(a, "direction")
		if t.size > 0 {
			a["size_bytes"], a["df"], a["loss_ratio"] = strconv.Itoa(t.size), "true", "0"
			if c.fits > 0 && t.size > c.fits {
				a["loss_ratio"] = "1"
			}
		}
	default:
		t.udp(s, c, rtt, a)
	}
	return a
}

// udp says what arrives of datagrams at a rate.
func (t trial) udp(s *Story, c condition, rtt time.Duration, a map[string]string) {
	size := t.size
	if size == 0 {
		size = segmentSize
	}
	a["offered_bps"], a["size_bytes"], a["rtt_ms"] = number(t.offered), strconv.Itoa(size), millis(rtt)
	if t.paced {
		a["paced"] = "true"
	}
	got := t.offered * (1 - c.loss[t.way])
	if !t.paced {
		got *= 1 - c.burst[t.way]
	}
	a["rtt_loaded_ms"] = millis(rtt + c.queue[forward] + c.queue[reverse])
	if most := c.limit[t.way]; most > 0 && got > most {
		got = most
		a["rtt_loaded_ms"] = millis(rtt + c.holds)
	}
	if c.fits > 0 && size+udpOverhead > c.fits {
		got = 0
	}
	if c.takes > 0 && got > c.takes {
		packets := (got - c.takes) / 8 / float64(size) * t.length.Seconds()
		got, a["host_drops"] = c.takes, number(math.Round(packets))
	}
	a["rate_bps"], a["loss_ratio"] = number(got), number(1-got/t.offered)
}

// tcp says what a flow over TCP reaches.
func (t trial) tcp(s *Story, c condition, rtt time.Duration, a map[string]string) {
	line := s.line() * segmentSize / 1538 // octets of a full frame with preamble and gap (IEEE 802.3)
	rate, lost := line, c.loss[t.way]+c.cut[t.way]
	loaded := rtt + c.queue[forward] + c.queue[reverse]
	flows := float64(max(1, t.streams))
	if most := mathis(lost, loaded) * flows; most > 0 {
		rate = min(rate, most)
	}
	window := c.window
	if t.window > 0 && (window == 0 || t.window < window) {
		window = t.window
	}
	if window > 0 {
		rate = min(rate, float64(window)*8/max(loaded, time.Millisecond).Seconds()*flows)
		a["window_bytes"] = strconv.Itoa(window)
	}
	if c.perFlow > 0 {
		rate = min(rate, c.perFlow*flows)
	}
	if most := c.limit[t.way]; most > 0 && rate > most {
		rate = most * 0.96
		loaded = rtt + c.holds
		if c.holds == 0 {
			lost += 0.02 // what runs into a policer's ceiling is lost again and again (Flach 2016)
		}
	}
	if s.slow > 0 {
		rate = min(rate, s.slow)
	}
	if c.fits > 0 && segmentSize+tcpOverhead > c.fits {
		rate = 0
	}
	a["rate_bps"], a["rtt_ms"], a["rtt_loaded_ms"] = number(rate), millis(rtt), millis(loaded)
	a["retransmits"] = number(math.Round(rate / 8 / segmentSize * t.length.Seconds() * lost))
	if t.streams > 0 {
		a["streams"] = strconv.Itoa(t.streams)
	}
}

// line is the speed of the slowest port of the path, bit/s.
func (s *Story) line() float64 {
	slow := math.Inf(1)
	for _, c := range s.path.cross[s.first][forward] {
		slow = min(slow, float64(c.port.started.speed))
	}
	return slow
}

func number(v float64) string { return strconv.FormatFloat(v, 'g', 8, 64) }

func millis(d time.Duration) string { return number(float64(d) / float64(time.Millisecond)) }

// told writes the trials that ended by a moment.
func (p *virtualProbe) told(from, to time.Duration) {
	s := p.v.story
	for _, t := range s.trials {
		if end := t.at + t.length; end > from && end <= to {
			p.out.Put(timeline.Event{Subject: p.path, Type: timeline.EventResult, Span: timeline.Span{From: p.v.begun.Add(t.at), To: p.v.begun.Add(end)},
				Text: "test", Attrs: t.result(s, s.path.at(t.at)), Origin: timeline.Origin{Collector: "probe:" + p.path.Name}})
		}
	}
}

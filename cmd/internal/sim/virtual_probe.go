package sim

import (
	"math/rand/v2"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage"
)

// virtualProbe is the probing host of a story told without waiting: heartbeats one by one, and TCP as a fluid that
// runs as fast as the path, the window and the program at the far end allow.
type virtualProbe struct {
	v    *Virtual
	out  timeline.Sink
	path timeline.Subject
	book *outage.Book
	dice *rand.Rand

	at       time.Duration // told up to here
	beats    []beatBack    // heartbeats on their way, in the order in which they return
	answered uint32        // reflected so far
	sent     float64       // since the last sample: bytes that TCP got through
	again    float64       // segments sent twice
	shut     float64       // seconds in which the window held TCP up
	blocked  time.Duration // since when TCP stands still; negative: it does not
	second   time.Duration // beginning of the sample
	kinds    []*kindBeat
}

// beatBack is a heartbeat on its way home.
type beatBack struct {
	number   uint64
	at       time.Duration
	received time.Duration // at the far end
	sequence uint32
}

const (
	beatTime    = 20 * time.Millisecond
	beatPayload = 44 // octets, RFC 8762
	fluidStep   = 10 * time.Millisecond
	leastStall  = 150 * time.Millisecond // of TCP, to be told
)

func newVirtualProbe(v *Virtual, out timeline.Sink) *virtualProbe {
	p := &virtualProbe{v: v, out: out, path: timeline.Path(v.story.pathName()), dice: rand.New(rand.NewPCG(v.story.Seed, 0x70726f62)), blocked: -1}
	p.book = outage.New(outage.Config{Path: p.path, Collector: "stamp:" + p.path.Name, Kind: "stamp", To: v.story.hostB, Heartbeat: beatTime, Out: out}, v.begun)
	p.startKinds()
	for _, kind := range []string{"iperf3", "stamp"} {
		attrs := map[string]string{"kind": kind, "to": v.story.hostB}
		if kind == "iperf3" {
			attrs["rate_bps"] = strconv.FormatFloat(v.story.offered, 'f', 0, 64)
		}
		out.Put(timeline.Event{Subject: p.path, Type: timeline.EventProbeStart, Span: timeline.At(v.begun), Text: kind + " to " + v.story.hostB, Attrs: attrs, Origin: timeline.Origin{Collector: kind + ":" + p.path.Name}})
	}
	return p
}

// until tells the story up to a moment.
func (p *virtualProbe) until(at time.Duration) {
	for p.at < at {
		if p.at%beatTime == 0 {
			p.beat(p.at)
		}
		if p.at%kindTime == 0 {
			p.beatKinds(p.at)
		}
		p.flow(p.at)
		p.at += fluidStep
		if p.at-p.second >= time.Second {
			p.samples(p.at)
		}
	}
	p.arrive(at)
	p.told(at-stepTime, at)
	p.book.Advance(p.v.begun.Add(at))
	p.advanceKinds(at, false)
}

func (p *virtualProbe) close() {
	if p.blocked >= 0 {
		p.stood(p.at, true)
	}
	p.arrive(p.at)
	p.book.Close(p.v.begun.Add(p.at))
	p.advanceKinds(p.at, true)
}

// beat sends one heartbeat over the path as it is at that moment.
func (p *virtualProbe) beat(at time.Duration) {
	p.arrive(at)
	path := &p.v.story.path
	c := path.at(at)
	n := p.book.Sent(p.v.begun.Add(at))
	there := at + p.crossing(c, forward)
	lost := c.dark[forward] || p.dice.Float64() < c.loss[forward]
	path.datagram(forward, c.active, beatPayload, lost)
	if lost {
		return
	}
	p.answered++
	back := path.at(there)
	lost = back.dark[reverse] || p.dice.Float64() < back.loss[reverse]
	path.datagram(reverse, back.active, beatPayload, lost)
	if !lost {
		p.beats = append(p.beats, beatBack{n, there + p.crossing(back, reverse), there, p.answered - 1})
	}
}

// crossing is how long a small frame takes one way now.
func (p *virtualProbe) crossing(c condition, w way) time.Duration {
	return c.delay[w] + c.queue[w] + time.Duration(p.dice.ExpFloat64()*float64(c.sway[w])) + time.Duration(p.dice.ExpFloat64()*float64(15*time.Microsecond))
}

// arrive enters the answers that have come by then.
func (p *virtualProbe) arrive(now time.Duration) {
	rest := p.beats[:0]
	for _, b := range p.beats {
		if b.at > now {
			rest = append(rest, b)
			continue
		}
		there := p.v.begun.Add(b.received)
		p.book.Answer(outage.Answer{Number: b.number, At: p.v.begun.Add(b.at), Exact: true, Far: &outage.Far{Received: there, Sent: there, Error: time.Millisecond, Sequence: b.sequence, Counts: true}})
	}
	p.beats = rest
}

// flow lets TCP run for one step.
func (p *virtualProbe) flow(at time.Duration) {
	s := p.v.story
	c := s.path.at(at)
	if c.dark[forward] || c.dark[reverse] || c.stalled > 0 {
		if p.blocked < 0 {
			p.blocked = at
		}
		return
	}
	if p.blocked >= 0 {
		p.stood(at, false)
	}
	rate := s.offered
	for _, most := range []float64{c.rate, c.perFlow, c.feeds, s.slow} {
		if most > 0 {
			rate = min(rate, most)
		}
	}
	rtt := c.delay[forward] + c.delay[reverse] + c.queue[forward] + c.queue[reverse]
	if c.window > 0 {
		if most := float64(c.window) * 8 / max(rtt, time.Millisecond).Seconds(); most < rate {
			rate = most
			p.shut += fluidStep.Seconds()
		}
	} else if s.slow > 0 && s.slow < s.offered {
		p.shut += fluidStep.Seconds()
	}
	bytes := rate / 8 * fluidStep.Seconds() * (0.97 + 0.03*p.dice.Float64())
	p.sent += bytes
	p.again += bytes / segmentSize * (c.loss[forward] + c.cut[forward])
	s.path.segments(forward, c, int(bytes))
}

// stood writes that TCP stood still until a moment.
func (p *virtualProbe) stood(at time.Duration, open bool) {
	from := p.blocked
	p.blocked = -1
	if at-from < leastStall {
		return
	}
	attrs := map[string]string{"direction": timeline.Forward, "seen_by": timeline.SeenByTCP, "error_ms": "5.0"}
	if open {
		attrs["open"] = "true"
	}
	p.out.Put(timeline.Event{Subject: p.path, Type: timeline.EventOutage, Span: timeline.Span{From: p.v.begun.Add(from), To: p.v.begun.Add(at)},
		Text: "TCP stood still", Attrs: attrs, Origin: timeline.Origin{Collector: "iperf3:" + p.path.Name}})
	p.again++
}

// samples writes one second.
func (p *virtualProbe) samples(at time.Duration) {
	s := p.v.story
	c := s.path.at(at - fluidStep)
	sp := timeline.Span{From: p.v.begun.Add(p.second), To: p.v.begun.Add(at)}
	d := sp.Width().Seconds()
	put := func(sub timeline.Subject, m timeline.Metric, v float64) {
		p.out.Put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v, Origin: timeline.Origin{Collector: "iperf3:" + p.path.Name}})
	}
	rtt := (c.delay[forward] + c.delay[reverse] + c.queue[forward] + c.queue[reverse]).Seconds()
	window := 3 << 20
	if c.window > 0 {
		window = c.window
	}
	put(p.path, timeline.GoodputForward, p.sent*8/d)
	put(p.path, timeline.OfferedForward, s.offered)
	put(p.path, timeline.TCPRTT, rtt)
	put(p.path, timeline.TCPRetransmits, p.again/d)
	put(p.path, timeline.TCPCwnd, max(10*segmentSize, 2*p.sent/d*rtt))
	put(p.path, timeline.TCPSendWindow, float64(window))
	put(p.path, timeline.TCPBusy, c.busy(s))
	put(p.path, timeline.TCPRwndLimited, min(1, p.shut/d))
	put(p.path, timeline.TCPSndbufLimited, 0)
	far := timeline.Host(p.v.FarName())
	busy, stall := 0.04, 0.0
	if s.slow > 0 && s.slow < s.offered {
		busy, stall = 0.2, 0.95
	}
	put(far, timeline.HostCPU, busy/2)
	put(far, timeline.HostProcessCPU, busy)
	put(far, timeline.HostReadStall, stall)
	put(far, timeline.HostUDPDrops, c.farDrops)
	here, h := timeline.Host(timeline.LocalHost), c.host
	for m, v := range map[timeline.Metric]float64{
		timeline.HostCPU: max(0.08, h.busy), timeline.HostCoreBusy: max(0.15, h.busy), timeline.HostProcessCPU: 0.05, timeline.HostSoftirq: max(0.01, h.softirq), timeline.HostSteal: h.steal,
		timeline.HostIOWait: 0, timeline.HostSchedGap: max(500*time.Microsecond, h.gap).Seconds(), timeline.HostUDPDrops: h.udpDrops, timeline.HostNICDrops: h.nicDrops, timeline.HostQueueDrops: h.ownDrops,
	} {
		put(here, m, v)
	}
	p.sent, p.again, p.shut, p.second = 0, 0, 0, at
}

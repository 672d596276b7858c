package devices

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// figure is one counter of a port and the metric that its rate is.
type figure struct {
	metric timeline.Metric
	get    func(*Interface) Opt[Counter]
	scale  float64
	limit  func(speed float64) float64 // the highest rate that the line can have; nil: packets
	usual  bool                        // its absence is worth a gap
}

// figures lists the counters of a port, those of traffic first. A new counter is one line here.
var figures = []figure{
	{timeline.InBits, func(i *Interface) Opt[Counter] { return i.InOctets }, 8, bitsAtMost, true},
	{timeline.OutBits, func(i *Interface) Opt[Counter] { return i.OutOctets }, 8, bitsAtMost, true},
	{timeline.InPackets, func(i *Interface) Opt[Counter] { return i.InPackets }, 1, nil, true},
	{timeline.OutPackets, func(i *Interface) Opt[Counter] { return i.OutPackets }, 1, nil, true},
	{timeline.InErrors, func(i *Interface) Opt[Counter] { return i.InErrors }, 1, nil, true},
	{timeline.OutErrors, func(i *Interface) Opt[Counter] { return i.OutErrors }, 1, nil, true},
	{timeline.InDrops, inDrops, 1, nil, true},
	{timeline.OutDrops, func(i *Interface) Opt[Counter] { return i.OutDrops }, 1, fanIn, true},
	{timeline.InFCS, func(i *Interface) Opt[Counter] { return i.FCS }, 1, nil, true},
	{timeline.InAlignment, func(i *Interface) Opt[Counter] { return i.Alignment }, 1, nil, false},
	{timeline.InSymbol, func(i *Interface) Opt[Counter] { return i.Symbol }, 1, bitsAtMost, false},
	{timeline.InRunts, func(i *Interface) Opt[Counter] { return i.Runts }, 1, nil, false},
	{timeline.InGiants, func(i *Interface) Opt[Counter] { return i.Giants }, 1, nil, false},
	{timeline.InOverrun, func(i *Interface) Opt[Counter] { return i.Overrun }, 1, nil, false},
	{timeline.LateCollisions, func(i *Interface) Opt[Counter] { return i.LateCollisions }, 1, nil, false},
	{timeline.Collisions, func(i *Interface) Opt[Counter] { return i.Collisions }, 1, nil, false},
	{timeline.InPause, func(i *Interface) Opt[Counter] { return i.InPause }, 1, nil, false},
	{timeline.OutPause, func(i *Interface) Opt[Counter] { return i.OutPause }, 1, nil, false},
	{timeline.InQueueDrops, func(i *Interface) Opt[Counter] { return i.InputQueueDrop }, 1, nil, false},
	{timeline.InUnknownProtos, func(i *Interface) Opt[Counter] { return i.UnknownProtos }, 1, nil, false},
	{timeline.InBroadcasts, func(i *Interface) Opt[Counter] { return i.InBroadcasts }, 1, nil, false},
	{timeline.OutBroadcasts, func(i *Interface) Opt[Counter] { return i.OutBroadcasts }, 1, nil, false},
	{timeline.InMulticasts, func(i *Interface) Opt[Counter] { return i.InMulticasts }, 1, nil, false},
	{timeline.OutMulticasts, func(i *Interface) Opt[Counter] { return i.OutMulticasts }, 1, nil, false},
	{timeline.InFragments, func(i *Interface) Opt[Counter] { return i.Fragments }, 1, bitsAtMost, false}, // shorter than a frame
	{timeline.InJabbers, func(i *Interface) Opt[Counter] { return i.Jabbers }, 1, nil, false},
	{timeline.InStomped, func(i *Interface) Opt[Counter] { return i.Stomped }, 1, nil, false},
	{timeline.InIgnored, func(i *Interface) Opt[Counter] { return i.Ignored }, 1, nil, false},
	{timeline.InNoBuffer, func(i *Interface) Opt[Counter] { return i.NoBuffer }, 1, nil, false},
	{timeline.InThrottles, func(i *Interface) Opt[Counter] { return i.Throttles }, 1, nil, false},
	{timeline.OutUnderruns, func(i *Interface) Opt[Counter] { return i.Underruns }, 1, nil, false},
	{timeline.InMACErrors, func(i *Interface) Opt[Counter] { return i.MACIn }, 1, nil, false},
	{timeline.OutMACErrors, func(i *Interface) Opt[Counter] { return i.MACOut }, 1, nil, false},
	{timeline.CarrierSense, func(i *Interface) Opt[Counter] { return i.CarrierSense }, 1, nil, false},
	{timeline.Deferred, func(i *Interface) Opt[Counter] { return i.Deferred }, 1, nil, false},
	{timeline.ExcessiveCollisions, func(i *Interface) Opt[Counter] { return i.ExcessiveCollisions }, 1, nil, false},
	{timeline.CarrierTransitions, func(i *Interface) Opt[Counter] { return i.CarrierTransitions }, 1, nil, false},
	{timeline.Resets, func(i *Interface) Opt[Counter] { return i.Resets }, 1, nil, false},
	{timeline.MTUExceeded, func(i *Interface) Opt[Counter] { return i.MTUExceeded }, 1, fanIn, false},
	{timeline.StormDrops, func(i *Interface) Opt[Counter] { return i.StormDrops }, 1, nil, false},
	{timeline.PolicerDrops, func(i *Interface) Opt[Counter] { return i.PolicerDrops }, 1, fanIn, false},
	{timeline.ACLDrops, func(i *Interface) Opt[Counter] { return i.ACLDrops }, 1, fanIn, false},
	{timeline.PoEDenied, func(i *Interface) Opt[Counter] { return i.PoEDenied }, 1, nil, false},
	{timeline.PoEOverload, func(i *Interface) Opt[Counter] { return i.PoEOverload }, 1, nil, false},
	{timeline.PoEShort, func(i *Interface) Opt[Counter] { return i.PoEShort }, 1, nil, false},
	{timeline.PoEAbsent, func(i *Interface) Opt[Counter] { return i.PoEAbsent }, 1, nil, false},
}

func inDrops(i *Interface) Opt[Counter] {
	if i.InDrops.OK {
		return i.InDrops
	}
	return i.InputQueueDrop
}

// tolerance is how far beyond the line rate a rate may be, for polls that are not read at one moment.
const tolerance = 1.1

// shortest is the shortest frame on the wire in bits: 64 octets, preamble and gap (IEEE 802.3: 8 and 12 octets).
const shortest = (64 + 20) * 8

func bitsAtMost(speed float64) float64 { return speed * tolerance }

func packetsAtMost(speed float64) float64 { return speed / shortest * tolerance }

// fanIn bounds what can be dropped on its way out of a slow port: it came in on another, faster one.
func fanIn(speed float64) float64 { return packetsAtMost(max(speed, 1e9)) }

func (f *figure) most(speed float64) float64 {
	if f.limit != nil {
		return f.limit(speed)
	}
	return packetsAtMost(speed)
}

// figureState is what one collector said last of one counter of a port.
type figureState struct {
	known bool
	base  base
	falls []time.Time // the last ones
	owner *ownership
}

// base is a counter's last valid value and when it was read.
type base struct {
	counter Counter
	at      timeline.Span
	bad     bool // it fell for no reason once: not believed any more
}

// delta is what became of one counter between two polls.
type delta struct {
	*figure
	state *figureState // with the counter's base
	to    Counter
	step  uint64 // by how much it rose; if not fell
	fell  bool
	wrap  bool   // it wrapped, or was cleared where a wrap can't be ruled out
	text  string // why the step is not believed; "" if it is
}

// counters writes the rates of a port since its last poll, or says why there are none.
func (w *writer) counters(p *portState, i *Interface, sub timeline.Subject) {
	speed := max(p.speed, float64(i.Speed.Value), 0)
	reset, cleared := w.reset(p, i)
	deltas := w.differ.deltas[:0]
	for n := range figures {
		f := &figures[n]
		c := f.get(i)
		if !c.OK && !f.usual {
			continue
		}
		st := p.figures[n]
		if st == nil {
			st = &figureState{owner: w.differ.owned(sub, f.metric)}
			p.figures[n] = st
		}
		if !c.OK {
			w.differ.lack(sub, f.metric, st.owner)
			continue
		}
		if !st.known || reset != "" || st.base.counter.Bits != c.Value.Bits {
			if st.known && reset == "" {
				w.gap(sub, f.metric, w.between(&st.base), timeline.ReasonReset, "the device counts in another width than before")
			}
			st.known, st.base = true, base{counter: c.Value, at: w.now}
			w.differ.had(sub, f.metric, st.owner)
			continue
		}
		deltas = append(deltas, w.subtract(f, st, c.Value, speed, p, i))
	}
	w.differ.deltas = deltas
	again := w.fallsAgain(p, sub, deltas)
	reason := timeline.ReasonReset
	if reset == "" && fallen(deltas) {
		cleared = !again
		reset = "the counters fell although the device did not restart: they were cleared"
		if again {
			reset, reason = fallsAgain, timeline.ReasonSuspect
		}
		if p.last.IsZero() {
			cleared = false
		}
		for _, dl := range deltas {
			dl.state.base = base{counter: dl.to, at: w.now}
		}
		deltas = nil
	}
	if reset != "" {
		if !p.last.IsZero() {
			sp := timeline.Span{From: p.last.From, To: w.now.To}
			if cleared {
				w.event(sub, timeline.EventCleared, sp, reset, nil)
			}
			w.gap(sub, "", sp, reason, reset)
		}
		p.rest = restState{start: w.now, moved: w.now, seen: w.now, unsure: true}
		return
	}
	w.rates(p, sub, deltas, speed)
}

// reset returns why no counter of the port may be subtracted from its last value; "" if they may.
func (w *writer) reset(p *portState, i *Interface) (why string, cleared bool) {
	switch {
	case w.restarted:
		return "the device or its agent restarted", false
	case p.renumbered:
		return "the port moved to another ifIndex", false
	case p.discontinue.OK && i.Discontinue.OK && p.discontinue != i.Discontinue:
		return "the device says that the counters are not continuous (ifCounterDiscontinuityTime changed)", false
	case clearedSince(p.lastClear, i.LastClear):
		return "the counters were cleared (last clearing: " + i.LastClear.Value + ")", true
	}
	return "", false
}

// fallen says whether the counters of a port fell together: not one that misbehaves, but all that could.
func fallen(deltas []delta) bool {
	fell, rose := 0, 0
	for n := range deltas {
		switch dl := &deltas[n]; {
		case dl.fell:
			fell++
		case dl.step > 0 && !dl.wrap:
			rose++
		}
	}
	return fell > rose
}

// subtract compares two values of one counter.
func (w *writer) subtract(f *figure, st *figureState, c Counter, speed float64, p *portState, i *Interface) delta {
	dl, b := delta{figure: f, state: st, to: c}, &st.base
	octets := f.metric == timeline.InBits || f.metric == timeline.OutBits
	switch {
	case octets && c.Bits == 32 && speed > 0 && w.stretch(b).longest*speed/8 > 1<<32:
		dl.text = "a 32-bit octet counter may have wrapped more than once since it was last read"
		if c.Value >= b.counter.Value {
			dl.step = c.Value - b.counter.Value
		}
		return dl
	case c.Value >= b.counter.Value:
		dl.step = c.Value - b.counter.Value
		return dl
	case c.Bits == 32 && w.mayWrap(p, i) && speed > 0:
		step := c.Value + 1<<32 - b.counter.Value
		if float64(step)*f.scale/w.stretch(b).longest <= f.most(speed) {
			dl.step, dl.wrap = step, true
			return dl
		}
	}
	dl.fell = true
	dl.text = fmt.Sprintf("the counter fell from %d to %d", b.counter.Value, c.Value)
	return dl
}

// mayWrap says whether the device's clock and its own word rule a reset out.
func (w *writer) mayWrap(p *portState, i *Interface) bool {
	return w.reading.Clock.OK && !w.restarted && p.discontinue == i.Discontinue
}

// stretch is the time from one reading to another. Most counters of a device have the same.
type stretch struct {
	from, to timeline.Span
	period   time.Duration // of the agent's refresh, as it was known then
	between  timeline.Span
	longest  float64 // s: the most that can lie between the two moments at which the device counted
}

// stretch returns the time from a base to now. It is valid until the next call.
func (w *writer) stretch(b *base) *stretch {
	x, f := &w.stretched, &w.side.refresh
	if x.from == b.at && x.to == w.now && x.period == f.period {
		return x
	}
	*x = stretch{from: b.at, to: w.now, period: f.period, between: timeline.Span{From: b.at.Mid(), To: w.now.Mid()}}
	d := w.now.To.Sub(b.at.From)
	if f.slowerThan(x.between.Width()) {
		d = max(d, f.period) // the first value may have been as old as that
	}
	x.longest = max(d, minElapsed).Seconds()
	return x
}

// between returns the span from a base to now.
func (w *writer) between(b *base) timeline.Span { return w.stretch(b).between }

// minElapsed is the shortest time over which a rate is made.
const minElapsed = time.Millisecond

// write turns a step into a sample over the stretch, of which it took elapsed, or into a gap.
func (w *writer) write(sub timeline.Subject, dl *delta, over *stretch, elapsed time.Duration, speed float64) (rate float64, ok bool) {
	if dl.text == "" {
		rate = float64(dl.step) * dl.scale / max(elapsed, minElapsed).Seconds()
		most := math.Inf(1)
		if speed > 0 {
			most = dl.most(speed)
		} else if dl.limit != nil {
			most = dl.most(maxLine)
		}
		if rate > most { // perhaps only because the polls were not read at one moment
			rate = float64(dl.step) * dl.scale / max(over.longest, elapsed.Seconds())
		}
		if rate <= most {
			w.sampleOf(sub, dl.metric, dl.state.owner, over.between, rate)
			return rate, true
		}
		dl.text = fmt.Sprintf("the counter rose by %d, which is more than the line can carry", dl.step)
	}
	w.gap(sub, dl.metric, over.between, timeline.ReasonSuspect, dl.text)
	return 0, false
}

// maxLine is the fastest line that is believed where the speed is not known: 1.6 Tbit/s.
const maxLine = 1.6e12

// clearedSince says whether "Last clearing" tells of a clearing since the last poll. It counts up by itself, so
// that only a shorter time, or a time after "never", is one.
func clearedSince(before, now Opt[string]) bool {
	if !before.OK || !now.OK || before.Value == now.Value {
		return false
	}
	if now.Value == "never" {
		return false
	}
	n, okNow := clearAge(now.Value)
	if before.Value == "never" {
		return true
	}
	b, okBefore := clearAge(before.Value)
	if okNow && okBefore {
		return n < b
	}
	return okNow == okBefore // two moments that differ
}

// clearAge reads how long ago the command line says something was: 00:12:13, 1d21h, 3w3d, 1y2w.
func clearAge(s string) (time.Duration, bool) {
	if f := strings.Split(s, ":"); len(f) == 3 {
		var d time.Duration
		for n, unit := range []time.Duration{time.Hour, time.Minute, time.Second} {
			v, err := strconv.Atoi(f[n])
			if err != nil {
				return 0, false
			}
			d += time.Duration(v) * unit
		}
		return d, true
	}
	const day = 24 * time.Hour
	units := map[byte]time.Duration{'y': 365 * day, 'w': 7 * day, 'd': day, 'h': time.Hour}
	var d time.Duration
	number := 0
	digits := false
	for i := range len(s) {
		if c := s[i]; c >= '0' && c <= '9' {
			number, digits = number*10+int(c-'0'), true
		} else if u, ok := units[c]; ok && digits {
			d += time.Duration(number) * u
			number, digits = 0, false
		} else {
			return 0, false
		}
	}
	return d, d > 0 && !digits
}

package devices

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

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

package devices

import (
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Agents refresh their counters at their own pace (net-snmp every 1 to 3 s, some chassis every 5 to 10 s), so a
// poll may see counters stand still while traffic flows, and the next one all that was missed. A poll without any
// movement on a port that was busy is therefore held back until it is known which of the two it was: traffic that
// stopped is written as zero, a refresh that had not come is spread over the time it covers.

// restState is a port whose counters may be resting.
type restState struct {
	start  timeline.Span // the first reading
	moved  timeline.Span // the last reading in which anything moved, or that was written as zero
	seen   timeline.Span // the last reading
	held   int           // readings since moved that were held back
	moves  int           // readings in which anything moved
	inARow int           // of them without a rest in between
	last   float64       // bit/s in and out together, as last written
	usual  float64       // the same before, on average
	unsure bool          // the last movement gave no rate, so that last says nothing
}

// refresh is what is known of an agent's pace. It is learned from all ports of a collector together.
type refresh struct {
	steps    []time.Duration // between readings in which a busy port moved, the newest last
	interval time.Duration   // between polls while they were made
	period   time.Duration   // their mean; 0: not known
	told     time.Time
	slow     bool // EventSlow was written
}

const (
	refreshSteps = 16               // how many steps are remembered
	liveAfter    = 3                // so many movements in a row show that the agent keeps up
	longestRest  = 12 * time.Second // how long a busy port may rest while nothing is known of the agent
	firstRest    = 4 * time.Second  // how long a port may rest that never moved
	slower       = 1.2              // a period of so many intervals is longer than the interval
	busyRate     = 10e3             // bit/s from which a port's rest is worth a thought
	caught       = 1.3              // more than this times one interval's traffic is traffic of several intervals
	whole        = 0.93             // more than this times one interval's traffic is traffic of a whole interval
)

// rates writes the deltas of one port, or holds them back.
func (w *writer) rates(p *portState, sub timeline.Subject, deltas []delta, speed float64) {
	r, f := &p.rest, &w.side.refresh
	defer func() { r.seen = w.now }()
	if r.start.IsZero() || len(deltas) == 0 {
		r.start, r.moved = w.now, w.now
		return
	}
	rest, interval := w.now.Mid().Sub(r.moved.Mid()), w.now.Mid().Sub(r.seen.Mid())
	busy := r.last >= busyRate || r.unsure
	traffic, others := split(deltas)
	if !anyMoved(traffic) {
		if rest <= f.patience(r, busy, interval, isSNMP(w.reading.Origin.Collector)) {
			r.held++
			// What moves by itself comes from another part of the agent, which is not resting.
			w.release(p, sub, slices.DeleteFunc(others, func(dl delta) bool { return !dl.moved() }), speed, 0)
			return
		}
		w.release(p, sub, deltas, speed, 0) // it carries nothing
		r.moved, r.held, r.last, r.usual, r.unsure = w.now, 0, 0, 0, false
		return
	}
	held, live := r.held, r.inARow >= liveAfter && !f.slowerThan(interval)
	r.held, r.moves, r.inARow = 0, r.moves+1, r.inARow+1
	if held > 0 {
		r.inARow = 0
	}
	switch came := bits(deltas) / interval.Seconds(); {
	case r.moves == 1 && held > 0 && f.period == 0:
		// The first refresh that was seen also brings what came before the first poll.
		w.rebase(deltas)
		r.last = bits(deltas) / rest.Seconds()
		r.usual = r.last
	case busy && held == 1 && live && came >= whole*r.usual && came <= caught*r.usual && r.last >= whole*r.usual:
		// The agent's period is a little longer than ours, so that one poll fell between two refreshes.
		w.release(p, sub, deltas, speed, interval)
	case busy && held > 0 && live && came <= caught*r.usual:
		w.zeroes(sub, deltas, r.seen)
		w.release(p, sub, deltas, speed, 0)
	case busy:
		f.learn(rest, interval)
		w.release(p, sub, deltas, speed, 0)
	default:
		w.release(p, sub, deltas, speed, 0)
	}
	r.moved = w.now
}

func (dl *delta) moved() bool { return dl.step > 0 || dl.fell }

func anyMoved(deltas []delta) bool {
	for n := range deltas {
		if deltas[n].moved() {
			return true
		}
	}
	return false
}

// split takes the counters of traffic apart, by which it is told whether a port rests; all, if there are none. They are
// the first, as they are of figures.
func split(deltas []delta) (traffic, others []delta) {
	n := 0
	for n < len(deltas) && isTraffic(deltas[n].metric) {
		n++
	}
	if n == 0 {
		return deltas, nil
	}
	return deltas[:n], deltas[n:]
}

func isTraffic(m timeline.Metric) bool {
	switch m {
	case timeline.InBits, timeline.OutBits, timeline.InPackets, timeline.OutPackets:
		return true
	}
	return false
}

// octets says whether the counter is one of octets.
func (dl *delta) octets() bool {
	return dl.metric == timeline.InBits || dl.metric == timeline.OutBits
}

// bits returns what the deltas carried in both directions.
func bits(deltas []delta) (sum float64) {
	for n := range deltas {
		if dl := &deltas[n]; dl.octets() && dl.text == "" {
			sum += float64(dl.step) * dl.scale
		}
	}
	return sum
}

// patience is how long a port may rest before it counts as carrying nothing.
func (f *refresh) patience(r *restState, busy bool, interval time.Duration, agent bool) time.Duration {
	switch {
	case agent && r.moves == 0 && f.period == 0 && r.moved == r.start:
		return firstRest
	case !busy:
		return 0
	case f.period == 0 && r.inARow < liveAfter:
		return max(longestRest, interval*3/2)
	case f.period == 0:
		return interval * 3 / 2
	}
	return max(slices.Max(f.steps), f.period) * 3 / 2
}

func (f *refresh) slowerThan(interval time.Duration) bool {
	return float64(f.period) > slower*float64(interval)
}

// rebase makes now the base of all deltas without writing them.
func (w *writer) rebase(deltas []delta) {
	for n := range deltas {
		b := &deltas[n].state.base
		*b = base{counter: deltas[n].to, at: w.now, bad: b.bad}
	}
}

// zeroes writes that the port carried nothing until then, and makes that moment the base of what follows.
func (w *writer) zeroes(sub timeline.Subject, deltas []delta, then timeline.Span) {
	for n := range deltas {
		dl, b := &deltas[n], &deltas[n].state.base
		if dl.fell || dl.text != "" || b.bad || !b.at.Mid().Before(then.Mid()) {
			continue
		}
		w.sampleOf(sub, dl.metric, dl.state.owner, timeline.Span{From: b.at.Mid(), To: then.Mid()}, 0)
		b.at = then
	}
}

// release writes all deltas of a port and makes now their base. took, if not 0, is the
// time in which the traffic came.
func (w *writer) release(p *portState, sub timeline.Subject, deltas []delta, speed float64, took time.Duration) {
	sum, top, known := 0.0, 0.0, timeline.Span{}
	interval := w.interval(p)
	for n := range deltas {
		dl := &deltas[n]
		from := &dl.state.base
		over := w.stretch(from)
		switch {
		case dl.text == fallsAgain:
		case from.bad:
			dl.text = "the counter fell before without being cleared; it is not believed"
		case dl.fell:
			dl.text += " without being cleared, while others rose; it is not believed"
		}
		bad := from.bad || dl.fell && dl.to.Bits == 0
		elapsed := over.between.Width()
		if isTraffic(dl.metric) {
			if took != 0 {
				elapsed = took
			} else {
				elapsed = w.side.refresh.elapsed(elapsed, interval)
			}
		}
		rate, ok := w.write(sub, dl, over, elapsed, speed)
		*from = base{counter: dl.to, at: w.now, bad: bad}
		if ok && dl.octets() {
			sum, top, known = sum+rate, max(top, rate), known.Union(over.between)
		}
	}
	r := &p.rest
	if known.IsZero() {
		r.unsure = r.unsure || slices.ContainsFunc(deltas, func(dl delta) bool { return dl.octets() })
		return
	}
	r.unsure = false
	const weight = 0.3 // of the newest in the average
	if r.usual == 0 {
		r.usual = r.last
	}
	r.usual, r.last = r.usual+weight*(r.last-r.usual), sum
	if p.negotiated > 0 {
		w.portSample(p, sub, timeline.Utilisation, known, top/p.negotiated)
	}
}

// interval returns the time since the port was last polled.
func (w *writer) interval(p *portState) time.Duration {
	if p.rest.seen.IsZero() {
		return 0
	}
	return w.now.Mid().Sub(p.rest.seen.Mid())
}

// elapsed returns the time that a step took which was seen over width: a whole number of the agent's periods
// where those are longer than the polls, so that a period of 1.5 polls makes no saw-tooth.
func (f *refresh) elapsed(width, interval time.Duration) time.Duration {
	if f.period == 0 || interval == 0 || !f.slowerThan(interval) || width > 3*f.period {
		return width
	}
	n := max(1, (width+f.period/2)/f.period)
	return n * f.period
}

// learn notes that a busy port moved after so long, being polled every interval.
func (f *refresh) learn(step, interval time.Duration) {
	if d := interval - f.interval; d > f.interval/4 || -d > f.interval/4 {
		f.steps, f.period, f.interval = nil, 0, interval // polled at another pace than before
	}
	f.steps = append(f.steps, step)
	if len(f.steps) > refreshSteps {
		f.steps = f.steps[1:]
	}
	const enough = 4
	if len(f.steps) < enough {
		return
	}
	var sum time.Duration
	for _, s := range f.steps {
		sum += s
	}
	f.period = sum / time.Duration(len(f.steps))
}

// refreshed writes how often the agent refreshes its counters.
func (w *writer) refreshed() {
	f := &w.side.refresh
	const often = 10 * time.Second
	if f.period == 0 || w.side.last.IsZero() || len(w.reading.Interfaces) == 0 || w.now.To.Sub(f.told) < often {
		return
	}
	f.told = w.now.To
	w.sample(w.device, timeline.RefreshPeriod, w.now, f.period.Seconds())
	interval := w.now.Mid().Sub(w.side.last.Mid())
	if slow := float64(f.period) > 1.5*float64(interval); slow && !f.slow {
		f.slow = true
		w.event(w.device, timeline.EventSlow, w.now, "the device refreshes its counters more rarely than it is asked",
			map[string]string{"period_ms": milliseconds(f.period)})
	}
}

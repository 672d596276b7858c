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
	moved  timeline.Span // the last reading in which anything moved
	seen   timeline.Span // the last reading
	rates  [2]float64    // bit/s in and out, as last written
	held   int           // readings since moved that were held back
	inARow int           // movements without a rest between them
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
	longestRest  = 12 * time.Second // how long a rest may be while nothing is known of the agent
	caught       = 1.3              // more than this times one interval's traffic is traffic of several intervals
	slower       = 1.2              // a period of so many intervals is longer than the interval
	busyRate     = 10e3             // bit/s from which a port's rest is worth a thought
)

// rates writes the deltas of one port, or holds them back.
func (w *writer) rates(p *portState, sub timeline.Subject, deltas []delta, speed float64) {
	r := &p.rest
	moved := slices.ContainsFunc(deltas, func(dl delta) bool { return dl.step > 0 || dl.fell })
	busy := r.rates[0]+r.rates[1] >= busyRate
	defer func() { r.seen = w.now }()
	if r.moved.IsZero() || len(deltas) == 0 {
		w.release(p, sub, deltas, speed, w.now)
		r.moved = w.now
		return
	}
	rest := w.now.Mid().Sub(r.moved.Mid())
	interval := w.now.Mid().Sub(r.seen.Mid())
	if !moved {
		if busy && rest <= w.side.refresh.patience(r.inARow, interval) {
			r.held++
			return
		}
		w.release(p, sub, deltas, speed, w.now) // it carries nothing
		r.moved, r.held, r.rates = w.now, 0, [2]float64{}
		return
	}
	held := r.held
	r.held = 0
	if r.inARow++; held > 0 {
		r.inARow = 0
	}
	switch {
	case held > 0 && w.stopped(r, deltas, interval):
		w.zeroes(p, sub, deltas, r.seen)
		w.release(p, sub, deltas, speed, w.now)
	case busy:
		w.side.refresh.learn(rest, interval)
		w.release(p, sub, deltas, speed, w.now)
	default:
		w.release(p, sub, deltas, speed, w.now)
	}
	r.moved = w.now
}

// patience is how long a busy port may rest before it counts as silent.
func (f *refresh) patience(inARow int, interval time.Duration) time.Duration {
	switch {
	case f.period == 0 && inARow < liveAfter:
		return max(longestRest, interval*3/2)
	case f.period == 0:
		return interval * 3 / 2
	}
	return max(slices.Max(f.steps), f.period) * 3 / 2
}

// stopped says whether a port that moves again after a rest carried nothing meanwhile: what came is no more than
// one interval's traffic. An agent that is known to be slow can't be judged so.
func (w *writer) stopped(r *restState, deltas []delta, interval time.Duration) bool {
	f := &w.side.refresh
	if f.period > time.Duration(slower*float64(interval)) {
		return false
	}
	var came, usual float64
	for _, dl := range deltas {
		switch {
		case dl.metric == timeline.InBits && dl.text == "":
			came, usual = came+float64(dl.step)*dl.scale, usual+r.rates[0]
		case dl.metric == timeline.OutBits && dl.text == "":
			came, usual = came+float64(dl.step)*dl.scale, usual+r.rates[1]
		}
	}
	return came <= caught*usual*interval.Seconds()
}

// zeroes writes that the port carried nothing until then, and makes that moment the base of what follows.
func (w *writer) zeroes(p *portState, sub timeline.Subject, deltas []delta, then timeline.Span) {
	for n := range deltas {
		dl := &deltas[n]
		if dl.fell || dl.text != "" || dl.from.bad {
			continue
		}
		w.sample(sub, dl.metric, timeline.Span{From: dl.from.at.Mid(), To: then.Mid()}, 0)
		dl.from.at = then
	}
}

// release writes all deltas of a port and makes now their base.
func (w *writer) release(p *portState, sub timeline.Subject, deltas []delta, speed float64, now timeline.Span) {
	var rates [2]float64
	known, top := false, 0.0
	for _, dl := range deltas {
		sp := w.between(dl.from)
		if dl.from.bad {
			dl.text = "the counter fell before without being cleared; it is not believed"
		}
		if dl.fell && !dl.from.bad {
			dl.text += " without being cleared, while others rose; it is not believed"
		}
		bad := dl.from.bad || dl.fell && dl.to.Bits == 0
		rate, ok := w.write(sub, dl, sp, w.side.refresh.elapsed(sp.Width(), w.interval(p)), w.longest(dl.from), speed)
		p.bases[dl.metric] = base{counter: dl.to, at: now, bad: bad}
		if !ok {
			continue
		}
		switch dl.metric {
		case timeline.InBits:
			rates[0], known, top = rate, true, max(top, rate)
		case timeline.OutBits:
			rates[1], known, top = rate, true, max(top, rate)
		}
	}
	if known {
		p.rest.rates = rates
		if p.negotiated > 0 {
			sp := timeline.Span{From: p.rest.seen.Mid(), To: now.Mid()}
			if b := deltas[0].from.at; !b.IsZero() {
				sp.From = b.Mid()
			}
			w.sample(sub, timeline.Utilisation, sp, top/p.negotiated)
		}
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
	if f.period == 0 || interval == 0 || float64(f.period) <= slower*float64(interval) || width > 3*f.period {
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

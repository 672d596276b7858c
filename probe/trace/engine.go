package trace

import (
	"context"
	"net/netip"
	"slices"
	"time"
)

// packet is one that was sent.
type packet struct {
	ttl      int
	sent     time.Time
	answered bool
	at       time.Time
	by       netip.Addr
	end      bool
	said     string
}

// engine carries out the rounds. The carrier is all it knows of the system.
type engine struct {
	cfg     Config
	to      netip.Addr
	w       carrier
	result  Result
	packets []packet
	reach   int // the time to live at which the path ends, as far as is known
	far     int // the farthest hop that answered
	slow    bool
	failure error // why the last packet was not sent
}

func newEngine(c Config, to netip.Addr, w carrier) *engine {
	return &engine{cfg: c, to: to, w: w, slow: w.single(),
		result: Result{Target: to, Method: c.Method, Port: c.Port, Started: time.Now().Round(0).UTC()}}
}

// run carries out the rounds; it returns when they are done and the last answers have had their time.
func (e *engine) run(ctx context.Context) {
	start := time.Now()
	for round := 0; round < e.cfg.Rounds && ctx.Err() == nil; round++ {
		e.round(ctx, round == 0)
		e.result.Rounds = round + 1
		if e.cfg.Progress != nil {
			e.cfg.Progress(e.summary())
		}
		next := start.Add(time.Duration(round+1) * e.cfg.Interval)
		if round == e.cfg.Rounds-1 {
			next = time.Now().Add(e.cfg.Wait)
		} else if time.Until(next) < 0 { // a slow round moves the ones after it
			start = start.Add(-time.Until(next))
			continue
		}
		for ctx.Err() == nil && time.Now().Before(next) && (round < e.cfg.Rounds-1 || e.waiting()) {
			e.receive(next)
		}
	}
	e.result.Seconds = time.Since(e.result.Started).Seconds()
}

// waiting says whether a packet may still be answered in time.
func (e *engine) waiting() bool {
	oldest := time.Now().Add(-e.cfg.Wait)
	for i := len(e.packets) - 1; i >= 0; i-- {
		if p := e.packets[i]; !p.answered && p.sent.After(oldest) {
			return true
		}
	}
	return false
}

// round asks every hop once.
func (e *engine) round(ctx context.Context, first bool) {
	for ttl := 1; ttl <= e.last(first) && ctx.Err() == nil; ttl++ {
		now := time.Now()
		n := len(e.packets)
		if err := e.w.send(ttl, n, now); err != nil {
			e.failure = err
			e.result.NotSent++
			e.until(ctx, n, now.Add(gap))
			continue
		}
		e.packets = append(e.packets, packet{ttl: ttl, sent: now})
		switch {
		case e.slow:
			e.until(ctx, n, now.Add(e.cfg.Wait))
		case first:
			e.until(ctx, n, now.Add(min(lookTime, e.cfg.Wait)))
		}
		for ctx.Err() == nil && time.Since(now) < gap {
			e.receive(now.Add(gap))
		}
	}
}

// last is the last hop to ask, as far as is known now.
func (e *engine) last(first bool) int {
	switch {
	case e.reach > 0:
		return e.reach
	case first:
		return min(e.cfg.Hops, e.far+giveUp)
	}
	return min(e.cfg.Hops, e.far+2) // it might turn up
}

// until receives until packet n is answered or a moment has come.
func (e *engine) until(ctx context.Context, n int, then time.Time) {
	for ctx.Err() == nil && time.Now().Before(then) && !(n < len(e.packets) && e.packets[n].answered) {
		e.receive(then)
	}
}

// receive takes what arrives until then, looking up at least every 50 ms.
func (e *engine) receive(then time.Time) {
	if soon := time.Now().Add(50 * time.Millisecond); soon.Before(then) {
		then = soon
	}
	e.w.receive(then, e.enter)
}

// enter enters an answer.
func (e *engine) enter(r reply) {
	if r.n < 0 {
		r.n = e.guess(r)
	}
	if r.n < 0 || r.n >= len(e.packets) || e.packets[r.n].answered {
		return
	}
	p := &e.packets[r.n]
	p.answered, p.by, p.end, p.said = true, r.by, r.end, r.said
	p.at = r.at
	if p.at.Before(p.sent) {
		p.at = p.sent
	}
	e.far = max(e.far, p.ttl)
	switch {
	case r.end && (e.reach == 0 || p.ttl < e.reach):
		e.reach = p.ttl
	case !r.end && e.reach > 0 && p.ttl >= e.reach: // the path has become longer
		e.reach = min(p.ttl+1, e.cfg.Hops)
	}
}

// guess finds the packet that an answer is for which does not say. From now on they go one at a time.
func (e *engine) guess(r reply) int {
	e.result.Guessed++
	slow := e.slow
	e.slow = true
	oldest := r.at.Add(-e.cfg.Wait)
	found := -1
	for n := len(e.packets) - 1; n >= 0 && e.packets[n].sent.After(oldest); n-- {
		p := e.packets[n]
		if p.answered {
			continue
		}
		if slow || e.answeredBefore(p.ttl, r.by) {
			return n
		}
		found = n // the oldest that waits
	}
	return found
}

// answeredBefore says whether an address has answered at a hop before.
func (e *engine) answeredBefore(ttl int, by netip.Addr) bool {
	return slices.ContainsFunc(e.packets, func(p packet) bool { return p.ttl == ttl && p.answered && p.by == by })
}

// summary returns what is known now. Packets that may still be answered do not count.
func (e *engine) summary() Result {
	r := e.result
	oldest := time.Now().Add(-e.cfg.Wait)
	hops := max(e.far, e.reach)
	if e.reach > 0 {
		hops = e.reach
	}
	r.Hops = make([]Hop, hops)
	times := make([][]time.Duration, hops)
	for i := range r.Hops {
		r.Hops[i].TTL = i + 1
	}
	for _, p := range e.packets {
		if p.ttl > hops || !p.answered && p.sent.After(oldest) {
			continue
		}
		h := &r.Hops[p.ttl-1]
		h.Sent++
		if !p.answered {
			continue
		}
		h.Answered++
		h.enter(p, e.to)
		times[p.ttl-1] = append(times[p.ttl-1], p.at.Sub(p.sent))
	}
	for i := range r.Hops {
		r.Hops[i].finish(times[i])
	}
	r.conclude()
	return r
}

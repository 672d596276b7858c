package pmtu

import (
	"context"
	"net/netip"
)

// measurement is one run.
type measurement struct {
	cfg    Config
	to     netip.Addr
	t      *tester
	r      *Result
	sent   int // by means that were given up
	failed error

	// refusals opens a means whose answers are small.
	refusals func(context.Context) (*tester, error)

	fragment int // the longest fragment that answers came in
}

// measure finds what passes on the way there, then what is known of the way back.
func (m *measurement) measure(ctx context.Context) {
	r := m.r
	most := m.cfg.Max
	if most == 0 {
		most = min(r.OwnMTU, maxSize)
	}
	// whole is the largest size that was answered.
	whole, fails := m.largest(ctx, controlSize, most, func(o outcome) bool { return o.Answered > 0 })
	r.MTU, r.Ends = whole, OwnLink
	if fails == 0 || m.failed != nil {
		m.wayBack(whole, false)
		return
	}
	there := whole
	if last := m.stepAt(fails); last.Arrived > 0 {
		there, fails = m.largest(ctx, whole, most, func(o outcome) bool { return o.Arrived > 0 || o.Answered > 0 })
	} else if last.Arrived < 0 && r.Means != UDP && !m.saidAbove(whole) {
		there, fails = m.byRefusals(ctx, whole, most)
	}
	r.MTU = there
	m.wayBack(whole, there > whole)
	switch {
	case m.failed != nil || fails == 0:
	case m.saidAbove(there):
		r.Ends, r.Said = Router, m.spokesman(there)
	case r.Ends != Unclear:
		r.Ends = BlackHole
	}
}

// largest finds the largest size that passes, and the smallest one above it that does not: 0 if the largest that was
// to be tried passes. Both are tried again at the end.
func (m *measurement) largest(ctx context.Context, passes, most int, ok func(outcome) bool) (whole, fails int) {
	pass := func(size int) (bool, int, error) {
		o, err := m.step(ctx, size)
		said := 0
		for _, s := range o.Said {
			said = s.MTU
		}
		return ok(o), said, err
	}
	for passes < most {
		good, said, err := pass(most)
		if good || err != nil {
			m.failed = err
			if good {
				passes = most
			}
			break
		}
		if passes, err = bisect(passes, most, said, pass); err != nil {
			m.failed = err
			break
		}
		if good, _, err = pass(passes + 1); !good || err != nil {
			m.failed = err
			return passes, passes + 1
		}
		passes++ // its packets had been lost by chance
	}
	if passes == most {
		return passes, 0
	}
	return passes, passes + 1
}

// step tries a size and takes note of it.
func (m *measurement) step(ctx context.Context, size int) (outcome, error) {
	o, err := m.t.test(ctx, size)
	m.r.Steps = append(m.r.Steps, o.Step)
	m.r.Back = max(m.r.Back, o.back)
	m.fragment = max(m.fragment, o.fragment)
	if m.cfg.Progress != nil {
		m.cfg.Progress(o.Step)
	}
	return o, err
}

// byRefusals finds what passes on the way there by answers that are small: a closed port's. If there are none, the
// two ways cannot be told apart.
func (m *measurement) byRefusals(ctx context.Context, whole, most int) (there, fails int) {
	t, err := m.refusals(ctx)
	if err != nil {
		m.r.Ends = Unclear
		return whole, whole + 1
	}
	echo := m.t
	m.t = t
	defer func() {
		m.sent += t.sent
		t.c.close()
		m.t = echo
	}()
	if o, err := m.step(ctx, whole+1); err != nil || o.Answered == 0 {
		m.failed = err
		return whole, whole + 1
	}
	return m.largest(ctx, whole+1, most, func(o outcome) bool { return o.Answered > 0 })
}

// wayBack concludes what the way back takes from the largest answer that came; larger says that larger packets
// arrived there whose answers did not come.
func (m *measurement) wayBack(whole int, larger bool) {
	r := m.r
	switch {
	case m.fragment > 0:
		r.Back, r.BackEnds = max(r.Back, m.fragment), Router
	case r.Back == 0:
	case larger:
		r.BackEnds = BlackHole
	case r.Ends != Unclear:
		r.BackEnds = OwnLink
	}
}

// stepAt returns what was found the last time that a size was tried.
func (m *measurement) stepAt(size int) Step {
	for i := len(m.r.Steps) - 1; i >= 0; i-- {
		if m.r.Steps[i].Size == size {
			return m.r.Steps[i]
		}
	}
	return Step{Arrived: -1}
}

// saidAbove says whether a router said of a packet larger than a size that it is too large.
func (m *measurement) saidAbove(size int) bool { return m.spokesman(size).Times > 0 }

// spokesman returns who said most often that packets larger than a size are too large.
func (m *measurement) spokesman(size int) Said {
	var all Step
	for _, s := range m.r.Steps {
		for _, said := range s.Said {
			if s.Size > size {
				all.say(said)
			}
		}
	}
	var best Said
	for _, s := range all.Said {
		if s.Times > best.Times {
			best = s
		}
	}
	return best
}

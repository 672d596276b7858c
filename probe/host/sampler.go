package host

import (
	"context"
	"net/netip"
	"slices"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
)

const (
	// tick is the period of the timer whose lateness is measured, that of the usual heartbeat. On a busy virtual
	// machine a timer costs 50 us of processor time, so that one of 10 ms alone would take 0.7 % of a core.
	tick        = 20 * time.Millisecond
	sampleEvery = time.Second
	leastSample = 100 * time.Millisecond // ten ticks of the kernel's clock
	lookEvery   = 100 * time.Millisecond // at the carrier of the cards, beside what the kernel announces
	routeEvery  = 5 * time.Second
	setupEvery  = 10 * time.Second // some drivers ask their firmware
)

// Sampler watches the host on which it runs. Its samples go by the second. It is cheap enough to run beside every
// measurement, and takes the same memory for days.
type Sampler struct {
	Name string   // the path's
	To   []string // far ends, whose routes say which network cards matter

	sys system // nil: this system
}

var _ probe.Prober = (*Sampler)(nil)

// Path returns the path on whose behalf the host is watched. The records are about Host(LocalHost) and
// Port(LocalHost, card).
func (s *Sampler) Path() timeline.Subject { return timeline.Path(s.Name) }

// Together returns the probers with all samplers among them made one: a host that probes several paths is watched
// once. The first takes the place of all, under its own name.
func Together(probers []probe.Prober) []probe.Prober {
	out := make([]probe.Prober, 0, len(probers))
	var first *Sampler
	at := 0
	for _, p := range probers {
		s, ok := p.(*Sampler)
		switch {
		case !ok:
			out = append(out, p)
		case first == nil:
			one := *s
			one.To = slices.Clone(s.To)
			first, at = &one, len(out)
			out = append(out, first)
		default:
			for _, to := range s.To {
				if !slices.Contains(first.To, to) {
					first.To = append(first.To, to)
				}
			}
			out[at] = first
		}
	}
	return out
}

// Probe watches until ctx ends, then returns nil. It never fails: what the host does not tell is a gap.
func (s *Sampler) Probe(ctx context.Context, out timeline.Sink) error {
	sys := s.sys
	if sys == nil {
		sys = openSystem()
	}
	defer sys.close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r := &run{sys: sys, out: out, lacking: map[timeline.Key]bool{}, cards: map[int]*card{}}
	changed, routes := make(chan struct{}, 1), make(chan routing)
	var wg sync.WaitGroup
	defer wg.Wait()
	defer cancel()
	wg.Go(func() { s.follow(ctx, sys, routes) })
	wg.Go(func() {
		_ = sys.watch(ctx, func() { // without it, looking finds the same a little later
			select {
			case changed <- struct{}{}:
			default:
			}
		})
	})
	timer := time.NewTimer(tick)
	defer timer.Stop()
	r.begin()
	due, looked := time.Now().Add(tick), time.Now()
	for {
		select {
		case <-ctx.Done():
			if r.sys.clocks().mono-r.was.mono >= leastSample {
				r.second() // the rest: a test may be short
			}
			return nil
		case to := <-routes:
			r.use(to)
			continue
		case <-changed:
			r.look()
			continue
		case <-timer.C:
		}
		now := time.Now()
		r.late = max(r.late, now.Sub(due))
		if now.Sub(looked) >= lookEvery-tick/2 {
			r.look()
			looked = now
		}
		if r.sys.clocks().mono-r.was.mono >= sampleEvery-tick/2 {
			r.second()
		}
		due = time.Now().Add(tick) // what was done here makes no timer late
		timer.Reset(tick)
	}
}

// routing says which cards lead to which far ends.
type routing struct {
	cards map[int][]string
	err   error // of a far end without a route
}

// follow finds out again and again which cards lead to the far ends: routes change.
func (s *Sampler) follow(ctx context.Context, sys system, tell chan<- routing) {
	known := map[string]netip.Addr{}
	tick := time.NewTicker(routeEvery)
	defer tick.Stop()
	for {
		r := routing{cards: map[int][]string{}}
		for _, to := range s.To {
			a, ok := known[to]
			if !ok {
				var err error
				if a, err = probe.Resolve(ctx, to); err != nil {
					r.err = err
					continue
				}
				known[to] = a
			}
			index, err := sys.route(ctx, a)
			if err != nil {
				r.err = err
				continue
			}
			r.cards[index] = append(r.cards[index], to)
		}
		select {
		case tell <- r:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

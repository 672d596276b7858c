//go:build linux

package pathtest

import (
	"context"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
)

// patience is how long something that is certain to happen is waited for on a busy host.
const patience = 30 * time.Second

// Heart is a heartbeat from a that runs, and what is captured of it there.
type Heart struct {
	Store timeline.Store // of its records

	l           *Line
	prober      probe.Prober
	every       time.Duration
	stop        func()
	sends, back func() []time.Time
}

// Heart starts a heartbeat in the namespace of a and waits until it measures round trips. every is the time between two
// heartbeats; asks and answers are what tcpdump knows them by at a. asks may be "" where one heartbeat is several packets.
func (l *Line) Heart(p probe.Prober, every time.Duration, asks, answers string) *Heart {
	l.t.Helper()
	h := &Heart{l: l, prober: p, every: every, sends: func() []time.Time { return nil }}
	if asks != "" {
		h.sends = l.Capture("a", "out", asks)
	}
	h.back = l.Capture("a", "in", answers)
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		l.Do("a", func() {
			if err := p.Probe(ctx, &h.Store); err != nil {
				l.t.Errorf("Probe: %v", err)
			}
		})
	})
	h.stop = func() { cancel(); running.Wait() }
	l.t.Cleanup(h.stop)
	h.await("a round trip", func(s timeline.Snapshot) bool { return len(s.Series(p.Path(), timeline.RTT)) > 0 })
	return h
}

// Stop ends the heartbeat and returns what it recorded.
func (h *Heart) Stop() timeline.Snapshot {
	h.stop()
	return h.Store.Snapshot()
}

// Outage waits for an outage and a round trip after it, ends the heartbeat, and holds the outage against what was
// captured while the path was dark: there is just this one, in the direction "both", and it begins and ends within slack
// of what arrived last before and first after, but for the time in which this host sent nothing.
func (h *Heart) Outage(slack time.Duration) timeline.Event {
	t := h.l.t
	t.Helper()
	h.await("an outage that ended", func(s timeline.Snapshot) bool {
		es := s.EventsOf(h.prober.Path(), timeline.EventOutage)
		return len(es) > 0 && es[0].Attrs["open"] == ""
	})
	es := h.Stop().EventsOf(h.prober.Path(), timeline.EventOutage)
	sends, dark := h.sends(), h.l.darks[0]
	middle := dark.From.Add(dark.To.Sub(dark.From) / 2)
	var gap Gap
	for _, g := range Gaps(h.back(), 1) {
		if g.From.Before(middle) && g.To.After(middle) {
			gap = g
		}
	}
	if len(es) != 1 || gap.To.IsZero() {
		t.Fatalf("%d outages, captured %v; want one of either: %+v", len(es), gap, es)
	}
	e := es[0]
	slack += gap.Unsent(sends, h.every)
	if e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(gap.From).Abs() > slack || e.Span.To.Sub(gap.To).Abs() > slack {
		t.Errorf("outage %s to %s, %v; captured %v, which may be off by %s", e.Span.From, e.Span.To, e.Attrs, gap, slack)
	}
	t.Logf("%s, captured %s: %s", e.Span.Width(), gap.To.Sub(gap.From), e.Text)
	return e
}

func (h *Heart) await(what string, is func(timeline.Snapshot) bool) {
	t := h.l.t
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if is(h.Store.Snapshot()) {
			return
		}
	}
	t.Fatalf("no %s within %s", what, patience)
}

//go:build linux

package pathtest

import (
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/peertest"
)

// Heart is a heartbeat from a that runs, and what is captured of it there.
type Heart struct {
	*peertest.Running

	l           *Line
	path        timeline.Subject
	every       time.Duration
	sends, back func() []time.Time
}

// Heart starts a heartbeat in the namespace of a and waits until it measures round trips. every is the time between two
// heartbeats; asks and answers are what tcpdump knows them by at a. asks may be "" where one heartbeat is several packets.
func (l *Line) Heart(p probe.Prober, every time.Duration, asks, answers string) *Heart {
	l.t.Helper()
	h := &Heart{l: l, path: p.Path(), every: every, sends: func() []time.Time { return nil }}
	if asks != "" {
		h.sends = l.Capture("a", "out", asks)
	}
	h.back = l.Capture("a", "in", answers)
	h.Running = peertest.RunIn(l.t, func(f func()) { l.Do("a", f) }, p)
	h.Measures(1)
	return h
}

// Outage waits for an outage, ends the heartbeat, and holds the outage against what was
// captured while the path was dark: there is just this one, in the direction "both", and it begins and ends within slack
// of what arrived last before and first after, but for the time in which this host sent nothing.
func (h *Heart) Outage(slack time.Duration) timeline.Event {
	t := h.l.t
	t.Helper()
	h.Tells(timeline.EventOutage)
	es := h.Stop().EventsOf(h.path, timeline.EventOutage)
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

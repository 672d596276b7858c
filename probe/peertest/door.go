package peertest

import (
	"sync"
	"time"

	"whydrop/correlate/timeline"
)

// Door is where a far end of a test lets heartbeats through, or does not, and takes note of it. The zero Door is open.
type Door struct {
	mu     sync.Mutex
	shut   bool
	passed []passage
	lost   int
}

// passage is what became of a heartbeat at a door.
type passage struct {
	sent, at time.Time
	through  bool
}

// Pass says whether a heartbeat that comes to the door now goes through. sent is when it left, or the zero time.
func (d *Door) Pass(sent time.Time) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := time.Now()
	if sent.IsZero() {
		sent = now
	}
	d.passed = append(d.passed, passage{sent, now, !d.shut})
	if d.shut {
		d.lost++
	}
	return !d.shut
}

// Set shuts the door or opens it.
func (d *Door) Set(shut bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.shut = shut
}

// Lost returns how many heartbeats stood before the shut door.
func (d *Door) Lost() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.lost
}

// Outage shuts the door until n heartbeats were lost before it, opens it again, waits for the outage that this is, ends
// the prober, and returns the outage: there is no other one, it has the direction, it begins between the last heartbeat
// that went through and the first that did not, and it ends between the last that did not and the first that did again, but
// for the slack.
func (r *Running) Outage(d *Door, n int, direction string, slack time.Duration) timeline.Event {
	r.t.Helper()
	d.Set(true)
	Await(r.t, "heartbeats are lost", func() bool { return d.Lost() >= n })
	d.Set(false)
	r.Tells(timeline.EventOutage)
	es := r.Stop().EventsOf(r.path, timeline.EventOutage)
	if len(es) != 1 || es[0].Attrs["direction"] != direction {
		r.t.Fatalf("%d outages, want one %s: %+v", len(es), direction, es)
	}
	before, first, last, after := d.edges()
	in := func(at, from, to time.Time) bool { return !at.Before(from.Add(-slack)) && !at.After(to.Add(slack)) }
	if e := es[0]; !in(e.Span.From, before, first) || !in(e.Span.To, last, after) {
		r.t.Errorf("outage %s to %s, want it to begin between %s and %s and to end between %s and %s: %s", e.Span.From, e.Span.To, before, first, last, after, e.Text)
	}
	return es[0]
}

// edges returns when the last heartbeat went through before the door was shut, when the first did not, when the last
// that did not was sent, and when the next one went through.
func (d *Door) edges() (before, first, last, after time.Time) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, p := range d.passed {
		switch {
		case p.through && first.IsZero():
			before = p.at
		case p.through:
			if after.IsZero() {
				after = p.at
			}
		default:
			if first.IsZero() {
				first = p.at
			}
			last = p.sent
		}
	}
	return before, first, last, after
}

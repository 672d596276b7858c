package intake

import (
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// How soon a device tells of what happened.
const (
	// promptly is within which a device tells of what happened: what is not dated otherwise happened so long before
	// it was heard of at most. Devices send within some milliseconds; a busy control plane takes a few hundred.
	promptly = 500 * time.Millisecond
	// fastest is the most that the fastest of several messages took from the event to here.
	fastest = 100 * time.Millisecond
	// latest is how late a message may come and its own date still be believed: what was queued while the way here
	// was cut.
	latest = 5 * time.Minute
	// enough is how many messages show how far a clock is off.
	enough = 3
	// stale is after how long the shortest time between a clock and the arrival is forgotten, for clocks drift.
	stale = 10 * time.Minute
)

// Received returns when something happened that was heard of then, and that bears no date of its own.
func Received(then time.Time) timeline.Span {
	return timeline.Span{From: then.Add(-promptly), To: then}
}

// Lag compares a clock of a device with the arrival of what it dates: the message that came the soonest after its
// date shows how far the clock is off, so that another that came later is seen to be late. It is used by one goroutine at
// a time.
type Lag struct {
	least, next time.Duration // of this stretch of time, and of the one that will follow it
	since       time.Time
	n           int
}

// Date returns when something happened that the device dates at its own time, to within resolution. It is not ok
// until a few messages came.
func (l *Lag) Date(own, received time.Time, resolution time.Duration) (sp timeline.Span, ok bool) {
	d := received.Sub(own)
	if l.n == 0 || d-l.least > latest { // the clock was set
		*l = Lag{least: d, next: d, since: received}
	}
	if received.Sub(l.since) > stale {
		l.least, l.next, l.since = l.next, d, received
	}
	l.least, l.next = min(l.least, d), min(l.next, d)
	l.n++
	if l.n <= enough {
		return timeline.Span{}, false
	}
	late := d - l.least // to within resolution
	sp = timeline.Span{From: received.Add(-late - resolution - fastest), To: received.Add(-late + resolution)}
	if sp.To.After(received) {
		sp.To = received
	}
	return sp, true
}

// ByClock returns when something happened that the device dates at own by its wall clock, which was asked before. The
// date is that of the message, written up to devices.WrittenAfter later.
// Dates that are off by whole quarters of an hour, for want of a zone, are set right. It is not ok for a date that
// makes no sense.
func ByClock(c devices.LocalClock, own, received time.Time, resolution time.Duration) (sp timeline.Span, ok bool) {
	half := c.Span.Width() / 2
	if c.Time.Nanosecond() == 0 {
		half += time.Second
	}
	at := own.Add(-c.Offset())
	const zone = 15 * time.Minute
	at = at.Add(received.Sub(at).Round(zone))
	sp = timeline.Span{From: at.Add(-half - time.Millisecond - devices.WrittenAfter), To: at.Add(half + resolution)}
	if sp.From.After(received) || received.Sub(sp.To) > latest {
		return timeline.Span{}, false
	}
	if sp.To.After(received) {
		sp.To = received
	}
	return sp, true
}

// ByTicks returns when something happened of which a device sent word when its sysUpTime was ticks, up to
// devices.WrittenAfter later, if that makes sense for something heard of then.
func ByTicks(c devices.Clock, ticks uint32, received time.Time) (sp timeline.Span, ok bool) {
	const tick = 10 * time.Millisecond // RFC 2578, section 7.1.8
	ahead := time.Duration(int32(ticks-c.Ticks)) * tick
	sp = timeline.Span{From: c.Span.From.Add(ahead - tick), To: c.Span.To.Add(ahead + tick)}
	drift := received.Sub(c.Span.Mid()).Abs() / 1000 // quartz is off by less than that
	sp = sp.Widen(drift, drift)
	early := sp.From.After(received) // word of it came before it was sent
	if sp.From = sp.From.Add(-devices.WrittenAfter); early || received.Sub(sp.To) > latest {
		return timeline.Span{}, false
	}
	if sp.To.After(received) {
		sp.To = received
	}
	return sp, true
}

// Narrower returns the narrower of two spans; a zero one is none.
func Narrower(a, b timeline.Span) timeline.Span {
	if a.IsZero() || !b.IsZero() && b.Width() < a.Width() {
		return b
	}
	return a
}

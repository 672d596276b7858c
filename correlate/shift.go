package correlate

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Shift says how the probe's traffic moved from one member of a redundant group to another around a moment.
// Rates are means in bit/s over some seconds before the move began and after the path carried again; NaN where
// they could not be read.
type Shift struct {
	From, To                string // devices; "" where it cannot be told
	FromBefore, FromAfter   float64
	ToBefore, ToAfter       float64
	ProbeBefore, ProbeAfter float64
	Known                   bool // the rates of two members and of the probe could be read on both sides
	Moved                   bool // Known, and the traffic really went over
}

// PortRate returns the mean rate of the port over the span in bit/s: the greater of its two directions, NaN if
// neither could be read.
func PortRate(s timeline.Snapshot, port timeline.Subject, sp timeline.Span) float64 {
	in := Mean(s.Between(port, timeline.InBits, sp), sp)
	out := Mean(s.Between(port, timeline.OutBits, sp), sp)
	switch {
	case math.IsNaN(in):
		return out
	case math.IsNaN(out):
		return in
	}
	return max(in, out)
}

// ProbeRate returns the greater of the two directions' mean goodput over the span in bit/s, 0 if nothing was
// measured.
func ProbeRate(s timeline.Snapshot, path string, sp timeline.Span) float64 {
	rate := 0.0
	for _, m := range []timeline.Metric{timeline.GoodputForward, timeline.GoodputReverse} {
		if r := Mean(s.Between(timeline.Path(path), m, sp), sp); r > rate {
			rate = r
		}
	}
	return rate
}

// deviceRate returns the greatest rate of the device's ports on the path.
func deviceRate(s timeline.Snapshot, d Device, sp timeline.Span) float64 {
	rate := math.NaN()
	for _, p := range d.Ports {
		if r := PortRate(s, timeline.Port(d.Name, p), sp); !(r <= rate) && !math.IsNaN(r) {
			rate = r
		}
	}
	return rate
}

// Around returns the stretches in which rates are looked at to compare what was before and after a disturbance.
// They keep the dating slack away from it, and end at the disturbances next to it: not before notBefore and not
// after notAfter, unless these are zero.
func Around(sp timeline.Span, notBefore, notAfter time.Time) (pre, post timeline.Span) {
	pre = timeline.Span{From: sp.From.Add(-before), To: sp.From.Add(-Slack)}
	post = timeline.Span{From: sp.To.Add(Slack), To: sp.To.Add(before)}
	if !notBefore.IsZero() && pre.From.Before(notBefore) {
		pre.From = notBefore
	}
	if !notAfter.IsZero() && post.To.After(notAfter) {
		post.To = notAfter
	}
	return pre, post
}

// ShiftBetween follows the probe's octets through the members of a redundant group: what one member carried in
// pre and not in post, and another the other way round, against the probe's own rate. It is conservation: the
// probe knows what it sent, so the member that carried it is known by its octets.
func ShiftBetween(s timeline.Snapshot, t Topology, path string, group []string, pre, post timeline.Span) Shift {
	out := Shift{ProbeBefore: ProbeRate(s, path, pre), ProbeAfter: ProbeRate(s, path, post)}
	type rates struct {
		name          string
		before, after float64
	}
	var known []rates
	for _, name := range group {
		d, ok := t.Device(name)
		r := rates{name, deviceRate(s, d, pre), deviceRate(s, d, post)}
		if ok && !math.IsNaN(r.before) && !math.IsNaN(r.after) {
			known = append(known, r)
		}
	}
	if len(known) < 2 || out.ProbeBefore == 0 || out.ProbeAfter == 0 {
		return out
	}
	out.Known = true
	share := func(r, probe float64) float64 { return r / probe }
	loses := func(a rates) float64 { return share(a.before, out.ProbeBefore) - share(a.after, out.ProbeAfter) }
	slices.SortStableFunc(known, func(a, b rates) int {
		switch x, y := loses(a), loses(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	from, to := known[0], known[len(known)-1]
	out.From, out.FromBefore, out.FromAfter = from.name, from.before, from.after
	out.To, out.ToBefore, out.ToAfter = to.name, to.before, to.after
	out.Moved = loses(from) >= moved && loses(to) <= -moved
	if !out.Moved {
		out.From, out.To = "", ""
	}
	return out
}

// moved is which share of the probe's rate must leave one member and appear at another to call it a move: half,
// so that other traffic and a counter refreshed late do not hide or make one.
const moved = 0.5

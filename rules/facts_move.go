package rules

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

const (
	// rto is the least retransmission time-out of a common TCP (Linux: TCP_RTO_MIN).
	rto = 200 * time.Millisecond
	// darkError is how much longer than the path was dark a heartbeat every 20 ms may make it look.
	darkError = 50 * time.Millisecond
)

// backoff returns how long a flow may stall whose packets were lost for d: until the first retransmission after
// it, at 0.2 x (2^n - 1) s, and a quarter more for a longer round trip.
func backoff(d time.Duration) time.Duration {
	if d <= 0 {
		return 0
	}
	at, wait := rto, rto
	for at < d-darkError {
		wait *= 2
		at += wait
	}
	return at + at/4 + 2*darkError
}

// moveCandidates groups the moves by bridge and pair of ports: moving there and back is one thing that happens
// several times.
func (sc *scene) moveCandidates() []*candidate {
	var groups [][]correlate.Move
	for _, m := range sc.moves {
		i := slices.IndexFunc(groups, func(g []correlate.Move) bool {
			a := g[0]
			return a.Stopped == m.Stopped && a.Started == m.Started || a.Stopped == m.Started && a.Started == m.Stopped
		})
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], m)
	}
	var out []*candidate
	for _, g := range groups {
		for _, ps := range sc.paths {
			if ps.Path.Crosses(g[0].Stopped.Device) {
				out = append(out, sc.moveCandidate(ps, g))
			}
		}
	}
	return out
}

func (sc *scene) moveCandidate(ps *pathScene, g []correlate.Move) *candidate {
	first := g[0]
	f := &moveFacts{
		Device: first.Stopped.Device, Stopped: first.Stopped.Name, Started: first.Started.Name,
		First: clockText(first.At.Mid()), Count: float64(len(g)), Shifted: nan,
		Dark: sc.heartbeatsKnown(ps), Stall: sc.flowKnown(ps), Excess: nan, DarkLate: nan, Firewalls: sc.firewalls(ps),
	}
	c := &candidate{scope: ScopeMove, path: ps.Path.Name, subject: first.Stopped, env: sc.env(ps)}
	var told []string
	for i, m := range g {
		span := m.Span.Union(m.Stop)
		c.times = append(c.times, span)
		hits := ps.touched([]timeline.Span{span}, correlate.Stall)
		f.Root = f.Root || m.Root
		f.Hit += truth(len(hits) > 0)
		f.Hurt += truth(len(hits) > 0 || sc.hurtIn(ps, []timeline.Span{span}))
		for _, b := range m.Bridges {
			if !slices.Contains(f.Names, b) {
				f.Names = append(f.Names, b)
			}
		}
		told = append(told, clockText(m.At.Mid())+lengths(hits))
		for _, h := range hits {
			f.measure(h.Incident, m, sc.takenOver(ps, h.Incident.DarkAny()))
		}
		sc.shiftAt(f, ps, m, hits, g, i)
		c.hits = append(c.hits, hits...)
		for _, x := range m.Changes {
			f.Forwards = f.Forwards || x.Type == timeline.EventSTPState && x.Attrs["to"] == "forwarding"
			c.events = append(c.events, x.Event)
		}
		c.events = append(c.events, sc.failovers(f, ps, span)...)
	}
	slices.Sort(f.Names)
	f.Bridges = float64(len(f.Names))
	f.Carrier = slices.ContainsFunc(sc.losses, func(l correlate.CarrierLoss) bool {
		return slices.ContainsFunc(c.times, func(sp timeline.Span) bool { return correlate.Leads(l.Down, sp, carrierLead) })
	})
	f.Told = tell(told)
	moments := make([]timeline.Span, len(g))
	for i, m := range g {
		moments[i] = m.At
	}
	sig := correlate.Coincidence(spansOf(ps.Incidents), moments, sc.span)
	f.Met, f.Of, f.Expected, f.Chance = float64(sig.Met), float64(sig.Episodes), sig.Expected, sig.Chance
	c.hits = uniqueEpisodes(c.hits)
	c.span = hull(c.times, c.hits)
	c.env["move"] = f
	return c
}

// measure notes how long the path was dark and the flow stalled in one incident of a move. Until what the move took along was taken
// over (the zero time if nothing told of that), the path was not dark for an old entry in a table.
func (f *moveFacts) measure(i correlate.Incident, m correlate.Move, taken time.Time) {
	dark, stall := i.DarkAny(), i.Stall()
	if !math.IsNaN(f.Dark) {
		f.Dark = maxSeconds(f.Dark, dark.Width())
		late := 0.0
		if !dark.IsZero() && dark.Overlaps(m.Span.Widen(correlate.Slack, correlate.Slack)) {
			late = max(0, dark.To.Sub(laterOf(taken, laterOf(m.Start.To, m.Stop.To))).Seconds())
		}
		f.DarkLate = max(late, orZero(f.DarkLate))
	}
	if !math.IsNaN(f.Stall) {
		f.Stall = maxSeconds(f.Stall, stall.Width())
	}
	if !math.IsNaN(f.Dark) && !math.IsNaN(f.Stall) {
		allowed := time.Duration(0)
		if stall.Width() > 0 {
			allowed = backoff(max(darkWithin(dark, stall), time.Millisecond))
		}
		f.Excess = max((stall.Width() - allowed).Seconds(), orZero(f.Excess))
	}
}

// takenOver returns when a unit of a redundant group on the path last told, while it was dark, that it took over; the zero time if none
// did.
func (sc *scene) takenOver(ps *pathScene, dark timeline.Span) time.Time {
	var last time.Time
	for _, c := range sc.changes {
		group := c.Type == timeline.EventFailover || c.Type == timeline.EventGateway
		if group && active(c.Attrs["to"]) && ps.Path.Crosses(c.Device) && !dark.IsZero() && c.Span.Overlaps(dark) {
			last = laterOf(last, c.Span.To)
		}
	}
	return last
}

// darkWithin returns how long the path was dark after the flow stalled.
func darkWithin(dark, stall timeline.Span) time.Duration {
	if dark.IsZero() || !dark.Overlaps(stall) {
		return 0
	}
	return max(0, dark.To.Sub(stall.From))
}

func laterOf(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func orZero(v float64) float64 {
	if math.IsNaN(v) {
		return 0
	}
	return v
}

// heartbeatsKnown returns 0 if heartbeats tell whether the path was dark, else NaN.
func (sc *scene) heartbeatsKnown(ps *pathScene) float64 {
	sub := timeline.Path(ps.Path.Name)
	for _, m := range []timeline.Metric{timeline.RTT, timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip} {
		if len(sc.snap.Series(sub, m)) > 0 {
			return 0
		}
	}
	for _, i := range ps.Incidents {
		if !i.DarkAny().IsZero() {
			return 0
		}
	}
	return nan
}

// flowKnown returns 0 if a TCP flow ran, else NaN.
func (sc *scene) flowKnown(ps *pathScene) float64 {
	sub := timeline.Path(ps.Path.Name)
	if len(sc.snap.Series(sub, timeline.GoodputForward))+len(sc.snap.Series(sub, timeline.GoodputReverse)) > 0 {
		return 0
	}
	for _, i := range ps.Incidents {
		if !i.Stall().IsZero() {
			return 0
		}
	}
	return nan
}

// lossAt says whether heartbeats were lost within a second of the span, even too few for an episode.
func (sc *scene) lossAt(ps *pathScene, sp timeline.Span) bool {
	sp = sp.Widen(time.Second, time.Second)
	for _, b := range []correlate.Bins{ps.LossFwd, ps.LossRev} {
		if slices.ContainsFunc(b.Within(sp), func(v float64) bool { return v > 0 }) {
			return true
		}
	}
	return false
}

// tell joins what each occurrence did; of many, the first ones and the last.
func tell(told []string) string {
	const most = 4
	if n := len(told); n > most {
		told = append(slices.Clone(told[:most-1]), fmt.Sprintf("%d more; the last %s", n-most, told[n-1]))
	}
	return strings.Join(told, "; ")
}

// lengths writes what an occurrence did to the path: " (forward 0.4 s, reverse 0.4 s, TCP 3.1 s)".
func lengths(hits []correlate.Episode) string {
	var parts []string
	add := func(name string, of func(correlate.Incident) timeline.Span) {
		longest := time.Duration(0)
		for _, h := range hits {
			longest = max(longest, of(h.Incident).Width())
		}
		if longest > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", name, secondsText(longest.Seconds())))
		}
	}
	add("forward", func(i correlate.Incident) timeline.Span { return i.Dark(timeline.Forward) })
	add("reverse", func(i correlate.Incident) timeline.Span { return i.Dark(timeline.Reverse) })
	add("TCP", correlate.Incident.Stall)
	if len(parts) == 0 {
		return ""
	}
	return " (" + strings.Join(parts, ", ") + ")"
}

// firewalls returns the path's first redundant group of firewalls; nil if it has none.
func (sc *scene) firewalls(ps *pathScene) []string {
	for _, hop := range ps.Path.Hops {
		var units []string
		for _, name := range hop {
			if d, ok := sc.topo.Device(name); ok && d.Role == "firewall" {
				units = append(units, name)
			}
		}
		if len(units) > 1 {
			return units
		}
	}
	return nil
}

// shiftAt notes whether the octets of the redundant units show that the traffic went from one to another at
// occurrence i of the group.
func (sc *scene) shiftAt(f *moveFacts, ps *pathScene, m correlate.Move, hits []correlate.Episode, g []correlate.Move, i int) {
	if len(f.Firewalls) == 0 || f.Shifted == 1 {
		return
	}
	span := hull([]timeline.Span{m.Span}, hits)
	var notBefore, notAfter time.Time
	if i > 0 {
		notBefore = g[i-1].Span.To
	}
	if i+1 < len(g) {
		notAfter = g[i+1].Span.From
	}
	pre, post := correlate.Around(span, notBefore, notAfter)
	shift := correlate.ShiftBetween(sc.snap, sc.topo, ps.Path.Name, f.Firewalls, pre, post)
	if !shift.Known {
		return
	}
	f.Shifted = truth(shift.Moved)
	if shift.Moved {
		f.From, f.To = shift.From, shift.To
		probe := "went from " + rateText(shift.ProbeBefore) + " to " + rateText(shift.ProbeAfter)
		if rateText(shift.ProbeBefore) == rateText(shift.ProbeAfter) {
			probe = "stayed at " + rateText(shift.ProbeAfter)
		}
		f.Octets = fmt.Sprintf("%s fell from %s to %s, %s rose from %s to %s, while the probe %s",
			shift.From, rateText(shift.FromBefore), rateText(shift.FromAfter), shift.To, rateText(shift.ToBefore), rateText(shift.ToAfter), probe)
	}
}

// failovers returns the events in which a unit of the group said at that time that it took over or gave up.
func (sc *scene) failovers(f *moveFacts, ps *pathScene, sp timeline.Span) []timeline.Event {
	var out []timeline.Event
	for _, c := range sc.changes {
		if c.Type == timeline.EventFailover && c.OnPath && ps.Path.Crosses(c.Device) && c.Span.Overlaps(sp.Widen(correlate.Slack, 10*time.Second)) {
			f.Taken = 1
			out = append(out, c.Event)
		}
	}
	return out
}

func uniqueEpisodes(in []correlate.Episode) []correlate.Episode {
	var out []correlate.Episode
	for _, e := range in {
		if !slices.ContainsFunc(out, func(o correlate.Episode) bool { return o.Kind == e.Kind && o.Span == e.Span && o.Path == e.Path }) {
			out = append(out, e)
		}
	}
	return out
}

package rules

import (
	"math"
	"strconv"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// stoodStill is how long the measuring host must not have got to run to have made a stall: what probe/outage takes
// for one at the least.
const stoodStill = 50 * time.Millisecond

// ownFacts says which of the path's stalls and losses the measuring host made, or may have made, itself, and where its
// card or its queue kept TCP from going faster.
func (sc *scene) ownFacts(f *pathFacts, ps *pathScene) {
	local := timeline.Host(timeline.LocalHost)
	known := func(m timeline.Metric) float64 {
		if len(sc.snap.Series(local, m)) == 0 {
			return nan
		}
		return 0
	}
	f.OwnGap, f.OwnUDPLost = known(timeline.HostSchedGap), known(timeline.HostUDPDrops)
	f.OwnNICLost, f.OwnQueueLost = known(timeline.HostNICDrops), known(timeline.HostQueueDrops)
	f.OwnSteal, f.OwnSoftirq = known(timeline.HostSteal), known(timeline.HostSoftirq)
	roundTrip := len(sc.snap.Series(timeline.Path(ps.Path.Name), timeline.LossForward)) == 0
	for _, ep := range ps.Episodes {
		low := ep.Kind == correlate.Dip || ep.Kind == correlate.Plateau
		if ep.Kind != correlate.Stall && ep.Kind != correlate.LossBurst && !low {
			continue
		}
		own := false
		if !low && sc.stood(ep) {
			own = true
			f.OwnStood++
			f.OwnGap = max(f.OwnGap, sc.ownMost(timeline.HostSchedGap, ep.Span))
		}
		lost := max(float64(ep.Lost), 1)
		if low {
			lost = lowLost * ep.Span.Width().Seconds()
		}
		counted := func(m timeline.Metric, to *float64) bool {
			n := correlate.Total(sc.snap.Series(local, m), ep.Span.Widen(ownSlack, ownSlack))
			if !(n >= lost) {
				return false
			}
			*to += math.Round(n)
			return true
		}
		if !low && (ep.Direction != timeline.Forward || roundTrip) || low && f.Way == timeline.Reverse { // what came back may have been lost here
			if !low && counted(timeline.HostUDPDrops, &f.OwnUDPLost) {
				f.DatagramSpans = append(f.DatagramSpans, ep.Span)
			}
			own = counted(timeline.HostNICDrops, &f.OwnNICLost) || own
		}
		own = counted(timeline.HostQueueDrops, &f.OwnQueueLost) || own
		if own {
			f.OwnSpans = append(f.OwnSpans, ep.Span)
			f.OwnSteal = max(f.OwnSteal, sc.ownMost(timeline.HostSteal, ep.Span))
			f.OwnSoftirq = max(f.OwnSoftirq, sc.ownMost(timeline.HostSoftirq, ep.Span))
		}
	}
	if len(f.DatagramSpans) == 0 && !f.LossSpan.IsZero() {
		f.DatagramSpans = []timeline.Span{f.LossSpan}
	}
}

// lowLost is how many packets a second must be lost to slow TCP down: once in a few round trips of a second.
const lowLost = 0.3

// ownSlack is how far from an episode the host's counters may show it: they are read once a second.
const ownSlack = time.Second

// ownMost returns the greatest figure of the measuring host in any second that the span touches, 0 if there is none.
func (sc *scene) ownMost(m timeline.Metric, sp timeline.Span) float64 {
	most := 0.0
	for _, x := range sc.snap.Between(timeline.Host(timeline.LocalHost), m, sp) {
		most = max(most, x.Value)
	}
	return most
}

// stood says whether the measuring host stood still in the episode: for half of a stall, in half of the seconds of a
// loss, or asleep. Where its timers were not watched, the heartbeat's own word counts.
func (sc *scene) stood(ep correlate.Episode) bool {
	local := timeline.Host(timeline.LocalHost)
	if len(sc.snap.Between(local, timeline.HostSchedGap, ep.Span)) == 0 && sc.hostBusy(ep) {
		return true
	}
	for _, e := range sc.snap.EventsOf(local, timeline.EventClockStep) {
		ms, err := strconv.ParseFloat(e.Attrs["slept_ms"], 64)
		if err == nil && ms > 0 && e.Span.Overlaps(ep.Span) {
			return true
		}
	}
	if ep.Kind == correlate.Stall {
		gap := sc.ownMost(timeline.HostSchedGap, ep.Span)
		return gap >= stoodStill.Seconds() && gap >= ep.Span.Width().Seconds()/2
	}
	seconds := 0.0
	for _, x := range sc.snap.Between(local, timeline.HostSchedGap, ep.Span) {
		if x.Value >= stoodStill.Seconds() {
			seconds += shared(x.Span, ep.Span)
		}
	}
	return seconds > 0 && seconds >= ep.Span.Width().Seconds()/2
}

// ownLine takes the probing host's own link for the line of the path, if it is slower than the ports that were read. Of
// several links nobody says which path goes by which.
func (sc *scene) ownLine(f *pathFacts) {
	var link timeline.Subject
	for _, k := range sc.keys() {
		if k.Metric != timeline.Speed || k.Subject.Kind != timeline.KindPort || k.Subject.Device != timeline.LocalHost {
			continue
		}
		if link != (timeline.Subject{}) {
			return
		}
		link = k.Subject
	}
	for _, x := range sc.snap.Series(link, timeline.Speed) {
		if x.Value > 0 && !(x.Value >= f.Line) {
			f.Line, f.LinePort = x.Value, link.String()
		}
	}
}

package rules

import (
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Links that only send, or only receive.

// holdTime is how long a neighbour stays listed after its last word (IEEE 802.1AB: four times 30 s; CDP: 180 s): one that vanishes so
// soon after a loss of carrier vanished because of that.
const holdTime = 3 * time.Minute

// oneWay looks for a link that only sends, or only receives.
func (sc *scene) oneWay(l *linkFacts, ps *pathScene, sub timeline.Subject, events []correlate.Change, downs []timeline.Span) {
	for _, e := range events {
		switch {
		case e.Type == timeline.EventUDLD && (e.Attrs["to"] == "unidirectional" || e.Attrs["to"] == ""):
			l.OneWay++
			l.OneWaySpan = l.OneWaySpan.Union(e.Span)
		case e.Type == timeline.EventErrDisabled && strings.HasPrefix(e.Attrs["cause"], "udld") && e.Attrs["to"] != "up":
			l.OneWay = max(l.OneWay, 1)
			l.OneWaySpan = l.OneWaySpan.Union(sc.narrowed(e.Span, downs))
		case e.Type == timeline.EventNeighbour && e.Attrs["to"] == "" && !slices.ContainsFunc(downs, e.Span.Widen(holdTime, 0).Overlaps):
			l.Alone++
		}
	}
	deaf := sc.deaf(ps, sub)
	if !deaf.IsZero() {
		far, _ := sc.topo.FarEnd(sub)
		if l.FarSends = correlate.Mean(sc.snap.Between(far, timeline.OutPackets, deaf), deaf); l.FarSends > 0 || !sc.deafElsewhere(ps, sub, deaf) {
			l.Deaf, l.OneWaySpan = deaf.Width().Seconds(), l.OneWaySpan.Union(deaf)
		}
	}
	if l.OneWay > 0 && !l.OneWaySpan.IsZero() {
		l.OneWaySpan.To = sc.backAfter(l.OneWaySpan.To, events)
	}
}

// backAfter returns when the device said that the port was open or sound again after a moment; the end of the record if
// it did not.
func (sc *scene) backAfter(t time.Time, events []correlate.Change) time.Time {
	for _, e := range events {
		switch to := e.Attrs["to"]; {
		case !e.Span.To.After(t):
		case e.Type == timeline.EventUDLD && to == "bidirectional", e.Type == timeline.EventErrDisabled && to == "up":
			return e.Span.To
		}
	}
	return sc.span.To
}

// leastDeaf is how long a path must stall for a port to be asked whether it heard nothing: two hellos of 2 s (IEEE
// 802.1D) and a poll.
const leastDeaf = 5 * time.Second

// ownHellos is how many packets/s a port sends by itself at most: spanning tree every 2 s (IEEE 802.1D), LACP every
// second (IEEE 802.3), LLDP and the like every 30 s.
const ownHellos = 2

// deafElsewhere says whether another port of the path heard nothing in the same stretch: then nothing came through from further
// on, and that tells of no link.
func (sc *scene) deafElsewhere(ps *pathScene, sub timeline.Subject, sp timeline.Span) bool {
	return slices.ContainsFunc(sc.portsOn(ps), func(o timeline.Subject) bool { return o != sub && sc.deaf(ps, o).Overlaps(sp) })
}

// deaf returns the longest stretch, at the path's stalls, in which a port that had received traffic before received
// nothing at all although it was up and sent. One that had only heard hellos may face a root port, which sends none
// (IEEE 802.1D-2004, 17.26); while a port of the path is down, nothing may come back to any other.
func (sc *scene) deaf(ps *pathScene, sub timeline.Subject) timeline.Span {
	cut := func(x timeline.Span) bool {
		return slices.ContainsFunc(sc.losses, func(l correlate.CarrierLoss) bool { return l.Lasted(sc.span.To).Overlaps(x) })
	}
	var best timeline.Span
	for _, e := range ps.Episodes {
		if e.Kind != correlate.Stall || e.Span.Width() < leastDeaf {
			continue
		}
		var cur timeline.Span
		received := false
		for _, x := range sc.snap.Between(sub, timeline.InPackets, e.Span.Widen(rest, rest)) {
			switch {
			case x.Value > 0:
				received, cur = received || x.Value > ownHellos, timeline.Span{}
			case !received, cut(x.Span):
				cur = timeline.Span{}
			default:
				cur = cur.Union(x.Span)
			}
			if cur.Width() > best.Width() {
				best = cur
			}
		}
	}
	least := 0.0
	if _, known := sc.topo.FarEnd(sub); !known {
		least = ownHellos // a host that gets nothing has nothing to answer
	}
	if best.IsZero() || !(correlate.Mean(sc.snap.Between(sub, timeline.OutPackets, best), best) > least) {
		return timeline.Span{}
	}
	return best
}

package correlate

import (
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// together is how close two outages of one path must lie to be one incident: a TCP flow and the heartbeats
// notice the same interruption within a retransmission time-out (at least 200 ms on Linux, 1 s by RFC 6298).
const together = time.Second

// Incident is one interruption of a path: every outage that lies together, whoever saw it.
type Incident struct {
	Path    string
	Span    timeline.Span
	Outages []Outage // in order of their beginning
}

// Incidents groups the outages of each path, in order of their beginning.
func Incidents(outages []Outage) []Incident {
	var out []Incident
	last := map[string]int{} // path -> index in out
	for _, o := range outages {
		if i, ok := last[o.Path]; ok && !o.Span.From.After(out[i].Span.To.Add(together)) {
			out[i].Span = out[i].Span.Union(o.Span)
			out[i].Outages = append(out[i].Outages, o)
			continue
		}
		last[o.Path] = len(out)
		out = append(out, Incident{Path: o.Path, Span: o.Span, Outages: []Outage{o}})
	}
	return out
}

// Dark returns the longest stretch in which the path was dark for heartbeats in the direction (forward or
// reverse; an outage of both directions counts for either). It is zero if there was none.
func (i Incident) Dark(direction string) timeline.Span {
	return i.longest(func(o Outage) bool {
		return o.SeenBy == timeline.SeenByHeartbeat && (o.Direction == direction || o.Direction == timeline.Both)
	})
}

// DarkAny returns the longest stretch in which the path was dark for heartbeats in any direction.
func (i Incident) DarkAny() timeline.Span {
	return i.longest(func(o Outage) bool { return o.SeenBy == timeline.SeenByHeartbeat })
}

// Stall returns the longest stretch in which the TCP flow stalled; zero if it did not.
func (i Incident) Stall() timeline.Span {
	return i.longest(func(o Outage) bool { return o.SeenBy == timeline.SeenByTCP })
}

// retried is how long a flow stalls for one lost segment at most: a retransmission time-out and the next one, and
// what a busy host adds.
const retried = 800 * time.Millisecond

// Dropped says whether something was really lost: heartbeats that merely came late, and a flow that waited for one
// retransmission, are no loss. A heartbeat's outage that does not tell how many were lost counts.
func (i Incident) Dropped() bool {
	return slices.ContainsFunc(i.Outages, func(o Outage) bool {
		if o.SeenBy == timeline.SeenByTCP {
			return o.Span.Width() > retried
		}
		return o.Lost == nil || *o.Lost > 0
	})
}

func (i Incident) longest(want func(Outage) bool) timeline.Span {
	var best timeline.Span
	for _, o := range i.Outages {
		if want(o) && o.Span.Width() > best.Width() {
			best = o.Span
		}
	}
	return best
}

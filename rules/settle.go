package rules

import (
	"cmp"
	"math"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// yield drops matches that another cause explains better, and all but the best of a rule about one subject.
func (e *evaluation) yield() {
	for i, m := range e.matches {
		for j, o := range e.matches {
			if m == o || m.dropped || o.dropped {
				continue
			}
			same := o.cand.subject == m.cand.subject || m.rule.OnePerPath && o.cand.path == m.cand.path && o.span.Overlaps(m.span)
			if o.rule.ID == m.rule.ID && same && (e.preferred(o, m) || j < i && compareMatches(o, m) == 0) {
				m.dropped = true
				o.hits = uniqueEpisodes(append(o.hits, m.hits...))
			}
			if o.cand.path == m.cand.path && o.span.Overlaps(m.span) && yields(m, o) {
				m.dropped = true
				delete(e.failed, m.rule.ID)
				o.against = append(o.against, m.rule.ID+": what shows it is a consequence of this")
			}
		}
	}
	e.matches = slices.DeleteFunc(e.matches, func(m *match) bool { return m.dropped })
	e.leaveStalls()
}

// leaveStalls takes the stalls that a move or a flap explains from the findings that merely were at work at that
// time: frames corrupted all day do not explain the three seconds in which the path moved.
func (e *evaluation) leaveStalls() {
	moved := func(m *match) bool {
		return m.rule.Scope == ScopeMove || m.rule.Scope == ScopeFlap || m.rule.Scope == ScopeChange
	}
	for _, m := range e.matches {
		if moved(m) {
			continue
		}
		m.hits = slices.DeleteFunc(slices.Clone(m.hits), func(h correlate.Episode) bool {
			return h.Kind == correlate.Stall && slices.ContainsFunc(e.matches, func(o *match) bool {
				return moved(o) && o.verdict != CannotTell && slices.ContainsFunc(o.hits, func(x correlate.Episode) bool { return x.Kind == h.Kind && x.Span == h.Span })
			})
		})
	}
}

// preferred says which of two findings of one rule stands for both: that of the stronger verdict, then the port of
// a switch before one of a firewall, then the better argued.
func (e *evaluation) preferred(a, b *match) bool {
	rank := func(m *match) int {
		if d, ok := e.topo.Device(m.cand.subject.Device); ok && d.Role != "switch" && d.Role != "" {
			return 1
		}
		return 0
	}
	ports := a.cand.subject.Kind == timeline.KindPort && b.cand.subject.Kind == timeline.KindPort
	if a.verdict != b.verdict || rank(a) == rank(b) || !ports {
		return better(a, b)
	}
	return rank(a) < rank(b)
}

// settle tells each path which of its episodes no finding explains.
func (e *evaluation) settle() {
	for _, ps := range e.paths {
		f := ps.facts
		f.OpenStalls, f.OpenFlow, f.OpenLongest, f.OpenLoss = 0, 0, 0, 0
		f.OpenDelay, f.OpenLow, f.OpenWorst, f.OpenSpan = 0, 0, 0, timeline.Span{}
		f.OpenCheck = ""
		f.Explained = truth(slices.ContainsFunc(e.matches, func(m *match) bool { return m.verdict == Holds && m.cand.path == ps.Path.Name && !m.rule.Residual }))
		for _, ep := range ps.Episodes {
			if e.explained(ep) || e.hostBusy(ep) || ep.Kind == correlate.Stall && !ep.Incident.Dropped() {
				continue
			}
			f.OpenSpan = f.OpenSpan.Union(ep.Span)
			switch ep.Kind {
			case correlate.Stall:
				f.OpenStalls++
				for _, o := range ep.Incident.Outages {
					f.OpenCheck = cmp.Or(o.Event.Attrs["check"], f.OpenCheck)
				}
				if !ep.Incident.Stall().IsZero() && ep.Incident.DarkAny().IsZero() && !math.IsNaN(e.heartbeatsKnown(ps)) {
					f.OpenFlow++
				}
				f.OpenLongest = maxSeconds(f.OpenLongest, ep.Span.Width())
			case correlate.LossBurst:
				f.OpenLoss += float64(ep.Lost)
				f.OpenWorst = max(f.OpenWorst, ep.Value)
			case correlate.Delay:
				f.OpenDelay += ep.Span.Width().Seconds()
			default:
				f.OpenLow += ep.Span.Width().Seconds()
			}
		}
	}
}

// hostLag is how far from what it did a busy host may date its own confession.
const hostLag = 500 * time.Millisecond

// hostBusy says whether the measuring host said that it could not keep up around the episode: then it may have made
// the episode itself. Of a long one it must have said so for half of the time.
func (sc *scene) hostBusy(ep correlate.Episode) bool {
	busy := 0.0
	for _, g := range sc.snap.Gaps() {
		if g.Reason == timeline.ReasonHost && (g.Metric == timeline.RTT || g.Metric == "") {
			busy += shared(g.Span.Widen(hostLag, hostLag), ep.Span)
		}
	}
	length := ep.Span.Width()
	return busy > 0 && (length <= 4*hostLag || busy >= length.Seconds()/2)
}

// explained says whether a finding that holds or is suspected covers the episode.
func (e *evaluation) explained(ep correlate.Episode) bool {
	return slices.ContainsFunc(e.matches, func(m *match) bool {
		return m.verdict != CannotTell && !m.dropped && m.cand.path == ep.Path &&
			slices.ContainsFunc(m.hits, func(h correlate.Episode) bool { return h.Kind == ep.Kind && h.Span == ep.Span })
	})
}

// fold leaves of the matches that cannot tell one for each path, and none where nothing is left to explain.
func (e *evaluation) fold() {
	e.settle()
	if slices.ContainsFunc(e.matches, func(m *match) bool { return !m.rule.last }) {
		e.matches = slices.DeleteFunc(e.matches, func(m *match) bool { return m.rule.last })
	}
	slices.SortStableFunc(e.matches, func(a, b *match) int {
		return cmp.Or(verdictRank(a.verdict)-verdictRank(b.verdict), int(truth(b.rule.Residual))-int(truth(a.rule.Residual)), compareMatches(a, b))
	})
	for _, m := range e.matches { // a consequence that cannot be told tells its root what is missing
		for _, o := range e.matches {
			if m.verdict == CannotTell && o.verdict != CannotTell && o.cand.path == m.cand.path && leads(o, m) {
				m.dropped = true
				o.missing = appendNew(o.missing, m.missing...)
			}
		}
	}
	e.matches = slices.DeleteFunc(e.matches, func(m *match) bool { return m.dropped })
	kept := map[string]*match{}
	e.matches = slices.DeleteFunc(e.matches, func(m *match) bool {
		if m.verdict != CannotTell || m.parent != nil {
			return false
		}
		ps := e.pathOf(m.cand.path)
		open := slices.ContainsFunc(m.hits, func(h correlate.Episode) bool { return !e.explained(h) })
		if ps != nil && ps.tests != nil && ps.tests.Watched == 0 { // nothing over time that could be open
			open = !slices.ContainsFunc(e.matches, func(o *match) bool { return o.verdict != CannotTell && o.cand.path == m.cand.path })
		}
		if m.cand.scope == ScopeDevice { // blindness is told for itself
			if k := kept[m.cand.path]; k != nil && k.cand.scope == ScopeDevice {
				k.absorb(m)
				return true
			}
			if k := kept[m.cand.path]; k != nil {
				k.dropped = true
				m.absorb(k)
			}
			kept[m.cand.path] = m
			return false
		}
		if ps == nil || !open {
			return true
		}
		if k := kept[m.cand.path]; k != nil {
			k.absorb(m)
			return true
		}
		kept[m.cand.path] = m
		return false
	})
	e.matches = slices.DeleteFunc(e.matches, func(m *match) bool { return m.dropped })
}

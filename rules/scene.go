package rules

import (
	"cmp"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// scene is everything that was correlated once, for all rules.
type scene struct {
	snap     timeline.Snapshot
	topo     correlate.Topology
	span     timeline.Span
	changes  []correlate.Change
	losses   []correlate.CarrierLoss
	groups   []correlate.CarrierGroup
	moves    []correlate.Move
	paths    []*pathScene
	blinds   []correlate.Blind
	explains func(correlate.Episode) bool // whether a finding explains the episode; nil before any was made
	ports    map[portKey]*portFacts
	keyList  []timeline.Key
	told     *hearsay
	disturbs []timeline.Span // moves, carrier losses and the incidents at them: counters of those moments explain nothing
}

// pathScene is one path's part of the scene.
type pathScene struct {
	correlate.View
	facts  *pathFacts
	tests  *testFacts
	protos *protoFacts
	app    *appFacts
	nodes  map[string]*nodeFacts
	load   correlate.Bins // see loadOf
}

func newScene(s timeline.Snapshot, t correlate.Topology) *scene {
	sc := &scene{snap: s, topo: t, span: correlate.Watched(s)}
	sc.changes = correlate.Changes(s, t)
	sc.losses = correlate.CarrierLosses(s, t, sc.changes)
	sc.groups = correlate.CarrierGroups(sc.losses, t, sc.span.To)
	sc.moves = correlate.Moves(t, sc.changes)
	sc.blinds = correlate.BlindSpans(s, t, sc.span)
	incidents := correlate.Incidents(correlate.Outages(s, t))
	sc.disturbs = disturbances(sc, incidents)
	for _, p := range t.PathsIn(s) {
		ps := &pathScene{View: correlate.Look(s, t, p, incidents)}
		ps.facts = sc.pathFacts(ps)
		ps.app = sc.appFacts(ps)
		sc.paths = append(sc.paths, ps)
	}
	return sc
}

// disturbances returns the times of moves and carrier losses with the incidents that go with them.
func disturbances(sc *scene, incidents []correlate.Incident) []timeline.Span {
	var out []timeline.Span
	for _, m := range sc.moves {
		out = append(out, m.Span)
	}
	for _, l := range sc.losses {
		out = append(out, l.Down)
		if l.Up != nil {
			out = append(out, *l.Up)
		}
	}
	for i, sp := range out {
		for _, x := range incidents {
			if correlate.Coincides(sp, x.Span) {
				out[i] = out[i].Union(x.Span)
			}
		}
		out[i] = out[i].Widen(correlate.Slack, correlate.Slack)
	}
	return out
}

// candidates returns what rules of the scope are asked about, in a fixed order.
func (sc *scene) candidates(scope Scope) []*candidate {
	switch scope {
	case ScopePath:
		return sc.pathCandidates()
	case ScopePort:
		return sc.portCandidates()
	case ScopeMove:
		return sc.moveCandidates()
	case ScopeFlap:
		return sc.flapCandidates()
	case ScopeChange:
		return sc.changeCandidates()
	case ScopeNode:
		return sc.nodeCandidates()
	}
	return sc.deviceCandidates()
}

// env returns the facts that every scope has, for one path.
func (sc *scene) env(ps *pathScene) map[string]any {
	env := map[string]any{"run": &runFacts{Seconds: sc.span.Width().Seconds()}, "path": ps.facts, "tests": sc.testFacts(ps), "protos": sc.protoFacts(ps), "app": ps.app}
	for k, v := range wording {
		env[k] = v
	}
	return env
}

// touched returns the path's episodes that coincide with any of the spans.
func (ps *pathScene) touched(spans []timeline.Span, kinds ...correlate.EpisodeKind) []correlate.Episode {
	var out []correlate.Episode
	for _, e := range ps.Episodes {
		if (len(kinds) == 0 || slices.Contains(kinds, e.Kind)) &&
			slices.ContainsFunc(spans, func(sp timeline.Span) bool { return correlate.Coincides(sp, e.Span) }) {
			out = append(out, e)
		}
	}
	return out
}

// hull returns the span over all of spans and episodes.
func hull(spans []timeline.Span, episodes []correlate.Episode) timeline.Span {
	var out timeline.Span
	for _, s := range spans {
		out = out.Union(s)
	}
	for _, e := range episodes {
		out = out.Union(e.Span)
	}
	return out
}

// outagesOf returns the outages of the incidents among the episodes, in order of time.
func outagesOf(episodes []correlate.Episode) []timeline.Event {
	var out []timeline.Event
	for _, e := range episodes {
		for _, o := range e.Incident.Outages {
			ev := o.Event
			if ev.Attrs["direction"] != o.Direction {
				ev.Attrs = cloneWith(ev.Attrs, "direction", o.Direction)
			}
			out = append(out, ev)
		}
	}
	slices.SortStableFunc(out, func(a, b timeline.Event) int {
		return cmp.Or(a.Span.From.Compare(b.Span.From), a.Span.To.Compare(b.Span.To), a.Subject.Compare(b.Subject))
	})
	return slices.CompactFunc(out, func(a, b timeline.Event) bool {
		return a.Subject == b.Subject && a.Span == b.Span && a.Attrs["seen_by"] == b.Attrs["seen_by"]
	})
}

func cloneWith(m map[string]string, key, value string) map[string]string {
	out := make(map[string]string, len(m)+1)
	for k, v := range m {
		out[k] = v
	}
	out[key] = value
	return out
}

// spansOf returns the spans of incidents.
func spansOf(incidents []correlate.Incident) []timeline.Span {
	out := make([]timeline.Span, len(incidents))
	for i, x := range incidents {
		out[i] = x.Span
	}
	return out
}

// keys returns the series there are, in order.
func (sc *scene) keys() []timeline.Key {
	if sc.keyList == nil {
		sc.keyList = sc.snap.Keys()
	}
	return sc.keyList
}

// maxSeconds returns the greater of two lengths in seconds.
func maxSeconds(a float64, d time.Duration) float64 { return max(a, d.Seconds()) }

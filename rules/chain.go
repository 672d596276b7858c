package rules

import (
	"slices"
	"time"

	"whydrop/correlate"
)

// chain hangs consequences under their roots: a match whose rule follows another cause, of which a finding on
// the same path came shortly before it.
func (e *evaluation) chain() {
	for _, m := range e.matches {
		if m.parent != nil || m.verdict == CannotTell {
			continue
		}
		var best *match
		for _, o := range e.matches {
			if o != m && o.verdict != CannotTell && o.cand.path == m.cand.path && !descends(o, m) && leads(o, m) && (best == nil || better(o, best)) {
				best = o
			}
		}
		if best != nil {
			m.parent = best
			best.children = append(best.children, m)
		}
	}
	for _, m := range e.matches {
		slices.SortStableFunc(m.children, compareMatches)
	}
}

// descends says whether m hangs somewhere under root.
func descends(m, root *match) bool {
	for ; m != nil; m = m.parent {
		if m == root {
			return true
		}
	}
	return false
}

// leads says whether cause may have led to effect: the effect's rule follows it, and at least one of its
// occurrences began within the time it says after one of the cause's.
func leads(cause, effect *match) bool {
	for _, f := range effect.rule.Follows {
		if f.Cause != cause.rule.ID || f.If.truth(effect.cand.env) != Yes {
			continue
		}
		for _, a := range cause.times() {
			for _, b := range effect.times() {
				if correlate.Leads(a, b, time.Duration(f.Within)) {
					return true
				}
			}
		}
	}
	return false
}

// ids returns the causes of a chain, root first.
func (m *match) ids() []string {
	out := []string{m.rule.ID}
	for _, k := range m.children {
		for _, id := range k.ids() {
			if !slices.Contains(out, id) {
				out = append(out, id)
			}
		}
	}
	return out
}

// all returns the matches of a chain, root first.
func (m *match) all() []*match {
	out := []*match{m}
	for _, k := range m.children {
		out = append(out, k.all()...)
	}
	return out
}

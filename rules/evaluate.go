package rules

import (
	"regexp"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Evaluate says what the snapshot shows, best finding first; none means that nothing was found. It has no clock
// and does no I/O: the same snapshot, topology and rules give the same findings.
//
// Every rule is asked about every candidate of its scope. What follows from another finding joins its chain,
// what another explains better is dropped, residual rules are asked about what is left, and where something
// happened that only missing readings could explain, one finding says that it cannot be told and what is missing.
func Evaluate(rules []Rule, s timeline.Snapshot, t correlate.Topology) []Diagnosis {
	sc := newScene(s, t)
	e := &evaluation{scene: sc, rules: rules, failed: map[string]failure{}}
	e.ask(false)
	e.yield()
	e.chain()
	e.settle()
	e.explains = e.explained
	e.ask(true)
	e.yield()
	e.chain()
	e.fold()
	return e.diagnoses()
}

// evaluation is one run of Evaluate.
type evaluation struct {
	*scene
	rules   []Rule
	matches []*match
	failed  map[string]failure // by rule: why its best candidate was not taken
}

// ask asks the rules about their candidates.
func (e *evaluation) ask(residual bool) {
	candidates := map[Scope][]*candidate{}
	for _, s := range scopes {
		candidates[s] = e.candidates(s)
	}
	for i := range e.rules {
		r := &e.rules[i]
		if r.Residual != residual {
			continue
		}
		for _, c := range candidates[r.Scope] {
			if m := e.try(r, c); m != nil {
				e.matches = append(e.matches, m)
			}
		}
		for _, w := range r.ways {
			for _, c := range candidates[w.Scope] {
				if m := e.try(w, c); m != nil {
					e.matches = append(e.matches, m)
				}
			}
		}
	}
}

// try asks one rule about one candidate; nil if it has nothing to say.
func (e *evaluation) try(r *Rule, c *candidate) *match {
	for i, s := range r.Symptom {
		if s.If.truth(c.env) != Yes {
			e.fail(r, c, i, s)
			return nil
		}
	}
	m := &match{rule: r, cand: c, subject: c.subject, span: c.span, hits: c.hits}
	blind := false
	for i, w := range r.When {
		switch w.If.truth(c.env) {
		case No:
			e.fail(r, c, len(r.Symptom)+i, w)
			return nil
		case Unknown:
			blind = true
			m.miss(e.snap, w.If)
		}
	}
	m.weigh(e.snap, blind)
	if !m.judge(blind) {
		return nil
	}
	m.describe()
	if ps := e.pathOf(c.path); ps != nil {
		if sps := spansIn(r.Span.eval(c.env)); len(sps) > 0 {
			m.span, m.worked, m.hits = hull(sps, nil), sps, ps.touched(sps)
		} else if blind && len(m.hits) == 0 {
			m.hits = ps.Episodes
		}
	}
	return m
}

// spansIn returns what a rule's span came to: one span or several, without zero ones.
func spansIn(v any) []timeline.Span {
	switch v := v.(type) {
	case timeline.Span:
		if !v.IsZero() {
			return []timeline.Span{v}
		}
	case []timeline.Span:
		return v
	}
	return nil
}

// fail remembers why a rule was not taken, of the candidate that came furthest.
func (e *evaluation) fail(r *Rule, c *candidate, passed int, cond Condition) {
	if f, ok := e.failed[r.ID]; ok && f.passed >= passed {
		return
	}
	why := cond.Otherwise.fill(c.env)
	switch t, ok := c.env["tests"].(*testFacts); {
	case ok && t.Watched == 0 && passed < len(r.Symptom):
		why = "" // nobody watched the path, so that it is not known what it did not do
	case ok && t.Watched == 1 && (ofTests.MatchString(cond.If.Text) || strings.Contains(cond.If.Text, "tests.") && !ofTheRecord.MatchString(cond.If.Text)):
		return // it asks for single tests, and the path was watched
	}
	e.failed[r.ID] = failure{passed, why}
}

// ofTests is how a condition says that it is meant for single tests alone; ofTheRecord are facts of what was measured over time.
var (
	ofTests     = regexp.MustCompile(`\btests\.watched == 0 and\b|\band tests\.watched == 0\b|^tests\.watched == 0$`)
	ofTheRecord = regexp.MustCompile(`\b(run|path|port|flap|move|device|node|change|app)\.`)
)

func (e *evaluation) pathOf(name string) *pathScene {
	for _, p := range e.paths {
		if p.Path.Name == name {
			return p
		}
	}
	return nil
}

package rules

import (
	"cmp"
	"math"
	"slices"

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

// match is a rule that speaks of a candidate.
type match struct {
	rule       *Rule
	cand       *candidate
	subject    timeline.Subject
	verdict    Verdict
	confidence float64
	said       []said   // evidence for, in the rule's order
	against    []string // evidence against
	missing    []string // readings
	span       timeline.Span
	hits       []correlate.Episode
	summary    string // as a finding of its own
	follows    string // as a link of a chain
	next       []string
	parent     *match
	children   []*match
	dropped    bool
}

// said is a piece of evidence that holds.
type said struct {
	*Weight
	text  string
	value float64
}

// failure is why a rule's best candidate was not taken.
type failure struct {
	passed int
	why    string
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
	switch {
	case blind:
		m.verdict = CannotTell
		m.confidence = min(m.confidence, r.suspectedAt())
	case m.confidence >= r.holdsAt() && r.AtMost == "" || m.confidence >= r.holdsAt() && r.AtMost == Holds:
		m.verdict = Holds
	case m.confidence >= r.suspectedAt():
		m.verdict = Suspected
		if r.AtMost == CannotTell {
			m.verdict = CannotTell
		}
	default:
		return nil
	}
	if ps := e.pathOf(c.path); blind && ps != nil && len(m.hits) == 0 {
		m.hits = ps.Episodes
	}
	for _, w := range r.Missing {
		if m.verdict != Holds && w.If.truth(c.env) == Yes {
			m.missing = append(m.missing, w.Say.fill(c.env))
		}
	}
	if host, ok := r.Host.eval(c.env).(string); ok && host != "" {
		m.subject = timeline.Host(host)
	}
	m.summary, m.follows = r.Summary.fill(c.env), r.Consequence.fill(c.env)
	for _, n := range r.Next {
		m.next = append(m.next, n.fill(c.env))
	}
	if sp, ok := r.Span.eval(c.env).(timeline.Span); ok && !sp.IsZero() {
		m.span = sp
		if ps := e.pathOf(c.path); ps != nil {
			m.hits = ps.touched([]timeline.Span{sp})
		}
	}
	return m
}

// fail remembers why a rule was not taken, of the candidate that came furthest.
func (e *evaluation) fail(r *Rule, c *candidate, passed int, cond Condition) {
	if f, ok := e.failed[r.ID]; ok && f.passed >= passed {
		return
	}
	e.failed[r.ID] = failure{passed, cond.Otherwise.fill(c.env)}
}

// weigh adds up the evidence for and against. Where the finding can't be told anyway (blind), only what it needs is
// missing, not what would merely make it surer.
func (m *match) weigh(s timeline.Snapshot, blind bool) {
	env, total, capped := m.cand.env, m.rule.Base, false
	for i := range m.rule.For {
		w := &m.rule.For[i]
		switch w.If.truth(env) {
		case Yes:
			total += w.Weight
			m.said = append(m.said, said{w, w.Say.fill(env), floatOf(w.Value.eval(env))})
		case Unknown:
			if !blind || w.Required {
				m.miss(s, w.If)
			}
			capped = capped || w.Required
		}
	}
	for i := range m.rule.Against {
		w := &m.rule.Against[i]
		if w.If.truth(env) == Yes {
			total -= w.Weight
			m.against = append(m.against, w.Say.fill(env))
		}
	}
	m.confidence = math.Round(min(0.99, max(0, total))*1000) / 1000
	if capped {
		m.confidence = min(m.confidence, m.rule.holdsAt()-0.01)
	}
}

func floatOf(v any) float64 {
	switch v := v.(type) {
	case float64:
		return v
	case int:
		return float64(v)
	}
	return nan
}

func (e *evaluation) pathOf(name string) *pathScene {
	for _, p := range e.paths {
		if p.Path.Name == name {
			return p
		}
	}
	return nil
}

// yield drops matches that another cause explains better, and all but the best of a rule about one subject.
func (e *evaluation) yield() {
	for _, m := range e.matches {
		for _, o := range e.matches {
			if m == o || m.dropped || o.dropped {
				continue
			}
			same := o.cand.subject == m.cand.subject || m.rule.OnePerPath && o.cand.path == m.cand.path && o.span.Overlaps(m.span)
			if o.rule == m.rule && same && e.preferred(o, m) {
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
}

// yields says whether what m claims is better explained by o: o holds, or m does not either, or o rests on a device
// where m only reads the flow. Of two that yield to each other, the less sure one does.
func yields(m, o *match) bool {
	if !slices.Contains(m.rule.YieldsTo, o.rule.ID) || o.verdict == CannotTell {
		return false
	}
	if slices.Contains(o.rule.YieldsTo, m.rule.ID) {
		return better(o, m)
	}
	deviceFirst := m.rule.Scope == ScopePath && o.rule.Scope != ScopePath && o.confidence >= 0.5
	return o.verdict == Holds || m.verdict != Holds || deviceFirst
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
	if a.verdict != b.verdict || rank(a) == rank(b) {
		return better(a, b)
	}
	return rank(a) < rank(b)
}

// better orders two matches: by verdict, confidence, and then by a fixed order.
func better(a, b *match) bool { return compareMatches(a, b) < 0 }

func compareMatches(a, b *match) int {
	return cmp.Or(verdictRank(a.verdict)-verdictRank(b.verdict), -cmp.Compare(a.confidence, b.confidence), -cmp.Compare(len(a.hits), len(b.hits)),
		cmp.Compare(a.rule.ID, b.rule.ID), cmp.Compare(a.cand.path, b.cand.path), a.cand.subject.Compare(b.cand.subject), a.span.From.Compare(b.span.From))
}

func verdictRank(v Verdict) int {
	return slices.Index([]Verdict{Holds, Suspected, CannotTell}, v)
}

// settle tells each path which of its episodes no finding explains.
func (e *evaluation) settle() {
	for _, ps := range e.paths {
		f := ps.facts
		f.OpenStalls, f.OpenLoss, f.OpenDelay, f.OpenLow, f.OpenWorst, f.OpenSpan = 0, 0, 0, 0, 0, timeline.Span{}
		for _, ep := range ps.Episodes {
			if e.explained(ep) || e.hostBusy(ep) {
				continue
			}
			f.OpenSpan = f.OpenSpan.Union(ep.Span)
			switch ep.Kind {
			case correlate.Stall:
				f.OpenStalls++
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

// hostBusy says whether the measuring host said that it could not keep up during the episode: then it may have made
// the episode itself.
func (e *evaluation) hostBusy(ep correlate.Episode) bool {
	return slices.ContainsFunc(e.snap.Gaps(), func(g timeline.Gap) bool {
		return g.Reason == timeline.ReasonHost && g.Span.Overlaps(ep.Span)
	})
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

// absorb takes over what another match that cannot tell is missing.
func (m *match) absorb(o *match) {
	for _, x := range o.missing {
		if !slices.Contains(m.missing, x) {
			m.missing = append(m.missing, x)
		}
	}
	m.hits = uniqueEpisodes(append(m.hits, o.hits...))
}

package rules

import (
	"cmp"
	"math"
	"slices"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// match is a rule that speaks of a candidate.
type match struct {
	rule       *Rule
	cand       *candidate
	subject    timeline.Subject
	verdict    Verdict
	confidence float64
	doubted    bool     // what speaks against it leaves less than a suspicion
	said       []said   // evidence for, in the rule's order
	against    []string // evidence against
	missing    []string // readings
	span       timeline.Span
	worked     []timeline.Span // when the rule says that the cause was at work; nil: as its candidate
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

// times returns the occurrences of the cause.
func (m *match) times() []timeline.Span {
	if m.worked != nil {
		return m.worked
	}
	return m.cand.times
}

// idle says whether the finding is about a port, no fault, and explains nothing of what happened.
func (m *match) idle() bool { return m.rule.Harmless && len(m.hits) == 0 && m.rule.Scope == ScopePort }

// failure is why a rule's best candidate was not taken.
type failure struct {
	passed int
	why    string
}

// weigh adds up the evidence for and against. Where the finding can't be told anyway (blind), only what it needs is
// missing, not what would merely make it surer.
func (m *match) weigh(s timeline.Snapshot, blind bool) {
	env, total, doubt, capped := m.cand.env, m.rule.Base, 0.0, false
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
			doubt += w.Weight
			m.against = append(m.against, w.Say.fill(env))
		}
	}
	m.doubted = doubt > 0 && total < m.rule.suspectedAt()
	m.confidence = math.Round(min(0.99, max(0, total))*1000) / 1000
	if capped {
		m.confidence = min(m.confidence, m.rule.holdsAt()-0.01)
	}
}

// judge sets the verdict, and says whether there is one. Blind is a finding of which a condition is not known.
func (m *match) judge(blind bool) bool {
	r := m.rule
	switch {
	case blind && m.doubted:
		return false
	case blind:
		m.verdict, m.confidence = CannotTell, min(m.confidence, r.suspectedAt())
	case m.confidence >= r.holdsAt():
		m.verdict = Holds
	case m.confidence >= r.suspectedAt():
		m.verdict = Suspected
	default:
		return false
	}
	if r.AtMost != "" && verdictRank(m.verdict) < verdictRank(r.AtMost) {
		m.verdict = r.AtMost
	}
	return true
}

// describe fills the rule's texts with what is known now.
func (m *match) describe() {
	r, env := m.rule, m.cand.env
	for _, w := range r.Missing {
		if m.verdict != Holds && w.If.truth(env) == Yes {
			m.missing = append(m.missing, w.Say.fill(env))
		}
	}
	if host, ok := r.Host.eval(env).(string); ok && host != "" {
		m.subject = timeline.Host(host)
	}
	if tests, ok := env["tests"].(*testFacts); ok && r.told != "" {
		if about := tests.tellerOf(r.told); about.Kind != timeline.KindPath && about != (timeline.Subject{}) {
			m.subject = about
		}
	}
	m.summary, m.follows = r.Summary.fill(env), r.Consequence.fill(env)
	for _, n := range r.Next {
		m.next = append(m.next, n.fill(env))
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

// yields says whether what m claims is better explained by o: o holds, or m does not either, or o rests on a device
// where m only reads the flow. Of two that yield to each other, the less sure one does.
func yields(m, o *match) bool {
	hearsay := o.rule.told != "" && m.rule.told == "" // words are no reason to drop what figures say
	if !slices.Contains(m.rule.YieldsTo, o.rule.ID) || o.verdict == CannotTell || hearsay {
		return false
	}
	if slices.Contains(o.rule.YieldsTo, m.rule.ID) {
		return better(o, m)
	}
	deviceFirst := m.rule.Scope == ScopePath && o.rule.Scope != ScopePath && o.confidence >= 0.5
	return o.verdict == Holds || m.verdict != Holds || deviceFirst
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

// absorb takes over what another match that cannot tell is missing.
func (m *match) absorb(o *match) {
	for _, x := range o.missing {
		if !slices.Contains(m.missing, x) {
			m.missing = append(m.missing, x)
		}
	}
	m.hits = uniqueEpisodes(append(m.hits, o.hits...))
}

package rules

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// compile checks the rule and compiles its expressions and texts.
func (r *Rule) compile() error {
	var errs []error
	fail := func(line int, key string, format string, args ...any) {
		errs = append(errs, r.mistake(line, key, fmt.Errorf(format, args...)))
	}
	if !slices.Contains(scopes, r.Scope) {
		names := make([]string, len(scopes))
		for i, s := range scopes {
			names[i] = string(s)
		}
		fail(0, "scope", "%q is none of %s%s", r.Scope, strings.Join(names, ", "), nearest(string(r.Scope), names))
		return errors.Join(errs...)
	}
	for key, text := range map[string]string{"title": r.Title, "about": r.About, "summary": r.Summary.Text} {
		if text == "" {
			fail(0, key, "is missing")
		}
	}
	if len(r.Next) == 0 {
		fail(0, "next", "is missing: say what to do first")
	}
	if len(r.When)+len(r.Symptom) == 0 {
		fail(0, "when", "is missing: a rule without a condition always holds")
	}
	for _, name := range keysOf(r.Thresholds) {
		if r.Thresholds[name].Source == "" {
			fail(0, "thresholds."+name, "has no source")
		}
	}
	for _, n := range r.Needs {
		if _, ok := timeline.Describe(timeline.Metric(n)); !ok && !slices.Contains(timeline.EventTypes(), timeline.EventType(n)) {
			fail(0, "needs", "%s is no metric and no event type", n)
		}
	}
	if t := r.Told; t != nil {
		if _, ok := topics[t.Says]; !ok {
			fail(t.Summary.Line, "told.says", "%q is no topic%s", t.Says, nearest(t.Says, keysOf(topics)))
		}
		if t.Summary.Text == "" {
			fail(t.If.Line, "told.summary", "is missing")
		}
		if len(t.Next) == 0 && r.Scope != ScopePath {
			fail(t.Summary.Line, "told.next", "is missing: what to do first with no more than words")
		}
	}
	switch r.AtMost {
	case "", Holds, Suspected, CannotTell:
	default:
		fail(0, "at_most", "%q is none of holds, suspected, cannot-tell", r.AtMost)
	}
	errs = append(errs, r.compileParts()...)
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}

func (r *Rule) compileParts() []error {
	words := vocabularyOf(blank(r.Scope))
	var errs []error
	check := func(line int, key string, err error) {
		if err != nil {
			errs = append(errs, r.mistake(line, key, err))
		}
	}
	condition := func(key string, e *Expression) { check(e.Line, key, e.compile(words, r.Thresholds)) }
	text := func(key string, t *Text) { check(t.Line, key, t.compile(words, r.Thresholds)) }
	weights := func(key string, ws []Weight) {
		for i := range ws {
			w := &ws[i]
			if w.If.IsZero() {
				check(0, key, fmt.Errorf("an entry has no if"))
				continue
			}
			condition(key+".if", &w.If)
			text(key+".say", &w.Say)
			if !w.Value.IsZero() {
				check(w.Value.Line, key+".value", w.Value.compileValue(words, r.Thresholds, reflect.TypeFor[float64]()))
			}
			switch w.Of {
			case "", r.Scope, ScopePath:
			default:
				check(w.If.Line, key+".of", fmt.Errorf("%q is neither path nor %s", w.Of, r.Scope))
			}
		}
	}
	for i := range r.Symptom {
		condition("symptom.if", &r.Symptom[i].If)
		text("symptom.otherwise", &r.Symptom[i].Otherwise)
	}
	for i := range r.When {
		condition("when.if", &r.When[i].If)
		text("when.otherwise", &r.When[i].Otherwise)
	}
	// A way is compiled over the facts of its own scope, and follows nothing under a condition that asks for facts of its rule's.
	r.Follows = slices.DeleteFunc(slices.Clone(r.Follows), func(f Follow) bool {
		return r.abroad && !f.If.IsZero() && f.If.compile(words, r.Thresholds) != nil
	})
	for i := range r.Follows {
		if f := &r.Follows[i]; !f.If.IsZero() {
			condition("follows.if", &f.If)
		}
	}
	weights("for", r.For)
	weights("against", r.Against)
	weights("missing", r.Missing)
	if !r.Host.IsZero() {
		check(r.Host.Line, "host", r.Host.compileValue(words, r.Thresholds, reflect.TypeFor[string]()))
	}
	if !r.Span.IsZero() {
		err := r.Span.compileValue(words, r.Thresholds, reflect.TypeFor[timeline.Span]())
		if err != nil && r.Span.compileValue(words, r.Thresholds, reflect.TypeFor[[]timeline.Span]()) == nil {
			err = nil // several
		}
		check(r.Span.Line, "span", err)
	}
	text("summary", &r.Summary)
	text("consequence", &r.Consequence)
	for i := range r.Next {
		text("next", &r.Next[i])
	}
	return errs
}

// checkReferences checks that the causes that rules name are described by rules.
func checkReferences(rules []Rule) []error {
	var ids []string
	for _, r := range rules {
		ids = append(ids, r.ID)
	}
	var errs []error
	for i := range rules {
		r := &rules[i]
		check := func(key, id string) {
			if !slices.Contains(ids, id) {
				errs = append(errs, r.mistake(0, key, fmt.Errorf("no rule describes %q%s", id, nearest(id, ids))))
			}
		}
		for _, f := range r.Follows {
			check("follows.cause", f.Cause)
			if f.Within <= 0 {
				errs = append(errs, r.mistake(0, "follows.within", fmt.Errorf("is missing for %s", f.Cause)))
			}
			if r.Consequence.Text == "" {
				errs = append(errs, r.mistake(0, "consequence", fmt.Errorf("is missing, but the rule follows %s", f.Cause)))
			}
		}
		for _, id := range r.YieldsTo {
			check("yields_to", id)
		}
		for _, id := range r.Rivals {
			check("rivals", id)
		}
	}
	return errs
}

package rules

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"go.yaml.in/yaml/v4"

	"whydrop/correlate/timeline"
)

//go:embed catalog/*.yaml
var embedded embed.FS

// Default returns the embedded catalogue, in the order of ids. It is loaded once; the slice is the caller's.
func Default() []Rule { return slices.Clone(defaults()) }

var defaults = sync.OnceValue(func() []Rule {
	sub, err := fs.Sub(embedded, "catalog")
	if err != nil {
		panic(err)
	}
	rules, err := Load(sub)
	if err != nil {
		panic(fmt.Sprintf("the embedded catalogue: %v", err)) // the tests load it, so this can't leave the house
	}
	return rules
})

// Load reads every *.yaml file at the root of fsys as one rule and compiles it. It is strict: an unknown or
// doubled key, a wrong type, an expression over a fact that does not exist, a threshold without a source, or a
// cause that no rule describes is an error that names file, line and key, and the nearest right key. All
// mistakes are returned together.
func Load(fsys fs.FS) ([]Rule, error) {
	names, err := fs.Glob(fsys, "*.yaml")
	if err != nil {
		return nil, err
	}
	slices.Sort(names)
	var out []Rule
	var errs []error
	for _, name := range names {
		r, err := loadFile(fsys, name)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, r)
	}
	if err := errors.Join(append(errs, checkReferences(out)...)...); err != nil {
		return nil, err
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("no rule: there is no *.yaml file")
	}
	return out, nil
}

func loadFile(fsys fs.FS, name string) (Rule, error) {
	var r Rule
	text, err := fs.ReadFile(fsys, name)
	if err != nil {
		return r, err
	}
	if err := yaml.Load(text, &r, yaml.WithKnownFields()); err != nil {
		return r, explain(name, err)
	}
	r.file = name
	if want := strings.TrimSuffix(path.Base(name), ".yaml"); r.ID != want {
		return r, fmt.Errorf("%s: id: is %q, not the file's name %q", name, r.ID, want)
	}
	if err := r.compile(); err != nil {
		return r, err
	}
	return r, nil
}

var (
	notFound = regexp.MustCompile(`field '?([^' ]+)'? not found in type ([\w.]+)`)
	inStage  = regexp.MustCompile(`^go-yaml load errors? in \w+ at (\d+):\d+: `)
)

// explain turns a YAML error into lines of "file:line: key: what, nearest".
func explain(name string, err error) error {
	var many *yaml.LoadErrors
	var lines []string
	if errors.As(err, &many) {
		for _, e := range many.Errors {
			lines = append(lines, explainOne(name, e.Mark.Line, e.Message, e.Unwrap()))
		}
	} else {
		lines = append(lines, explainOne(name, 0, err.Error(), nil))
	}
	return errors.New(strings.Join(lines, "\n"))
}

func explainOne(name string, line int, message string, cause error) string {
	if message == "" && cause != nil {
		message = cause.Error()
	}
	at := name
	if line > 0 {
		at = fmt.Sprintf("%s:%d", name, line)
	}
	message = inStage.ReplaceAllString(message, "")
	if m := notFound.FindStringSubmatch(message); m != nil {
		return fmt.Sprintf("%s: unknown key %q%s", at, m[1], nearest(m[1], keysOfType(m[2])))
	}
	return at + ": " + message
}

// keysOfType returns the YAML keys of one of the rule's types, by the name the decoder gives it.
func keysOfType(name string) []string {
	for _, v := range []any{Rule{}, Threshold{}, Condition{}, Weight{}, Follow{}} {
		t := reflect.TypeOf(v)
		if t.String() != name {
			continue
		}
		var out []string
		for i := range t.NumField() {
			if key := t.Field(i).Tag.Get("yaml"); key != "" {
				out = append(out, key)
			}
		}
		return out
	}
	return nil
}

var (
	noField = regexp.MustCompile(`type (rules\.\w+) has no field (\w+)`)
	noName  = regexp.MustCompile(`unknown name (\w+)`)
)

// factsOf returns the names of the facts in one of the types behind them.
func factsOf(name string) []string {
	for _, v := range []any{runFacts{}, pathFacts{}, portFacts{}, activity{}, moveFacts{}, flapFacts{}, deviceFacts{}} {
		if t := reflect.TypeOf(v); t.String() == name {
			var out []string
			for i := range t.NumField() {
				out = append(out, t.Field(i).Tag.Get("expr"))
			}
			return out
		}
	}
	return nil
}

// mistake is an error in a rule with its place.
func (r *Rule) mistake(line int, key string, err error) error {
	text, _, _ := strings.Cut(err.Error(), "\n") // the rest draws a caret under the place
	if m := noField.FindStringSubmatch(text); m != nil {
		text += nearest(m[2], factsOf(m[1]))
	} else if m := noName.FindStringSubmatch(text); m != nil {
		text += nearest(m[1], keysOf(blank(r.Scope)))
	}
	if line > 0 {
		return fmt.Errorf("%s:%d: %s: %s", r.file, line, key, text)
	}
	return fmt.Errorf("%s: %s: %s", r.file, key, text)
}

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
		if _, ok := timeline.Describe(timeline.Metric(n)); !ok && !strings.Contains(eventTypes, " "+n+" ") {
			fail(0, "needs", "%s is no metric and no event type", n)
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

// eventTypes lists the event types a rule may need.
const eventTypes = " path.outage if.oper if.speed if.duplex stp.state stp.role stp.topology_change stp.root_port " +
	"stp.root_bridge ha.failover cdp.duplex_mismatch syslog sys.restart if.counters_cleared "

func (r *Rule) compileParts() []error {
	env := blank(r.Scope)
	var errs []error
	check := func(line int, key string, err error) {
		if err != nil {
			errs = append(errs, r.mistake(line, key, err))
		}
	}
	condition := func(key string, e *Expression) { check(e.Line, key, e.compile(env, r.Thresholds)) }
	text := func(key string, t *Text) { check(t.Line, key, t.compile(env, r.Thresholds)) }
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
				check(w.Value.Line, key+".value", w.Value.compileValue(env, r.Thresholds, reflect.TypeFor[float64]()))
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
	weights("for", r.For)
	weights("against", r.Against)
	weights("missing", r.Missing)
	if !r.Host.IsZero() {
		check(r.Host.Line, "host", r.Host.compileValue(env, r.Thresholds, reflect.TypeFor[string]()))
	}
	if !r.Span.IsZero() {
		check(r.Span.Line, "span", r.Span.compileValue(env, r.Thresholds, reflect.TypeFor[timeline.Span]()))
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

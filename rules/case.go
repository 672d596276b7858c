package rules

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// caseFile is a file of testdata beside rules: what one rule says of some short stories. See catalog/README.md.
type caseFile struct {
	Cases []ruleCase `yaml:"cases"`
}

type ruleCase struct {
	Name  string   `yaml:"name"`
	Kind  string   `yaml:"kind"` // holds, silent, cannot tell
	Story story    `yaml:"story"`
	Want  []wanted `yaml:"want"` // every finding, best first
}

type wanted struct {
	Chain   []string `yaml:"chain"`
	Verdict Verdict  `yaml:"verdict"`
	Subject string   `yaml:"subject"`
	Missing string   `yaml:"missing"` // a part of one of its missing readings
	Says    string   `yaml:"says"`    // a part of its summary
}

func readCases(name string, text []byte) (caseFile, error) {
	var c caseFile
	if err := yaml.Load(text, &c, yaml.WithKnownFields()); err != nil {
		return c, explain(name, err)
	}
	return c, nil
}

// CaseResult is what became of one recorded case of a rule.
type CaseResult struct {
	Rule string
	Case string
	Kind string   // holds, silent, cannot tell
	Bad  []string // what is not as it should be; none if all is
}

// CheckCases asks the rules about the recorded cases of the rules with the given ids, which lie in fsys as
// testdata/<id>.yaml. A rule without a file gives one result that says so. What all rules say is compared, not only what
// that one says.
func CheckCases(rules []Rule, fsys fs.FS, ids []string) []CaseResult {
	var out []CaseResult
	for _, id := range ids {
		name := path.Join("testdata", id+".yaml")
		text, err := fs.ReadFile(fsys, name)
		var file caseFile
		if err == nil {
			file, err = readCases(name, text)
		}
		if err != nil {
			out = append(out, CaseResult{Rule: id, Bad: []string{err.Error()}})
			continue
		}
		for _, k := range []string{"holds", "silent", "cannot tell"} {
			if !slices.ContainsFunc(file.Cases, func(c ruleCase) bool { return c.Kind == k }) {
				out = append(out, CaseResult{Rule: id, Kind: k, Bad: []string{fmt.Sprintf("there is no case %q", k)}})
			}
		}
		for _, c := range file.Cases {
			r := CaseResult{Rule: id, Case: c.Name, Kind: c.Kind}
			got, err := c.tell(rules)
			if err != nil {
				r.Bad = []string{err.Error()}
			} else {
				r.Bad = c.judge(ruleOf(rules, id), got)
			}
			out = append(out, r)
		}
	}
	return out
}

func ruleOf(rules []Rule, id string) *Rule {
	for i := range rules {
		if rules[i].ID == id {
			return &rules[i]
		}
	}
	return nil
}

// unreadable ends the telling of a case.
type unreadable struct{ error }

// strict is a failer outside of a test.
type strict struct{}

func (strict) Helper()                      {}
func (strict) Fatal(args ...any)            { panic(unreadable{fmt.Errorf("%s", fmt.Sprint(args...))}) }
func (strict) Fatalf(f string, args ...any) { panic(unreadable{fmt.Errorf(f, args...)}) }

// tell asks the rules about the case's story.
func (c ruleCase) tell(rules []Rule) (found []Diagnosis, err error) {
	defer func() {
		if r := recover(); r != nil {
			u, ok := r.(unreadable)
			if !ok {
				panic(r)
			}
			err = u.error
		}
	}()
	snap, topo := c.Story.build(strict{})
	return Evaluate(rules, snap, topo), nil
}

// judge says what of the findings is not as the case wants it.
func (c ruleCase) judge(r *Rule, got []Diagnosis) []string {
	var bad []string
	fail := func(format string, args ...any) { bad = append(bad, fmt.Sprintf(format, args...)) }
	if len(got) != len(c.Want) {
		fail("%d findings (%s), want %d", len(got), brief(got), len(c.Want))
	}
	for i, w := range c.Want[:min(len(c.Want), len(got))] {
		d := got[i]
		if !slices.Equal(d.Chain, w.Chain) || d.Verdict != w.Verdict {
			fail("finding %d: got %v %s, want %v %s", i+1, d.Chain, d.Verdict, w.Chain, w.Verdict)
		}
		if w.Subject != "" && d.Subject != subject(w.Subject) {
			fail("finding %d: subject is %s, want %s", i+1, d.Subject, w.Subject)
		}
		if !strings.Contains(strings.Join(d.Missing, "\n"), w.Missing) {
			fail("finding %d: missing is %q, want %q in it", i+1, d.Missing, w.Missing)
		}
		if !strings.Contains(d.Summary, w.Says) {
			fail("finding %d: summary is %q, want %q in it", i+1, d.Summary, w.Says)
		}
	}
	names := func(d Diagnosis) bool { return slices.Contains(d.Chain, r.ID) }
	switch c.Kind {
	case "holds":
		if !slices.ContainsFunc(got, func(d Diagnosis) bool { return names(d) && (d.Verdict != CannotTell || r.AtMost == CannotTell) }) {
			fail("%s does not speak", r.ID)
		}
	case "silent":
		if slices.ContainsFunc(got, names) {
			fail("%s speaks", r.ID)
		}
	case "cannot tell":
		if !slices.ContainsFunc(got, func(d Diagnosis) bool { return len(d.Missing) > 0 }) {
			fail("nothing says what is missing")
		}
	default:
		fail("kind is %q, none of holds, silent, cannot tell", c.Kind)
	}
	return bad
}

func brief(found []Diagnosis) string {
	var out []string
	for _, d := range found {
		out = append(out, fmt.Sprintf("%s %s", strings.Join(d.Chain, " > "), d.Verdict))
	}
	if len(out) == 0 {
		return "none"
	}
	return strings.Join(out, ", ")
}

package rules

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// cases is a file of catalog/testdata: what one rule says of some short stories.
type cases struct {
	Cases []struct {
		Name  string `yaml:"name"`
		Kind  string `yaml:"kind"` // holds, silent, cannot tell
		Story story  `yaml:"story"`
		Want  []struct {
			Chain   []string `yaml:"chain"`
			Verdict Verdict  `yaml:"verdict"`
			Subject string   `yaml:"subject"`
			Missing string   `yaml:"missing"` // a part of one of its missing readings
			Says    string   `yaml:"says"`    // a part of its summary
		} `yaml:"want"` // every finding, best first
	} `yaml:"cases"`
}

func loadCases(t testing.TB, id string) cases {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("catalog", "testdata", id+".yaml"))
	if err != nil {
		t.Fatalf("every rule has its cases beside it: %v", err)
	}
	var c cases
	if err := yaml.Load(text, &c, yaml.WithKnownFields()); err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	return c
}

func TestCatalogueSaysWhatItsCasesExpect(t *testing.T) {
	rules := Default()
	for _, r := range rules {
		if _, err := os.Stat(filepath.Join("catalog", "testdata", r.ID+".yaml")); err != nil {
			continue // TestEveryRuleHasCasesOfEachKind says so
		}
		for _, c := range loadCases(t, r.ID).Cases {
			t.Run(r.ID+"/"+c.Name, func(t *testing.T) {
				snap, topo := c.Story.build(t)
				got := Evaluate(rules, snap, topo)
				defer func() {
					if t.Failed() {
						for _, d := range got {
							t.Logf("%v %s %.2f %s\n  %s\n  evidence: %v\n  against: %s\n  missing: %s", d.Chain, d.Verdict, d.Confidence, d.Subject, d.Summary, texts(d), strings.Join(d.Against, "; "), strings.Join(d.Missing, "; "))
						}
					}
				}()
				if len(got) != len(c.Want) {
					t.Fatalf("%d findings, want %d", len(got), len(c.Want))
				}
				for i, w := range c.Want {
					d := got[i]
					if !slices.Equal(d.Chain, w.Chain) || d.Verdict != w.Verdict {
						t.Errorf("finding %d: got %v %s, want %v %s", i, d.Chain, d.Verdict, w.Chain, w.Verdict)
					}
					if w.Subject != "" && d.Subject != subject(w.Subject) {
						t.Errorf("finding %d: subject is %s, want %s", i, d.Subject, w.Subject)
					}
					if !strings.Contains(strings.Join(d.Missing, "\n"), w.Missing) {
						t.Errorf("finding %d: missing is %q, want %q in it", i, d.Missing, w.Missing)
					}
					if !strings.Contains(d.Summary, w.Says) {
						t.Errorf("finding %d: summary is %q, want %q in it", i, d.Summary, w.Says)
					}
				}
				named := slices.ContainsFunc(got, func(d Diagnosis) bool { return slices.Contains(d.Chain, r.ID) })
				switch c.Kind {
				case "holds":
					if !slices.ContainsFunc(got, func(d Diagnosis) bool {
						return slices.Contains(d.Chain, r.ID) && (d.Verdict != CannotTell || r.AtMost == CannotTell)
					}) {
						t.Errorf("%s does not speak", r.ID)
					}
				case "silent":
					if named {
						t.Errorf("%s speaks", r.ID)
					}
				case "cannot tell":
					if !slices.ContainsFunc(got, func(d Diagnosis) bool { return len(d.Missing) > 0 }) {
						t.Errorf("nothing says what is missing")
					}
				default:
					t.Errorf("kind is %q", c.Kind)
				}
			})
		}
	}
}

func TestEveryRuleHasCasesOfEachKind(t *testing.T) {
	for _, r := range Default() {
		kinds := map[string]bool{}
		for _, c := range loadCases(t, r.ID).Cases {
			kinds[c.Kind] = true
		}
		for _, k := range []string{"holds", "silent", "cannot tell"} {
			if !kinds[k] {
				t.Errorf("%s has no case %q", r.ID, k)
			}
		}
	}
}

func texts(d Diagnosis) string {
	var out []string
	for _, e := range d.Evidence {
		out = append(out, e.Text)
	}
	return strings.Join(out, "; ")
}

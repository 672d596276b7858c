package rules

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func loadCases(t testing.TB, id string) caseFile {
	t.Helper()
	name := filepath.Join("catalog", "testdata", id+".yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatalf("every rule has its cases beside it: %v", err)
	}
	c, err := readCases(name, text)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestCatalogueSaysWhatItsCasesExpect(t *testing.T) {
	rules := Default()
	for i, r := range rules {
		if _, err := os.Stat(filepath.Join("catalog", "testdata", r.ID+".yaml")); err != nil {
			continue // TestEveryRuleHasCasesOfEachKind says so
		}
		seen := map[string]bool{}
		for _, c := range loadCases(t, r.ID).Cases {
			if testing.Short() && seen[c.Kind] {
				continue // what could race does not depend on the story: one case of each kind is enough
			}
			seen[c.Kind] = true
			t.Run(r.ID+"/"+c.Name, func(t *testing.T) {
				snap, topo := c.Story.build(t)
				got := Evaluate(rules, snap, topo)
				bad := c.judge(&rules[i], got)
				for _, b := range bad {
					t.Error(b)
				}
				for _, d := range got {
					if len(bad) > 0 {
						t.Logf("%v %s %.2f %s\n  %s\n  evidence: %v\n  against: %s\n  missing: %s", d.Chain, d.Verdict, d.Confidence, d.Subject, d.Summary, texts(d), strings.Join(d.Against, "; "), strings.Join(d.Missing, "; "))
					}
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

package rules

import (
	"strings"
	"testing"
	"testing/fstest"
)

const ownRule = `id: ID
title: Ours
about: A test.
scope: path
symptom:
  - if: path.lost > 1000
when:
  - if: path.lost > 2000
base: 0.8
summary: "Lost {path.lost}."
next: ["Look."]
`

func ownFile(id string, more ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.ReplaceAll(ownRule, "ID", id) + strings.Join(more, "\n"))}
}

func TestOwnRulesStandBesideTheCatalogue(t *testing.T) {
	for _, c := range []struct {
		name string
		fs   fstest.MapFS
		ids  []string // of those that are usable
		says []string // in the error
	}{
		{"a good one", fstest.MapFS{"ours.yaml": ownFile("ours")}, []string{"ours"}, nil},
		{"a bad one does not stop the rest", fstest.MapFS{"ours.yaml": ownFile("ours"), "worse.yaml": ownFile("worse", "basse: 1")}, []string{"ours"}, []string{"worse.yaml:12", `"basse"`, "base"}},
		{"an id that is taken", fstest.MapFS{"bad-cable.yaml": ownFile("bad-cable")}, nil, []string{"bad-cable.yaml: id", "taken"}},
		{"a cause that no rule describes", fstest.MapFS{"ours.yaml": ownFile("ours", "rivals: [bad-cabel]"), "other.yaml": ownFile("other")}, []string{"other"}, []string{"ours.yaml: rivals", "bad-cable"}},
		{"a rule that names one that is bad", fstest.MapFS{"ours.yaml": ownFile("ours", "rivals: [worse]"), "worse.yaml": ownFile("worse", "scoope: x")}, nil, []string{"worse.yaml:12", "ours.yaml: rivals"}},
		{"nothing", fstest.MapFS{}, nil, []string{"no rule"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			base := Default()
			got, err := Extend(base, c.fs)
			var own []string
			for _, r := range got[len(base):] {
				own = append(own, r.ID)
			}
			if strings.Join(own, " ") != strings.Join(c.ids, " ") {
				t.Errorf("usable are %v, want %v", own, c.ids)
			}
			if (err != nil) != (len(c.says) > 0) {
				t.Fatalf("error is %v", err)
			}
			for _, s := range c.says {
				if !strings.Contains(err.Error(), s) {
					t.Errorf("error %q does not say %q", err, s)
				}
			}
		})
	}
}

const ownCases = `cases:
  - name: "much is lost"
    kind: holds
    story: {seconds: 30}
    want: []
  - name: "a metric that is none"
    kind: silent
    story: {series: [{of: "path a-b", metric: path.los, values: "1..2: 3"}]}
    want: []
`

func TestCasesOfOwnRulesAreJudged(t *testing.T) {
	fs := fstest.MapFS{"ours.yaml": ownFile("ours"), "testdata/ours.yaml": &fstest.MapFile{Data: []byte(ownCases)}}
	list, err := Extend(Default(), fs)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, r := range CheckCases(list, fs, []string{"ours", "none"}) {
		got[r.Rule+"/"+r.Case+"/"+r.Kind] = strings.Join(r.Bad, "; ")
	}
	for key, want := range map[string]string{
		"ours/much is lost/holds":           "ours does not speak",
		"ours/a metric that is none/silent": "path.los is no metric",
		"ours//cannot tell":                 "there is no case",
		"none//":                            "testdata/none.yaml",
	} {
		if bad, ok := got[key]; !ok || !strings.Contains(bad, want) {
			t.Errorf("%s: got %q, want %q in it (all: %v)", key, bad, want, got)
		}
	}
}

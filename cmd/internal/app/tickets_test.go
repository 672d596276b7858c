package app

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"whydrop/rules"
)

// Tickets are facts as an engineer writes them down, with what is usually missing and one thing that has nothing to do with
// it. The first line of each says what it turned out to be; "abstain" is that nothing may be blamed above a suspicion.
func TestTicketsAreReadAsWhatTheyTurnedOutToBe(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "tickets", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no tickets: %v", err)
	}
	harmless := map[string]bool{}
	for _, r := range Catalogue() {
		harmless[r.ID] = r.Harmless
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			want, ok := strings.CutPrefix(first, "# expect: ")
			if !ok {
				t.Fatalf("the first line says nothing of what is expected: %q", first)
			}
			f, err := ParseFacts(filepath.Base(file), text)
			if err != nil {
				t.Fatal(err)
			}
			found := f.Diagnose()
			if want == "abstain" {
				for _, d := range found {
					if d.Verdict == rules.Holds && !harmless[d.ID()] {
						t.Errorf("%s holds; nothing may", d.ID())
					}
				}
				return
			}
			if len(found) == 0 || found[0].Verdict == rules.CannotTell || !slices.Contains(strings.Split(want, " or "), found[0].ID()) {
				t.Errorf("found %s, want %s first", said(found), want)
			}
		})
	}
}

// said lists findings in a word each.
func said(found []rules.Diagnosis) string {
	var out []string
	for _, d := range found {
		out = append(out, d.ID()+" "+string(d.Verdict))
	}
	return strings.Join(out, ", ")
}

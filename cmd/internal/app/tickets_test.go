package app

import (
	"fmt"
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
	harmless := harmlessCauses()
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".yaml"), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			judgeTicket(t, filepath.Base(file), string(text), harmless)
		})
	}
}

// The shortest tickets say in a sentence what somebody saw, and a figure; they stand in one file, each as a ticket does in its own.
func TestPlainSentencesAreReadAsWhatTheyTell(t *testing.T) {
	const begin = "# expect: "
	text, err := os.ReadFile(filepath.Join("testdata", "plain.txt"))
	if err != nil {
		t.Fatal(err)
	}
	harmless := harmlessCauses()
	all := strings.Split(strings.TrimPrefix(string(text), begin), "\n"+begin)
	if len(all) < 300 {
		t.Fatalf("%d tickets", len(all))
	}
	line := 1
	for _, one := range all {
		t.Run(fmt.Sprintf("line %d", line), func(t *testing.T) { judgeTicket(t, "plain.txt", begin+one, harmless) })
		line += strings.Count(one, "\n") + 1
	}
}

func harmlessCauses() map[string]bool {
	out := map[string]bool{}
	for _, r := range Catalogue() {
		out[r.ID] = r.Harmless
	}
	return out
}

// judgeTicket holds what is found in a ticket against what its first line expects.
func judgeTicket(t *testing.T, name, text string, harmless map[string]bool) {
	t.Helper()
	first, _, _ := strings.Cut(text, "\n")
	want, ok := strings.CutPrefix(first, "# expect: ")
	if !ok {
		t.Fatalf("the first line says nothing of what is expected: %q", first)
	}
	f, err := ParseFacts(name, []byte(text))
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
}

// said lists findings in a word each.
func said(found []rules.Diagnosis) string {
	var out []string
	for _, d := range found {
		out = append(out, d.ID()+" "+string(d.Verdict))
	}
	return strings.Join(out, ", ")
}

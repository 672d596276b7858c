package app

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

func TestComparisonShowsNoDeviceTextRaw(t *testing.T) {
	t.Parallel()
	sub := timeline.Port("sw1", "Gi1\x1b[2J")
	same := correlate.Estimate{Value: 1, Low: 1, High: 1}
	c := Compared{
		A: ComparedSide{Path: "a\x1b[2J"}, B: ComparedSide{Path: "b\x1b[2J"},
		Figures: []correlate.Comparison{{Subject: sub, InB: sub, Metric: timeline.Speed, A: same, B: same, Verdict: correlate.Same}},
		Kept:    findingNames([]rules.Diagnosis{{Chain: []string{"bad-cable"}, Subject: sub, Verdict: rules.Holds}}),
	}
	var b strings.Builder
	if err := c.Text(&b, true); err != nil {
		t.Fatal(err)
	}
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("an escape sequence is shown raw:\n%q", b.String())
	}
	if n := strings.Count(b.String(), `Gi1\x1b[2J`); n != 2 {
		t.Errorf("the port is named %d times, want once as a figure and once as a finding:\n%s", n, b.String())
	}
}

// fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

func TestComparisonThatCannotBeWrittenIsAnError(t *testing.T) {
	if err := (Compared{}).Text(fullDisk{}, false); !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("%v, want %v", err, syscall.ENOSPC)
	}
}

func TestComparisonTellsOfDamagedRecordings(t *testing.T) {
	whole, err := os.ReadFile(filepath.Join("..", "..", "..", "testdata", "sessions", "v1", "closed.session"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a.whydrop"), filepath.Join(dir, "b.whydrop")
	cut := slices.Clone(whole)
	for i := len(cut) * 5 / 16; i < len(cut)*3/8; i++ {
		cut[i] = 0
	}
	if err := errors.Join(os.WriteFile(a, whole, 0o600), os.WriteFile(b, cut, 0o600)); err != nil {
		t.Fatal(err)
	}
	c, err := Compare(a, b) // it has lost the one figure of the other
	if d := c.Damage(); err == nil || len(d) == 0 || !strings.HasPrefix(d[0], b+": ") || !strings.Contains(err.Error(), d[0]) {
		t.Errorf("%v; damage %q", err, d)
	}
	var text, doc strings.Builder
	if err := errors.Join(c.Text(&text, false), c.JSON(&doc)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(text.String(), "not all of it could be read: "+b) || !strings.Contains(doc.String(), `"damage": [`) {
		t.Errorf("%s\n%s", text.String(), doc.String())
	}
}

package app

import (
	"strings"
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
	c.Text(&b, true)
	if strings.Contains(b.String(), "\x1b") {
		t.Errorf("an escape sequence is shown raw:\n%q", b.String())
	}
	if n := strings.Count(b.String(), `Gi1\x1b[2J`); n != 2 {
		t.Errorf("the port is named %d times, want once as a figure and once as a finding:\n%s", n, b.String())
	}
}

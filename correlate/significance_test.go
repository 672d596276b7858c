package correlate

import (
	"math"
	"testing"

	"whydrop/correlate/timeline"
)

func TestCoincidence(t *testing.T) {
	watched := span(0, 1000)
	moments := func(at ...float64) []timeline.Span {
		var out []timeline.Span
		for _, a := range at {
			out = append(out, span(a, a))
		}
		return out
	}
	stalls := []timeline.Span{span(100, 101), span(300, 301), span(500, 501), span(700, 701)}
	cases := []struct {
		name     string
		events   []timeline.Span
		met      int
		expected float64
		likely   bool // by chance
	}{
		{"every stall has its event", moments(100, 300, 500, 700), 4, 4 * 4 * 1.0 / 1000, false},
		{"one of four", moments(100, 200, 400, 600), 1, 4 * 4 * 1.0 / 1000, false},
		{"none", moments(50, 250), 0, 4 * 2 * 1.0 / 1000, true},
		{"events all the time meet everything", []timeline.Span{span(0, 1000)}, 4, 4, true},
		{"events in the middle, not at the beginning: any overlap counts", moments(101.5, 301.5, 500, 700), 4, 4 * 4 * 4.0 / 1000, false},
		{"no event", nil, 0, 0, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Coincidence(stalls, c.events, watched)
			if got.Met != c.met || math.Abs(got.Expected-c.expected) > 1e-6 {
				t.Errorf("met %d, expected %v; want %d, %v", got.Met, got.Expected, c.met, c.expected)
			}
			if likely := got.Chance > 0.05; likely != c.likely {
				t.Errorf("chance is %v", got.Chance)
			}
		})
	}
}

func TestAtLeast(t *testing.T) {
	if got := atLeast([]float64{0.5, 0.5}, 1); math.Abs(got-0.75) > 1e-12 {
		t.Errorf("one of two coins: %v, want 0.75", got)
	}
	if got := atLeast(nil, 0); got != 1 {
		t.Errorf("nothing of nothing: %v, want 1", got)
	}
}

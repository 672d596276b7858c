package rules

import "testing"

func TestBelievedConfidenceGrowsWithWhatIsArgued(t *testing.T) {
	for name, byVerdict := range map[string]map[Verdict][]knot{"watched": measured, "by hand": measuredByHand} {
		for v, knots := range byVerdict {
			last := 0.0
			for argued := 0.0; argued <= 0.99; argued += 0.01 {
				got := interpolate(knots, argued)
				if got < last || got > 1 {
					t.Errorf("%s, %s: %.3f at %.2f, after %.3f", name, v, got, argued, last)
				}
				last = got
			}
		}
	}
	if got := interpolate(nil, 0.4); got != 0.4 {
		t.Errorf("without a measurement %v, want what was argued", got)
	}
	if got := interpolate([]knot{{0.5, 0.2}, {0.7, 0.6}}, 0.6); got < 0.399 || got > 0.401 {
		t.Errorf("between two knots %v, want 0.4", got)
	}
}

package rules

// How far an argued confidence can be believed was measured, not argued: every scenario of cmd/internal/sim was told with
// seeds that the figure `stories` does not use, and of all findings that were argued with about the same confidence those
// were counted that named a cause that was at work. Where nobody watched and only tests and counters are told, the cases of
// the figure `cases` stand for the stories. What is reported is that share, a little less where all were right. To measure
// again after rules have changed, read the shares in
//
//	WHYDROP_STORIES=1,3 go run ./cmd/internal/figures --full stories
//
// The order of findings and their verdicts rest on what was argued.

// knot is a point of the measurement: findings argued with this confidence were right in this share of cases.
type knot struct{ argued, right float64 }

// measured holds the knots by verdict, in ascending order. 213 of 213 findings that hold were right. Suspicions are right
// less often than what holds and was argued alike: 0 of 18 below 0.5, 9 of 15 at 0.55 and 0.6, 23 of 24 above.
var measured = map[Verdict][]knot{
	Holds:     {{0.70, 0.96}, {0.85, 0.98}, {0.99, 0.99}},
	Suspected: {{0.35, 0.03}, {0.45, 0.06}, {0.50, 0.15}, {0.55, 0.50}, {0.60, 0.70}, {0.65, 0.88}, {0.70, 0.93}, {0.99, 0.97}},
}

// measuredByHand holds those of what was not watched: of suspicions 4 of 10 were right at 0.4, 7 of 9 at 0.5, 19 of 22 at 0.6.
var measuredByHand = map[Verdict][]knot{
	Holds:     measured[Holds],
	Suspected: {{0.35, 0.30}, {0.40, 0.40}, {0.50, 0.75}, {0.60, 0.86}, {0.70, 0.93}, {0.99, 0.97}},
}

// believed returns how often findings like the match were right.
func (m *match) believed() float64 {
	knots := measured[m.verdict]
	if f, ok := m.cand.env["tests"].(*testFacts); ok && f.Watched == 0 {
		knots = measuredByHand[m.verdict]
	}
	return interpolate(knots, m.confidence)
}

// interpolate returns the share at an argued confidence; without knots, the confidence itself.
func interpolate(knots []knot, argued float64) float64 {
	if len(knots) == 0 || argued <= 0 {
		return argued
	}
	last := knots[0]
	if argued <= last.argued {
		return last.right * argued / last.argued
	}
	for _, k := range knots[1:] {
		if argued <= k.argued {
			return last.right + (k.right-last.right)*(argued-last.argued)/(k.argued-last.argued)
		}
		last = k
	}
	return last.right
}

package rules

import (
	"math"
	"slices"
)

// windows compares what tests reached with what their windows allow: a window each round trip (RFC 7323, section 1.1). A sender that
// was told its rate and reached it says nothing of its window.
func (f *testFacts) windows(steady []result, rtt float64) {
	f.Window, f.WindowRTT, f.WindowRate, f.WindowGot, f.WindowFit, f.WindowGrows = nan, nan, nan, nan, nan, nan
	f.WindowPeak, f.WindowBest, f.WindowAfter, f.WindowLoses, f.Granted = nan, nan, nan, nan, nan
	f.Granted = least(steady, func(r result) float64 { return r.granted / r.window })
	for _, r := range pick(steady, func(r result) bool { return !r.asTold() }) {
		w, trip := r.window, r.rtt
		if r.granted < w {
			w = r.granted
		}
		if math.IsNaN(trip) {
			trip = rtt
		}
		if !(w > 0) || !(trip > 0) {
			continue
		}
		allowed := w * 8 / trip * r.flows()
		if fit := r.rate / allowed; math.IsNaN(f.WindowFit) || math.Abs(math.Log(fit)) < math.Abs(math.Log(f.WindowFit)) {
			f.Window, f.WindowRTT, f.WindowRate, f.WindowGot, f.WindowFit = w, trip, allowed, r.rate, fit
		}
	}
	f.scan(pick(steady, func(r result) bool { return r.window > 0 && r.flows() == 1 }))
}

// scan looks at tests with different windows: proportional at the small end, best somewhere, and what comes after.
func (f *testFacts) scan(rs []result) {
	slices.SortStableFunc(rs, func(a, b result) int { return compareFloat(a.window, b.window) })
	if len(rs) < 2 || rs[len(rs)-1].window < 1.15*rs[0].window {
		return
	}
	first := rs[0]
	for _, r := range rs[1:] {
		if r.window >= 1.15*first.window && first.rate > 0 {
			f.WindowGrows = math.Log(r.rate/first.rate) / math.Log(r.window/first.window)
			break
		}
	}
	if last := rs[len(rs)-1]; len(rs) < 3 && last.rate >= rs[0].rate/2 {
		return // two are no scan, unless the larger window carries next to nothing
	}
	f.WindowPeak = most(rs, rateOf)
	for _, r := range rs {
		if r.rate >= 0.97*f.WindowPeak {
			f.WindowBest = r.window
			break
		}
	}
	larger := pick(rs, func(r result) bool { return r.window > f.WindowBest })
	f.WindowAfter = middle(larger, rateOf) / f.WindowPeak
	f.WindowLoses = total(larger, func(r result) float64 { return r.retrans })
}

package rules

import (
	"math"
	"regexp"
)

// What differs with the number of flows, their source ports and the addresses they come from.

func (f *testFacts) flows(rs, steady []result) {
	f.FlowGain, f.FlowTimes, f.FlowRate, f.PortsTested, f.PortsLossy, f.Unequal, f.Together = nan, nan, nan, nan, nan, nan, nan
	f.PortsDead = nan
	for _, a := range steady {
		for _, b := range steady {
			if times := b.flows() / a.flows(); times > 1 && !a.asTold() && alikeBut(a, b, "streams") && !(times <= f.FlowTimes) {
				f.FlowGain, f.FlowTimes, f.FlowRate = b.rate/max(a.rate, 1), times, a.rate/a.flows()
			}
		}
	}
	if f.FlowRound = nan; !math.IsNaN(f.FlowRate) {
		f.FlowRound = roundRate(f.FlowRate)
	}
	ports, lossy, dead := map[float64]bool{}, map[float64]bool{}, map[float64]bool{}
	for _, r := range rs {
		if r.port > 0 {
			ports[r.port] = true
			if r.loss >= 0.99 || r.rate == 0 {
				dead[r.port] = true
			}
			if (r.lossy() || r.failed()) && r.standsOut(rs) {
				lossy[r.port] = true
			}
		}
	}
	f.sources(rs)
	if len(ports) > 1 {
		f.PortsTested, f.PortsLossy, f.PortsDead = float64(len(ports)), float64(len(lossy)), float64(len(dead))
	}
	for i, a := range steady {
		for _, b := range steady[i+1:] {
			when := a.event.Attrs["when"]
			if when == "" || when != b.event.Attrs["when"] || a.way() != b.way() || a.event.Attrs["note"] == b.event.Attrs["note"] {
				continue
			}
			if u := max(a.rate, b.rate) / max(min(a.rate, b.rate), 1); !(u <= f.Unequal) {
				f.Unequal, f.Together = u, a.rate+b.rate
			}
		}
	}
}

// sourceWords find the address that a test was sent from in a person's words.
var sourceWords = regexp.MustCompile(`\b(?:source|src|from)(?: ip| address)? (\d+\.\d+\.\d+\.\d+|[0-9a-f:]*:[0-9a-f:]+)`)

// sources compares tests that differ in the address they were sent from, before anything else was changed.
func (f *testFacts) sources(rs []result) {
	all, lossy := map[string]bool{}, map[string]bool{}
	for _, r := range rs {
		if m := sourceWords.FindStringSubmatch(r.words); m != nil && !afterWords.MatchString(r.words) {
			all[m[1]] = true
			if r.lossy() || r.failed() {
				lossy[m[1]] = true
			}
		}
	}
	f.Sources, f.SourceLossy = nan, nan
	if len(all) > 1 {
		f.Sources, f.SourceLossy = float64(len(all)), float64(len(lossy))
	}
}

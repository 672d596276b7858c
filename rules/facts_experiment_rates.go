package rules

import (
	"math"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// What tests over TCP tell by their rates alone.

func (f *testFacts) rates(steady, tcp []result, line float64) {
	f.Rate, f.Best = least(steady, rateOf), most(steady, rateOf)
	f.PerRound = nan
	f.LineShare, f.RoundRate, f.RoundLow, f.RateSpread, f.Retrans, f.Mathis, f.Early = f.Rate/(line*tcpShare), nan, nan, nan, nan, nan, nan
	f.Retransmits = total(steady, func(r result) float64 { return r.retrans })
	f.CleanRate = most(pick(steady, result.hardlyAgain), rateOf)
	f.Stops, f.StopsOneWay, f.Hangs, f.Burst = nan, nan, nan, nan
	if len(steady) > 0 {
		f.RoundRate, f.RoundLow = roundRate(f.Best), roundRate(f.Rate)
		slow := slices.MinFunc(steady, func(a, b result) int { return compareFloat(a.rate, b.rate) })
		f.Retrans = slow.retransShare()
		f.Mathis = slow.mathis()
		f.PerRound = slow.rate * slow.rtt / 8 / slow.flows()
		f.Stops = truth(slices.ContainsFunc(steady, func(r result) bool { return r.rate < stopped }))
		if f.Stops == 1 {
			f.StopsOneWay = truth(f.reaches(steady, slow))
		}
	}
	for _, r := range tcp {
		if later := least(pick(steady, func(s result) bool { return s.way() == r.way() }), rateOf); r.early && later >= 0 {
			f.Early = r.rate / max(later, 1)
			f.Burst = (r.rate - later) / 8 * firstLength(r)
		}
	}
	if math.IsNaN(f.Early) && slices.ContainsFunc(steady, func(r result) bool { return r.rate < stopped && beganWords.MatchString(r.words) }) {
		f.Early = healed
	}
	f.Unmet = unmet(tcp, line)
	if v := known(steady, rateOf); len(v) >= 3 {
		f.RateSpread = (v[len(v)-1] - v[0]) / v[len(v)/2]
	}
}

// trace is the share of lost packets from which somebody may complain: TCP feels it over a long way (Mathis 1997).
const trace = 0.0005

// wellDone says of all tests together whether nothing was lost, and TCP carried what it could or was offered.
func (f *testFacts) wellDone(rs []result) float64 {
	if f.Unmet > 0 || f.Stops == 1 || f.Hangs == 1 || f.Fails == 1 || slices.ContainsFunc(rs, func(r result) bool { return r.loss >= trace }) {
		return 0
	}
	for _, r := range rs {
		if math.IsNaN(r.loss) && !(r.tcp() && r.rate > 0) || failWords.MatchString(r.words) {
			return nan
		}
	}
	return truth(len(rs) > 0)
}

// unmet returns the rate of the slowest of these tests that neither fills the line (or a usual one, where it is not known) nor carries
// what it was offered; 0 if there is none.
func unmet(tcp []result, line float64) float64 {
	const nearly = 0.7 // of a line: other traffic and a test's beginning take their part
	short := pick(tcp, func(r result) bool {
		switch {
		case r.early || r.rate >= nearly*r.offered:
			return false
		case line > 0:
			return r.rate < nearly*line*tcpShare
		}
		return roundRate(r.rate) == 0 && roundRate(r.rate*tcpShare) == 0 // who says "1G" of a full line rounds it
	})
	return max(0, least(short, rateOf))
}

// firstLength returns how long the beginning of a test is that a result is of, in seconds: what it tells, the unit that people speak
// of, or the second that programs report by.
func firstLength(r result) float64 {
	switch {
	case r.duration > 0:
		return r.duration
	case strings.Contains(earlyWords.FindString(r.words), "hour"):
		return 3600
	case strings.Contains(earlyWords.FindString(r.words), "minute"):
		return 60
	}
	return 1
}

// standing looks for transfers of which only the words tell that they began and then stood.
func (f *testFacts) standing(rs []result) {
	f.Fails = nan
	if len(rs) > 0 {
		f.Fails = truth(slices.ContainsFunc(rs, result.failed))
	}
	for _, r := range rs {
		switch {
		case !(r.proto == "tcp" || r.proto == "http") || r.rate > 0:
		case math.IsNaN(r.rate) && beganWords.MatchString(r.words) && failWords.MatchString(r.words):
			f.Stops, f.Hangs = 1, 1
		case failWords.MatchString(r.words):
			f.Hangs = 1
		}
	}
}

// stopped is the rate below which a transfer over TCP is taken to stand, bit/s: less than a segment a second.
const stopped = 12000

// reaches says whether the opposite direction of a test that stopped carries traffic.
func (f *testFacts) reaches(steady []result, slow result) bool {
	return slices.ContainsFunc(steady, func(r result) bool { return r.way() != slow.way() && r.rate > 1e6 })
}

// retransShare returns the share of segments that were sent again; NaN if it cannot be told.
func (r result) retransShare() float64 {
	segment := r.mss
	if math.IsNaN(segment) {
		segment = 1448
	}
	duration := r.duration
	if math.IsNaN(duration) {
		duration = usualTest
	}
	if math.IsNaN(r.retrans) || math.IsNaN(r.rate) {
		return nan
	}
	return r.retrans / (r.rate*duration/8/segment + r.retrans + 1)
}

// hardlyAgain says whether a TCP test sent no segment again, or fewer than one of 100 000, which it does not feel (Mathis 1997).
func (r result) hardlyAgain() bool { return r.retrans == 0 || r.retransShare() < 1e-5 }

// mathis returns the rate over what TCP reaches at most at the test's loss and round trip: 1.22 MSS/(RTT sqrt(p)).
func (r result) mathis() float64 {
	p := r.retransShare()
	if !(p > 0) || !(r.rtt > 0) {
		return nan
	}
	return r.rate / (1.22 * 1448 * 8 / (r.rtt * math.Sqrt(p)))
}

// roundRate returns the usual line rate that a TCP rate fills, 0 if none.
func roundRate(rate float64) float64 {
	for _, line := range lineRates {
		if share := rate / (line * tcpShare); share >= 0.95 && share <= 1.02 {
			return line
		}
	}
	return 0
}

func (f *testFacts) directions(steady, rs []result) {
	by := func(set []result, way string) []result {
		return pick(set, func(r result) bool { return r.direction == way })
	}
	f.Forward, f.Reverse = most(by(steady, timeline.Forward), rateOf), most(by(steady, timeline.Reverse), rateOf)
	many := combined(rs)
	f.LossForward, f.LossReverse = most(by(many, timeline.Forward), lossOf), most(by(many, timeline.Reverse), lossOf)
	f.Asymmetry = max(f.Forward, f.Reverse) / max(min(f.Forward, f.Reverse), 1)
	f.WorseWay = timeline.Forward
	if f.Reverse < f.Forward {
		f.WorseWay = timeline.Reverse
	}
	switch {
	case f.LossForward >= lossyFrom && f.LossReverse <= cleanTo:
		f.LossWay = timeline.Forward
	case f.LossReverse >= lossyFrom && f.LossForward <= cleanTo:
		f.LossWay = timeline.Reverse
	}
}

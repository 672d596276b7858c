package rules

import "math"

// packetCap looks for a limit of packets: small ones are lost above some number a second, while larger ones pass at a higher rate in
// bits and no more packets than that.
func (f *testFacts) packetCap(rs []result) {
	const more, larger, slack = 1.3, 1.8, 1.1
	f.PacketCap = nan
	for _, small := range rs {
		if !small.lossy() || !(small.rate > 0) {
			continue
		}
		passes := small.rate / 8 / small.size
		seen, broken := false, false
		for _, r := range rs {
			if !r.clean() || r.way() != small.way() || !(r.rate > 0) {
				continue
			}
			broken = broken || r.rate/8/r.size > slack*passes
			seen = seen || r.size >= larger*small.size && r.rate >= more*small.offered
		}
		if seen && !broken && !(passes <= f.PacketCap) {
			f.PacketCap = passes
		}
	}
	if f.PacketRate > 0 || f.PacketCap > 0 {
		f.LossFlat = 0 // the rates went with the sizes
	}
}

// impossible looks for figures that nothing on the path can have made, loss of more than was sent, and for what only the sender says
// of loss.
func (f *testFacts) impossible(rs []result) {
	f.Absurd, f.Claimed = nan, nan
	if len(rs) == 0 {
		return
	}
	f.Absurd = float64(len(pick(rs, func(r result) bool { return r.absurd })))
	f.Claimed = float64(len(pick(rs, func(r result) bool { return r.claimed })))
}

// unloaded compares the round trips of echoes and heartbeats of one size to which nobody says that anything else ran.
func (f *testFacts) unloaded(rs []result) {
	f.RTTMore, f.RTTTimes = nan, nan
	for _, kind := range []string{"icmp", "stamp"} {
		calm := pick(rs, func(r result) bool {
			return r.proto == kind && r.rtt > 0 && math.IsNaN(r.size) && !r.lossy() && !r.ofHop() && !loadWords.MatchString(r.words)
		})
		if len(calm) < 2 {
			continue
		}
		trip := func(r result) float64 { return r.rtt }
		short, long := least(calm, trip), most(calm, trip)
		if more := long - short; !(more <= f.RTTMore) {
			f.RTTMore, f.RTTTimes = more, long/short
		}
	}
}

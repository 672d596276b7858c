package rules

import (
	"math"
	"sort"
)

// What differs with the size of packets.

func (f *testFacts) sizes(rs, steady []result) {
	f.SizePasses, f.SizeFails, f.SizeSlope, f.PacketRate = nan, nan, nan, nan
	size := func(r result) float64 {
		if math.IsNaN(r.size) {
			return r.mss
		}
		return r.size
	}
	sized := pick(rs, func(r result) bool { return size(r) > 0 })
	f.SizeFails = least(pick(sized, result.failed), size)
	f.SizePasses = most(pick(sized, func(r result) bool { return r.passed() && !(size(r) >= f.SizeFails) }), size)
	if !(f.SizePasses < f.SizeFails) && len(pick(sized, func(r result) bool { return r.passed() && size(r) > f.SizeFails })) > 0 {
		f.SizeFails = nan // larger ones get through
	}
	f.told(pick(sized, result.failed))
	flows := pick(steady, func(r result) bool { return size(r) > 0 })
	sort.SliceStable(flows, func(i, j int) bool { return size(flows[i]) < size(flows[j]) })
	if n := len(flows); n >= 2 && size(flows[n-1]) >= 1.1*size(flows[0]) {
		f.SizeSlope = flows[n-1].rate / max(flows[0].rate, 1)
	}
	moving := pick(sized, func(r result) bool { return r.rate > 0 && (r.lossy() || r.tcp()) })
	pps := known(moving, func(r result) float64 { return r.rate / 8 / size(r) })
	if lo, hi := least(moving, size), most(moving, size); len(pps) >= 2 && hi >= 1.8*lo {
		f.PacketRate = 0
		if mid := pps[len(pps)/2]; pps[0] >= 0.8*mid && pps[len(pps)-1] <= 1.25*mid {
			f.PacketRate = mid
		}
	}
}

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

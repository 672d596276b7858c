package rules

import (
	"math"
	"slices"
)

// Round trips, with and without load.

func (f *testFacts) delays(rs []result) {
	f.RTT = least(rs, func(r result) float64 { return r.rtt })
	f.RTTMost = most(pick(rs, func(r result) bool { return r.proto == "icmp" }), func(r result) float64 { return r.rtt })
	f.Jitter = most(rs, func(r result) float64 { return r.jitter })
	f.Loaded = most(rs, func(r result) float64 { return r.loaded })
	if math.IsNaN(f.Loaded) { // told by tests that load the path, beside one that does not
		idle := pick(rs, func(r result) bool { return r.proto == "icmp" })
		busy := pick(rs, func(r result) bool { return r.proto == "udp" || r.tcp() && r.proto != "http" }) // a page's time is no round trip
		if len(idle) > 0 {
			f.Loaded = most(busy, func(r result) float64 { return r.rtt })
		}
		// Or by echoes of which some are told to have been sent while something else ran.
		under := pick(idle, func(r result) bool { return loadWords.MatchString(r.words) && !idleWords.MatchString(r.words) })
		if len(under) > 0 && len(under) < len(idle) && math.IsNaN(f.Loaded) {
			f.Loaded = most(under, func(r result) float64 { return r.rtt })
		}
	}
	f.unloaded(rs)
	f.onlyLoaded(rs)
	f.Queue, f.QueueRate = f.Loaded-f.RTT, nan
	queued := pick(rs, func(r result) bool { return r.loaded >= 0.9*f.Loaded })
	if len(queued) > 0 {
		way := queued[0].way()
		f.QueueRate = most(pick(rs, func(r result) bool { return r.tcp() && r.way() == way }), rateOf)
	}
	if math.IsNaN(f.QueueRate) {
		f.QueueRate = f.Best
	}
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

// longestTrip is the round trip of a path over a satellite in geostationary orbit (36 000 km, up and down both ways), and what routers
// add, s: what takes longer, waits.
const longestTrip = 0.7

// onlyLoaded takes the round trip of echoes that are all told to have been sent under load for what it must be at least: a queue beyond
// what any way takes.
func (f *testFacts) onlyLoaded(rs []result) {
	echoes := pick(rs, func(r result) bool { return r.proto == "icmp" && r.rtt > 0 })
	calm := func(r result) bool { return !loadWords.MatchString(r.words) }
	if len(echoes) == 0 || slices.ContainsFunc(echoes, calm) {
		return
	}
	if loaded := most(echoes, func(r result) float64 { return r.rtt }); loaded > longestTrip {
		f.Loaded, f.RTT = loaded, longestTrip
	}
}

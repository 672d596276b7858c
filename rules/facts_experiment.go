package rules

import (
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
)

// testFacts are about the tests of one path that ended (EventResult), wherever they come from: compared with one another
// in what differs between them, rate, size, direction, number of flows, window, tool or setting. NaN is what nobody
// tested; an answer of 0 means that it was tested and is not so.
type testFacts struct {
	Count   float64 `expr:"count"`   // tests of this path
	TCP     float64 `expr:"tcp"`     // of them, over TCP
	UDP     float64 `expr:"udp"`     // of them, over UDP
	Watched float64 `expr:"watched"` // 1 if the path was also measured over time, 0 if only single tests are told

	Rate        float64 `expr:"rate" metric:"probe.result"`        // of the slowest TCP test
	Best        float64 `expr:"best" metric:"probe.result"`        // of the fastest
	LineShare   float64 `expr:"line_share" metric:"if.speed"`      // the slowest over what TCP carries on the path's slowest port
	RoundRate   float64 `expr:"round_rate" metric:"probe.result"`  // the usual line rate that the best steady test fills; 0 if none
	RateSpread  float64 `expr:"rate_spread" metric:"probe.result"` // jitter of the rates of equal tests: their range over the median
	Retransmits float64 `expr:"retransmits" metric:"probe.result"` // of all TCP tests together
	Retrans     float64 `expr:"retransmit_share" metric:"probe.result"`
	CleanRate   float64 `expr:"clean_rate" metric:"probe.result"` // the fastest TCP test that hardly sent a segment again
	Mathis      float64 `expr:"mathis" metric:"probe.result"`     // rate over what TCP reaches at the loss and round trip (Mathis 1997), of the slowest
	Early       float64 `expr:"early" metric:"probe.result"`      // rate of the first seconds over the steady rate
	Burst       float64 `expr:"burst" metric:"probe.result"`      // bytes that passed in the first seconds beyond what the steady rate would have carried
	Stops       float64 `expr:"stops" metric:"probe.result"`      // 1 if a transfer began and then carried nothing
	StopsOneWay float64 `expr:"stops_one_way" metric:"probe.result"`
	Hangs       float64 `expr:"hangs" metric:"probe.result"` // 1 if a transfer is told to hang or to fail, and no rate of it
	Fails       float64 `expr:"fails" metric:"probe.result"` // 1 if a test of any kind is told to have failed or got nothing through, 0 if all got through
	Gap         float64 `expr:"gap" metric:"probe.result"`   // the longest test of which nothing came through, s
	Owners      float64 `expr:"owners" metric:"arp.binding"` // the most hardware addresses that texts tell of one IP address, virtual ones of gateways left out
	MTUStep     float64 `expr:"mtu_step" metric:"if.mtu"`    // the largest MTU that a port shows less the smallest, bytes
	MTUEnds     float64 `expr:"mtu_ends" metric:"if.mtu"`    // the same of the settings of hosts

	Forward   float64 `expr:"forward" metric:"probe.result"` // the best TCP rate in each direction
	Reverse   float64 `expr:"reverse" metric:"probe.result"`
	Asymmetry float64 `expr:"asymmetry" metric:"probe.result"` // the better over the worse direction
	WorseWay  string  `expr:"worse_way"`

	LossMax       float64 `expr:"loss_max" metric:"probe.result"`     // the worst loss ratio
	LossAt        float64 `expr:"loss_at" metric:"probe.result"`      // offered then, bit/s
	LossForward   float64 `expr:"loss_forward" metric:"probe.result"` // the worst in each direction
	LossReverse   float64 `expr:"loss_reverse" metric:"probe.result"`
	LossWay       string  `expr:"loss_way"`                             // which direction loses, if only one does
	CleanTo       float64 `expr:"clean_to" metric:"probe.result"`       // the highest rate at which next to nothing is lost
	LossyFrom     float64 `expr:"lossy_from" metric:"probe.result"`     // the lowest at which something is
	LossFlat      float64 `expr:"loss_flat" metric:"probe.result"`      // 1 if as much is lost at all of several rates, 0 if more at the higher
	Ceiling       float64 `expr:"ceiling" metric:"probe.result"`        // what arrives at most, whatever is offered; of one lossy test, what arrived
	CeilingSeen   float64 `expr:"ceiling_seen" metric:"probe.result"`   // tests of different offered rates that agree on it
	OfferedLoad   float64 `expr:"offered_load" metric:"if.speed"`       // lowest lossy offered rate over the slowest port's speed
	TCPAbove      float64 `expr:"tcp_above" metric:"probe.result"`      // 1 if TCP carries more than the rate at which UDP loses, with hardly a retransmit
	Loaded        float64 `expr:"rtt_loaded" metric:"probe.result"`     // round trip under load, s
	RTT           float64 `expr:"rtt" metric:"probe.result"`            // the least, s
	RTTMost       float64 `expr:"rtt_most" metric:"probe.result"`       // the longest of an echo, s
	Queue         float64 `expr:"queue" metric:"probe.result"`          // how much load added to it, s
	QueueRate     float64 `expr:"queue_rate" metric:"probe.result"`     // the best TCP rate in the direction whose load added most to it
	RTTMore       float64 `expr:"rtt_more" metric:"probe.result"`       // how much longer the longest round trip without load is than the shortest of the same kind, s
	RTTTimes      float64 `expr:"rtt_times" metric:"probe.result"`      // and how many times as long
	Jitter        float64 `expr:"jitter" metric:"probe.result"`         // the worst, s
	HostDrops     float64 `expr:"host_drops" metric:"host.udp_drops"`   // datagrams that the receiving hosts lost
	CPU           float64 `expr:"cpu" metric:"host.cpu"`                // the busiest host or end of a test, share of its CPU or of one core
	CPUHost       string  `expr:"cpu_host"`                             // which
	CPUDevice     bool    `expr:"cpu_device"`                           // it is a device of the path, no end of it
	CPUCalm       float64 `expr:"cpu_calm" metric:"device.cpu"`         // of that device while the watched path had no trouble
	SlowPort      float64 `expr:"slow_port" metric:"if.speed"`          // the slowest TCP rate over the speed of the slowest port
	SpeedStep     float64 `expr:"speed_step" metric:"if.speed"`         // the fastest port of the path over the slowest
	SizePasses    float64 `expr:"size_passes" metric:"probe.result"`    // the largest size that gets through, bytes
	SizeFails     float64 `expr:"size_fails" metric:"probe.result"`     // the smallest above it that does not
	Told          float64 `expr:"told" metric:"probe.result"`           // 1 if the sender of a size that fails was told so by an ICMP message, 0 if nothing came
	ToldMTU       float64 `expr:"told_mtu" metric:"probe.result"`       // and the MTU that he was told, bytes
	SizeSlope     float64 `expr:"size_slope" metric:"probe.result"`     // TCP's rate with the largest segments over that with the smallest
	PacketRate    float64 `expr:"packet_rate" metric:"probe.result"`    // packets/s, if the same number passes at every size
	FlowGain      float64 `expr:"flow_gain" metric:"probe.result"`      // rate with many flows over the rate with few
	FlowTimes     float64 `expr:"flow_times" metric:"probe.result"`     // how many times as many flows those were
	FlowRate      float64 `expr:"flow_rate" metric:"probe.result"`      // rate of one flow among the few
	FlowRound     float64 `expr:"flow_round" metric:"probe.result"`     // the usual line rate that one flow among the few fills; 0 if none
	PortsTested   float64 `expr:"ports_tested" metric:"probe.result"`   // source ports
	PortsLossy    float64 `expr:"ports_lossy" metric:"probe.result"`    // of them, those that lose
	Sources       float64 `expr:"sources_tested" metric:"probe.result"` // addresses that tests were sent from
	SourceLossy   float64 `expr:"sources_lossy" metric:"probe.result"`  // of them, those that lose
	Unequal       float64 `expr:"unequal" metric:"probe.result"`        // the faster over the slower of flows that ran together
	Together      float64 `expr:"together" metric:"probe.result"`       // their sum, bit/s
	Tools         float64 `expr:"tools_differ" metric:"probe.result"`   // how many times better one program did than another, all else equal
	EndsDiffer    float64 `expr:"ends_differ" metric:"probe.result"`    // 1 if the sender's report of a test lost nothing and the receiver's of the same did
	ClassesDiffer float64 `expr:"classes_differ" metric:"probe.result"` // 1 if of two tests that differ in their class alone one loses and the other does not
	Window        float64 `expr:"window" metric:"probe.result"`         // bytes, of the test that window/RTT fits best
	WindowRTT     float64 `expr:"window_rtt" metric:"probe.result"`     // s
	WindowRate    float64 `expr:"window_rate" metric:"probe.result"`    // window / RTT, bit/s
	WindowGot     float64 `expr:"window_goodput" metric:"probe.result"` // what that test reached, bit/s
	WindowFit     float64 `expr:"window_fit" metric:"probe.result"`     // the one over the other
	WindowGrows   float64 `expr:"window_grows" metric:"probe.result"`   // slope of rate over window at the small end of several, 1 is proportional
	WindowPeak    float64 `expr:"window_peak" metric:"probe.result"`    // of a scan of windows: the best rate
	WindowBest    float64 `expr:"window_best" metric:"probe.result"`    // and the smallest window, bytes, that comes within 3 % of it
	WindowAfter   float64 `expr:"window_after" metric:"probe.result"`   // the median rate with larger windows than that, over the best
	WindowLoses   float64 `expr:"window_loses" metric:"probe.result"`   // retransmits with those larger windows
	AboveLine     float64 `expr:"above_line" metric:"if.speed"`         // the fastest test or first interval over the speed of the path's fastest port
	Absurd        float64 `expr:"absurd" metric:"probe.result"`         // tests with figures that cannot be
	Claimed       float64 `expr:"claimed" metric:"probe.result"`        // tests of which only the sender says that nothing was lost
	PacketCap     float64 `expr:"packet_cap" metric:"probe.result"`     // packets/s that pass of small ones, if larger ones pass at more bits but not more packets a second
	Beat          float64 `expr:"beat"`                                 // the time in which trouble is told to come back, if it is a lease's, s
	LeaseBeat     float64 `expr:"lease_beat"`                           // 1 if trouble is told to come back in the time of a lease that is told, 0 if in another
	PortsDead     float64 `expr:"ports_dead" metric:"probe.result"`     // source ports of which nothing gets through
	Granted       float64 `expr:"granted" metric:"probe.result"`        // the least share of the window asked for that was granted

	Paths      float64 `expr:"paths"`       // tested
	PathsClean float64 `expr:"paths_clean"` // other paths that lose nothing
	PathsLossy float64 `expr:"paths_lossy"` // other paths that lose
	Elsewhere  float64 `expr:"elsewhere"`   // the best TCP rate of another path
	Unwrapped  float64 `expr:"unwrapped"`   // the same, if no test of that path speaks of a tunnel
	Wrapped    float64 `expr:"wrapped"`     // the same, if one does

	Says    func(string) bool    `expr:"says"`    // whether anybody wrote of a topic of words.yaml
	Ran     func(string) bool    `expr:"ran"`     // whether the words of a test itself speak of it
	Cure    func(string) float64 `expr:"cure"`    // how many times better it was when the topic was switched; NaN if that was not compared
	Better  func(string) string  `expr:"better"`  // the state in which it was better: on, off, changed
	Helped  func(string) float64 `expr:"helped"`  // what people tell came of switching it: 1 the trouble ended, 0 it was in vain, NaN if they do not tell
	Setting func(string) string  `expr:"setting"` // the value of a setting about the topic; "" if there is none
	SetOn   func(string) string  `expr:"set_on"`  // the host or device that has it so
	SizeOf  func(string) float64 `expr:"size_of"` // the same as a number; NaN if it is none
}

// testFacts compares the tests of one path; they are computed once.
func (sc *scene) testFacts(ps *pathScene) *testFacts {
	if ps.tests != nil {
		return ps.tests
	}
	rs := sc.results(ps.Path.Name)
	f := &testFacts{Count: float64(len(rs)), Watched: truth(sc.watchedOverTime(ps))}
	tcp := pick(rs, func(r result) bool { return r.tcp() && !math.IsNaN(r.rate) })
	udp := pick(rs, func(r result) bool { return r.proto == "udp" })
	steady := pick(tcp, func(r result) bool { return !r.early })
	f.TCP, f.UDP = float64(len(tcp)), float64(len(udp))
	f.rates(steady, tcp, ps.facts.Line)
	f.directions(steady, rs)
	f.standing(rs)
	f.losses(pick(rs, func(r result) bool { return !r.ofHop() }), steady, ps.facts.Line)
	f.delays(rs)
	f.sizes(rs, steady)
	f.packetCap(pick(rs, func(r result) bool { return r.proto == "udp" && r.size > 0 }))
	f.impossible(rs)
	f.flows(rs, steady)
	f.windows(steady, f.RTT)
	f.tools(rs)
	sc.hostsOfTests(f, ps, rs)
	sc.speedStep(f, ps)
	sc.otherPaths(f, ps)
	sc.words(f, rs)
	ps.tests = f
	return f
}

// watchedOverTime says whether there is any figure of the path over time.
func (sc *scene) watchedOverTime(ps *pathScene) bool {
	return slices.ContainsFunc(sc.keys(), func(k timeline.Key) bool { return k.Subject == timeline.Path(ps.Path.Name) })
}

func (f *testFacts) rates(steady, tcp []result, line float64) {
	f.Rate, f.Best = least(steady, rateOf), most(steady, rateOf)
	f.LineShare, f.RoundRate, f.RateSpread, f.Retrans, f.Mathis, f.Early = f.Rate/(line*tcpShare), nan, nan, nan, nan, nan
	f.Retransmits = total(steady, func(r result) float64 { return r.retrans })
	f.CleanRate = most(pick(steady, result.hardlyAgain), rateOf)
	f.Stops, f.StopsOneWay, f.Hangs, f.Burst = nan, nan, nan, nan
	if len(steady) > 0 {
		f.RoundRate = roundRate(f.Best)
		slow := slices.MinFunc(steady, func(a, b result) int { return compareFloat(a.rate, b.rate) })
		f.Retrans = slow.retransShare()
		f.Mathis = slow.mathis()
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
	if v := known(steady, rateOf); len(v) >= 3 {
		f.RateSpread = (v[len(v)-1] - v[0]) / v[len(v)/2]
	}
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

func (f *testFacts) losses(rs, steady []result, line float64) {
	f.LossMax, f.LossAt, f.CleanTo, f.LossyFrom, f.LossFlat = nan, nan, nan, nan, nan
	f.Ceiling, f.CeilingSeen, f.OfferedLoad, f.TCPAbove = nan, nan, nan, nan
	told := pick(combined(rs), func(r result) bool { return !math.IsNaN(r.loss) })
	if len(told) == 0 {
		return
	}
	worst := slices.MaxFunc(told, func(a, b result) int { return compareFloat(a.loss, b.loss) })
	f.LossMax, f.LossAt = worst.loss, worst.offered
	lossy := pick(told, func(r result) bool { return r.lossy() })
	f.CleanTo, f.LossyFrom = most(pick(told, func(r result) bool { return r.clean() && r.way() == worst.way() }), offeredOf), least(lossy, offeredOf)
	f.OfferedLoad = f.LossyFrom / line
	if len(lossy) == 0 {
		return
	}
	fast := most(pick(steady, func(r result) bool { return r.hardlyAgain() && (r.way() == worst.way() || r.direction == "") }), rateOf)
	f.TCPAbove = truth(fast >= f.LossyFrom)
	if math.IsNaN(fast) || math.IsNaN(f.LossyFrom) {
		f.TCPAbove = nan
	}
	offered := func(r result) bool { return r.way() == worst.way() && r.offered > 0 && r.proto == "udp" }
	f.ceilings(pick(lossy, offered))
	if flat(pick(told, offered)) {
		f.LossFlat = 1
	}
}

// standsOut says whether a source port loses more than its handful of packets would by chance if all ports lost alike:
// three or more, and four standard deviations above what the others lose. A test that tells no numbers is believed.
func (r result) standsOut(rs []result) bool {
	num := func(r result, key string) float64 {
		v, err := strconv.ParseFloat(r.event.Attrs[key], 64)
		if err != nil {
			return nan
		}
		return v
	}
	lost, total := num(r, "lost"), num(r, "total")
	if math.IsNaN(lost) || math.IsNaN(total) {
		return true
	}
	var others, of float64
	for _, o := range rs {
		if n := num(o, "total"); o.port > 0 && o.port != r.port && n > 0 && num(o, "lost") >= 0 {
			others, of = others+num(o, "lost"), of+n
		}
	}
	if of == 0 {
		return true
	}
	expected := others / of * total
	return lost >= 3 && lost > expected+4*math.Sqrt(expected+0.25)
}

// combined puts the tests that are a handful of packets each (source ports, sizes of a path MTU) together, one result for
// each experiment and direction: their losses by themselves are shares of next to nothing.
func combined(rs []result) []result {
	type key struct{ experiment, way string }
	var out []result
	at := map[key]int{}
	lost, total := map[key]float64{}, map[key]float64{}
	for _, r := range rs {
		k := key{r.event.Attrs["experiment"], r.way()}
		if k.experiment != "ports" {
			if k.experiment != "mtu" && k.experiment != "connect" { // those lose on purpose
				out = append(out, r)
			}
			continue
		}
		n, err := strconv.ParseFloat(r.event.Attrs["total"], 64)
		if err != nil {
			n = 1
		}
		lost[k], total[k] = lost[k]+r.loss*n, total[k]+n
		if _, ok := at[k]; !ok {
			at[k] = len(out)
			r.port = nan
			out = append(out, r)
		}
		out[at[k]].loss = lost[k] / total[k]
	}
	return out
}

// flat says whether as large a share is lost at every rate of three or more, over a factor of two at least: not more than
// twice and a half as much at one as at another, which is what a thousand packets can show, and nowhere next to nothing.
func flat(rs []result) bool {
	if len(rs) < 3 {
		return false
	}
	lost, rates := known(rs, lossOf), known(rs, offeredOf)
	return lost[0] > cleanTo && lost[len(lost)-1] <= 2.5*lost[0] && rates[len(rates)-1] >= 2*rates[0]
}

// ceilings compares lossy tests of different offered rates: as much arrives of each (something lets no more through), or
// as large a share is lost of each (something damages every packet alike).
func (f *testFacts) ceilings(lossy []result) {
	if len(lossy) == 0 {
		return
	}
	slices.SortFunc(lossy, func(a, b result) int { return compareFloat(a.offered, b.offered) })
	low, high := lossy[0], lossy[len(lossy)-1]
	f.Ceiling, f.CeilingSeen = high.rate, 1
	if high.offered < 1.2*low.offered {
		if f.CleanTo >= 0 && f.CleanTo < low.offered {
			f.LossFlat = 0
		}
		return
	}
	f.LossFlat = truth(high.loss < 1.6*low.loss && low.loss < 1.6*high.loss && !(f.CleanTo >= 0.2*low.offered))
	f.CeilingSeen = 0
	arrived := known(lossy, rateOf)
	if mid := arrived[len(arrived)/2]; arrived[0] >= 0.88*mid && arrived[len(arrived)-1] <= 1.12*mid {
		f.Ceiling, f.CeilingSeen, f.LossFlat = mid, float64(len(arrived)), 0
	}
}

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

// tools compares tests that differ in the program that made them.
func (f *testFacts) tools(rs []result) {
	f.Tools, f.EndsDiffer, f.ClassesDiffer = nan, nan, nan
	for _, a := range rs {
		for _, b := range rs {
			if a.proto == "udp" && b.proto == "udp" && a.offered == b.offered && a.way() == b.way() && senderWords.MatchString(a.words) && receiverWords.MatchString(b.words) {
				f.EndsDiffer = max(orZero(f.EndsDiffer), truth((a.claimed || a.clean()) && b.lossy()))
			}
			if a.proto == b.proto && a.offered == b.offered && a.way() == b.way() && plainClass.MatchString(a.words) && namedClass.MatchString(b.words) {
				f.ClassesDiffer = max(orZero(f.ClassesDiffer), truth(a.lossy() != b.lossy() && (a.clean() || b.clean())))
			}
			ta, tb := toolWords.FindString(a.words), toolWords.FindString(b.words)
			if ta == tb || ta == "" && tb == "" || a.proto == "icmp" || waits[a.proto] && !(a.rate > 0 && b.rate > 0) || !alikeBut(a, b, "") || a.event.Attrs["when"] != b.event.Attrs["when"] {
				continue // or something was changed between the two
			}
			if c := compare([]result{a}, []result{b}); c.factor >= 1 && !(c.factor <= f.Tools) {
				f.Tools = c.factor
			}
		}
	}
}

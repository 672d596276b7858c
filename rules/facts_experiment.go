package rules

import (
	"math"
	"slices"

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
	RoundLow    float64 `expr:"round_low" metric:"probe.result"`   // the usual line rate that the slowest steady test fills; 0 if none
	Well        float64 `expr:"well" metric:"probe.result"`        // 1 if every test that is told went well, 0 if one did not, NaN if one does not tell
	PerRound    float64 `expr:"per_round" metric:"probe.result"`   // bytes that the slowest TCP test carried in a round trip, a flow
	Unmet       float64 `expr:"unmet" metric:"probe.result"`       // the slowest TCP test that neither fills a line nor carries what it was offered; 0 if each does
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

	Says   func(string) bool   `expr:"says"`   // whether anybody wrote of a topic of words.yaml or sightings.yaml
	Tells  func(string) bool   `expr:"tells"`  // whether anybody tells that what a topic is about is the case
	Teller func(string) string `expr:"teller"` // the device, port or host that it is told of, or "a device of the path"
	Quote  func(string) string `expr:"quote"`  // the sentence that tells of it

	tellerOf func(string) timeline.Subject // the same; none if nobody says what of
	Ran      func(string) bool             `expr:"ran"`     // whether the words of a test itself speak of it
	Cure     func(string) float64          `expr:"cure"`    // how many times better it was when the topic was switched; NaN if that was not compared
	Alone    func(string) bool             `expr:"alone"`   // whether nothing else is told to have been exchanged together with it
	Better   func(string) string           `expr:"better"`  // the state in which it was better: on, off, changed
	Helped   func(string) float64          `expr:"helped"`  // what people tell came of switching it: 1 the trouble ended, 0 it was in vain, NaN if they do not tell
	Setting  func(string) string           `expr:"setting"` // the value of a setting about the topic; "" if there is none
	SetOn    func(string) string           `expr:"set_on"`  // the host or device that has it so
	SizeOf   func(string) float64          `expr:"size_of"` // the same as a number; NaN if it is none
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
	f.Well = f.wellDone(rs)
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

// tools compares tests that differ in the program that made them.
func (f *testFacts) tools(rs []result) {
	f.Tools, f.EndsDiffer, f.ClassesDiffer = nan, nan, nan
	for _, a := range rs {
		for _, b := range rs {
			if a.proto == "udp" && b.proto == "udp" && a.offered == b.offered && a.way() == b.way() && senderWords.MatchString(a.words) && receiverWords.MatchString(b.words) {
				f.EndsDiffer = max(orZero(f.EndsDiffer), truth((a.claimed || a.clean()) && b.lossy()))
			}
			if a.proto == b.proto && !(a.offered < b.offered || a.offered > b.offered) && a.way() == b.way() && plainClass.MatchString(a.words) && namedClass.MatchString(b.words) {
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

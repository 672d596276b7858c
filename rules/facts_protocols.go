package rules

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// protoFacts compare what kinds of probes of one path lose, heartbeats and single tests alike. The kinds are stamp, icmp,
// connect (new TCP connections), udp, tcp (an established flow), dns and http.
type protoFacts struct {
	Lost     func(string) float64       `expr:"lost"`     // the share that a kind lost while it was worst off for seconds; NaN if it was not tried
	Mean     func(string) float64       `expr:"mean"`     // the share that it lost over the whole time
	Span     func(string) timeline.Span `expr:"span"`     // when it lost
	Quickest func(string) float64       `expr:"quickest"` // of single tests of a kind, the shortest time until the answer, s; NaN if none tells
	Wait     func(string) float64       `expr:"wait"`     // of single tests of a kind, the longest time until the answer, s; NaN if none tells

	Passes  float64  `expr:"passes" metric:"probe.result,path.loss.round_trip"` // kinds that lose next to nothing
	Passing []string `expr:"passing"`
	Blocked float64  `expr:"blocked" metric:"probe.result,path.loss.round_trip"` // kinds of which nothing gets through for a while
	Dead    []string `expr:"dead"`
	// When that was, of the kind that it lasted longest of.
	BlockedSpan timeline.Span `expr:"blocked_span"`

	NewFail  float64       `expr:"new_fail" metric:"probe.result,path.loss.round_trip"` // share of new connections that fail at worst
	OldGoOn  float64       `expr:"old_go_on"`                                           // 1 if what was established, or is no session, passes meanwhile
	NewSpan  timeline.Span `expr:"new_span"`
	HopLoss  float64       `expr:"hop_loss" metric:"probe.result"`  // share that a router on the way did not answer of a trace
	HopLater float64       `expr:"hop_later" metric:"probe.result"` // the least share lost at the target or a later hop
}

// beats are the collectors of heartbeats and the kind that each is of.
var beats = map[string]string{"stamp": "stamp", "icmp": "icmp", "tcp-connect": "connect", "udp-connect": "udp", "udp": "udp", "dns": "dns", "http": "http", "https": "http", "connect": "connect", "ping": "icmp"}

// kindLoss is what one kind of probe of a path lost.
type kindLoss struct {
	mean, worst float64
	span        timeline.Span // of loss
	dead        timeline.Span // the longest in which nothing got through
}

// deadFor is for how long a kind's heartbeats must all be lost: a reconvergence takes less than that, but for timers, and hits every
// kind alike.
const deadFor = 3 * time.Second

// passingTo is the share that a kind may lose in five seconds and still pass: one heartbeat of 250.
const passingTo = 0.005

func (sc *scene) protoFacts(ps *pathScene) *protoFacts {
	if ps.protos != nil {
		return ps.protos
	}
	kinds := map[string]kindLoss{}
	sc.heartbeatLosses(ps, kinds)
	sc.testLosses(ps, kinds)
	f := &protoFacts{NewFail: nan, OldGoOn: nan, HopLoss: nan, HopLater: nan, Passes: nan, Blocked: nan}
	get := func(k string) kindLoss {
		if x, ok := kinds[k]; ok {
			return x
		}
		return kindLoss{mean: nan, worst: nan}
	}
	f.Lost = func(k string) float64 { return get(k).worst }
	f.Mean = func(k string) float64 { return get(k).mean }
	f.Span = func(k string) timeline.Span { return get(k).span }
	f.Quickest = func(k string) float64 {
		return least(pick(sc.results(ps.Path.Name), func(r result) bool { return r.proto == k }), result.took)
	}
	f.Wait = func(k string) float64 {
		rs := sc.results(ps.Path.Name)
		if k == "dns" { // a transfer may tell how long its name took
			return most(rs, result.lookup)
		}
		return most(pick(rs, func(r result) bool { return r.proto == k }), result.took)
	}
	f.passingAndDead(kinds, answered(sc.results(ps.Path.Name)))
	if x, ok := kinds["connect"]; ok {
		f.NewFail, f.NewSpan = x.worst, x.span
	}
	old := nan
	for _, k := range []string{"stamp", "icmp", "established"} {
		if x, ok := kinds[k]; ok {
			old = max(orZero(old), x.worst)
		}
	}
	if !math.IsNaN(old) {
		f.OldGoOn = truth(old < lossyFrom)
	}
	sc.hopLosses(f, ps)
	ps.protos = f
	return f
}

// passingAndDead parts the kinds that lose next to nothing from those that get nothing through; also are kinds of which nothing but an
// answer is told.
func (f *protoFacts) passingAndDead(kinds map[string]kindLoss, also []string) {
	if len(kinds) > 0 {
		f.Passes, f.Blocked = 0, 0
	}
	for _, k := range keysOf(kinds) {
		x := kinds[k]
		switch {
		case x.worst <= passingTo:
			f.Passing = append(f.Passing, k)
		case !x.dead.IsZero() && k != "tcp" && k != "established": // a flow that stands has many causes
			f.Dead = append(f.Dead, k)
			if x.dead.Width() > f.BlockedSpan.Width() {
				f.BlockedSpan = x.dead
			}
		}
	}
	for _, k := range also {
		if _, ok := kinds[k]; !ok {
			f.Passing = append(f.Passing, k)
			f.Passes, f.Blocked = orZero(f.Passes), orZero(f.Blocked)
		}
	}
	f.Passes, f.Blocked = f.Passes+float64(len(f.Passing)), f.Blocked+float64(len(f.Dead))
}

// heartbeatLosses adds up what each collector's heartbeats lost.
func (sc *scene) heartbeatLosses(ps *pathScene, kinds map[string]kindLoss) {
	for _, m := range []timeline.Metric{timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip} {
		for kind, samples := range byKind(sc.snap.Series(timeline.Path(ps.Path.Name), m)) {
			k, one := kinds[kind], lossOver(samples)
			k.mean, k.worst = max(k.mean, one.mean), max(k.worst, one.worst)
			k.span = k.span.Union(one.span)
			if one.dead.Width() > k.dead.Width() {
				k.dead = one.dead
			}
			kinds[kind] = k
		}
	}
}

// byKind splits a series by the kind of heartbeat that its samples are of. A day has a million of them, mostly of one.
func byKind(all []timeline.Sample) map[string][]timeline.Sample {
	out := map[string][]timeline.Sample{}
	for from := 0; from < len(all); {
		to := from + 1
		for to < len(all) && all[to].Origin.Collector == all[from].Origin.Collector {
			to++
		}
		name, _, _ := strings.Cut(all[from].Origin.Collector, ":")
		switch kind := beats[name]; {
		case kind == "":
		case out[kind] == nil:
			out[kind] = all[from:to:to]
		default:
			out[kind] = append(out[kind], all[from:to]...)
		}
		from = to
	}
	return out
}

// lossOver reads one series of loss ratios: the mean, the worst mean of five seconds, when it lost, and the longest stretch in which
// nothing got through.
func lossOver(samples []timeline.Sample) kindLoss {
	const window = 5 * time.Second
	var k kindLoss
	var run timeline.Span
	first, sum, all := 0, 0.0, 0.0
	for i, x := range samples {
		all += x.Value
		sum += x.Value
		for samples[first].Span.From.Before(x.Span.To.Add(-window)) {
			sum -= samples[first].Value
			first++
		}
		if first > 0 || i == len(samples)-1 { // a whole window, or all there is
			k.worst = max(k.worst, sum/float64(i-first+1))
		}
		if x.Value > 0 {
			k.span = k.span.Union(x.Span)
		}
		if x.Value < 1 {
			run = timeline.Span{}
			continue
		}
		if run = run.Union(x.Span); run.Width() >= deadFor && run.Width() > k.dead.Width() {
			k.dead = run
		}
	}
	k.mean = all / float64(max(1, len(samples)))
	return k
}

// testLosses adds single tests: those of new connections, echoes and names that tell how many were lost.
func (sc *scene) testLosses(ps *pathScene, kinds map[string]kindLoss) {
	for _, r := range sc.results(ps.Path.Name) {
		kind := r.proto
		if r.event.Attrs["df"] == "true" || r.size > plainSize || !math.IsNaN(r.port) || kind == "udp" && r.offered > 0 {
			continue // a sweep of sizes, source ports or rates says something else
		}
		switch {
		case established.MatchString(r.words):
			kind = "established"
		case kind == "tcp" && r.loss > 0 && opening.MatchString(r.words):
			kind = "connect"
		}
		if kind == "" || math.IsNaN(r.loss) && r.rate != 0 && !(kind == "established" && r.rate > 0) || hopWords.MatchString(r.words) {
			continue
		}
		loss := r.loss
		switch {
		case math.IsNaN(loss) && r.rate > 0: // it went on
			loss = 0
		case math.IsNaN(loss):
			loss = 1 // nothing arrived
		}
		k := kinds[kind]
		k.mean, k.worst = max(k.mean, loss), max(k.worst, loss)
		if loss > 0 {
			k.span = k.span.Union(r.event.Span)
		}
		if loss >= 0.99 {
			k.dead = k.dead.Union(r.event.Span)
		}
		kinds[kind] = k
	}
}

// answered returns the kinds of tests that tell a round trip and nothing of loss: the answer came, or there would be none.
func answered(rs []result) []string {
	var out []string
	for _, r := range rs {
		if (r.proto == "icmp" || r.proto == "connect") && r.rtt > 0 && math.IsNaN(r.loss) && !r.failed() && !r.ofHop() && !slices.Contains(out, r.proto) {
			out = append(out, r.proto)
		}
	}
	return out
}

// lookup returns how long a name took to be resolved, s: of a test of names its own time, of another what its words say (curl's
// time_namelookup); NaN if they do not.
func (r result) lookup() float64 {
	if r.proto == "dns" {
		return r.took()
	}
	m := lookupWords.FindStringSubmatch(r.words)
	if m == nil {
		return nan
	}
	took, err := strconv.ParseFloat(m[1], 64)
	if err != nil {
		return nan
	}
	if m[2] == "ms" {
		took /= 1000
	}
	return took
}

// plainSize is the largest packet that must get through everywhere, octets (RFC 8200, section 5).
const plainSize = 1280

// established are the words for a session that was there before, opening those for one that is to be opened, and hopWords
// those for a router on the way.
var (
	established = word(`established( before)?|(opened|begun|started) before|already (open|connected|running)|old (session|flow|connection)s?`)
	opening     = word(`syns?|handshakes?|connect(s|ing)?|connections?|new sessions?`)
	hopWords    = word(`hops?|ttl|trace(route)?|mtr`)
	hopNumber   = regexp.MustCompile(`\bhop (?:no\.? ?|number |#)?(\d+)\b`)
	lookupWords = regexp.MustCompile(`\b(?:time_namelookup|(?:name|dns)[ -]?(?:lookup|resolution|query))(?: took| takes| of|:| =|=)? ?(\d+(?:\.\d+)?) ?(ms|s)?\b`)
)

// ofHop says whether a test is of a router on the way, as a trace asks it, and of no end.
func (r result) ofHop() bool { return hopWords.MatchString(r.words) && !endWords.MatchString(r.words) }

// hopLosses reads traces told as single tests: an answer that a router on the way did not give, and what a later hop or the target
// gave. Each hop may be told as a path of its own.
func (sc *scene) hopLosses(f *protoFacts, ps *pathScene) {
	split := func(path string) (hops, ends []result) {
		for _, r := range sc.results(path) {
			switch {
			case math.IsNaN(r.loss):
			case r.ofHop():
				hops = append(hops, r)
			default:
				ends = append(ends, r)
			}
		}
		return hops, ends
	}
	hops, ends := split(ps.Path.Name)
	if len(hops) == 0 {
		return
	}
	if len(ends) == 0 {
		for _, p := range sc.topo.PathsIn(sc.snap) {
			_, more := split(p.Name)
			ends = append(ends, pick(more, func(r result) bool { return endWords.MatchString(r.words) })...)
		}
	}
	worst := slices.MaxFunc(hops, func(a, b result) int { return compareFloat(a.loss, b.loss) })
	before, behind := sc.otherHops(worst)
	f.HopLoss, f.HopLater = worst.loss, least(append(ends, behind...), lossOf)
	if math.IsNaN(f.HopLater) && most(before, lossOf) >= worst.loss/2 {
		f.HopLater = worst.loss // it began further ahead and goes on here
	}
	if math.IsNaN(f.HopLater) && ps.facts != nil {
		f.HopLater = max(ps.facts.LossForward, ps.facts.LossReverse)
	}
}

// otherHops returns the tests of hops of the same trace that are told to lie before and behind that one: what reached those behind it
// passed it (trippy's and mtr's own reading of a trace). A path of which one hop alone is told is a line of the trace.
func (sc *scene) otherHops(hop result) (before, behind []result) {
	number := func(r result) float64 {
		if m := hopNumber.FindStringSubmatch(r.words); m != nil {
			if n, err := strconv.ParseFloat(m[1], 64); err == nil {
				return n
			}
		}
		return nan
	}
	trace := sc.results(hop.path)
	if len(trace) == 1 {
		for _, p := range sc.topo.PathsIn(sc.snap) {
			if rs := sc.results(p.Name); p.Name != hop.path && len(rs) == 1 {
				trace = append(trace, rs...)
			}
		}
	}
	for _, r := range trace {
		switch {
		case math.IsNaN(r.loss):
		case number(r) < number(hop):
			before = append(before, r)
		case number(r) > number(hop):
			behind = append(behind, r)
		}
	}
	return before, behind
}

var endWords = word(`target|destination|last hop|far end|end[ -]to[ -]end|final`)

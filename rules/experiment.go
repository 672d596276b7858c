package rules

import (
	"cmp"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate/timeline"
)

// result is one test that ended, as an EventResult tells it. Rates are bit/s, times seconds, sizes bytes; what it does
// not tell is NaN or "".
type result struct {
	event     timeline.Event
	path      string
	proto     string // tcp, udp, icmp, ...
	direction string // forward, reverse, both
	rate      float64
	offered   float64
	loss      float64
	retrans   float64
	window    float64
	granted   float64
	rtt       float64
	loaded    float64 // round trip under load
	jitter    float64
	streams   float64
	size      float64
	mss       float64
	port      float64
	duration  float64
	sender    float64 // CPU, shares of one core
	receiver  float64
	dropped   float64 // by the receiving host
	words     string  // what people wrote of it: note, when and the path's name, in small letters
	early     bool    // only the beginning of a test
	claimed   bool    // the sender says that no datagram was lost, which it cannot know; loss is NaN then
	absurd    bool    // figures that cannot be: more lost than sent, or less than nothing
}

// resultOf reads an EventResult.
func resultOf(e timeline.Event) result {
	num := func(key string) float64 {
		v, err := strconv.ParseFloat(e.Attrs[key], 64)
		if err != nil {
			return nan
		}
		return v
	}
	r := result{
		event: e, path: e.Name, proto: strings.ToLower(e.Attrs["proto"]), direction: e.Attrs["direction"],
		rate: num("rate_bps"), offered: num("offered_bps"), loss: num("loss_ratio"), retrans: num("retransmits"),
		window: num("window_bytes"), granted: num("granted_bytes"), rtt: num("rtt_ms") / 1000, loaded: num("rtt_loaded_ms") / 1000,
		jitter: num("jitter_ms") / 1000, streams: num("streams"), size: num("size_bytes"), mss: num("mss_bytes"), port: num("port"),
		duration: num("duration_s"), sender: num("sender_cpu"), receiver: num("receiver_cpu"), dropped: num("host_drops"),
		words: heard(strings.Join([]string{e.Attrs["note"], e.Attrs["when"], e.Name}, " | ")),
	}
	if math.IsNaN(r.loss) && num("total") > 0 {
		r.loss = num("lost") / num("total")
	}
	if math.IsNaN(r.rate) && r.proto == "udp" { // what did not get lost
		r.rate = r.offered * (1 - r.loss)
	}
	if math.IsNaN(r.loss) && r.proto == "udp" && r.offered > 0 && r.rate < 0.98*r.offered {
		r.loss = 1 - r.rate/r.offered
	}
	if math.IsNaN(r.offered) && r.proto == "udp" && r.rate > 0 && r.loss > 0 && r.loss < 1 {
		r.offered = r.rate / (1 - r.loss)
	}
	if r.absurd = r.loss < 0 || r.loss > 1 || absurdLoss(r.words); r.absurd {
		r.loss = nan
	}
	if r.claimed = r.proto == "udp" && r.loss == 0 && senderWords.MatchString(r.words) && !receiverWords.MatchString(r.words); r.claimed {
		r.loss = nan
	}
	r.early = earlyWords.MatchString(afterEarly.ReplaceAllString(r.words, " ")) && !beganWords.MatchString(r.words)
	if e.Attrs["paced"] == "true" {
		r.words += " | paced"
	}
	return r
}

// absurdLoss says whether the words hold counts or shares of loss that cannot be, as iperf3 prints them when its counter of datagrams
// ran over: -792929/24122 (-3.3e+03%). A few less than none are late ones that were counted as lost before.
func absurdLoss(words string) bool {
	for _, m := range lostOf.FindAllStringSubmatch(words, -1) {
		lost, _ := strconv.ParseFloat(m[1], 64)
		total, _ := strconv.ParseFloat(m[2], 64)
		if lost > total {
			return true
		}
	}
	for _, m := range lostShare.FindAllStringSubmatch(words, -1) {
		if share, err := strconv.ParseFloat(m[1], 64); err == nil && math.Abs(share) > 100 {
			return true
		}
	}
	return false
}

var (
	lostOf    = regexp.MustCompile(`(?:^|[^\d.])-(\d+) ?/ ?(\d+)`) // fewer than none
	lostShare = regexp.MustCompile(`\((-?\d[\d.]*(?:e\+?\d+)?) ?%\)`)
)

// tcp says whether it moved bytes with congestion control, as far as is told: what has neither loss nor a name is TCP.
func (r result) tcp() bool {
	return r.proto == "tcp" || r.proto == "http" || r.proto == "" && math.IsNaN(r.loss) && !math.IsNaN(r.rate)
}

// lossy and clean say whether a test lost noticeably, or next to nothing. Of one that does not tell, neither holds.
func (r result) lossy() bool { return r.loss >= lossyFrom }

func (r result) clean() bool { return r.loss <= cleanTo }

// asTold says whether a sender that was told its rate reached it: nothing else limits it then.
func (r result) asTold() bool { return r.offered > 0 && r.rate >= 0.95*r.offered }

// waits are kinds of tests of which the time until the answer is the result.
var waits = map[string]bool{"connect": true, "http": true, "dns": true}

// took returns how long a test waited for its answer, s.
func (r result) took() float64 {
	if r.duration > 0 {
		return r.duration
	}
	return r.rtt
}

const (
	// lossyFrom is the least share of lost packets from which a test counts as lossy: TCP is hurt by less, but a handful
	// of packets must not decide.
	lossyFrom = 0.005
	// cleanTo is the share up to which a test counts as clean.
	cleanTo = 0.001
)

// failed and passed say whether a test got through at all.
func (r result) failed() bool {
	return r.loss >= 0.9 || r.rate == 0 || failWords.MatchString(r.words)
}

func (r result) passed() bool {
	return !r.failed() && (r.loss < 0.1 || r.rate > 0 || passWords.MatchString(r.words))
}

// results returns the tests of a path, in order of time.
func (sc *scene) results(path string) []result {
	var out []result
	for _, e := range sc.snap.EventsOf(timeline.Path(path), timeline.EventResult) {
		out = append(out, resultOf(e))
	}
	slices.SortStableFunc(out, func(a, b result) int { return a.event.Span.From.Compare(b.event.Span.From) })
	return out
}

// pick returns the results for which ok holds.
func pick(rs []result, ok func(result) bool) []result {
	var out []result
	for _, r := range rs {
		if ok(r) {
			out = append(out, r)
		}
	}
	return out
}

// known returns the figures that are known, in ascending order.
func known(rs []result, figure func(result) float64) []float64 {
	var out []float64
	for _, r := range rs {
		if v := figure(r); !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	slices.Sort(out)
	return out
}

// least, most and middle return a figure's extremes and median over the results; NaN if none tells.
func least(rs []result, figure func(result) float64) float64 {
	if v := known(rs, figure); len(v) > 0 {
		return v[0]
	}
	return nan
}

func most(rs []result, figure func(result) float64) float64 {
	if v := known(rs, figure); len(v) > 0 {
		return v[len(v)-1]
	}
	return nan
}

func middle(rs []result, figure func(result) float64) float64 {
	if v := known(rs, figure); len(v) > 0 {
		return v[len(v)/2]
	}
	return nan
}

func total(rs []result, figure func(result) float64) float64 {
	v := known(rs, figure)
	if len(v) == 0 {
		return nan
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum
}

func rateOf(r result) float64    { return r.rate }
func offeredOf(r result) float64 { return r.offered }
func lossOf(r result) float64    { return r.loss }

// flows returns how many flows a test had; one, if it does not tell.
func (r result) flows() float64 { return max(1, orZero(r.streams)) }

// alikeBut says whether two tests are the same in everything that is told of both, but for what differs by intent.
func alikeBut(a, b result, differ string) bool {
	same := func(name string, x, y float64) bool {
		return name == differ || math.IsNaN(x) || math.IsNaN(y) || math.Abs(x-y) <= 0.05*max(x, y)
	}
	return a.proto == b.proto && (differ == "direction" || a.way() == b.way()) && same("offered", a.offered, b.offered) && same("size", a.size, b.size) &&
		same("streams", a.flows(), b.flows()) && same("window", a.window, b.window) && a.early == b.early
}

// way returns the direction, forward if it is not told.
func (r result) way() string { return cmp.Or(r.direction, timeline.Forward) }

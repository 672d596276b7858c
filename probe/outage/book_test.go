package outage

import (
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

const ms = time.Millisecond

// way says what happens to a packet that enters one direction of the simulated path at a moment.
type way func(at time.Duration) (delay time.Duration, ok bool)

func steady(d time.Duration) way {
	return func(time.Duration) (time.Duration, bool) { return d, true }
}

// dark drops what enters from a to b.
func dark(w way, a, b time.Duration) way {
	return func(at time.Duration) (time.Duration, bool) {
		if at >= a && at < b {
			return 0, false
		}
		return w(at)
	}
}

// queued holds what enters from a to b back until b.
func queued(w way, a, b time.Duration) way {
	return func(at time.Duration) (time.Duration, bool) {
		d, ok := w(at)
		if at >= a && at < b {
			d += b - at
		}
		return d, ok
	}
}

// world is a heartbeat over a simulated path to a simulated reflector.
type world struct {
	beat      time.Duration
	length    time.Duration
	there     way
	back      way
	stateless bool
	roundTrip bool                                       // no far end at all, as with ICMP
	skew      func(at time.Duration) time.Duration       // the far clock minus ours
	stays     func(at time.Duration) time.Duration       // how long the reflector keeps a heartbeat
	restarts  []time.Duration                            // when the reflector begins to count anew
	off       func(at time.Duration) (refuse, down bool) // the reflector is away
	sends     func(at time.Duration) bool                // the host is awake
	twice     func(n uint64) bool                        // the network delivers the heartbeat twice
}

type happening struct {
	at     time.Duration
	do     func(*Book, time.Time)
	number uint64
}

// run simulates the world and returns what the book wrote.
func (w world) run() timeline.Snapshot {
	var store timeline.Store
	path := timeline.Path("a-b")
	start := time.Now()
	book := New(Config{Path: path, Collector: "stamp:a-b", Heartbeat: w.beat, Out: &store}, start)
	var answers []happening
	type arrival struct {
		number   uint64
		sent, at time.Duration
	}
	var arrivals []arrival
	n := uint64(0)
	sends := map[time.Duration]bool{}
	for t := time.Duration(0); t < w.length; t += w.beat {
		if w.sends != nil && !w.sends(t) {
			continue
		}
		sends[t] = true
		if d, ok := w.there(t); ok {
			arrivals = append(arrivals, arrival{n, t, t + d})
			if w.twice != nil && w.twice(n) {
				arrivals = append(arrivals, arrival{n, t, t + d + ms/10})
			}
		}
		n++
	}
	slices.SortStableFunc(arrivals, func(a, b arrival) int { return int(a.at - b.at) })
	seq, restarts := uint32(0), w.restarts
	for _, a := range arrivals {
		for len(restarts) > 0 && a.at >= restarts[0] {
			seq, restarts = 0, restarts[1:]
		}
		if w.off != nil {
			if refuse, down := w.off(a.at); down {
				if refuse {
					answers = append(answers, happening{at: a.at + ms, do: func(b *Book, _ time.Time) { b.Refused() }})
				}
				continue
			}
		}
		far := &Far{Sequence: seq, Counts: true}
		if w.stateless {
			far.Sequence, far.Counts = uint32(a.number), false
		}
		seq++
		left := a.at
		if w.stays != nil {
			left += w.stays(a.at)
		}
		clock := func(at time.Duration) time.Time {
			skew := 3 * time.Hour
			if w.skew != nil {
				skew = w.skew(at)
			}
			return start.Add(at + skew).Round(0)
		}
		far.Received, far.Sent = clock(a.at), clock(left)
		if w.roundTrip {
			far = nil
		}
		d, ok := w.back(left)
		if !ok {
			continue
		}
		number := a.number
		answers = append(answers, happening{at: left + d, number: number, do: func(b *Book, at time.Time) {
			b.Answer(Answer{Number: number, At: at, Exact: true, Far: far})
		}})
	}
	slices.SortStableFunc(answers, func(a, b happening) int { return int(a.at - b.at) })
	var before time.Duration = -w.beat
	for t := time.Duration(0); t < w.length; t += w.beat {
		if w.sends != nil && !w.sends(t) {
			continue
		}
		now := start.Add(t)
		if t-before > w.beat {
			book.Stalled(start.Add(before), now)
		}
		before = t
		for len(answers) > 0 && answers[0].at <= t {
			answers[0].do(book, start.Add(answers[0].at))
			answers = answers[1:]
		}
		book.Sent(now)
		book.Advance(now)
	}
	book.Close(start.Add(w.length))
	return store.Snapshot()
}

// want is an expected outage; From counts from the beginning of the heartbeat.
type want struct {
	direction  string
	from, to   time.Duration
	lost, late int
	open       bool
}

func TestOutagesAreWhatTheNetworkDid(t *testing.T) {
	const hb = 20 * ms
	there, back := steady(2*ms), steady(3*ms)
	tests := []struct {
		name string
		w    world
		want []want
	}{
		{"a quiet path has none", world{there: there, back: back}, nil},
		{"lost on the way there", world{there: dark(there, 3*time.Second, 4*time.Second), back: back},
			[]want{{timeline.Forward, 2980*ms + 2*ms, 4002 * ms, 50, 0, false}}},
		{"lost on the way back", world{there: there, back: dark(back, 3*time.Second, 4*time.Second)},
			[]want{{timeline.Reverse, 2985 * ms, 4005 * ms, 50, 0, false}}},
		{"dark both ways, the way back longer", world{there: dark(there, 3*time.Second, 4*time.Second), back: dark(back, 3*time.Second, 4500*ms)},
			[]want{{timeline.Forward, 2982 * ms, 4002 * ms, 50, 0, false}, {timeline.Reverse, 2985 * ms, 4505 * ms, 25, 0, false}}},
		{"two lost heartbeats are loss, not an outage", world{there: dark(there, 3*time.Second, 3040*ms), back: back}, nil},
		{"three lost heartbeats are an outage", world{there: dark(there, 3*time.Second, 3060*ms), back: back},
			[]want{{timeline.Forward, 2982 * ms, 3062 * ms, 3, 0, false}}},
		{"a queue that stands still and is delivered", world{there: queued(there, 3*time.Second, 3600*ms), back: back},
			[]want{{timeline.Forward, 2982 * ms, 3602 * ms, 0, 29, false}}},
		{"a queue that stands still on the way back", world{there: there, back: queued(back, 3*time.Second, 3600*ms)},
			[]want{{timeline.Reverse, 2985 * ms, 3603 * ms, 0, 29, false}}},
		{"a queue that stands still for long", world{there: queued(there, 3*time.Second, 7*time.Second), back: back},
			[]want{{timeline.Forward, 2982 * ms, 7002 * ms, 0, 199, false}}},
		{"a queue seems to stand still while this host sends late", world{there: queued(there, 3*time.Second, 3600*ms), back: back, sends: func(at time.Duration) bool { return at != 3200*ms }}, nil},
		{"a queue stands still a second after this host sent late", world{there: queued(there, 3*time.Second, 3600*ms), back: back, sends: func(at time.Duration) bool { return at != 2*time.Second }},
			[]want{{timeline.Forward, 2982 * ms, 3602 * ms, 0, 29, false}}},
		{"what is lost is lost, however late this host sends", world{there: dark(there, 3*time.Second, 3600*ms), back: back, sends: func(at time.Duration) bool { return at != 3200*ms }},
			[]want{{timeline.Forward, 2982 * ms, 3602 * ms, 29, 0, false}}},
		{"carrier lost, then queued until the neighbour is found", world{there: queued(dark(there, 3*time.Second, 3400*ms), 3400*ms, 4*time.Second), back: back},
			[]want{{timeline.Forward, 2982 * ms, 4002 * ms, 20, 29, false}}},
		{"still dark at the end", world{there: dark(there, 6*time.Second, time.Hour), back: back},
			[]want{{timeline.Both, 5985 * ms, 10 * time.Second, 195, 0, true}}},
		{"two outages in a row", world{there: dark(dark(there, 3*time.Second, 3200*ms), 3220*ms, 3420*ms), back: back},
			[]want{{timeline.Forward, 2982 * ms, 3202 * ms, 10, 0, false}, {timeline.Forward, 3202 * ms, 3422 * ms, 10, 0, false}}},
		{"a reflector that does not count", world{there: dark(there, 3*time.Second, 4*time.Second), back: back, stateless: true},
			[]want{{timeline.Both, 2985 * ms, 4005 * ms, 50, 0, false}}},
		{"no far end", world{there: dark(there, 3*time.Second, 4*time.Second), back: back, roundTrip: true},
			[]want{{timeline.Both, 2985 * ms, 4005 * ms, 50, 0, false}}},
		{"no far end and late answers", world{there: queued(there, 3*time.Second, 4*time.Second), back: back, roundTrip: true},
			[]want{{timeline.Both, 2985 * ms, 4005 * ms, 0, 49, false}}},
		{"the reflector's numbers begin anew in the outage", world{there: dark(there, 3*time.Second, 4*time.Second), back: back, restarts: []time.Duration{3500 * ms}},
			[]want{{timeline.Forward, 2982 * ms, 4002 * ms, 50, 0, false}}},
		{"the reflector's numbers begin anew on a quiet path", world{there: there, back: back, restarts: []time.Duration{3500 * ms}}, nil},
		{"the far end restarts and its host says so", world{there: there, back: back, restarts: []time.Duration{3 * time.Second},
			off: func(at time.Duration) (bool, bool) {
				return at < 3020*ms, at >= 3*time.Second && at < 4*time.Second
			}}, nil},
		{"the far end's host starts anew, and refuses before its reflector runs", world{there: there, back: back, restarts: []time.Duration{3 * time.Second},
			off: func(at time.Duration) (bool, bool) {
				return at >= 4400*ms, at >= 3*time.Second && at < 4500*ms
			}}, []want{{timeline.Forward, 2982 * ms, 4502 * ms, 75, 0, false}}},
		{"the host sleeps", world{there: there, back: back, sends: func(at time.Duration) bool { return at < 3*time.Second || at > 4*time.Second }}, nil},
		{"the host sleeps and one heartbeat is lost as well", world{there: dark(there, 2980*ms, 3*time.Second), back: back, sends: func(at time.Duration) bool { return at < 3*time.Second || at > 4*time.Second }}, nil},
		{"the host wakes in the middle of an outage", world{there: dark(there, 3500*ms, 5*time.Second), back: back, sends: func(at time.Duration) bool { return at < 3*time.Second || at > 4*time.Second }},
			[]want{{timeline.Forward, 4002 * ms, 5002 * ms, 49, 0, false}}},
		{"the reflector's host is busy", world{there: there, back: back, stays: func(at time.Duration) time.Duration {
			return max(0, min(4500*ms-at, at-3*time.Second+time.Hour)) * time.Duration(b2i(at >= 3*time.Second))
		}}, nil},
		{"the far clock is set forward", world{there: there, back: back, skew: func(at time.Duration) time.Duration {
			return time.Duration(b2i(at > 3*time.Second)) * time.Minute
		}}, nil},
		{"the far clock is set back", world{there: there, back: back, skew: func(at time.Duration) time.Duration {
			return -time.Duration(b2i(at > 3*time.Second)) * time.Minute
		}}, nil},
		{"the far clock drifts by 100 ppm while nothing arrives", world{length: 70 * time.Second, there: dark(there, 3*time.Second, 63*time.Second), back: back, skew: func(at time.Duration) time.Duration {
			return at / 10000
		}}, []want{{timeline.Forward, 2982 * ms, 63002 * ms, 3000, 0, false}}},
		{"dark for longer than heartbeats are kept", world{length: 130 * time.Second, there: dark(there, 3*time.Second, 123*time.Second), back: dark(back, 3*time.Second, 123*time.Second+500*ms)},
			[]want{{timeline.Forward, 2982 * ms, 123002 * ms, 6000, 0, false}, {timeline.Reverse, 2985 * ms, 123505 * ms, 25, 0, false}}},
		{"heartbeats are delivered twice", world{there: dark(there, 3*time.Second, 3500*ms), back: back, twice: func(n uint64) bool { return n%7 == 0 }},
			[]want{{timeline.Forward, 2982 * ms, 3502 * ms, 25, 0, false}}},
		{"a link far away is cut while answers are in flight", world{there: dark(steady(50*ms), 3*time.Second, 4*time.Second), back: dark(steady(50*ms), 3*time.Second, 4*time.Second)},
			[]want{{timeline.Forward, 3030 * ms, 4050 * ms, 50, 0, false}}},
		{"a link nearby is cut while answers are in flight", world{there: dark(steady(50*ms), 3*time.Second, 4*time.Second), back: dark(steady(50*ms), 2950*ms, 3950*ms)},
			[]want{{timeline.Both, 2980 * ms, 4100 * ms, 55, 0, false}}},
		{"a queue fills slowly", world{there: func(at time.Duration) (time.Duration, bool) {
			return 2*ms + max(0, min(at-3*time.Second, time.Second))/2, true
		}, back: back}, nil},
		{"the path becomes longer", world{there: func(at time.Duration) (time.Duration, bool) {
			return 2*ms + time.Duration(b2i(at > 3*time.Second))*90*ms, true
		}, back: back}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			tt.w.beat = hb
			if tt.w.length == 0 {
				tt.w.length = 10 * time.Second
			}
			checkOutages(t, tt.w.run(), tt.want, 11*ms)
		})
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// checkOutages compares the outages of a snapshot with those wanted; either end may be off by slack.
func checkOutages(t *testing.T, s timeline.Snapshot, wants []want, slack time.Duration) {
	t.Helper()
	start := s.Span().From
	var got []want
	for _, e := range s.Events() {
		if e.Type != timeline.EventOutage {
			continue
		}
		lost, _ := strconv.Atoi(e.Attrs["lost"])
		late, _ := strconv.Atoi(e.Attrs["late"])
		got = append(got, want{e.Attrs["direction"], e.Span.From.Sub(start), e.Span.To.Sub(start), lost, late, e.Attrs["open"] == "true"})
		if e.Text == "" || e.Attrs["seen_by"] != timeline.SeenByHeartbeat || e.Attrs["error_ms"] == "" {
			t.Errorf("event lacks something: %+v", e)
		}
	}
	if len(got) != len(wants) {
		t.Fatalf("got %d outages, want %d:\ngot  %+v\nwant %+v", len(got), len(wants), got, wants)
	}
	slices.SortFunc(got, func(a, b want) int { return int(a.to - b.to) })
	for i, g := range got {
		w := wants[i]
		if g.direction != w.direction || g.open != w.open || (g.from-w.from).Abs() > slack || (g.to-w.to).Abs() > slack ||
			absInt(g.lost-w.lost) > 1 || absInt(g.late-w.late) > 1 {
			t.Errorf("outage %d:\ngot  %+v\nwant %+v", i, g, w)
		}
	}
}

func absInt(n int) int { return max(n, -n) }

func TestSamplesTellTheWaysApart(t *testing.T) {
	path := timeline.Path("a-b")
	s := world{beat: 10 * ms, length: 5 * time.Second, there: dark(steady(2*ms), time.Second, 1200*ms), back: dark(steady(3*ms), 2*time.Second, 2300*ms)}.run()
	start := s.Span().From
	at := func(m timeline.Metric, d time.Duration) float64 {
		t.Helper()
		for _, x := range s.Series(path, m) {
			if x.Span.Width() == sampleTime && x.Span.Mid().Sub(start) == d {
				return x.Value
			}
		}
		return math.NaN()
	}
	tests := []struct {
		name string
		m    timeline.Metric
		at   time.Duration
		want float64
	}{
		{"nothing lost there", timeline.LossForward, 550 * ms, 0},
		{"nothing lost back", timeline.LossReverse, 550 * ms, 0},
		{"no loss without direction", timeline.LossRoundTrip, 550 * ms, math.NaN()},
		{"the round trip", timeline.RTT, 550 * ms, 0.005},
		{"nothing reordered", timeline.Reordered, 550 * ms, 0},
		{"no jitter there", timeline.JitterForward, 550 * ms, 0},
		{"all lost there", timeline.LossForward, 1150 * ms, 1},
		{"loss back is not known when all is lost there", timeline.LossReverse, 1150 * ms, math.NaN()},
		{"no round trip when all is lost", timeline.RTT, 1150 * ms, math.NaN()},
		{"nothing lost there while the way back is dark", timeline.LossForward, 2150 * ms, 0},
		{"all lost on the way back", timeline.LossReverse, 2150 * ms, 1},
	}
	for _, tt := range tests {
		if got := at(tt.m, tt.at); got != tt.want && !(math.IsNaN(got) && math.IsNaN(tt.want)) && !(math.Abs(got-tt.want) < 1e-6) {
			t.Errorf("%s: %s at %s is %v, want %v", tt.name, tt.m, tt.at, got, tt.want)
		}
	}
	if g := s.GapsOf(path, timeline.LossReverse); len(g) != 1 || g[0].Reason != timeline.ReasonTimeout {
		t.Errorf("gaps of the loss on the way back while nothing arrived there: %+v", g)
	}
}

func TestALongOutageIsSeenWhileItLasts(t *testing.T) {
	s := world{beat: 20 * ms, length: 30 * time.Second, there: dark(steady(2*ms), 5*time.Second, 20*time.Second), back: steady(2 * ms)}.run()
	start := s.Span().From
	path := timeline.Path("a-b")
	n := 0
	for _, x := range s.Series(path, timeline.LossRoundTrip) {
		if x.Value != 1 {
			t.Errorf("loss at %s: %v, want 1", x.Span.From.Sub(start), x.Value)
		}
		n++
	}
	if n < 135 || n > 150 {
		t.Errorf("%d samples of loss without direction in 15 s of darkness, want about 140", n)
	}
	long := false
	for _, x := range s.Series(path, timeline.LossForward) {
		long = long || x.Value == 1 && x.Span.Width() > 14*time.Second
	}
	if !long {
		t.Error("no sample says afterwards that it was the way there")
	}
}

func TestJitterAndReordering(t *testing.T) {
	n := 0
	there := func(time.Duration) (time.Duration, bool) {
		n++
		return 2*ms + time.Duration(n%2)*4*ms, true
	}
	s := world{beat: 10 * ms, length: 3 * time.Second, there: there, back: steady(ms)}.run()
	path := timeline.Path("a-b")
	x, ok := s.Last(path, timeline.JitterForward)
	if !ok || math.Abs(x.Value-0.004) > 1e-5 {
		t.Errorf("delays that alternate by 4 ms: jitter %v, want 0.004", x.Value)
	}
	if x, _ := s.Last(path, timeline.JitterReverse); math.Abs(x.Value) > 1e-6 {
		t.Errorf("jitter of a steady way back is %v", x.Value)
	}
	n = 0
	there = func(time.Duration) (time.Duration, bool) {
		n++
		return 2*ms + time.Duration(n%2)*14*ms, true // every second one is overtaken
	}
	s = world{beat: 10 * ms, length: 3 * time.Second, there: there, back: steady(ms)}.run()
	xs := s.Series(path, timeline.Reordered)
	if x := xs[len(xs)/2]; math.Abs(x.Value-0.5) > 0.11 {
		t.Errorf("every second heartbeat is overtaken: reordered %v, want 0.5", x.Value)
	}
	checkOutages(t, s, nil, 0)
}

func TestTheHostsOwnGapIsSaid(t *testing.T) {
	s := world{beat: 20 * ms, length: 6 * time.Second, there: steady(ms), back: steady(ms),
		sends: func(at time.Duration) bool { return at < 3*time.Second || at > 3300*ms }}.run()
	gaps := s.GapsOf(timeline.Path("a-b"), timeline.LossForward)
	if len(gaps) != 1 || gaps[0].Reason != timeline.ReasonHost || gaps[0].Span.Width() < 300*ms || gaps[0].Span.Width() > 350*ms {
		t.Errorf("got %+v, want one gap of 340 ms that is the host's", gaps)
	}
}

func TestAnAbsentFarEndIsAGapAndNoOutage(t *testing.T) {
	s := world{beat: 20 * ms, length: 10 * time.Second, there: steady(ms), back: steady(ms), restarts: []time.Duration{3 * time.Second},
		off: func(at time.Duration) (bool, bool) {
			return at%time.Second < 20*ms, at >= 3*time.Second && at < 6*time.Second
		}}.run()
	checkOutages(t, s, nil, 0)
	gaps := s.GapsOf(timeline.Path("a-b"), timeline.LossForward)
	if len(gaps) != 1 || gaps[0].Reason != timeline.ReasonPeer || (gaps[0].Span.Width()-3*time.Second).Abs() > 50*ms {
		t.Errorf("got %+v, want one gap of 3 s", gaps)
	}
	for _, x := range s.Series(timeline.Path("a-b"), timeline.LossRoundTrip) {
		t.Errorf("loss %v although the far end was away", x.Value)
	}
}

// Random loss, reordering, duplication and jitter: the figures must stay in their bounds, agree with the truth on
// the average, and outages must lie inside the run.
func TestRandomLossIsCountedRight(t *testing.T) {
	for seed := range uint64(8) {
		r := rand.New(rand.NewPCG(seed, 1))
		lossy := func(p float64) way {
			return func(time.Duration) (time.Duration, bool) {
				return time.Duration(r.Float64() * 30 * float64(ms)), r.Float64() >= p
			}
		}
		s := world{beat: 10 * ms, length: 40 * time.Second, there: lossy(0.05), back: lossy(0.10), twice: func(uint64) bool { return r.Float64() < 0.01 }}.run()
		for m, want := range map[timeline.Metric]float64{timeline.LossForward: 0.05, timeline.LossReverse: 0.10} {
			var sum float64
			xs := s.Series(timeline.Path("a-b"), m)
			for _, x := range xs {
				if x.Value < 0 || x.Value > 1 {
					t.Fatalf("seed %d: %s is %v", seed, m, x.Value)
				}
				sum += x.Value
			}
			if got := sum / float64(len(xs)); math.Abs(got-want) > 0.02 {
				t.Errorf("seed %d: mean of %s is %.3f, want %.3f", seed, m, got, want)
			}
		}
	}
}

package correlate

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// cableCase is a link watched for a while: per receiving end what came per second.
type cableCase struct {
	speed   float64
	seconds int
	rate    float64    // bit/s, both ways
	bad     [2]float64 // frames in all that A and B received damaged
	one     bool       // B is not read
	facts   [2]CableFacts
	more    []timeline.Record
}

var (
	cableA = timeline.Port("sw1", "Gi1/0/1")
	cableB = timeline.Port("sw2", "Gi1/0/2")
)

func (c cableCase) judge() CableResult {
	var s timeline.Store
	l := CableLink{A: cableA, B: cableB, Facts: c.facts}
	ends := []timeline.Subject{cableA, cableB}
	if c.one {
		l.B, ends = timeline.Subject{}, ends[:1]
	}
	put := func(sub timeline.Subject, m timeline.Metric, sp timeline.Span, v float64) {
		s.Put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v})
	}
	for i, sub := range ends {
		for sec := range c.seconds {
			sp := span(float64(sec), float64(sec+1))
			put(sub, timeline.InBits, sp, c.rate)
			put(sub, timeline.InPackets, sp, c.rate/12000)
			n := math.Floor(c.bad[i]*float64(sec+1)/float64(c.seconds)) - math.Floor(c.bad[i]*float64(sec)/float64(c.seconds))
			put(sub, timeline.InFCS, sp, n)
			put(sub, timeline.InErrors, sp, n)
			put(sub, timeline.Speed, sp, c.speed)
			put(sub, timeline.HalfDuplex, sp, 0)
			put(sub, timeline.SpeedMax, sp, c.speed)
			put(sub, timeline.Oper, sp, 1)
		}
	}
	for _, r := range c.more {
		s.Put(r)
	}
	return JudgeCable(s.Snapshot(), l, span(0, float64(c.seconds)))
}

func sampleAt(sub timeline.Subject, m timeline.Metric, v float64) timeline.Record {
	return timeline.Sample{Subject: sub, Metric: m, Span: span(1, 1000), Value: v}
}

func TestJudgeCable(t *testing.T) {
	for _, tt := range []struct {
		name    string
		c       cableCase
		verdict CableVerdict
		settled bool
		first   string // part of what to look at first; "" is nothing
		reason  string
	}{
		{"a clean gigabit link at full rate passes after 3/N bits", cableCase{speed: 1e9, seconds: 31, rate: 1e9}, CablePass, true, "", ""},
		{"29 s are not enough for 1e-10", cableCase{speed: 1e9, seconds: 29, rate: 1e9}, CableUndecided, false, "", "too few bits"},
		{"at 10 Gbit/s a minute does not decide 1e-12", cableCase{speed: 10e9, seconds: 60, rate: 10e9}, CableUndecided, false, "", ""},
		{"at 10 Gbit/s 301 s do", cableCase{speed: 10e9, seconds: 301, rate: 10e9}, CablePass, true, "", ""},
		{"at 100 Mbit/s 1e-9 is within the standard", cableCase{speed: 1e8, seconds: 600, rate: 1e8, bad: [2]float64{60, 0}}, CablePass, true, "", ""},
		{"at 1 Gbit/s 1e-9 is a warning", cableCase{speed: 1e9, seconds: 100, rate: 1e9, bad: [2]float64{100, 0}}, CableWarn, true, "at sw1 Gi1/0/1", ""},
		{"at 1 Gbit/s 1e-7 fails and the far side's way is sound", cableCase{speed: 1e9, seconds: 100, rate: 1e9, bad: [2]float64{0, 10000}}, CableFail, true, "plug and patch lead at sw2 Gi1/0/2", "over the limit of 1e-08"},
		{"damage both ways is the cable", cableCase{speed: 1e9, seconds: 100, rate: 1e9, bad: [2]float64{9000, 8000}}, CableFail, true, "the cable and its plugs", ""},
		{"no traffic decides nothing", cableCase{speed: 1e9, seconds: 100}, CableUndecided, false, "", "nothing came"},
		{"a port without a far end is judged on what it receives", cableCase{speed: 1e9, seconds: 60, rate: 1e9, one: true}, CablePass, true, "", ""},
		{"a half-duplex end is no cable fault", cableCase{speed: 1e8, seconds: 60, rate: 1e8, bad: [2]float64{0, 4000}, more: []timeline.Record{sampleAt(cableA, timeline.HalfDuplex, 1)}}, CableFail, true, "speed and duplex", "half duplex"},
		{"a slower speed than both offer is a warning", cableCase{speed: 1e8, seconds: 600, rate: 1e8, more: []timeline.Record{sampleAt(cableA, timeline.SpeedMax, 1e9), sampleAt(cableB, timeline.SpeedMax, 1e9)}}, CableWarn, true, "four pairs", "although both ends offer 1 Gbit/s"},
		{"a neighbour that offers no more explains the speed", cableCase{speed: 1e8, seconds: 600, rate: 1e8, more: []timeline.Record{sampleAt(cableA, timeline.SpeedMax, 1e9), sampleAt(cableA, timeline.NeighbourSpeed, 1e8)}}, CablePass, true, "", ""},
		{"stomped frames are an earlier link's", cableCase{speed: 10e9, seconds: 301, rate: 10e9, bad: [2]float64{500, 0}, more: []timeline.Record{sampleFor(cableA, timeline.InStomped, 301, 500)}}, CablePass, true, "", ""},
		{"a weak arrival is the fibre's", cableCase{speed: 10e9, seconds: 301, rate: 10e9, bad: [2]float64{50000, 0}, more: []timeline.Record{sampleAt(cableA, timeline.RxPower, -19), sampleAt(cableA, timeline.RxLowWarn, -14), sampleAt(cableB, timeline.TxPower, -2), sampleAt(cableB, timeline.TxLowWarn, -7)}}, CableFail, true, "strand that arrives at sw1", "below its module's warning threshold"},
		{"a weak sender is the sender's module", cableCase{speed: 10e9, seconds: 301, rate: 10e9, more: []timeline.Record{sampleAt(cableA, timeline.RxPower, -19), sampleAt(cableA, timeline.RxLowWarn, -14), sampleAt(cableB, timeline.TxPower, -9), sampleAt(cableB, timeline.TxLowWarn, -7)}}, CableWarn, true, "optic of sw2", ""},
		{"a flap is told", cableCase{speed: 1e9, seconds: 60, rate: 1e9, more: []timeline.Record{oper("sw2", "Gi1/0/2", "down", span(20, 21), "snmp:sw2")}}, CableWarn, true, "reseat", "went down at sw2 Gi1/0/2 during the test, once"},
		{"an open pair of the last cable test leads", cableCase{speed: 1e9, seconds: 60, rate: 1e9, facts: [2]CableFacts{{Pairs: []CablePair{{"A", "normal", 31}, {"C", "open", 12}}}, {}}}, CableWarn, true, "pair C of the cable at 12 m", ""},
		{"unexplained input errors are told", cableCase{speed: 1e9, seconds: 60, rate: 1e9, more: []timeline.Record{sampleFor(cableB, timeline.InErrors, 60, 700)}}, CableWarn, true, "the port of sw2", "no counter explains"},
		{"one unexplained input error in 6e10 bits is none", cableCase{speed: 1e9, seconds: 60, rate: 1e9, more: []timeline.Record{sampleFor(cableB, timeline.InErrors, 60, 1)}}, CablePass, true, "", ""},
		{"symbols damaged between the frames are told", cableCase{speed: 1e9, seconds: 60, rate: 1e9, more: []timeline.Record{sampleFor(cableA, timeline.InSymbol, 60, 700)}}, CableWarn, true, "patch lead at sw1", "bad symbols and no bad frame"},
		{"a link that is down fails", cableCase{speed: 1e9, seconds: 60, rate: 1e9, more: []timeline.Record{sampleAt(cableB, timeline.Oper, 0)}}, CableFail, true, "shut by hand", "the link is down at sw2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.c.judge()
			if r.Verdict != tt.verdict || r.Settled != tt.settled {
				t.Errorf("got %s, settled %v; want %s, %v: %v", r.Verdict, r.Settled, tt.verdict, tt.settled, r.Reasons)
			}
			if (tt.first == "") != (r.First == "") || !strings.Contains(r.First, tt.first) {
				t.Errorf("look first: got %q, want %q in it", r.First, tt.first)
			}
			if !strings.Contains(strings.Join(r.Reasons, "; "), tt.reason) {
				t.Errorf("reasons: got %q, want %q in them", r.Reasons, tt.reason)
			}
			if tt.c.one && r.Confidence > 0.6 {
				t.Errorf("one side alone has confidence %.2f", r.Confidence)
			}
		})
	}
}

// sampleFor is a counter that rose by n in so many seconds.
func sampleFor(sub timeline.Subject, m timeline.Metric, seconds, n float64) timeline.Record {
	return timeline.Sample{Subject: sub, Metric: m, Span: span(0, seconds), Value: n / seconds}
}

func TestNoErrorInNBitsIsBelowThreeOverN(t *testing.T) {
	w := cableCase{speed: 1e9, seconds: 10, rate: 1e9}.judge().Ways[0]
	if w.BER != 0 || w.Low != 0 || math.Abs(w.High*w.Bits-3) > 0.01 {
		t.Errorf("got %g, %g to %g of %g bits", w.BER, w.Low, w.High, w.Bits)
	}
}

func TestTimeToDecide(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    cableCase
		want time.Duration // 0: it can't be told
	}{
		{"3e10 bits at 1 Gbit/s, 10 s of which are done", cableCase{speed: 1e9, seconds: 10, rate: 1e9}, 20 * time.Second},
		{"3e12 bits at 10 Gbit/s, a minute of which is done", cableCase{speed: 10e9, seconds: 60, rate: 10e9}, 240 * time.Second},
		{"a tenth of the rate takes ten times as long", cableCase{speed: 1e9, seconds: 10, rate: 1e8}, 290 * time.Second},
		{"without traffic it never ends", cableCase{speed: 1e9, seconds: 10}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			w := tt.c.judge().Ways[0]
			if w.MoreKnown != (tt.want > 0) || (w.More-tt.want).Abs() > tt.want/50 {
				t.Errorf("got %v (known: %v), want %v", w.More, w.MoreKnown, tt.want)
			}
		})
	}
}

func TestCountersThatAreRefreshedRarelyNeedALongerTest(t *testing.T) {
	refresh := timeline.Sample{Subject: timeline.Device("sw1"), Metric: timeline.RefreshPeriod, Span: span(1, 2), Value: 10}
	short := cableCase{speed: 1e8, seconds: 20, rate: 1e8, bad: [2]float64{5000, 0}, more: []timeline.Record{refresh}}.judge().Ways[1]
	if short.Verdict != CableUndecided || short.Settled {
		t.Errorf("two refreshes: got %s, settled %v", short.Verdict, short.Settled)
	}
	long := cableCase{speed: 1e8, seconds: 100, rate: 1e8, bad: [2]float64{5000, 0}, more: []timeline.Record{refresh}}.judge().Ways[1]
	sharp := cableCase{speed: 1e8, seconds: 100, rate: 1e8, bad: [2]float64{5000, 0}}.judge().Ways[1]
	if long.Verdict != CableFail || !(long.Low < sharp.Low && long.High > sharp.High) {
		t.Errorf("ten refreshes: %s, %g to %g, against %g to %g", long.Verdict, long.Low, long.High, sharp.Low, sharp.High)
	}
}

func TestIntervalCoversTheInjectedRate(t *testing.T) {
	const runs, frames = 100, 200_000
	for _, rate := range []float64{1e-3, 1e-4, 3e-5, 1e-5} {
		rng := rand.New(rand.NewPCG(1, uint64(rate*1e9)))
		covered := 0
		for range runs {
			bad := 0.0
			for gap := 0; ; bad++ { // frames between two bad ones
				if gap += 1 + int(math.Log(1-rng.Float64())/math.Log1p(-rate)); gap > frames {
					break
				}
			}
			w := CableWay{Bad: bad, Frames: frames}
			if _, low, high := w.FrameRatio(); low <= rate && rate <= high {
				covered++
			}
		}
		if covered < 90 {
			t.Errorf("rate %g: the interval covers it in %d of %d runs", rate, covered, runs)
		}
	}
}

func TestPoissonIntervalIsTheTabulatedOne(t *testing.T) {
	for _, tt := range []struct{ count, low, high float64 }{ // Garwood's table
		{0, 0, 2.996}, {1, 0.0253, 5.572}, {10, 4.795, 18.39}, {100, 81.36, 121.63},
	} {
		low, high := PoissonInterval(tt.count)
		if math.Abs(low-tt.low) > 0.01 || math.Abs(high-tt.high) > 0.01 {
			t.Errorf("%g: got %g to %g, want %g to %g", tt.count, low, high, tt.low, tt.high)
		}
	}
	below, _ := PoissonInterval(9999)
	above, _ := PoissonInterval(10000)
	if d := above - below; d < 0.9 || d > 1.1 {
		t.Errorf("the approximation of large counts leaves the exact value by %g", d-1)
	}
}

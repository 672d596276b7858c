package correlate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// side is one record of a path and a port: goodput around a mean, errors per packet, and a speed.
type side struct {
	goodput, errors, speed float64
	burst                  bool // all errors in one second
	seconds                int
	path                   string
	outages                int
}

func (x side) snapshot(seed uint64) timeline.Snapshot {
	rnd := rand.New(rand.NewPCG(seed, 1))
	start := time.Date(2026, 3, 2, 9, 0, 0, 0, time.UTC)
	var s timeline.Store
	left := 0.0
	for i := range x.seconds {
		sp := timeline.Span{From: start.Add(time.Duration(i) * time.Second), To: start.Add(time.Duration(i+1) * time.Second)}
		put := func(sub timeline.Subject, m timeline.Metric, v float64) {
			s.Put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v})
		}
		put(timeline.Path(x.path), timeline.GoodputForward, x.goodput*(1+0.05*rnd.NormFloat64()))
		port := timeline.Port("sw1", "Gi0/1")
		put(port, timeline.InPackets, 10000)
		put(port, timeline.Speed, x.speed)
		left += 10000 * x.errors
		n := 0.0
		if !x.burst {
			n = math.Floor(left)
			left -= n
		} else if i == x.seconds/2 {
			n = math.Floor(10000 * x.errors * float64(x.seconds))
		}
		put(port, timeline.InFCS, n)
	}
	for i := range x.outages {
		at := start.Add(time.Duration(i+1) * 10 * time.Second)
		s.Put(timeline.Event{Subject: timeline.Path(x.path), Type: timeline.EventOutage, Span: timeline.Span{From: at, To: at.Add(time.Second)}})
	}
	return s.Snapshot()
}

func TestCompare(t *testing.T) {
	good := side{goodput: 94e6, speed: 100e6, seconds: 120, path: "a-b"}
	type want map[timeline.Metric]Became
	tests := []struct {
		name   string
		change func(*side)
		want   want
	}{
		{"the same again", func(*side) {}, want{timeline.GoodputForward: Same, timeline.InFCS: Same, timeline.Speed: Same}},
		{"a better cable", func(b *side) { b.goodput, b.speed = 940e6, 1e9 }, want{timeline.GoodputForward: Rose, timeline.Speed: Rose, timeline.InFCS: Same}},
		{"a worse cable", func(b *side) { b.errors = 1e-3 }, want{timeline.InFCS: Rose, timeline.GoodputForward: Same}},
		{"one burst of errors is one event", func(b *side) { b.errors, b.burst = 1e-3, true }, want{timeline.InFCS: Same}},
		{"a path that goes dark", func(b *side) { b.outages = 11 }, want{timeline.Metric(timeline.EventOutage): Rose}},
		{"the only path under another name", func(b *side) { b.path, b.goodput = "office", 50e6 }, want{timeline.GoodputForward: Fell}},
		{"too short to say", func(b *side) { b.seconds, b.goodput = 2, 60e6 }, want{timeline.GoodputForward: Unknown}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			other := good
			tt.change(&other)
			for _, c := range Compare(good.snapshot(1), other.snapshot(2)) {
				if w, ok := tt.want[c.Metric]; ok {
					delete(tt.want, c.Metric)
					if c.Verdict != w {
						t.Errorf("%s: %s, want %s: %+v against %+v, chance %v", c.Metric, c.Verdict, w, c.A, c.B, c.Chance)
					}
				}
			}
			if len(tt.want) > 0 {
				t.Errorf("not compared: %v", tt.want)
			}
		})
	}
}

// Of many pairs of equal records, at most one in twenty may show any difference.
func TestCompareSeldomFindsWhatIsNotThere(t *testing.T) {
	false1 := 0
	const pairs = 200
	for i := range uint64(pairs) {
		a := side{goodput: 94e6, speed: 100e6, seconds: 60, path: "a-b", errors: 2e-5, outages: 2}
		for _, c := range Compare(a.snapshot(2*i), a.snapshot(2*i+1)) {
			if c.Verdict == Rose || c.Verdict == Fell {
				false1++
				break
			}
		}
	}
	if false1 > pairs/10 {
		t.Errorf("%d of %d pairs differ", false1, pairs)
	}
}

// Incomplete beta and Poisson values were summed term by term; those of t are in every table.
func TestDistributions(t *testing.T) {
	tests := []struct {
		name      string
		got, want float64
	}{
		{"t, 9 degrees of freedom", student(9), 2.262157},
		{"t, 2 degrees of freedom", student(2), 4.302653},
		{"incomplete beta", betaRegularized(2, 3, 0.4), 0.5248},
		{"incomplete beta, upper side", betaRegularized(30, 10, 0.8), 0.7586405},
		{"no event in N: the rule of three", counted(0, 1).High, 3.688879},
		{"ten events, lower", counted(10, 1).Low, 4.795389},
		{"ten events, upper", counted(10, 1).High, 18.39036},
		{"5 against 15 in equal times", poisson(counted(5, 1), counted(15, 1)), 0.04138947},
	}
	for _, tt := range tests {
		if math.Abs(tt.got-tt.want) > 1e-4*tt.want+1e-9 {
			t.Errorf("%s: %.7g, want %.7g", tt.name, tt.got, tt.want)
		}
	}
}

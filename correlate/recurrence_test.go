package correlate

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestARhythmIsFound(t *testing.T) {
	midnight := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	random := rand.New(rand.NewPCG(3, 4))
	every := func(period, first, jitter time.Duration, beats ...int) (out []time.Time) {
		for _, b := range beats {
			out = append(out, midnight.Add(first+time.Duration(b)*period+time.Duration((random.Float64()-0.5)*2*float64(jitter))))
		}
		return out
	}
	upTo := func(n int) (out []int) {
		for i := range n {
			out = append(out, i)
		}
		return out
	}
	anywhere := func(n int, within time.Duration) (out []time.Time) {
		for range n {
			out = append(out, midnight.Add(time.Duration(random.Int64N(int64(within)))))
		}
		return out
	}
	var pairs []time.Time // a flap there and back is one thing
	for _, at := range every(time.Hour, 10*time.Minute, time.Second, upTo(8)...) {
		pairs = append(pairs, at, at.Add(20*time.Second))
	}
	for _, tt := range []struct {
		name   string
		begins []time.Time
		period time.Duration // 0: none
		phase  time.Duration // of a daily one
		times  int
		beats  int
	}{
		{"a job every five minutes", every(5*time.Minute, 70*time.Second, time.Second, upTo(9)...), 5 * time.Minute, 70 * time.Second, 9, 9},
		{"not on every beat", every(time.Minute, 12*time.Second, time.Second, 0, 3, 4, 9, 15, 22, 40), time.Minute, 12 * time.Second, 7, 41},
		{"a backup every night", every(24*time.Hour, 2*time.Hour+10*time.Minute, 4*time.Minute, upTo(6)...), 24 * time.Hour, 2*time.Hour + 10*time.Minute, 6, 6},
		{"a flap there and back every hour", pairs, time.Hour, 10 * time.Minute, 8, 8},
		{"a timer that no clock has", every(47300*time.Millisecond, 0, 300*time.Millisecond, upTo(12)...), 47300 * time.Millisecond, -1, 12, 12},
		{"three are no rhythm", every(5*time.Minute, 0, 0, 0, 1, 2), 0, 0, 0, 0},
		{"at any time", anywhere(30, 6*time.Hour), 0, 0, 0, 0},
		{"at any time of days", anywhere(12, 10*24*time.Hour), 0, 0, 0, 0},
		{"two nights", every(24*time.Hour, 2*time.Hour, time.Minute, 0, 1), 0, 0, 0, 0},
		{"more often than anything that comes back", every(2*time.Second, 0, 0, upTo(30)...), 0, 0, 0, 0},
		{"all at once", every(0, time.Hour, 0, 0, 0, 0, 0, 0), 0, 0, 0, 0},
		{"nothing", nil, 0, 0, 0, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			random.Shuffle(len(tt.begins), func(i, j int) { tt.begins[i], tt.begins[j] = tt.begins[j], tt.begins[i] })
			r, ok := Recurs(tt.begins)
			if ok != (tt.period > 0) {
				t.Fatalf("found %v: %+v", ok, r)
			}
			if !ok {
				return
			}
			if (r.Period-tt.period).Abs() > tt.period/100 || r.Times != tt.times || r.Beats != tt.beats || r.Chance > 0.01 || r.Spread > tt.period/20 {
				t.Errorf("got %+v, want every %s, %d times on %d beats", r, tt.period, tt.times, tt.beats)
			}
			if daily := tt.phase >= 0; r.Daily != daily || daily && (r.Phase-tt.phase).Abs() > tt.period/50 {
				t.Errorf("phase %s, of the day %v; want %s, %v", r.Phase, r.Daily, tt.phase, daily)
			}
		})
	}
}

// Of begins that lie anywhere, hardly any are said to have a rhythm: the probability that is told is kept.
func TestChanceHasNoRhythm(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	found := 0
	const runs = 2000
	for range runs {
		begins := make([]time.Time, 4+random.IntN(20))
		within := time.Duration(math.Exp(random.Float64()*8) * float64(5*time.Minute)) // minutes to days
		for i := range begins {
			begins[i] = start.Add(time.Duration(random.Int64N(int64(within))))
		}
		if _, ok := Recurs(begins); ok {
			found++
		}
	}
	if most := int(2 * recursChance * runs); found > most {
		t.Errorf("a rhythm was found %d times of %d, want at most %d", found, runs, most)
	}
}

func TestTroubleUnderLoad(t *testing.T) {
	port := timeline.Port("sw1", "a")
	load := func(at int) float64 { // busy for 12 of each 50 s
		if at%50 >= 38 {
			return 0.9
		}
		return 0.2
	}
	series := func(of func(int) float64) (out []timeline.Record) {
		for i := range 1000 {
			out = append(out, timeline.Sample{Subject: port, Metric: timeline.Utilisation, Span: span(float64(i), float64(i+1)), Value: of(i)})
		}
		return out
	}
	at := func(second float64) (out []timeline.Span) {
		for b := range 8 {
			out = append(out, span(float64(50*b)+second, float64(50*b)+second+1))
		}
		return out
	}
	for _, tt := range []struct {
		name    string
		records []timeline.Record
		trouble []timeline.Span
		known   bool
		busy    int
	}{
		{"in the busy fifth", series(load), at(47), true, 8},
		{"in the quiet time", series(load), at(27), true, 0},
		{"the load does not vary", series(func(int) float64 { return 0.5 }), at(47), false, 0},
		{"the load is not known", nil, at(47), false, 0},
		{"too seldom", series(load), at(47)[:3], false, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			l, known := UnderLoad(BusiestPort(snap(tt.records), site, site.Paths[0]), tt.trouble)
			if known != tt.known || known && (l.Busy != tt.busy || l.Times != 8) {
				t.Errorf("got %+v, %v", l, known)
			}
			if known && (l.Chance < 0.001) != (tt.busy == 8) {
				t.Errorf("chance %g of %d in %d", l.Chance, l.Busy, l.Times)
			}
		})
	}
}

package correlate

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
)

func TestEpisodes(t *testing.T) {
	p := timeline.Path("p")
	offered := site
	offered.Paths = []Path{{Name: "p", Rate: 50e6, Hops: site.Paths[0].Hops}}
	flow := func(from, to int, v float64) []timeline.Record { return rate(p, timeline.GoodputForward, from, to, v) }
	swing := func(from, to int) []timeline.Record {
		var out []timeline.Record
		for i := from; i < to; i++ {
			out = append(out, rate(p, timeline.GoodputForward, i, i+1, []float64{5e6, 35e6, 20e6, 10e6}[i%4])...)
		}
		return out
	}
	cases := []struct {
		name  string
		parts []any
		want  []EpisodeKind
		at    timeline.Span
	}{
		{"nothing", []any{flow(0, 60, 49e6)}, nil, timeline.Span{}},
		{"a flat stretch below what is offered", []any{flow(0, 20, 49e6), flow(20, 40, 9e6), flow(40, 60, 49e6)}, []EpisodeKind{Plateau}, span(20, 40)},
		{"an unsteady one", []any{flow(0, 20, 49e6), swing(20, 40), flow(40, 60, 49e6)}, []EpisodeKind{Dip}, span(20, 40)},
		{"two bad seconds are none", []any{flow(0, 20, 49e6), flow(20, 22, 9e6), flow(22, 60, 49e6)}, nil, timeline.Span{}},
		{"zero in a stall belongs to the stall", []any{flow(0, 20, 49e6), flow(20, 23, 0), flow(23, 60, 49e6), outage("forward", "tcp", span(20, 23))}, []EpisodeKind{Stall}, span(20, 23)},
		{"heartbeats lost now and then", []any{rate(p, timeline.LossForward, 0, 20, 0), rate(p, timeline.LossForward, 20, 21, 0.02), rate(p, timeline.LossForward, 21, 25, 0),
			rate(p, timeline.LossForward, 25, 26, 0.04), rate(p, timeline.LossForward, 26, 60, 0)}, []EpisodeKind{LossBurst}, span(20, 26)},
		{"one heartbeat lost", []any{rate(p, timeline.LossForward, 0, 20, 0), rate(p, timeline.LossForward, 20, 21, 0.02), rate(p, timeline.LossForward, 21, 60, 0)}, nil, timeline.Span{}},
		{"the delay rises and stays", []any{rate(p, timeline.RTT, 0, 20, 0.002), rate(p, timeline.RTT, 20, 40, 0.05), rate(p, timeline.RTT, 40, 60, 0.002)}, []EpisodeKind{Delay}, span(20, 40)},
		{"a second of delay", []any{rate(p, timeline.RTT, 0, 20, 0.002), rate(p, timeline.RTT, 20, 21, 0.05), rate(p, timeline.RTT, 21, 60, 0.002)}, nil, timeline.Span{}},
		{"always slow is the path's own", []any{rate(p, timeline.RTT, 0, 60, 0.08)}, nil, timeline.Span{}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Episodes(snap(c.parts...), offered)
			var kinds []EpisodeKind
			for _, e := range got {
				kinds = append(kinds, e.Kind)
			}
			if !slices.Equal(kinds, c.want) {
				t.Fatalf("got %v, want %v", kinds, c.want)
			}
			if len(got) == 1 && got[0].Span != c.at {
				t.Errorf("at %v to %v, want %v to %v", got[0].Span.From, got[0].Span.To, c.at.From, c.at.To)
			}
		})
	}
}

func TestPathsThatOnlyTheRecordsKnowAreLookedAtToo(t *testing.T) {
	s := snap(rate(timeline.Path("other"), timeline.RTT, 0, 20, 0.002), rate(timeline.Path("other"), timeline.RTT, 20, 40, 0.05))
	if got := Episodes(s, Topology{}); len(got) != 1 || got[0].Path != "other" {
		t.Errorf("got %v", got)
	}
}

func TestResample(t *testing.T) {
	sample := func(from, to, v float64) timeline.Sample {
		return timeline.Sample{Span: span(from, to), Value: v}
	}
	got := Resample([]timeline.Sample{sample(0, 0.5, 10), sample(0.5, 1.5, 20), sample(2.8, 3, 7), sample(4.5, 4.5, 3)}, span(0, 5), time.Second)
	want := []float64{15, 20, math.NaN(), math.NaN(), 3} // the third second is covered by a fifth only
	for i, w := range want {
		if g := got.Values[i]; g != w && !(math.IsNaN(g) && math.IsNaN(w)) {
			t.Errorf("bin %d is %v, want %v", i, g, w)
		}
	}
}

func TestResampleKeepsTheTotal(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var samples []timeline.Sample
		at, sum := 0.0, 0.0
		for range rapid.IntRange(1, 60).Draw(t, "n") {
			w, v := rapid.Float64Range(0.01, 2).Draw(t, "width"), rapid.Float64Range(0, 1e9).Draw(t, "value")
			samples = append(samples, timeline.Sample{Span: span(at, at+w), Value: v})
			at += w
			sum += v * samples[len(samples)-1].Span.Width().Seconds()
		}
		whole := timeline.Span{From: samples[0].Span.From, To: samples[len(samples)-1].Span.To}
		if got := Total(samples, whole); math.Abs(got-sum) > 1e-6*sum+1e-9 {
			t.Fatalf("total %v, want %v", got, sum)
		}
		b := Resample(samples, whole, 100*time.Millisecond)
		low, high := Quantile(valuesOf(samples), 0), Quantile(valuesOf(samples), 1)
		for i, v := range b.Values {
			if v < low-1e-6*high || v > high*(1+1e-9) {
				t.Fatalf("bin %d is %v, outside of %v to %v", i, v, low, high)
			}
		}
	})
}

func valuesOf(samples []timeline.Sample) []float64 {
	out := make([]float64, len(samples))
	for i, s := range samples {
		out[i] = s.Value
	}
	return out
}

func TestQuantile(t *testing.T) {
	v := []float64{4, math.NaN(), 1, 3, 2}
	for q, want := range map[float64]float64{0: 1, 0.5: 2.5, 1: 4} {
		if got := Quantile(v, q); got != want {
			t.Errorf("quantile %v is %v, want %v", q, got, want)
		}
	}
	if !math.IsNaN(Quantile(nil, 0.5)) {
		t.Error("the median of nothing is known")
	}
}

func TestMeanWeighsByTime(t *testing.T) {
	s := []timeline.Sample{{Span: span(0, 1), Value: 10}, {Span: span(1, 4), Value: 2}}
	if got := Mean(s, span(0, 4)); got != 4 {
		t.Errorf("mean is %v, want 4", got)
	}
	if got := Mean(s, span(0.5, 1.5)); got != 6 {
		t.Errorf("mean of the middle is %v, want 6", got)
	}
	if !math.IsNaN(Mean(s, span(9, 10))) {
		t.Error("the mean of nothing is known")
	}
}

package correlate

import (
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// The bins that a span touches are those that one by one overlap it, however the span lies.
func TestTouchedFindsTheBinsThatOverlapASpan(t *testing.T) {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	b := Bins{From: start, Width: time.Second, Values: make([]float64, 20)}
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 2000 {
		var spans []timeline.Span
		for range rnd.IntN(4) {
			// Half seconds, so that ends often fall on the edges of bins; before, over and behind all of them.
			from := start.Add(time.Duration(rnd.IntN(60)-10) * time.Second / 2)
			spans = append(spans, timeline.Span{From: from, To: from.Add(time.Duration(rnd.IntN(12)) * time.Second / 2)})
		}
		for i, got := range b.Touched(spans) {
			if want := slices.ContainsFunc(spans, b.Span(i).Overlaps); got != want {
				t.Fatalf("bin %d of %v: got %v, want %v", i, spans, got, want)
			}
		}
	}
}

// A bin lies at least half inside a span if its middle does.
func TestPartKeepsTheBinsWhoseMiddleLiesInTheSpan(t *testing.T) {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	b := Bins{From: start, Width: time.Second, Values: []float64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}}
	for from := -3 * time.Second; from < 12*time.Second; from += 250 * time.Millisecond {
		for length := time.Duration(0); length < 14*time.Second; length += 250 * time.Millisecond {
			sp := timeline.Span{From: start.Add(from), To: start.Add(from + length)}
			var want []float64
			for i, v := range b.Values {
				if mid := b.Span(i).Mid(); !mid.Before(sp.From) && !mid.After(sp.To) {
					want = append(want, v)
				}
			}
			if got := b.Within(sp); !slices.Equal(got, want) {
				t.Fatalf("from %v for %v: got %v, want %v", from, length, got, want)
			}
			if p := b.Part(sp); len(want) > 0 && p.Span(0) != b.Span(int(want[0])) {
				t.Fatalf("from %v for %v: the part begins with %v, want bin %v", from, length, p.Span(0), want[0])
			}
		}
	}
}

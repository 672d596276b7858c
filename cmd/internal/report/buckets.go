package report

import (
	"math"

	"whydrop/correlate/timeline"
)

// Bucket is what is known of one column of a chart. N 0 means that nothing is: a chart leaves it blank.
type Bucket struct {
	N              int
	Min, Max, Mean float64
}

// Buckets divides the span into n columns and sums the samples up in each. A sample counts in every column that
// its own span touches, so a slow series has no holes that are not there.
func Buckets(samples []timeline.Sample, span timeline.Span, n int) []Bucket {
	out := make([]Bucket, max(n, 0))
	width := span.Width()
	if n <= 0 || width <= 0 {
		return out
	}
	for _, s := range samples {
		if !finite(s.Value) || !s.Span.Overlaps(span) {
			continue
		}
		first := int(math.Floor(float64(s.Span.From.Sub(span.From)) / float64(width) * float64(n)))
		last := int(math.Ceil(float64(s.Span.To.Sub(span.From))/float64(width)*float64(n))) - 1
		for i := max(first, 0); i <= min(max(first, last), n-1); i++ {
			out[i].add(s.Value)
		}
	}
	return out
}

func (b *Bucket) add(v float64) {
	if b.N == 0 {
		*b = Bucket{N: 1, Min: v, Max: v, Mean: v}
		return
	}
	b.N++
	b.Min, b.Max = min(b.Min, v), max(b.Max, v)
	b.Mean += (v - b.Mean) / float64(b.N)
}

// Highest returns the largest value in the columns; 0 if nothing is known.
func Highest(bs []Bucket) float64 {
	hi := 0.0
	for _, b := range bs {
		if b.N > 0 {
			hi = max(hi, b.Max)
		}
	}
	return hi
}

// NiceCeil returns the next round number (one or two digits times a power of ten) that is not below v; 1 for v <= 0.
// The end of an axis that is labelled with it can be read.
func NiceCeil(v float64) float64 {
	if v <= 0 || !finite(v) {
		return 1
	}
	p := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 1.2, 1.5, 2, 2.5, 3, 4, 5, 6, 8} {
		if v <= m*p*(1+1e-9) {
			return m * p
		}
	}
	return 10 * p
}

package correlate

import (
	"math"
	"slices"
	"sort"
	"time"

	"whydrop/correlate/timeline"
)

// Bins is a series in bins of equal width, so that series of different cadence can be compared. A bin of which
// less than a third is covered by samples is not known: NaN.
type Bins struct {
	From   time.Time
	Width  time.Duration
	Values []float64
}

// point is the weight of a sample without length, which says how something was at a moment.
const point = time.Millisecond

// Resample returns the samples' means over bins of the given width, from sp.From to sp.To.
func Resample(samples []timeline.Sample, sp timeline.Span, width time.Duration) Bins {
	n := int((sp.Width() + width - 1) / width)
	if n <= 0 || width <= 0 {
		return Bins{From: sp.From, Width: width}
	}
	b := Bins{From: sp.From, Width: width, Values: make([]float64, n)}
	weight := make([]float64, n)
	points := make([]bool, n)
	for _, x := range samples {
		a, z := x.Span.From.Sub(sp.From), x.Span.To.Sub(sp.From)
		if z == a {
			z = a + point
		}
		lo, hi := max(0, int(a/width)), min(n-1, int((z-1)/width))
		if a < 0 && z <= 0 {
			continue
		}
		for i := lo; i <= hi; i++ {
			from, to := max(a, time.Duration(i)*width), min(z, time.Duration(i+1)*width)
			if to <= from {
				continue
			}
			w := float64(to - from)
			b.Values[i] += x.Value * w
			weight[i] += w
			points[i] = points[i] || z-a == point
		}
	}
	for i, w := range weight {
		if w == 0 || w < float64(width)/3 && !points[i] {
			b.Values[i] = math.NaN()
		} else {
			b.Values[i] /= w
		}
	}
	return b
}

// Span returns the time that bin i stands for.
func (b Bins) Span(i int) timeline.Span {
	from := b.From.Add(time.Duration(i) * b.Width)
	return timeline.Span{From: from, To: from.Add(b.Width)}
}

// Part returns the bins that lie at least half inside the span; their values are those of b.
func (b Bins) Part(sp timeline.Span) Bins {
	if b.Width <= 0 {
		return Bins{From: b.From}
	}
	first := max(0, floor(sp.From.Sub(b.From)-b.Width/2-1, b.Width)+1)
	last := min(len(b.Values)-1, floor(sp.To.Sub(b.From)-b.Width/2, b.Width))
	if last < first {
		return Bins{From: b.From, Width: b.Width}
	}
	return Bins{From: b.Span(first).From, Width: b.Width, Values: b.Values[first : last+1]}
}

// Within returns the known values of the bins that lie at least half inside the span.
func (b Bins) Within(sp timeline.Span) []float64 { return b.Part(sp).Without(nil) }

// Without returns the known values of the bins that touch none of the spans.
func (b Bins) Without(spans []timeline.Span) []float64 {
	out := make([]float64, 0, len(b.Values))
	touched := b.Touched(spans)
	for i, v := range b.Values {
		if !touched[i] && !math.IsNaN(v) {
			out = append(out, v)
		}
	}
	return out
}

// Touched says of each bin whether it touches one of the spans, ends included. It looks at the bins of the spans alone:
// a day has 86400 bins, and there may be many spans.
func (b Bins) Touched(spans []timeline.Span) []bool {
	out := make([]bool, len(b.Values))
	if b.Width <= 0 {
		return out
	}
	for _, sp := range spans {
		// The first bin that ends at or after the span's beginning, and the last that begins at or before its end.
		first, last := floor(sp.From.Sub(b.From)-1, b.Width), floor(sp.To.Sub(b.From), b.Width)
		for i := max(0, first); i <= min(last, len(out)-1); i++ {
			out[i] = true
		}
	}
	return out
}

// floor returns how many whole widths there are in d, less than zero before the first bin.
func floor(d, width time.Duration) int {
	n := int(d / width)
	if d%width < 0 {
		n--
	}
	return n
}

// Quantile returns the q-quantile (0-1) of the values, NaN if there are none.
func Quantile(values []float64, q float64) float64 {
	v := slices.DeleteFunc(slices.Clone(values), math.IsNaN)
	if len(v) == 0 {
		return math.NaN()
	}
	sort.Float64s(v)
	x := q * float64(len(v)-1)
	i := int(x)
	if i+1 >= len(v) {
		return v[len(v)-1]
	}
	return v[i] + (x-float64(i))*(v[i+1]-v[i])
}

// Mean returns the mean of the samples over the span, each weighed by the time it covers; NaN if none does.
func Mean(samples []timeline.Sample, sp timeline.Span) float64 {
	sum, weight := 0.0, 0.0
	for _, x := range samples {
		if w := overlap(x.Span, sp); w > 0 {
			sum += x.Value * w
			weight += w
		}
	}
	if weight == 0 {
		return math.NaN()
	}
	return sum / weight
}

// Total returns how much the rate that the samples tell came to over the span: packets of packet/s. It is NaN if no
// sample covers any of it.
func Total(samples []timeline.Sample, sp timeline.Span) float64 {
	sum, known := 0.0, false
	for _, x := range samples {
		if w := overlap(x.Span, sp); w > 0 {
			known = true
			sum += x.Value * w
		}
	}
	if !known {
		return math.NaN()
	}
	return sum
}

// overlap returns how long two spans share, in seconds; a moment inside weighs a point.
func overlap(a, b timeline.Span) float64 {
	if a.Width() == 0 {
		a.To = a.To.Add(point)
	}
	from, to := a.From, a.To
	if b.From.After(from) {
		from = b.From
	}
	if b.To.Before(to) {
		to = b.To
	}
	return max(0, to.Sub(from).Seconds())
}

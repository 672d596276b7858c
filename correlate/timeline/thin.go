package timeline

import (
	"sort"
	"time"
)

// Thinning: a watch of days must fit into memory and still explain the first hour at the end. So what is older
// than Store.Detail is kept as means over coarse spans, except around events, where every sample stays.
const (
	coarse  = 10 * time.Second // one sample per series for each of these
	nearby  = time.Minute      // how far around an event everything is kept
	thinMin = time.Minute      // thin no more often than this
)

// thin replaces old samples by means over coarse spans. The caller holds mu.
func (s *Store) thin() {
	if s.Detail <= 0 {
		return
	}
	if s.thinned.IsZero() {
		s.thinned = s.newest.Add(-s.Detail)
	}
	limit := s.newest.Add(-s.Detail).Truncate(coarse)
	if limit.Sub(s.thinned) < thinMin {
		return
	}
	keep := s.notable()
	for k, v := range s.samples {
		s.samples[k] = thinSeries(v, s.thinned, limit, keep)
	}
	s.thinned = limit
}

// notable returns the spans around events for which all samples are kept, ordered and joined.
func (s *Store) notable() []Span {
	var spans []Span
	for _, e := range s.events {
		if e.Type != EventSyslog {
			spans = append(spans, e.Span.Widen(nearby, nearby))
		}
	}
	sort.Slice(spans, func(i, j int) bool { return spans[i].From.Before(spans[j].From) })
	var joined []Span
	for _, sp := range spans {
		if n := len(joined); n > 0 && joined[n-1].Overlaps(sp) {
			joined[n-1] = joined[n-1].Union(sp)
		} else {
			joined = append(joined, sp)
		}
	}
	return joined
}

// thinSeries returns v with the samples that end in [from, limit) and lie near no event merged. It never changes v.
func thinSeries(v []Sample, from, limit time.Time, keep []Span) []Sample {
	i := sort.Search(len(v), func(i int) bool { return !v[i].Span.To.Before(from) })
	j := sort.Search(len(v), func(i int) bool { return !v[i].Span.To.Before(limit) })
	if j-i < 2 {
		return v
	}
	out := append(make([]Sample, 0, len(v)-(j-i)/2), v[:i]...)
	var group []Sample
	flush := func() {
		if len(group) > 0 {
			out = append(out, mean(group))
			group = group[:0]
		}
	}
	for _, x := range v[i:j] {
		if inside(keep, x.Span) {
			flush()
			out = append(out, x)
			continue
		}
		if len(group) > 0 && !x.Span.To.Truncate(coarse).Equal(group[0].Span.To.Truncate(coarse)) {
			flush()
		}
		group = append(group, x)
	}
	flush()
	return append(out, v[j:]...)
}

func inside(keep []Span, sp Span) bool {
	i := sort.Search(len(keep), func(i int) bool { return !keep[i].To.Before(sp.From) })
	return i < len(keep) && keep[i].Overlaps(sp)
}

// mean returns one sample for the group: its value weighted by time, so that a rate's total stays the same.
func mean(group []Sample) Sample {
	out := group[0]
	var sum, weight float64
	for _, x := range group {
		w := max(x.Span.Width().Seconds(), 1e-3)
		sum += x.Value * w
		weight += w
		out.Span = out.Span.Union(x.Span)
	}
	out.Value = sum / weight
	return out
}

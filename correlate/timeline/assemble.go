package timeline

import (
	"slices"
	"sort"
)

// Assemble returns a snapshot of series, events and gaps that need no order yet. It takes the map and the slices
// over: the caller must not touch them afterwards. Every sample of a series must be of that series' subject and
// metric; series without samples are left out.
func Assemble(samples map[Key][]Sample, events []Event, gaps []Gap) Snapshot {
	out := Snapshot{samples: samples, events: ordered(events), gaps: ordered(gaps)}
	for k, v := range samples {
		if len(v) == 0 {
			delete(samples, k)
			continue
		}
		v = ordered(v)
		samples[k] = v
		for i := 1; i < len(v); i++ {
			if v[i].Span.From.Before(v[i-1].Span.From) {
				if out.ragged == nil {
					out.ragged = map[Key]bool{}
				}
				out.ragged[k] = true
				break
			}
		}
	}
	return out
}

// ordered sorts rs as a store keeps them, unless they are in order already.
func ordered[R Record](rs []R) []R {
	less := func(i, j int) bool { return compareSpans(rs[i].Covers(), rs[j].Covers()) < 0 }
	if !sort.SliceIsSorted(rs, less) {
		slices.SortStableFunc(rs, func(a, b R) int { return compareSpans(a.Covers(), b.Covers()) })
	}
	return slices.Clip(rs)
}

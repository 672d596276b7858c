package correlate

import "whydrop/correlate/timeline"

// Watched returns the time that was watched: from the first to the last figure, gap or word of a probe. A line of
// a device's log that tells of yesterday does not make yesterday watched.
func Watched(s timeline.Snapshot) timeline.Span {
	var out timeline.Span
	for _, k := range s.Keys() {
		v := s.Series(k.Subject, k.Metric)
		out = out.Union(v[0].Span).Union(v[len(v)-1].Span)
	}
	for _, g := range s.Gaps() {
		out = out.Union(g.Span)
	}
	for _, e := range s.Events() {
		if e.Kind == timeline.KindPath || e.Kind == timeline.KindHost {
			out = out.Union(e.Span)
		}
	}
	return out
}

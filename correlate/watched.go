package correlate

import "whydrop/correlate/timeline"

// Watched returns the time that was watched: from the first to the last figure, gap or word of a probe. A line of
// a device's log that tells of yesterday does not make yesterday watched, unless nothing at all was measured over time: then what
// devices and people tell is all there is.
func Watched(s timeline.Snapshot) timeline.Span {
	var out timeline.Span
	alone := len(s.Keys()) == 0
	for _, k := range s.Keys() {
		v := s.Series(k.Subject, k.Metric)
		out = out.Union(v[0].Span).Union(v[len(v)-1].Span)
	}
	for _, g := range s.Gaps() {
		out = out.Union(g.Span)
	}
	for _, e := range s.Events() {
		if e.Kind == timeline.KindPath || e.Kind == timeline.KindHost || alone {
			out = out.Union(e.Span)
		}
	}
	return out
}

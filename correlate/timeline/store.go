package timeline

import (
	"cmp"
	"maps"
	"slices"
	"sort"
	"sync"
	"time"
)

// Key names one series of samples.
type Key struct {
	Subject Subject
	Metric  Metric
}

// Store keeps records in memory and gives out snapshots. The zero value is ready to use and keeps everything.
// It is a [Sink].
type Store struct {
	// Retain, if not 0, is how far back samples, events and gaps are kept, counted from the newest record.
	// Old records leave in batches, so up to twice as much may be held for a while.
	Retain time.Duration
	// Detail, if not 0, is how far back every sample is kept. Older ones become means over ten seconds, except
	// within a minute of an event. Events and gaps are not affected.
	Detail time.Duration

	mu      sync.Mutex
	samples map[Key][]Sample
	ragged  map[Key]bool // series in which a sample begins before one that ends earlier
	events  []Event
	gaps    []Gap
	late    []Gap // gaps that belong before the last of gaps, in the order they came; settle puts them in their places
	newest  time.Time
	trimmed time.Time
	thinned time.Time // samples that end before it have been thinned
	version uint64
}

// Put adds a record. A record that is older than others of its series is put in its place.
func (s *Store) Put(r Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.version++
	switch r := r.(type) {
	case Sample:
		if s.samples == nil {
			s.samples = map[Key][]Sample{}
		}
		k := Key{r.Subject, r.Metric}
		before := s.samples[k]
		if n := len(before); n > 0 && !s.ragged[k] && (r.Span.From.Before(before[n-1].Span.From) || r.Span.To.Before(before[n-1].Span.To)) {
			// Copied, for snapshots share it. Several collectors of one series make this; it is rare.
			s.ragged = maps.Clone(s.ragged)
			if s.ragged == nil {
				s.ragged = map[Key]bool{}
			}
			s.ragged[k] = true
		}
		s.samples[k] = insert(before, r)
	case Event:
		s.events = insert(s.events, r)
	case Gap:
		if n := len(s.gaps); n > 0 && compareSpans(s.gaps[n-1].Span, r.Span) > 0 {
			s.late = append(s.late, r)
		} else {
			s.gaps = append(s.gaps, r)
		}
	}
	if to := r.Covers().To; to.After(s.newest) {
		s.newest = to
	}
	s.trim()
	s.thin()
}

// insert keeps rs ordered by the end of its spans. The slices given out by Snapshot share memory with rs, so
// what lies before len(rs) is never changed: a late record makes a new slice.
func insert[R Record](rs []R, r R) []R {
	if n := len(rs); n == 0 || compareSpans(rs[n-1].Covers(), r.Covers()) <= 0 {
		return append(rs, r)
	}
	i := sort.Search(len(rs), func(i int) bool { return compareSpans(rs[i].Covers(), r.Covers()) > 0 })
	out := make([]R, 0, len(rs)+len(rs)/4+1)
	out = append(out, rs[:i]...)
	out = append(out, r)
	return append(out, rs[i:]...)
}

// settle puts the late gaps in their places, all at once: where hundreds of devices are silent, most gaps are late by some
// milliseconds, and there are thousands a second.
func (s *Store) settle() {
	if len(s.late) == 0 {
		return
	}
	slices.SortStableFunc(s.late, func(a, b Gap) int { return compareSpans(a.Span, b.Span) })
	out := make([]Gap, 0, len(s.gaps)+len(s.late)) // a new slice, for snapshots share the old one
	rest := s.gaps
	for _, g := range s.late {
		i := sort.Search(len(rest), func(i int) bool { return compareSpans(rest[i].Span, g.Span) > 0 })
		out, rest = append(append(out, rest[:i]...), g), rest[i:]
	}
	s.gaps, s.late = append(out, rest...), nil
}

// compareSpans orders by end, then by beginning.
func compareSpans(a, b Span) int { return cmp.Or(a.To.Compare(b.To), a.From.Compare(b.From)) }

// trim drops what is older than Retain, once per Retain.
func (s *Store) trim() {
	if s.Retain <= 0 {
		return
	}
	if s.trimmed.IsZero() {
		s.trimmed = s.newest
	}
	if s.newest.Sub(s.trimmed) < s.Retain {
		return
	}
	s.trimmed = s.newest
	limit := s.newest.Add(-s.Retain)
	for k, v := range s.samples {
		if v = younger(v, limit); len(v) == 0 {
			delete(s.samples, k)
		} else {
			s.samples[k] = v
		}
	}
	s.settle()
	s.events, s.gaps = younger(s.events, limit), younger(s.gaps, limit)
}

func younger[R Record](rs []R, limit time.Time) []R {
	i := sort.Search(len(rs), func(i int) bool { return !rs[i].Covers().To.Before(limit) })
	return slices.Clone(rs[i:])
}

// Version grows with every record put; two snapshots of equal version are equal.
func (s *Store) Version() uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.version
}

// Snapshot returns what is known now. It is cheap: it shares memory with the store, which never changes what
// it has given out.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.settle()
	out := Snapshot{samples: make(map[Key][]Sample, len(s.samples)), ragged: s.ragged, events: slices.Clip(s.events), gaps: slices.Clip(s.gaps)}
	for k, v := range s.samples {
		out.samples[k] = slices.Clip(v)
	}
	return out
}

// Snapshot is an immutable view of a timeline. Its zero value is empty.
type Snapshot struct {
	samples map[Key][]Sample
	ragged  map[Key]bool // see Store
	events  []Event
	gaps    []Gap
}

// NewSnapshot returns a snapshot of the given records.
func NewSnapshot(records ...Record) Snapshot {
	var s Store
	for _, r := range records {
		s.Put(r)
	}
	return s.Snapshot()
}

// Span returns the time from the first to the last record; zero if there is none.
func (s Snapshot) Span() Span {
	var out Span
	add := func(sp Span) { out = out.Union(sp) }
	for k, v := range s.samples {
		add(v[0].Span)
		add(v[len(v)-1].Span)
		if s.ragged[k] {
			for _, x := range v {
				add(x.Span)
			}
		}
	}
	for _, e := range s.events {
		add(e.Span)
	}
	for _, g := range s.gaps {
		add(g.Span)
	}
	return out
}

// Keys returns the series there are, ordered by subject and metric.
func (s Snapshot) Keys() []Key {
	keys := make([]Key, 0, len(s.samples))
	for k := range s.samples {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b Key) int {
		return cmp.Or(a.Subject.Compare(b.Subject), cmp.Compare(a.Metric, b.Metric))
	})
	return keys
}

// Series returns the samples of one metric of one subject, ordered by the end of their spans. The caller must
// not change the slice.
func (s Snapshot) Series(sub Subject, m Metric) []Sample { return s.samples[Key{sub, m}] }

// Between returns the samples of one series that overlap the span, in order.
func (s Snapshot) Between(sub Subject, m Metric, sp Span) []Sample {
	v := s.Series(sub, m)
	i := sort.Search(len(v), func(i int) bool { return !v[i].Span.To.Before(sp.From) })
	if s.ragged[Key{sub, m}] {
		return overlapping(v[i:], sp)
	}
	j := i
	for j < len(v) && !v[j].Span.From.After(sp.To) {
		j++
	}
	return v[i:j]
}

// overlapping picks the samples that overlap the span where long ones stand among short ones.
func overlapping(v []Sample, sp Span) []Sample {
	var out []Sample
	for _, x := range v {
		if x.Span.Overlaps(sp) {
			out = append(out, x)
		}
	}
	return out
}

// Last returns the newest sample of a series, if there is one.
func (s Snapshot) Last(sub Subject, m Metric) (Sample, bool) {
	v := s.Series(sub, m)
	if len(v) == 0 {
		return Sample{}, false
	}
	return v[len(v)-1], true
}

// Events returns all events, ordered by the end of their spans. The caller must not change the slice.
func (s Snapshot) Events() []Event { return s.events }

// EventsOf returns the events of one subject with one of the given types (any type, if none is given), in order.
func (s Snapshot) EventsOf(sub Subject, types ...EventType) []Event {
	var out []Event
	for _, e := range s.events {
		if e.Subject == sub && (len(types) == 0 || slices.Contains(types, e.Type)) {
			out = append(out, e)
		}
	}
	return out
}

// Gaps returns all gaps, ordered by the end of their spans. The caller must not change the slice.
func (s Snapshot) Gaps() []Gap { return s.gaps }

// GapsOf returns the gaps of one subject that concern the metric: its own, and those for every metric.
func (s Snapshot) GapsOf(sub Subject, m Metric) []Gap {
	var out []Gap
	for _, g := range s.gaps {
		if g.Subject == sub && (g.Metric == m || g.Metric == "") {
			out = append(out, g)
		}
	}
	return out
}

// Subjects returns every subject that any record is about, ordered.
func (s Snapshot) Subjects() []Subject {
	seen := map[Subject]bool{}
	for k := range s.samples {
		seen[k.Subject] = true
	}
	for _, e := range s.events {
		seen[e.Subject] = true
	}
	for _, g := range s.gaps {
		seen[g.Subject] = true
	}
	out := make([]Subject, 0, len(seen))
	for sub := range seen {
		out = append(out, sub)
	}
	slices.SortFunc(out, Subject.Compare)
	return out
}

// Until returns the part of the timeline that was known at t: records whose span ended by then. A replay uses
// it to show a recording as it was live.
func (s Snapshot) Until(t time.Time) Snapshot {
	cut := Snapshot{samples: make(map[Key][]Sample, len(s.samples)), ragged: s.ragged, events: before(s.events, t), gaps: before(s.gaps, t)}
	for k, v := range s.samples {
		if v = before(v, t); len(v) > 0 {
			cut.samples[k] = v
		}
	}
	return cut
}

func before[R Record](rs []R, t time.Time) []R {
	i := sort.Search(len(rs), func(i int) bool { return rs[i].Covers().To.After(t) })
	return rs[:i:i]
}

package report

import (
	"math"
	"slices"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// The names in Examined.Metric that are no metrics.
const (
	MetricEvents = "events" // the row that counts a subject's events
	MetricAll    = "*"      // the row of a subject of which nothing was ever read
)

// examined lists every series with what it was good for, then for each subject its events, then what the site
// names and nothing was heard of. Rows are ordered by subject and metric.
func examined(s timeline.Snapshot, t correlate.Topology) []Examined {
	rows := map[timeline.Key]*Examined{}
	for _, k := range s.Keys() {
		fillSamples(rowFor(rows, t, k), s.Series(k.Subject, k.Metric))
	}
	addGaps(rows, s, t)
	for _, e := range s.Events() {
		rowFor(rows, t, timeline.Key{Subject: e.Subject, Metric: MetricEvents}).Events++
	}
	addUnheard(rows, t)
	return sortedRows(rows)
}

func rowFor(rows map[timeline.Key]*Examined, t correlate.Topology, k timeline.Key) *Examined {
	if r, ok := rows[k]; ok {
		return r
	}
	r := &Examined{
		Device: Clean(k.Subject.Device), Port: Clean(k.Subject.Name),
		Metric: Clean(string(k.Metric)), OnPath: t.OnPath(k.Subject), Reasons: map[string]int{},
	}
	if d, ok := timeline.Describe(k.Metric); ok {
		r.Unit = d.Unit
	}
	rows[k] = r
	return r
}

func fillSamples(r *Examined, v []timeline.Sample) {
	r.Samples = len(v)
	lo, hi := math.Inf(1), math.Inf(-1)
	for _, s := range v {
		if finite(s.Value) {
			lo, hi = min(lo, s.Value), max(hi, s.Value)
		}
	}
	if lo <= hi {
		r.Min, r.Max = &lo, &hi
	}
}

func finite(v float64) bool { return !math.IsNaN(v) && !math.IsInf(v, 0) }

// addGaps counts each gap in the row of its metric. A gap of every metric counts in each row of its subject, or
// in a row of its own if there is none.
func addGaps(rows map[timeline.Key]*Examined, s timeline.Snapshot, t correlate.Topology) {
	of := map[timeline.Subject][]*Examined{}
	whole := map[timeline.Subject]map[string]int{}
	for _, g := range s.Gaps() {
		if g.Metric == "" {
			if whole[g.Subject] == nil {
				whole[g.Subject] = map[string]int{}
			}
			whole[g.Subject][Clean(string(g.Reason))]++
			continue
		}
		r := rowFor(rows, t, timeline.Key{Subject: g.Subject, Metric: g.Metric})
		r.Gaps++
		r.Reasons[Clean(string(g.Reason))]++
	}
	for k, r := range rows {
		of[k.Subject] = append(of[k.Subject], r)
	}
	for sub, reasons := range whole {
		to := of[sub]
		if len(to) == 0 {
			to = []*Examined{rowFor(rows, t, timeline.Key{Subject: sub, Metric: MetricAll})}
		}
		for _, r := range to {
			for reason, n := range reasons {
				r.Gaps += n
				r.Reasons[reason] += n
			}
		}
	}
}

// addUnheard adds a row for each path, device and port of the site that no record is about: what was not looked
// at must be seen not to have been.
func addUnheard(rows map[timeline.Key]*Examined, t correlate.Topology) {
	heard := map[timeline.Subject]bool{}
	for k := range rows {
		heard[k.Subject] = true
		if k.Subject.Kind == timeline.KindPort {
			heard[timeline.Device(k.Subject.Device)] = true
		}
	}
	add := func(s timeline.Subject) {
		if !heard[s] {
			rowFor(rows, t, timeline.Key{Subject: s, Metric: MetricAll})
		}
	}
	for _, p := range t.Paths {
		add(timeline.Path(p.Name))
	}
	for _, d := range t.Devices {
		if d.Role == "host" && len(d.Ports)+len(d.OffPath) == 0 {
			continue
		}
		add(timeline.Device(d.Name))
		for _, p := range slices.Concat(d.Ports, d.OffPath) {
			add(timeline.Port(d.Name, p))
		}
	}
}

func sortedRows(rows map[timeline.Key]*Examined) []Examined {
	keys := make([]timeline.Key, 0, len(rows))
	for k := range rows {
		keys = append(keys, k)
	}
	slices.SortFunc(keys, func(a, b timeline.Key) int {
		if c := a.Subject.Compare(b.Subject); c != 0 {
			return c
		}
		return compareMetrics(string(a.Metric), string(b.Metric))
	})
	out := make([]Examined, 0, len(keys))
	for _, k := range keys {
		out = append(out, *rows[k])
	}
	return out
}

// compareMetrics orders by id, the events last.
func compareMetrics(a, b string) int {
	switch {
	case a == b:
		return 0
	case a == MetricEvents:
		return 1
	case b == MetricEvents:
		return -1
	case a < b:
		return -1
	}
	return 1
}

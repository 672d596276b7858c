package session

import (
	"math"
	"slices"
	"sort"
	"time"

	"whydrop/correlate/timeline"
)

// batch is what one frame holds: samples in groups of one collector, whose rows are the collector's readings and
// whose columns are series, so that the times of a reading are stored once and not once per series.
type batch struct {
	groups    []*group
	at        map[string]*group
	events    []timeline.Event
	gaps      []timeline.Gap
	exchanges []timeline.Exchange
	notes     []string // what the recorder has to say of itself: records it had to drop

	records  int   // samples, events and gaps
	from, to int64 // what they cover; 0, 0 if there are none
	covered  bool
}

type group struct {
	collector string
	rows      []row
	rowAt     map[row]int32
	cols      []*column
	colAt     map[timeline.Key]*column
	last      int32     // the row of the last sample
	every     []int32   // of a decoded group: the numbers of all rows, shared by full columns
	widths    []float64 // of a decoded group: the widths of its rows in seconds, 0 where it is not known
}

// row is one reading: the samples of a group with one span and one exchange.
type row struct {
	from, to int64
	exchange uint64
}

// column holds the values of one series and the rows they stand in, in ascending order.
type column struct {
	key  timeline.Key
	rows []int32
	vals []float64

	constant bool // of a decoded column: all values are known to be equal
}

// noTime stands for the zero time.Time.
const noTime = math.MinInt64

// Times outside these years have no UnixNano.
var (
	earliest = time.Date(1678, 1, 1, 0, 0, 0, 0, time.UTC)
	latest   = time.Date(2262, 1, 1, 0, 0, 0, 0, time.UTC)
)

// stamp returns t in nanoseconds since 1970; ok is false for years that cannot be told so.
func stamp(t time.Time) (ns int64, ok bool) {
	if t.IsZero() {
		return noTime, true
	}
	if t.Before(earliest) || t.After(latest) {
		return 0, false
	}
	return t.UnixNano(), true
}

func unstamp(ns int64) time.Time {
	if ns == noTime {
		return time.Time{}
	}
	return time.Unix(0, ns).UTC()
}

func unspan(from, to int64) timeline.Span {
	return timeline.Span{From: unstamp(from), To: unstamp(to)}
}

// add takes a record in. It says no to one that the format cannot hold: a time outside 1678 to 2262, a value
// that is no number.
func (b *batch) add(r timeline.Record) bool {
	sp := r.Covers()
	from, ok1 := stamp(sp.From)
	to, ok2 := stamp(sp.To)
	if !ok1 || !ok2 {
		return false
	}
	switch r := r.(type) {
	case timeline.Sample:
		if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) {
			return false
		}
		b.group(r.Origin.Collector).add(row{from, to, r.Origin.Exchange}, timeline.Key{Subject: r.Subject, Metric: r.Metric}, r.Value)
	case timeline.Event:
		b.events = append(b.events, r)
	case timeline.Gap:
		b.gaps = append(b.gaps, r)
	default:
		return false
	}
	b.records++
	b.cover(from, to)
	return true
}

func (b *batch) cover(from, to int64) {
	if from == noTime || to == noTime {
		return
	}
	if !b.covered {
		b.from, b.to, b.covered = from, to, true
		return
	}
	b.from, b.to = min(b.from, from), max(b.to, to)
}

// keep takes an exchange in, under the same conditions.
func (b *batch) keep(x timeline.Exchange) bool {
	from, ok1 := stamp(x.Span.From)
	to, ok2 := stamp(x.Span.To)
	if !ok1 || !ok2 {
		return false
	}
	b.exchanges = append(b.exchanges, x)
	b.cover(from, to)
	return true
}

func (b *batch) empty() bool { return b.records == 0 && len(b.exchanges) == 0 && len(b.notes) == 0 }

func (b *batch) group(collector string) *group {
	if g := b.at[collector]; g != nil {
		return g
	}
	if b.at == nil {
		b.at = map[string]*group{}
	}
	g := &group{collector: collector, rowAt: map[row]int32{}, colAt: map[timeline.Key]*column{}, last: -1}
	b.at[collector] = g
	b.groups = append(b.groups, g)
	return g
}

func (g *group) add(r row, k timeline.Key, v float64) {
	i := g.last
	if i < 0 || g.rows[i] != r {
		i = g.row(r)
	}
	c := g.column(k)
	if !c.put(i, v) { // the series has a value in this row already: two samples of equal span and exchange
		i = int32(len(g.rows))
		g.rows = append(g.rows, r)
		g.rowAt[r] = i
		c.put(i, v)
	}
	g.last = i
}

func (g *group) row(r row) int32 {
	if i, ok := g.rowAt[r]; ok {
		return i
	}
	i := int32(len(g.rows))
	g.rows = append(g.rows, r)
	g.rowAt[r] = i
	return i
}

func (g *group) column(k timeline.Key) *column {
	c := g.colAt[k]
	if c == nil {
		c = &column{key: k}
		g.colAt[k] = c
		g.cols = append(g.cols, c)
	}
	return c
}

// put sets the value of a row and says whether the row was free.
func (c *column) put(i int32, v float64) bool {
	if n := len(c.rows); n == 0 || c.rows[n-1] < i {
		c.rows, c.vals = append(c.rows, i), append(c.vals, v)
		return true
	}
	at, found := slices.BinarySearch(c.rows, i)
	if found {
		return false
	}
	c.rows, c.vals = slices.Insert(c.rows, at, i), slices.Insert(c.vals, at, v)
	return true
}

// addGroup takes in every sample of a decoded group.
func (b *batch) addGroup(g *group) {
	to := b.group(g.collector)
	places := make([]int32, len(g.rows))
	for i, r := range g.rows {
		places[i] = to.row(r)
		b.cover(r.from, r.to)
	}
	for _, from := range g.cols {
		c := to.column(from.key)
		for i, at := range from.rows {
			if !c.put(places[at], from.vals[i]) {
				to.add(g.rows[at], from.key, from.vals[i])
			}
		}
		b.records += len(from.rows)
	}
}

// sort puts the rows in order of time, which is what makes them small.
func (g *group) sort() {
	less := func(a, b row) bool {
		if a.to != b.to {
			return a.to < b.to
		}
		return a.from < b.from
	}
	if sort.SliceIsSorted(g.rows, func(i, j int) bool { return less(g.rows[i], g.rows[j]) }) {
		return
	}
	order := make([]int32, len(g.rows)) // new place -> old place
	for i := range order {
		order[i] = int32(i)
	}
	sort.SliceStable(order, func(i, j int) bool { return less(g.rows[order[i]], g.rows[order[j]]) })
	rows, place := make([]row, len(g.rows)), make([]int32, len(g.rows))
	for to, from := range order {
		rows[to], place[from] = g.rows[from], int32(to)
	}
	g.rows, g.rowAt, g.last = rows, map[row]int32{}, -1
	for i, r := range rows {
		g.rowAt[r] = int32(i)
	}
	for _, c := range g.cols {
		c.reorder(place)
	}
}

func (c *column) reorder(place []int32) {
	for i, r := range c.rows {
		c.rows[i] = place[r]
	}
	sort.Sort(byRow{c})
}

type byRow struct{ *column }

func (c byRow) Len() int           { return len(c.rows) }
func (c byRow) Less(i, j int) bool { return c.rows[i] < c.rows[j] }
func (c byRow) Swap(i, j int) {
	c.rows[i], c.rows[j] = c.rows[j], c.rows[i]
	c.vals[i], c.vals[j] = c.vals[j], c.vals[i]
}

// each calls f with every record of the batch: samples series by series in order of time, then events, then gaps.
// It stops when f says no and says whether it went through.
func (b *batch) each(f func(timeline.Record) bool) bool {
	for _, g := range b.groups {
		for _, c := range g.cols {
			for i, at := range c.rows {
				r := g.rows[at]
				s := timeline.Sample{Subject: c.key.Subject, Metric: c.key.Metric, Span: unspan(r.from, r.to), Value: c.vals[i],
					Origin: timeline.Origin{Collector: g.collector, Exchange: r.exchange}}
				if !f(s) {
					return false
				}
			}
		}
	}
	for _, e := range b.events {
		if !f(e) {
			return false
		}
	}
	for _, g := range b.gaps {
		if !f(g) {
			return false
		}
	}
	return true
}

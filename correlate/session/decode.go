package session

import (
	"whydrop/correlate/timeline"
)

// maxRows bounds the rows of one group, so that a made-up frame cannot ask for more memory than it is worth:
// presence bits alone would let a small frame name eight rows per byte and column.
const maxRows = 1 << 22

// decodeBatch reads a batch. It never panics and its memory is bounded by a multiple of len(b).
func decodeBatch(b []byte) (*batch, error) { return decodeColumns(b, nil) }

// decodeColumns decodes a batch. Given a visitor, it shows it the columns that it wants one by one instead of keeping
// them: the batch that is returned holds everything but their values.
func decodeColumns(b []byte, visit *visitor) (*batch, error) {
	r := newReader(b)
	r.visit = visit
	out := &batch{}
	for range r.count(4) {
		out.decoded(r.group())
	}
	var clock int64
	events := r.count(9)
	for range events {
		var e timeline.Event
		e.Subject, e.Type = r.subject(), timeline.EventType(r.text())
		clock, e.Span = r.span(clock)
		e.Text, e.Attrs, e.Origin = r.text(), r.attrs(), r.origin()
		out.events = append(out.events, e)
	}
	for range r.count(10) {
		var g timeline.Gap
		g.Subject, g.Metric = r.subject(), timeline.Metric(r.text())
		clock, g.Span = r.span(clock)
		g.Reason, g.Text, g.Origin = timeline.Reason(r.text()), r.text(), r.origin()
		out.gaps = append(out.gaps, g)
	}
	for range r.count(9) {
		var x timeline.Exchange
		x.Subject = r.subject()
		clock, x.Span = r.span(clock)
		x.Request, x.Reply, x.Origin = r.text(), append([]byte(nil), r.blob()...), r.origin()
		out.exchanges = append(out.exchanges, x)
	}
	for range r.count(1) {
		out.notes = append(out.notes, r.text())
	}
	if r.err != nil {
		return nil, r.err
	}
	out.records += len(out.events) + len(out.gaps)
	return out, nil
}

// visitor looks at the columns of a batch while they are decoded.
type visitor struct {
	wants  func(timeline.Key) bool // nil: all
	column func(*group, *column)   // the column and its values are valid only until it returns
	vals   []float64               // reused for the values of all columns
}

func (b *batch) decoded(g *group) {
	b.groups = append(b.groups, g)
	for _, c := range g.cols {
		b.records += len(c.rows)
	}
}

func (r *reader) group() *group {
	g := &group{collector: r.text(), last: -1}
	n := r.count(3)
	if n > maxRows {
		r.fail()
		n = 0
	}
	g.rows = make([]row, n)
	var to, pace int64
	for i := range g.rows {
		pace += r.int()
		to += pace
		g.rows[i].to = to
	}
	to = 0
	for i := range g.rows {
		g.rows[i].from = to + r.int()
		to = g.rows[i].to
	}
	var exchange uint64
	for i := range g.rows {
		exchange += uint64(r.int())
		g.rows[i].exchange = exchange
	}
	// A column takes four bytes for its name, one for its places and, with any value in it, at least two more.
	g.cols = make([]*column, r.count(4))
	for i := range g.cols {
		g.cols[i] = &column{key: timeline.Key{Subject: r.subject(), Metric: timeline.Metric(r.text())}}
	}
	for _, c := range g.cols {
		if r.err != nil {
			break
		}
		r.places(g, c)
	}
	for _, c := range g.cols {
		if r.err != nil {
			break
		}
		switch {
		case r.visit == nil:
			r.values(g, c, nil)
		case r.visit.wants == nil || r.visit.wants(c.key):
			r.values(g, c, r.visit.vals)
			if r.err == nil {
				r.visit.column(g, c)
			}
			r.visit.vals, c.vals = c.vals, nil
		default:
			r.skip(c)
		}
	}
	if r.err != nil {
		g.rows, g.cols = nil, nil
	}
	return g
}

// everyRow returns the numbers of all rows; columns that have a value in each share them.
func (g *group) everyRow() []int32 {
	if g.every == nil {
		g.every = make([]int32, len(g.rows))
		for i := range g.every {
			g.every[i] = int32(i)
		}
	}
	return g.every
}

func (r *reader) span(clock int64) (int64, timeline.Span) {
	to := clock + r.int()
	from := to + r.int()
	return to, unspan(from, to)
}

func (r *reader) attrs() map[string]string {
	n := r.count(1)
	if n == 0 {
		return nil
	}
	m := make(map[string]string, n-1)
	for range n - 1 {
		k := r.text()
		m[k] = r.text()
	}
	return m
}

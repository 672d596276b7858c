package session

import (
	"cmp"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// A recording of a day holds a hundred million samples, of which a diagnosis needs few in full: those around what
// happened. The rest is kept as means over spans whose number is bounded, so that neither memory nor the time of a
// diagnosis grows with them. Totals (a rate times its span) stay what they were.
const (
	wholeUpTo  = 1_000_000        // recordings of no more samples are kept whole
	detailUpTo = 1_200_000        // how many samples a digest keeps in full besides, zeros included, which take no room
	around     = 5 * time.Second  // how far around what happened everything is kept
	finest     = 10 * time.Second // the least span of a mean
	pathMeans  = 2880             // how many means at most a series of a path or host has
	portMeans  = 480              // and one of a port or device
	runUpTo    = 10 * time.Minute // how long equal values of a batch are kept as one sample
	joinUpTo   = time.Hour        // and how long those of several batches
	singles    = 64               // values between zeros that stay as they are, per series and batch
	lowGoodput = 0.8              // of a batch's median: something happened
)

// Digest returns the recording as a timeline of bounded size: as it is, if it has up to a million samples. Of a
// longer one all events and gaps stay, and every sample within five seconds of an event of a path, port or device,
// of heartbeats lost and of low goodput, as far as half a million samples reach; elsewhere series are means over ten
// seconds or, the longer the recording, more. A value that stands alone among zeros stays as it is.
func (s *Session) Digest() (timeline.Snapshot, error) {
	d := digest{out: map[timeline.Key][]timeline.Sample{}}
	for _, p := range s.places {
		d.samples += int(p.records)
		if p.to == 0 {
			continue
		}
		if d.from == 0 || p.from < d.from {
			d.from = p.from
		}
		d.to = max(d.to, p.to)
	}
	if d.samples <= wholeUpTo {
		return s.Snapshot()
	}
	err := s.columns(&visitor{wants: telling, column: d.surveyPath}, func(b *batch) bool {
		d.survey(b)
		return true
	})
	if err != nil {
		return timeline.Snapshot{}, err
	}
	d.plan()
	err = s.columns(&visitor{column: d.take}, func(*batch) bool { return true })
	return timeline.Assemble(d.out, d.events, d.gaps), err
}

// digest is a recording on its way to a timeline of bounded size.
type digest struct {
	samples  int
	from, to int64 // what the recording covers
	events   []timeline.Event
	gaps     []timeline.Gap
	marks    []mark
	windows  []window // in which every sample is kept, in order of time, apart from one another

	pathBin, portBin int64 // width of the means, in nanoseconds
	out              map[timeline.Key][]timeline.Sample
	sorted           []float64  // scratch
	group            *group     // the group that the next fields are of
	near             []bool     // which of its rows lie in a window
	plain            bool       // none does, and there is no hole between them
	bins             [2][]int32 // the bins of its rows, for means over pathBin and portBin
	runs             []int32    // and for equal values
}

// window is a stretch of time, in nanoseconds since 1970.
type window struct{ from, to int64 }

// mark is something that happened, and how much it matters.
type mark struct {
	window
	weight float64
}

// Weights of marks: outages before all else, then what devices tell, then samples by how bad they are.
const (
	weightOutage = 3
	weightEvent  = 2
)

// survey keeps a batch's events and gaps and marks what happened.
func (d *digest) survey(b *batch) {
	d.events, d.gaps = append(d.events, b.events...), append(d.gaps, b.gaps...)
	for _, e := range b.events {
		switch e.Type {
		case timeline.EventOutage:
			d.mark(e.Span, weightOutage)
		case timeline.EventSyslog, timeline.EventNIC, timeline.EventProbeStart, timeline.EventResult, timeline.EventTotals, timeline.EventSettings:
		default:
			d.mark(e.Span, weightEvent)
		}
	}
}

// telling says whether a series shows by itself that something happened.
func telling(k timeline.Key) bool {
	switch k.Metric {
	case timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip, timeline.GoodputForward, timeline.GoodputReverse:
		return true
	}
	return false
}

// surveyPath marks lost heartbeats and low goodput.
func (d *digest) surveyPath(g *group, c *column) {
	if len(c.vals) == 0 {
		return
	}
	switch c.key.Metric {
	case timeline.GoodputForward, timeline.GoodputReverse:
		d.sorted = append(d.sorted[:0], c.vals...)
		slices.Sort(d.sorted)
		usual := d.sorted[len(d.sorted)/2]
		for i, v := range c.vals {
			if v < lowGoodput*usual {
				d.markRow(g.rows[c.rows[i]], 1-v/usual)
			}
		}
	default:
		for i, v := range c.vals {
			if v > 0 {
				d.markRow(g.rows[c.rows[i]], min(v, 1))
			}
		}
	}
}

func (d *digest) mark(sp timeline.Span, weight float64) {
	from, ok1 := stamp(sp.From)
	to, ok2 := stamp(sp.To)
	if ok1 && ok2 {
		d.markRow(row{from: from, to: to}, weight)
	}
}

// markRow marks a stretch. Of a long one its beginning and its end are what matters.
func (d *digest) markRow(r row, weight float64) {
	if r.from == noTime || r.to == noTime {
		return
	}
	w := window{r.from - int64(around), r.to + int64(around)}
	if w.to-w.from > 6*int64(around) {
		d.marks = append(d.marks, mark{window{w.from, w.from + 3*int64(around)}, weight})
		w.from = w.to - 3*int64(around)
	}
	if n := len(d.marks); n > 0 && weight < weightEvent && d.marks[n-1].weight < weightEvent && w.from <= d.marks[n-1].to && w.to-d.marks[n-1].from < int64(time.Minute) {
		d.marks[n-1].to, d.marks[n-1].weight = max(d.marks[n-1].to, w.to), max(d.marks[n-1].weight, weight)
		return
	}
	d.marks = append(d.marks, mark{w, weight})
}

// plan decides which windows are kept in full, the weightiest first, and how wide the means of the rest are.
func (d *digest) plan() {
	length := max(d.to-d.from, int64(time.Second))
	d.pathBin = max(int64(finest), length/pathMeans)
	d.portBin = max(int64(finest), length/portMeans)
	perSecond := float64(d.samples) / time.Duration(length).Seconds()
	left := int64(detailUpTo / perSecond * float64(time.Second))
	slices.SortStableFunc(d.marks, func(a, b mark) int {
		return cmp.Or(cmp.Compare(b.weight, a.weight), cmp.Compare(a.from, b.from))
	})
	for _, m := range d.marks {
		if left -= m.to - m.from; left < 0 {
			break
		}
		d.windows = append(d.windows, m.window)
	}
	d.marks = nil
	slices.SortFunc(d.windows, func(a, b window) int { return cmp.Compare(a.from, b.from) })
	joined := d.windows[:0]
	for _, w := range d.windows {
		if n := len(joined); n > 0 && w.from <= joined[n-1].to {
			joined[n-1].to = max(joined[n-1].to, w.to)
		} else {
			joined = append(joined, w)
		}
	}
	d.windows = joined
}

// look finds the bins of a group's rows and which rows lie in a window.
func (d *digest) look(g *group) {
	if d.group == g {
		return
	}
	n := len(g.rows)
	d.group, d.plain = g, n > 0 && g.rows[n-1].to-g.rows[0].from <= int64(runUpTo)
	d.near, d.runs = sized(d.near, n), sized(d.runs, n)
	d.bins[0], d.bins[1] = sized(d.bins[0], n), sized(d.bins[1], n)
	for i, r := range g.rows {
		if r.from == noTime || r.to == noTime {
			d.near[i], d.plain = true, false
			continue
		}
		at, _ := slices.BinarySearchFunc(d.windows, r.from, func(w window, from int64) int { return cmp.Compare(w.to, from) })
		d.near[i] = at < len(d.windows) && d.windows[at].from <= r.to
		d.bins[0][i], d.bins[1][i] = int32((r.to-d.from)/d.pathBin), int32((r.to-d.from)/d.portBin)
		d.runs[i] = int32((r.to - d.from) / int64(runUpTo))
		if d.near[i] || i > 0 && hole(g.rows[i-1].to, r) {
			d.plain = false
		}
	}
}

// sized returns a slice of n zeros, in buf if they fit.
func sized[T any](buf []T, n int) []T {
	if cap(buf) < n {
		return make([]T, n)
	}
	buf = buf[:n]
	clear(buf)
	return buf
}

// hole says whether nothing was read between a row's end and the next row.
func hole(to int64, next row) bool { return next.from-to > next.to-next.from }

// run gathers consecutive samples that become one.
type run struct {
	n           int
	first, last row
	value       float64 // of all, while they are equal
	equal       bool
	sum, weight float64 // values times seconds, and seconds
	bin, run    int32
}

// take adds one series of a group.
func (d *digest) take(g *group, c *column) {
	d.look(g)
	if len(c.rows) == 0 {
		return
	}
	if c.constant && d.plain && len(c.rows) == len(g.rows) {
		d.put(g, c, run{n: len(c.rows), first: g.rows[0], last: g.rows[len(g.rows)-1], value: c.vals[0], equal: true})
		return
	}
	bins := d.bins[1]
	if k := c.key.Subject.Kind; k == timeline.KindPath || k == timeline.KindHost {
		bins = d.bins[0]
	}
	widths := g.widthOfRows()
	var acc run
	left, before := singles, 0.0
	for i, at := range c.rows {
		v := c.vals[i]
		alone := v != 0 && before == 0 && (i > 0 || len(c.vals) > 1 && c.vals[1] == 0) && left > 0
		before = v
		if alone {
			left--
		}
		full := v != 0 && (d.near[at] || alone)
		r := g.rows[at]
		if acc.n > 0 && (full || hole(acc.last.to, r) || bins[at] != acc.bin && !(acc.equal && v == acc.value && d.runs[at] == acc.run)) ||
			acc.n > 0 && d.near[at] && (!acc.equal || v != acc.value) {
			d.put(g, c, acc)
			acc.n = 0
		}
		if full {
			d.put(g, c, run{n: 1, first: r, last: r, value: v, equal: true})
			continue
		}
		if acc.n == 0 {
			acc = run{first: r, value: v, equal: true, bin: bins[at], run: d.runs[at]}
		}
		w := max(widths[at], 1e-3)
		acc.n, acc.last, acc.equal = acc.n+1, r, acc.equal && v == acc.value
		acc.sum, acc.weight = acc.sum+v*w, acc.weight+w
	}
	if acc.n > 0 {
		d.put(g, c, acc)
	}
}

// put adds what became of a run.
func (d *digest) put(g *group, c *column, a run) {
	v := a.value
	if !a.equal {
		v = a.sum / a.weight
	}
	out := d.out[c.key]
	if n := len(out); n > 0 && (v == 0 || c.constant) && out[n-1].Value == v {
		last := &out[n-1].Span
		if to, _ := stamp(last.To); to == a.first.from && a.last.to-to < int64(joinUpTo)-int64(last.Width()) {
			last.To = unstamp(a.last.to)
			return
		}
	}
	d.out[c.key] = append(out, timeline.Sample{Subject: c.key.Subject, Metric: c.key.Metric, Span: unspan(a.first.from, a.last.to), Value: v,
		Origin: timeline.Origin{Collector: g.collector, Exchange: a.first.exchange}})
}

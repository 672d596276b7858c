package session

import (
	"cmp"
	"slices"

	"whydrop/correlate/timeline"
)

// looked is what a digest needs to know of a group's rows, for all of its columns.
type looked struct {
	group     *group
	near      []bool       // which rows lie in a window
	weights   []float64    // of each row: its width in seconds
	timed     bool         // the times of all rows are known
	stretches [2][]stretch // for means over pathBin and portBin
	bins      [2][]int32   // the bins of the rows, for means over pathBin and portBin
	runs      []int32      // and for equal values
	collects  int32        // index of the group's collector
}

// stretch is a range of a group's rows that follow one another without a hole, in one bin, all in windows or all not.
type stretch struct {
	from, to int // rows
	bin, run int32
	near     bool
}

// kept is a sample of the digest, without what its series and its group have in common, so that a hundred thousand of
// them are cheap to move.
type kept struct {
	from, to int64
	value    float64
	exchange uint64
	collects int32 // index of the collector
}

// lookAt finds what the columns of a group have in common.
func (d *digest) lookAt(g *group) {
	l, n := &d.look, len(g.rows)
	if l.group == g {
		return
	}
	l.group, l.timed = g, true
	l.near, l.runs, l.weights = sized(l.near, n), sized(l.runs, n), sized(l.weights, n)
	l.bins[0], l.bins[1] = sized(l.bins[0], n), sized(l.bins[1], n)
	l.stretches[0], l.stretches[1] = l.stretches[0][:0], l.stretches[1][:0]
	at := slices.Index(d.collectors, g.collector)
	if at < 0 {
		at = len(d.collectors)
		d.collectors = append(d.collectors, g.collector)
	}
	l.collects = int32(at)
	for i, r := range g.rows {
		l.weights[i] = max(g.width(int32(i)), 1e-3)
		if r.from == noTime || r.to == noTime {
			l.near[i], l.timed = true, false
		} else {
			at, _ := slices.BinarySearchFunc(d.windows, r.from, func(w window, from int64) int { return cmp.Compare(w.to, from) })
			l.near[i] = at < len(d.windows) && d.windows[at].from <= r.to
			l.bins[0][i], l.bins[1][i] = int32((r.to-d.from)/d.pathBin), int32((r.to-d.from)/d.portBin)
			l.runs[i] = int32((r.to - d.from) / int64(runUpTo))
		}
		torn := i > 0 && hole(g.rows[i-1].to, r)
		for w := range l.stretches {
			st := &l.stretches[w]
			if n := len(*st); n > 0 && !torn && (*st)[n-1].bin == l.bins[w][i] && (*st)[n-1].run == l.runs[i] && (*st)[n-1].near == l.near[i] {
				(*st)[n-1].to = i + 1
			} else {
				*st = append(*st, stretch{i, i + 1, l.bins[w][i], l.runs[i], l.near[i]})
			}
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

// taking is one column on its way into the digest.
type taking struct {
	*looked
	out      *[]kept
	constant bool
	bins     []int32
	acc      run
	left     int     // how many more values may stand alone
	before   float64 // the value before
}

// take adds one series of a group.
func (d *digest) take(g *group, c *column) {
	if len(c.rows) == 0 {
		return
	}
	d.lookAt(g)
	out := d.kept[c.key]
	if out == nil {
		out = new([]kept)
		d.kept[c.key] = out
	}
	w := 1
	if k := c.key.Subject.Kind; k == timeline.KindPath || k == timeline.KindHost {
		w = 0
	}
	t := taking{looked: &d.look, out: out, constant: c.constant, bins: d.look.bins[w]}
	full := len(c.rows) == len(g.rows)
	if c.constant && full && d.look.timed {
		for _, s := range d.look.stretches[w] {
			t.put(run{first: g.rows[s.from], last: g.rows[s.to-1], value: c.vals[0], equal: true})
		}
		return
	}
	if t.before = 1; len(c.vals) > 1 && c.vals[1] == 0 {
		t.before = 0 // the first value of a batch stands alone if the next is zero
	}
	if !manyStandAlone(c.vals) {
		t.left = singles
	}
	if full {
		for _, s := range d.look.stretches[w] {
			t.stretch(s, c.vals[s.from:s.to])
		}
	} else {
		for i, at := range c.rows {
			t.one(at, c.vals[i])
		}
	}
	t.flush()
}

// manyStandAlone says whether so many values come after a zero that it is how the series always is.
func manyStandAlone(vals []float64) bool {
	n, before := 0, 1.0
	for _, v := range vals {
		if before == 0 && v != 0 {
			n++
		}
		before = v
	}
	return n > singles
}

// stretch adds the values of a stretch of rows.
func (t *taking) stretch(s stretch, vals []float64) {
	if s.near || t.left > 0 && (t.before == 0 || slices.Contains(vals, 0)) {
		for i, v := range vals {
			t.one(int32(s.from+i), v)
		}
		return
	}
	rows := t.group.rows
	t.before = vals[len(vals)-1]
	if t.acc.n > 0 && hole(t.acc.last.to, rows[s.from]) {
		t.flush()
	}
	weights := t.weights[s.from:s.to]
	if t.acc.n > 0 && t.acc.bin != s.bin {
		same := 0 // equal values go on over the end of a bin
		for t.acc.equal && t.acc.run == s.run && same < len(vals) && vals[same] == t.acc.value {
			same++
		}
		if same > 0 {
			t.acc.add(vals[:same], weights[:same])
			t.acc.last = rows[s.from+same-1]
			vals, weights, s.from = vals[same:], weights[same:], s.from+same
		}
		if len(vals) == 0 {
			return
		}
		t.flush()
	}
	if t.acc.n == 0 {
		t.acc = run{first: rows[s.from], value: vals[0], equal: true, bin: s.bin, run: s.run}
	}
	t.acc.add(vals, weights)
	t.acc.last = rows[s.to-1]
}

// add gathers values.
func (a *run) add(vals, weights []float64) {
	sum, weight, equal := a.sum, a.weight, a.equal
	for i, v := range vals {
		w := weights[i]
		sum += v * w
		weight += w
		equal = equal && v == a.value
	}
	a.sum, a.weight, a.equal, a.n = sum, weight, equal, a.n+len(vals)
}

// one adds the value of one row.
func (t *taking) one(at int32, v float64) {
	alone := v != 0 && t.before == 0 && t.left > 0
	t.before = v
	if alone {
		t.left--
	}
	r := t.group.rows[at]
	full := v != 0 && (t.near[at] || alone)
	goesOn := t.acc.equal && v == t.acc.value
	if full || hole(t.acc.last.to, r) || t.bins[at] != t.acc.bin && !(goesOn && t.runs[at] == t.acc.run) || t.near[at] && !goesOn {
		t.flush()
	}
	if full {
		t.put(run{n: 1, first: r, last: r, value: v, equal: true})
		return
	}
	if t.acc.n == 0 {
		t.acc = run{first: r, value: v, equal: true, bin: t.bins[at], run: t.runs[at]}
	}
	w := t.weights[at]
	t.acc.n, t.acc.last, t.acc.equal = t.acc.n+1, r, t.acc.equal && v == t.acc.value
	t.acc.sum, t.acc.weight = t.acc.sum+v*w, t.acc.weight+w
}

// flush puts what was gathered.
func (t *taking) flush() {
	if t.acc.n > 0 {
		t.put(t.acc)
		t.acc.n = 0
	}
}

// put adds what became of a run.
func (t *taking) put(a run) {
	v := a.value
	if !a.equal {
		v = a.sum / a.weight
	}
	if n := len(*t.out); n > 0 && (v == 0 || t.constant) && (*t.out)[n-1].value == v {
		last := &(*t.out)[n-1]
		if last.to == a.first.from && a.last.to-last.from < int64(joinUpTo) {
			last.to = a.last.to
			return
		}
	}
	*t.out = append(*t.out, kept{from: a.first.from, to: a.last.to, value: v, exchange: a.first.exchange, collects: t.collects})
}

// series returns what was kept as samples, and forgets it.
func (d *digest) series() map[timeline.Key][]timeline.Sample {
	out := make(map[timeline.Key][]timeline.Sample, len(d.kept))
	for k, ks := range d.kept {
		v := make([]timeline.Sample, len(*ks))
		for i, x := range *ks {
			v[i] = timeline.Sample{Subject: k.Subject, Metric: k.Metric, Span: unspan(x.from, x.to), Value: x.value,
				Origin: timeline.Origin{Collector: d.collectors[x.collects], Exchange: x.exchange}}
		}
		out[k] = v
		*ks = nil
	}
	return out
}

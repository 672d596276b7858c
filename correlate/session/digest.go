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
	singles    = 64               // values between zeros that stay as they are, if a batch of a series has no more of them
	lowGoodput = 0.8              // of a batch's median: something happened
)

// Digest returns the recording as a timeline of bounded size: as it is, if it has up to a million samples. Of a
// longer one all events and gaps stay, and every sample within five seconds of an event of a path, port or device,
// of heartbeats lost and of low goodput, as far as a million samples reach; elsewhere series are means over ten
// seconds or, the longer the recording, more. A value that stands alone among zeros stays as it is, and values that do
// not change are one sample for as long.
func (s *Session) Digest() (timeline.Snapshot, error) {
	d := digest{kept: map[timeline.Key]*[]kept{}}
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
	return timeline.Assemble(d.series(), d.events, d.gaps), err
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
	kept             map[timeline.Key]*[]kept
	collectors       []string // of what is kept
	sorted           []float64
	look             looked
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

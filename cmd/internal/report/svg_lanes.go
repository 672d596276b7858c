package report

import (
	"slices"

	"whydrop/correlate/timeline"
)

// maxLanes and maxMarks keep a chart of a storm readable and small; the list of events beside it has them all.
const (
	maxLanes     = 12
	maxLaneMarks = 400
	laneName     = 16 // columns of a lane's name
)

// lanes returns a lane for each device or host that had events, those on the path first, in the order of the
// path's hops, then those off it. What probes say of themselves has no lane; marks of a person have one.
func lanes(d Document, span timeline.Span) []svgLane {
	var out []*svgLane
	byName := map[string]*svgLane{}
	lane := func(name string, off bool) *svgLane {
		l := byName[name]
		if l == nil {
			l = &svgLane{Name: Clip(name, laneName), Off: off}
			byName[name] = l
			out = append(out, l)
		}
		return l
	}
	for _, b := range BlindSpans(d.Snapshot) {
		l := lane(Clean(b.Device), false)
		x0, x1 := xAt(b.Span.From, span), xAt(b.Span.To, span)
		l.Blind = append(l.Blind, svgShade{X: px(x0), Width: px(max(x1-x0, 1)), Tip: "nothing read: " + Clean(string(b.Reason))})
	}
	for _, e := range d.Snapshot.Events() {
		name, off, ok := laneOf(d, e)
		if !ok {
			continue
		}
		l := lane(name, off)
		if len(l.Marks)+len(l.Tests) >= maxLaneMarks {
			continue
		}
		if e.Type == timeline.EventResult { // it took its time
			x0, x1 := xAt(e.Span.From, span), xAt(e.Span.To, span)
			l.Tests = append(l.Tests, svgShade{X: px(x0), Width: px(max(x1-x0-1, 1)), Tip: Clock(e.Span.From) + " " + EventText(e)})
			continue
		}
		l.Marks = append(l.Marks, svgMark{
			Class: markClass(e, off), X: px(xAt(e.Span.Mid(), span)), R: "4",
			Tip: Clock(e.Span.Mid()) + " " + Clean(e.Subject.String()) + ": " + EventText(e),
		})
	}
	order := hopOrder(d)
	slices.SortStableFunc(out, func(a, b *svgLane) int { return laneRank(order, a) - laneRank(order, b) })
	res := make([]svgLane, 0, len(out))
	for _, l := range out[:min(len(out), maxLanes)] {
		res = append(res, *l)
	}
	return res
}

func laneOf(d Document, e timeline.Event) (name string, off, ok bool) {
	switch e.Type {
	case timeline.EventOutage, timeline.EventProbeStart, timeline.EventProbeStop:
		return "", false, false
	case timeline.EventMark:
		return "marks", false, true
	case timeline.EventResult:
		return "tests", false, true
	}
	switch e.Kind {
	case timeline.KindPath, timeline.KindHost:
		return Clean(e.Name), false, true
	}
	if !d.Topology.OnPath(e.Subject) {
		return Clip(Clean(e.Device), laneName-5) + ", off", true, true
	}
	return Clean(e.Device), false, true
}

func markClass(e timeline.Event, off bool) string {
	switch {
	case off:
		return "off"
	case e.Type == timeline.EventMark:
		return "own"
	case e.Type == timeline.EventSyslog:
		return "log"
	}
	return "ev"
}

func hopOrder(d Document) map[string]int {
	order := map[string]int{}
	for _, p := range d.Topology.Paths {
		for i, h := range p.Hops {
			for _, n := range h {
				if _, ok := order[Clip(Clean(n), laneName)]; !ok {
					order[Clip(Clean(n), laneName)] = i
				}
			}
		}
	}
	return order
}

func laneRank(order map[string]int, l *svgLane) int {
	i, ok := order[l.Name]
	switch {
	case l.Off:
		return 2000
	case !ok:
		return 1000
	}
	return i
}

// place gives the lane its height in the chart.
func (l *svgLane) place(top float64) {
	mid := top + laneHeight/2
	l.Y, l.TextY = px(mid), px(mid+4)
	for i := range l.Blind {
		l.Blind[i].Y, l.Blind[i].Height = px(mid-5), px(10)
	}
	for i := range l.Tests {
		l.Tests[i].Y, l.Tests[i].Height = px(mid-4), px(8)
	}
	for i := range l.Marks {
		l.Marks[i].Y = px(mid)
	}
}

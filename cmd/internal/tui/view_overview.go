package tui

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
)

// drawOverview answers: why, what to do, where on the path, and what happened when.
func drawOverview(c *canvas, m *Model, s *state) {
	p := s.shown(m)
	drawLast(c, 0, m, s)
	lines := 1
	if c.height >= 20 {
		lines = 2
	}
	y := drawFirst(c, drawWhy(c, 1, lines, m, s), lines, m, s)
	if p == nil {
		return
	}
	if c.height-y > 16 {
		y++
	}
	// The path may take what the chart does not need.
	y += drawPath(c, y, max(4, c.height-y-leastChart), m, p, s)
	if c.height-y > leastChart {
		y++
	}
	room := c.height - y
	if room < 5 {
		return
	}
	latest := 0
	if room >= 22 {
		latest = min(8, room-18)
	}
	drawChart(c, y, room-latest, m, p, s)
	if latest > 0 {
		drawLatest(c, c.height-latest, latest, m, s)
	}
}

// leastChart is how many rows the chart wants.
const leastChart = 8

// drawChart draws goodput, loss and events over one time axis into height rows from y on.
func drawChart(c *canvas, y, height int, m *Model, p *Path, s *state) {
	a := axis{span: m.window(s.zoom), left: gutter, width: c.width - gutter - 1}
	if a.width < 10 {
		return
	}
	lanes := eventLanes(m, p, height)
	lossRows := 1
	if height >= 14 {
		lossRows = 2
	}
	if height >= 20 {
		lossRows = 3
	}
	goodRows := height - 2 - lossRows - len(lanes)
	if goodRows < 1 {
		return
	}
	drawChartTitle(c, y, m, p, s)
	drawGoodput(c, y+1, goodRows, a, m, p, s)
	drawLoss(c, y+1+goodRows, lossRows, a, m, p, s)
	at := y + 1 + goodRows + lossRows
	for _, l := range lanes {
		c.right(gutter-1, at, inkDim, report.Clip(l.name, gutter-1))
		drawLane(c, at, a, l, s)
		at++
	}
	timeAxis(c, a, at)
}

func drawChartTitle(c *canvas, y int, m *Model, p *Path, s *state) {
	x := c.put(1, y, inkBold, "Goodput Mbit/s")
	now := "now ?"
	if p.Goodput != nil {
		now = "now " + report.Mbit(*p.Goodput)
	}
	if p.Offered != nil {
		now += " of " + report.Mbit(*p.Offered) + " offered"
	}
	if p.Reverse != nil && *p.Reverse > 0 {
		now += ", back " + report.Mbit(*p.Reverse)
	}
	x = c.put(x+2, y, inkPlain, now)
	loss, rtt := "loss ?", "RTT ?"
	if p.Loss != nil {
		loss = "loss " + report.Percent(*p.Loss)
	}
	if p.RTT != nil {
		rtt = "RTT " + report.Figure(string(timeline.RTT), *p.RTT, "s")
	}
	w := windowNames[s.zoom%len(windows)]
	c.right(c.width-1, y, inkDim, w)
	for _, part := range []string{loss, rtt} {
		if x+2+len(part) < c.width-len(w)-2 {
			x = c.put(x+2, y, inkPlain, part)
		}
	}
}

// goodputOf returns the path's goodput, or what comes back if that is all there is.
func goodputOf(m *Model, p *Path, span timeline.Span) []timeline.Sample {
	if v := m.snap.Between(p.subject, timeline.GoodputForward, span); len(v) > 0 {
		return v
	}
	return m.snap.Between(p.subject, timeline.GoodputReverse, span)
}

func drawGoodput(c *canvas, y, rows int, a axis, m *Model, p *Path, s *state) {
	series := goodputOf(m, p, a.span)
	hi := report.Highest(report.Buckets(series, a.span, a.width*2))
	if p.Offered != nil {
		hi = max(hi, *p.Offered)
	}
	top := report.NiceCeil(hi * 1.02 / 1e6)
	if hi == 0 {
		top = 1
	}
	c.right(gutter-1, y, inkDim, trimZero(top))
	if rows > 1 {
		c.right(gutter-1, y+rows-1, inkDim, "0")
	}
	plot(c, s.glyphs, a, y, rows, inkCurve, series, top*1e6)
	shade(c, s.glyphs, a, y, rows, p.Outages)
	if len(series) == 0 {
		c.put(a.left+1, y+rows/2, inkDim, "no figure in this window")
	}
}

func trimZero(v float64) string {
	return strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%.3f", v), "0"), ".")
}

func drawLoss(c *canvas, y, rows int, a axis, m *Model, p *Path, s *state) {
	c.right(gutter-1, y, inkDim, "loss %")
	worst := make([]report.Bucket, a.width)
	for _, l := range lossMetrics {
		for i, b := range report.Buckets(m.snap.Between(p.subject, l, a.span), a.span, a.width) {
			if b.N > 0 && (worst[i].N == 0 || b.Max > worst[i].Max) {
				worst[i] = b
			}
		}
	}
	for i, b := range worst {
		switch {
		case b.N == 0:
			continue
		case b.Max == 0:
			c.put(a.left+i, y+rows-1, inkDim, "·")
			continue
		}
		// A small loss must be seen: the bar's height is its logarithm, from 0.1 % to all.
		level := lossLevel(b.Max, rows*len(s.glyphs.bars))
		for row := range rows {
			if n := level - (rows-1-row)*len(s.glyphs.bars); n > 0 {
				c.put(a.left+i, y+row, inkBad, s.glyphs.bars[min(n, len(s.glyphs.bars))-1])
			}
		}
	}
}

// lossLevel returns how many of steps a loss fills: one at 0.1 % and less, all of them at 100 %.
func lossLevel(ratio float64, steps int) int {
	const least = 0.001
	share := 1 - math.Log(max(ratio, least))/math.Log(least)
	return min(steps, 1+int(math.Round(share*float64(steps-1))))
}

// lane is one row of signs on the time axis.
type lane struct {
	name   string
	events []Event
	marks  []time.Time
}

// eventLanes spreads the events over the rows that the chart can spare: one for all devices in a small screen,
// one for each device on the path in a large one.
func eventLanes(m *Model, p *Path, height int) []lane {
	all := lane{name: "events", marks: m.Marks}
	byDevice := map[string][]Event{}
	for _, e := range m.Events {
		switch e.Kind {
		case KindEvent, KindOff, KindProblem:
			all.events = append(all.events, e)
			device, _, _ := strings.Cut(e.Where, " ")
			byDevice[device] = append(byDevice[device], e)
		}
	}
	var names []string
	for _, h := range p.Hops {
		for _, d := range h.Members {
			if _, ok := byDevice[d.Name]; ok && !slices.Contains(names, d.Name) {
				names = append(names, d.Name)
			}
		}
	}
	if height < 16 || len(names) < 2 || len(names) > height/4 {
		return []lane{all}
	}
	out := []lane{}
	rest := lane{name: "others", marks: m.Marks}
	for _, n := range names {
		out = append(out, lane{name: n, events: byDevice[n]})
	}
	for _, e := range all.events {
		if device, _, _ := strings.Cut(e.Where, " "); !slices.Contains(names, device) {
			rest.events = append(rest.events, e)
		}
	}
	if len(rest.events)+len(rest.marks) > 0 {
		out = append(out, rest)
	}
	return out
}

// drawLane puts a sign into the column of each event. An event on the path covers one off it, several on the path
// in one column become one sign for many.
func drawLane(c *canvas, y int, a axis, l lane, s *state) {
	count := map[int]int{}
	for _, e := range l.events {
		col := a.column(e.At)
		if e.Kind == KindProblem {
			if first, last, ok := a.columns(e.Span); ok {
				for x := first; x <= last; x++ {
					c.put(x, y, inkWarn, s.glyphs.unknown)
				}
			}
			continue
		}
		if col < a.left || col >= a.left+a.width {
			continue
		}
		if e.Kind == KindOff {
			if count[col] == 0 {
				c.put(col, y, inkDim, s.glyphs.off)
			}
			continue
		}
		count[col]++
		sign := s.glyphs.event
		if count[col] > 1 {
			sign = s.glyphs.many
		}
		c.put(col, y, inkBold, sign)
	}
	for _, t := range l.marks {
		if col := a.column(t); col >= a.left && col < a.left+a.width {
			c.put(col, y, inkWarn, s.glyphs.mark)
		}
	}
}

// drawLatest lists the newest events under the chart, without the chatter of logs.
func drawLatest(c *canvas, y, height int, m *Model, s *state) {
	c.put(1, y, inkBold, "Latest events")
	var rows []Event
	for _, e := range slices.Backward(m.Events) {
		if e.Kind != KindLog && len(rows) < height-1 {
			rows = append(rows, e)
		}
	}
	slices.Reverse(rows)
	if len(rows) == 0 {
		c.put(1, y+1, inkDim, "none")
	}
	for i, e := range rows {
		drawEventRow(c, y+1+i, e, s, 0)
	}
}

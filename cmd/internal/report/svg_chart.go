package report

import (
	"fmt"
	"math"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// The chart of a path: a few strips under one another on one time axis, outages shaded through all of them, and
// below a lane for each device with its events. Coordinates are those of the SVG's viewBox; the colours are in
// the page's style sheet.
const (
	chartWidth  = 960.0
	chartLeft   = 118.0
	chartRight  = 32.0
	stripGap    = 30.0 // above each strip, for its title
	chartTop    = 46.0 // of the first strip: its title, and the lengths of the outages in two lines
	laneHeight  = 20.0
	axisHeight  = 26.0
	chartColumn = 2.0 // width of a column of the curves
)

// svgChart is what the template draws.
type svgChart struct {
	Title         string
	Width, Height string
	Left, Right   string // the plot's edges
	LabelX        string // where the labels beside the plot end
	Strips        []svgStrip
	Lanes         []svgLane
	Shades        []svgShade
	Lengths       []svgLength
	Ticks         []svgTick
	AxisY, TextY  string

	// What the key has to explain.
	HasDark, HasStall, HasEvent, HasOff, HasMark, HasOffer, HasReverse, HasBlind, HasTest bool
}

// svgStrip is one diagram.
type svgStrip struct {
	Title, TitleY        string
	Top, Bottom, Mid     string
	TopLabel, MidLabel   string
	TopTextY, MidY, BotY string
	Curves               []svgCurve
}

// svgCurve is one series in a strip. Area is drawn under it, Line on top; either may be empty.
type svgCurve struct{ Class, Name, Line, Area string }

// svgShade is an outage.
type svgShade struct {
	Class, X, Width, Y, Height string
	Tip                        string
}

// svgLength is how long an incident was, written over it.
type svgLength struct{ X, Y, Dark, StallY, Stall string }

type svgTick struct{ X, Y1, Y2, Label string }

// svgLane is one device's events.
type svgLane struct {
	Name, Y, TextY string
	Off            bool
	Blind          []svgShade // when nothing was read of the device
	Tests          []svgShade // when a test ran
	Marks          []svgMark
}

type svgMark struct{ Class, X, Y, R, Tip string }

// curve is a series that a strip may show.
type curve struct {
	metric      timeline.Metric
	class, name string
}

// strip describes one diagram of a path's chart.
type strip struct {
	title  string
	height float64
	scale  float64 // from the metric's unit to the axis'
	most   float64 // the highest the axis goes, 0 without limit
	curves []curve
}

// strips are the diagrams of a path, from top to bottom: a new one is one entry here.
var strips = []strip{
	{"Goodput, Mbit/s", 150, 1e-6, 0, []curve{
		{timeline.GoodputForward, "fwd", "to the far end"}, {timeline.GoodputReverse, "rev", "from the far end"}, {timeline.OfferedForward, "offer", "offered"}}},
	{"Heartbeat loss, %", 64, 100, 100, []curve{
		{timeline.LossForward, "loss", "to the far end"}, {timeline.LossReverse, "rev", "from the far end"}, {timeline.LossRoundTrip, "loss", "direction unknown"}}},
	{"Round-trip time, ms", 64, 1e3, 0, []curve{{timeline.RTT, "rtt", "median"}}},
}

// chart draws one path; ok is false if there is nothing to draw.
func chart(d Document, path string) (c svgChart, ok bool) {
	sub := timeline.Path(path)
	span := d.Snapshot.Span()
	if span.Width() <= 0 {
		return c, false
	}
	c = svgChart{Title: Clean(path), Width: px(chartWidth), Left: px(chartLeft), Right: px(chartWidth - chartRight), LabelX: px(chartLeft - 8)}
	y := chartTop - stripGap
	for _, s := range strips {
		if drawn, ok := s.draw(d.Snapshot, sub, span, y+stripGap); ok {
			c.Strips = append(c.Strips, drawn)
			y += stripGap + s.height
		}
	}
	if len(c.Strips) == 0 {
		return c, false
	}
	bottom := y
	y += 10
	for _, l := range lanes(d, span) {
		l.place(y)
		c.Lanes = append(c.Lanes, l)
		y += laneHeight
	}
	c.Shades = shades(d, path, span, bottom, y)
	c.Lengths = lengths(d, path, span)
	c.fillKey()
	c.Ticks = ticks(span, chartTop, y)
	c.AxisY, c.TextY = px(y), px(y+17)
	c.Height = px(y + axisHeight)
	return c, true
}

func (c *svgChart) fillKey() {
	for _, s := range c.Shades {
		c.HasDark = c.HasDark || s.Class == "dark"
		c.HasStall = c.HasStall || s.Class == "stall"
	}
	for _, l := range c.Lanes {
		c.HasBlind = c.HasBlind || len(l.Blind) > 0
		c.HasTest = c.HasTest || len(l.Tests) > 0
		for _, m := range l.Marks {
			c.HasOff = c.HasOff || m.Class == "off"
			c.HasMark = c.HasMark || m.Class == "own"
			c.HasEvent = c.HasEvent || m.Class == "ev" || m.Class == "log"
		}
	}
	for _, s := range c.Strips {
		for _, v := range s.Curves {
			c.HasOffer = c.HasOffer || v.Class == "offer"
			c.HasReverse = c.HasReverse || v.Class == "rev"
		}
	}
}

func px(v float64) string { return fmt.Sprintf("%.1f", v) }

// xAt returns the horizontal place of a moment, kept within the plot.
func xAt(t time.Time, span timeline.Span) float64 {
	share := float64(t.Sub(span.From)) / float64(span.Width())
	return chartLeft + (chartWidth-chartLeft-chartRight)*min(max(share, 0), 1)
}

func (s strip) draw(snap timeline.Snapshot, sub timeline.Subject, span timeline.Span, top float64) (svgStrip, bool) {
	columns := int((chartWidth - chartLeft - chartRight) / chartColumn)
	data, found, hi := make([][]Bucket, len(s.curves)), false, 0.0
	for i, c := range s.curves {
		v := snap.Series(sub, c.metric)
		if len(v) == 0 {
			continue
		}
		data[i], found = Buckets(v, span, columns), true
		hi = max(hi, Highest(data[i])*s.scale)
	}
	if !found {
		return svgStrip{}, false
	}
	hi = NiceCeil(hi * 1.02)
	if s.most > 0 {
		hi = min(hi, s.most)
	}
	bottom := top + s.height
	out := svgStrip{
		Title: s.title, TitleY: px(top - 9), Top: px(top), Bottom: px(bottom), Mid: px(top + s.height/2),
		TopLabel: number(hi), MidLabel: number(hi / 2), TopTextY: px(top + 4), MidY: px(top + s.height/2 + 4), BotY: px(bottom + 4),
	}
	for i, c := range s.curves {
		if data[i] == nil || flatZero(data[i]) && c.class == "rev" {
			continue
		}
		line, area := steps(data[i], s.scale/hi, top, bottom)
		if c.class == "rev" || c.class == "offer" || c.class == "rtt" {
			area = ""
		}
		out.Curves = append(out.Curves, svgCurve{Class: c.class, Name: c.name, Line: line, Area: area})
	}
	return out, true
}

// flatZero says whether the curve is known and nothing but zero: a second direction then only hides the first.
func flatZero(bs []Bucket) bool { return Highest(bs) == 0 }

// steps draws columns as a stepped line, and the area below it. What is not known is left out.
func steps(bs []Bucket, scale, top, bottom float64) (line, area string) {
	var l, a strings.Builder
	x := func(i int) float64 { return chartLeft + float64(i)*chartColumn }
	yOf := func(v float64) float64 { return bottom - (bottom-top)*min(max(v*scale, 0), 1) }
	for i := 0; i < len(bs); {
		if bs[i].N == 0 {
			i++
			continue
		}
		start := i
		fmt.Fprintf(&l, "M%s %s", px(x(i)), px(yOf(bs[i].Mean)))
		fmt.Fprintf(&a, "M%s %sV%s", px(x(i)), px(bottom), px(yOf(bs[i].Mean)))
		for ; i < len(bs) && bs[i].N > 0; i++ {
			if i > start && math.Abs(yOf(bs[i].Mean)-yOf(bs[i-1].Mean)) < 0.05 {
				continue
			}
			if i > start {
				step := fmt.Sprintf("H%sV%s", px(x(i)), px(yOf(bs[i].Mean)))
				l.WriteString(step)
				a.WriteString(step)
			}
		}
		fmt.Fprintf(&l, "H%s", px(x(i)))
		fmt.Fprintf(&a, "H%sV%sZ", px(x(i)), px(bottom))
	}
	return l.String(), a.String()
}

// maxShades keeps the chart of a path that flaps all day small: more would be one colour anyway.
const maxShades = 1000

// shades are the outages of the path: those of the heartbeat through the whole chart, those of TCP through the
// goodput alone.
func shades(d Document, path string, span timeline.Span, bottom, lanesEnd float64) []svgShade {
	var out []svgShade
	for _, o := range d.Outages {
		if o.Path != Clean(path) || len(out) == maxShades {
			continue
		}
		x0, x1 := xAt(o.From, span), xAt(o.To, span)
		s := svgShade{
			Class: "stall", X: px(x0), Width: px(max(x1-x0, 1.5)), Y: px(chartTop), Height: px(strips[0].height),
			Tip: fmt.Sprintf("%s, %s, seen by %s, from %s UTC", DirectionText(o.Direction), OutageLength(o), SeenText(o, false), Clock(o.From)),
		}
		if o.SeenBy == timeline.SeenByHeartbeat {
			s.Class, s.Height = "dark", px(lanesEnd-chartTop)
		}
		out = append(out, s)
	}
	return out
}

// lengths writes over each incident how long the path was dark, and how long TCP stalled where that is another
// matter; not over one that is too close to the one before.
func lengths(d Document, path string, span timeline.Span) []svgLength {
	const room, titleRoom = 70.0, 150.0
	var out []svgLength
	last := -room
	for _, i := range Incidents(d.Outages) {
		to := i.To
		if stalled := i.From.Add(i.Stall); stalled.After(to) {
			to = stalled
		}
		mid := min(max((xAt(i.From, span)+xAt(to, span))/2, chartLeft+titleRoom), chartWidth-chartRight-room/2)
		if i.Path != Clean(path) || mid-last < room {
			continue
		}
		last = mid
		l := svgLength{X: px(mid), Y: px(chartTop - 19), StallY: px(chartTop - 6)}
		if i.Dark {
			l.Dark = "dark " + Length(i.To.Sub(i.From))
		}
		if !i.Dark || i.Stall > i.To.Sub(i.From)*5/4 {
			l.Stall = "TCP " + Length(i.Worst())
		}
		out = append(out, l)
	}
	return out
}

// tickSteps are the distances that a time axis may have between two labels.
var tickSteps = []time.Duration{
	time.Second, 2 * time.Second, 5 * time.Second, 10 * time.Second, 15 * time.Second, 30 * time.Second,
	time.Minute, 2 * time.Minute, 5 * time.Minute, 10 * time.Minute, 15 * time.Minute, 30 * time.Minute,
	time.Hour, 2 * time.Hour, 3 * time.Hour, 6 * time.Hour, 12 * time.Hour, 24 * time.Hour,
}

// maxTicks is how many labels of a time fit side by side.
const maxTicks = 10

func ticks(span timeline.Span, top, bottom float64) []svgTick {
	step, format := TickStep(span.Width(), maxTicks), "15:04"
	switch {
	case step < time.Minute:
		format = "15:04:05"
	case step >= 24*time.Hour:
		format = time.DateOnly
	}
	var out []svgTick
	for t := span.From.UTC().Truncate(step); !t.After(span.To); t = t.Add(step) {
		if t.Before(span.From) {
			continue
		}
		out = append(out, svgTick{X: px(xAt(t, span)), Y1: px(top), Y2: px(bottom), Label: t.Format(format)})
	}
	return out
}

// TickStep returns the distance between the labels of a time axis of that width, so that there are at most n.
func TickStep(width time.Duration, n int) time.Duration {
	for _, s := range tickSteps {
		if width/s < time.Duration(n) {
			return s
		}
	}
	day := tickSteps[len(tickSteps)-1]
	return day * (width/(day*time.Duration(max(n, 1))) + 1)
}

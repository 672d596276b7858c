package tui

import (
	"math"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
)

// gutter is the width of the labels left of every chart; what is under one another is of one moment.
const gutter = 9

// axis maps moments to columns of a plot.
type axis struct {
	span  timeline.Span
	left  int
	width int
}

func (a axis) column(t time.Time) int {
	if a.span.Width() <= 0 {
		return a.left
	}
	return a.left + int(float64(t.Sub(a.span.From))/float64(a.span.Width())*float64(a.width))
}

// columns returns the columns that the span touches, first and last, and whether there are any in the plot.
func (a axis) columns(s timeline.Span) (first, last int, ok bool) {
	if !s.Overlaps(a.span) {
		return 0, 0, false
	}
	first, last = a.column(s.From), a.column(s.To)
	if s.To.After(s.From) && a.column(s.To.Add(-time.Nanosecond)) < last {
		last--
	}
	first, last = max(first, a.left), min(last, a.left+a.width-1)
	return first, last, first <= last
}

// brailleDots are the bits of a braille cell's dots: left column from the top, then right column (Unicode, block
// U+2800).
var brailleDots = [2][4]rune{{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}}

// plot draws buckets as a filled curve of height rows from y on. In braille a column holds two buckets and a row
// four steps; without it a column holds one bucket. Where nothing is known nothing is drawn.
func plot(c *canvas, g glyphs, a axis, y, height int, in ink, series []timeline.Sample, top float64) {
	if top <= 0 || height <= 0 {
		return
	}
	if !g.braille {
		plotBars(c, g, a, y, height, in, series, top)
		return
	}
	bs := report.Buckets(series, a.span, a.width*2)
	steps := height * 4
	for col := range a.width {
		for row := range height {
			var bits rune
			for half := range 2 {
				b := bs[col*2+half]
				if b.N == 0 {
					continue
				}
				// A curve of zero is a line on the ground: known to be nothing.
				level := max(1, int(math.Round(min(b.Mean/top, 1)*float64(steps))))
				for dot := range 4 {
					fromBottom := steps - (row*4 + dot)
					edge := fromBottom <= level && fromBottom > level-2
					if edge || fromBottom <= level && half == 0 && dot%2 == 1 {
						bits |= brailleDots[half][dot]
					}
				}
			}
			if bits != 0 {
				c.put(a.left+col, y+row, in, string(0x2800+bits))
			}
		}
	}
}

// plotBars draws a bar of eighths per column.
func plotBars(c *canvas, g glyphs, a axis, y, height int, in ink, series []timeline.Sample, top float64) {
	for col, b := range report.Buckets(series, a.span, a.width) {
		if b.N == 0 {
			continue
		}
		level := max(1, int(math.Round(min(b.Max/top, 1)*float64(height*len(g.bars)))))
		for row := range height {
			n := level - (height-1-row)*len(g.bars)
			if n > 0 {
				c.put(a.left+col, y+row, in, g.bars[min(n, len(g.bars))-1])
			}
		}
	}
}

// shade fills the columns of outages of the plot where nothing else is drawn: dark stretches with one sign, those
// in which only the flow stalled with another.
func shade(c *canvas, g glyphs, a axis, y, height int, outages []report.Outage) {
	for _, by := range []struct{ seen, sign string }{{timeline.SeenByHeartbeat, g.dark}, {timeline.SeenByTCP, g.stall}} {
		for _, o := range outages {
			first, last, ok := a.columns(timeline.Span{From: o.From, To: o.To})
			if !ok || o.SeenBy != by.seen {
				continue
			}
			for col := first; col <= last; col++ {
				for row := range height {
					if p := c.at(col, y+row); p != nil && p.text == "" {
						c.put(col, y+row, inkBad, by.sign)
					}
				}
			}
		}
	}
}

// timeAxis draws the labels of the axis into row y.
func timeAxis(c *canvas, a axis, y int) {
	const room = 13 // of a label with a gap
	step := report.TickStep(a.span.Width(), max(1, a.width/room))
	format := "15:04:05"
	if step >= time.Minute {
		format = "15:04"
	}
	if step >= 24*time.Hour {
		format = "01-02"
	}
	end := 0
	for t := a.span.From.UTC().Truncate(step); !t.After(a.span.To); t = t.Add(step) {
		if t.Before(a.span.From) {
			continue
		}
		label := t.Format(format)
		x := min(a.column(t)-len(label)/2, a.left+a.width-len(label))
		if x < end || x < 0 {
			continue
		}
		end = c.put(x, y, inkDim, label) + 1
	}
}

// windows are the lengths of the time shown that a key steps through; 0 is the whole run.
var windows = []time.Duration{2 * time.Minute, 10 * time.Minute, time.Hour, 0, 30 * time.Second}

// windowNames are the words for windows.
var windowNames = []string{"last 2 min", "last 10 min", "last hour", "whole run", "last 30 s"}

// minWindow is how much time the chart shows at least, so that a run that just began does not jump about.
const minWindow = 30 * time.Second

// window returns the time that charts show: the newest part of the run, the whole of it while it is short.
func (m *Model) window(zoom int) timeline.Span {
	from := m.Began
	if w := windows[zoom%len(windows)]; w > 0 && m.Now.Add(-w).After(from) {
		from = m.Now.Add(-w)
	}
	to := m.Now
	if to.Sub(from) < minWindow {
		to = from.Add(minWindow)
	}
	return timeline.Span{From: from, To: to}
}

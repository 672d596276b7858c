package tui

import (
	"fmt"

	"whydrop/cmd/internal/report"
)

func eventRowCount(m *Model, s *state) int { return len(filterEvents(m.Events, s.filter)) }

// drawEvents draws the common timeline of path and devices, the newest at the bottom. It follows what is new until
// the user moves up.
func drawEvents(c *canvas, m *Model, s *state) {
	rows := filterEvents(m.Events, s.filter)
	whole := 1
	if c.height >= 16 {
		whole = 3
	}
	height := c.height - 1 - whole
	if height < 1 {
		return
	}
	p := s.place()
	if !p.moved {
		p.cursor = len(rows) - 1
	}
	top := p.follow(len(rows), height)
	c.put(eventTimeAt, 0, inkBold, "Time (UTC)")
	c.put(eventKindAt, 0, inkBold, "Kind")
	c.put(eventWhereAt, 0, inkBold, "Where")
	c.put(eventWhatAt(c), 0, inkBold, "What")
	for i := top; i < min(top+height, len(rows)); i++ {
		drawEventRow(c, 1+i-top, rows[i], s, eventCursor(i == p.cursor))
	}
	if len(rows) == 0 {
		c.put(eventTimeAt, 1, inkDim, nothingMatches(s, "nothing happened yet"))
		return
	}
	drawEventWhole(c, c.height-whole, whole, rows[p.cursor], p.cursor, len(rows))
}

// eventCursor says how a row is drawn: 1 under the cursor, 0 otherwise.
func eventCursor(chosen bool) int {
	if chosen {
		return 1
	}
	return 0
}

// The columns of a row of events.
const (
	eventTimeAt  = 3
	eventKindAt  = 16
	eventWhereAt = 26
)

func eventWhatAt(c *canvas) int {
	if c.width >= 100 {
		return eventWhereAt + 30
	}
	return eventWhereAt + 17
}

func drawEventRow(c *canvas, y int, e Event, s *state, cursor int) {
	sign, in := s.glyphs.kind(e.Kind)
	if cursor == 1 {
		c.put(0, y, inkPlain, s.glyphs.cursor)
	}
	c.put(1, y, in, sign)
	base := inkPlain
	switch e.Kind {
	case KindOff, KindLog, KindOwn:
		base = inkDim
	}
	c.put(eventTimeAt, y, base, report.Clock(e.At))
	c.put(eventKindAt, y, in, kindWords[e.Kind])
	at := eventWhatAt(c)
	c.put(eventWhereAt, y, base, report.Clip(e.Where, at-eventWhereAt-1))
	c.put(at, y, base, report.Clip(e.What, c.width-at-1))
	if cursor == 1 {
		c.row(y, inkChosen)
	}
}

func (g glyphs) kind(k Kind) (string, ink) {
	switch k {
	case KindOutage:
		return g.down, inkBad
	case KindEvent:
		return g.event, inkBold
	case KindOff:
		return g.off, inkDim
	case KindProblem:
		return g.unknown, inkWarn
	case KindOwn:
		return g.mark, inkDim
	}
	return " ", inkDim
}

// drawEventWhole writes the row under the cursor in full, as far as the lines go, and how many rows there are.
func drawEventWhole(c *canvas, y, lines int, e Event, i, n int) {
	place := fmt.Sprintf("%d of %d", i+1, n)
	text := e.Where + ": " + e.What
	if w := e.Span.Width(); e.Kind != KindOutage && e.Kind != KindProblem && e.Kind != KindOwn && w > 0 {
		text += " (dated ±" + report.Length(w/2) + ")"
	}
	width := c.width - eventTimeAt - 2
	wrapped := report.Wrap(text, width-len(place)-2)
	for l := range min(lines, len(wrapped)) {
		c.putMax(eventTimeAt, y+l, c.width-1, inkPlain, wrapped[l])
	}
	c.right(c.width-1, y, inkDim, place)
}

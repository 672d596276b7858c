package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/rivo/uniseg"

	"whydrop/cmd/internal/report"
	"whydrop/rules"
)

// The smallest screen that makes sense; below it only the state is shown.
const (
	leastWidth  = 40
	leastHeight = 8
)

// drawScreen draws the whole screen: heading, pages, the state of the path, the page, the keys.
func drawScreen(c *canvas, m *Model, s *state) {
	if c.width == 0 || c.height == 0 {
		return
	}
	if m == nil {
		c.put(1, 0, inkBold, "whydrop")
		c.put(1, 2, inkPlain, "waiting for the first readings")
		drawFooter(c, c.height-1, s, m)
		return
	}
	if c.width < leastWidth || c.height < leastHeight {
		drawNow(c, 0, m, s)
		drawWhy(c, 1, max(1, c.height-1), m, s)
		return
	}
	drawHeading(c, m, s)
	drawTabs(c, 1, m, s)
	drawNow(c, 2, m, s)
	body := newCanvas(c.width, c.height-4)
	s.view().draw(body, m, s)
	c.paste(0, 3, body)
	drawFooter(c, c.height-1, s, m)
}

func drawHeading(c *canvas, m *Model, s *state) {
	x := c.put(1, 0, inkBold, "whydrop")
	mode, in := "LIVE", inkGood
	switch {
	case s.replay && s.paused:
		mode, in = "REPLAY PAUSED", inkWarn
	case s.replay:
		mode, in = fmt.Sprintf("REPLAY x%g", speeds[s.speed]), inkPlain
	}
	if s.frozen {
		mode, in = "FROZEN", inkWarn
	}
	when := report.ClockSecond(m.Now) + " UTC"
	if !s.ends.IsZero() && s.ends.After(m.Now) {
		when += ", ends in " + report.RoundLength(s.ends.Sub(m.Now).Round(time.Second))
	}
	end := c.width - 1
	c.right(end, 0, inkPlain, when)
	end -= uniseg.StringWidth(when) + 2
	c.right(end, 0, in, mode)
	what := m.Site
	if p := s.shown(m); p != nil {
		what += "  path " + p.Name
		if n := len(m.Paths); n > 1 {
			what += fmt.Sprintf(" (%d of %d)", s.path%n+1, n)
		}
	}
	limit := end - uniseg.StringWidth(mode) - 2
	c.putMax(x+2, 0, limit, inkPlain, report.Clip(what, limit-x-2))
}

func drawTabs(c *canvas, y int, m *Model, s *state) {
	x := 1
	for i, v := range views {
		label := fmt.Sprintf("%d %s", i+1, v.name)
		switch v.name {
		case "Findings":
			if n := len(m.Findings); n > 0 {
				label += fmt.Sprintf(" (%d)", n)
			}
		case "Ports":
			if n := troubled(m); n > 0 {
				label += fmt.Sprintf(" (%d%s)", n, s.glyphs.warn)
			}
		}
		in, open, end := inkPlain, " ", " "
		if i == s.page && s.over == noOverlay {
			in, open, end = inkBold, "[", "]"
		}
		x = c.put(x, y, in, open+label+end) + 1
	}
	if note := inquiryNote(s); note != "" {
		c.right(c.width-1, y, inkWarn, report.Clip(note, max(0, c.width-x-2)))
	} else if s.filter != "" {
		c.right(c.width-1, y, inkWarn, report.Clip("filter: "+report.Clean(s.filter), max(0, c.width-x-2)))
	}
}

// troubled counts the ports on the path that deserve a look.
func troubled(m *Model) int {
	n := 0
	for _, p := range m.Ports {
		if p.OnPath && p.Health >= HealthWarn {
			n++
		}
	}
	return n
}

func stateInk(st State) (ink, bool) {
	switch st {
	case StateOK:
		return inkGood, false
	case StateDown, StateStalled:
		return inkBadSay, true
	case StateUnknown:
		return inkDim, false
	}
	return inkWarn, false
}

func (g glyphs) state(st State) string {
	switch st {
	case StateOK:
		return g.ok
	case StateDown, StateStalled:
		return g.down
	case StateUnknown:
		return g.unknown
	}
	return g.warn
}

// shown returns the path that is shown; nil if there is none.
func (s *state) shown(m *Model) *Path {
	if len(m.Paths) == 0 {
		return nil
	}
	return m.Paths[s.path%len(m.Paths)]
}

// drawNow answers whether it drops now, and since when.
func drawNow(c *canvas, y int, m *Model, s *state) {
	p := s.shown(m)
	if p == nil {
		c.put(1, y, inkDim, s.glyphs.unknown+" NO PATH   the site names none, and nothing was probed")
		return
	}
	in, loud := stateInk(p.State)
	head := s.glyphs.state(p.State) + " " + stateWords[p.State]
	text := p.Sentence(m.Now)
	x := c.put(1, y, in, report.Pad(head, labelColumn-1))
	c.putMax(max(x, labelColumn), y, c.width-1, inkPlain, report.Clip(text, c.width-1-labelColumn))
	if loud {
		c.row(y, inkBadSay)
	}
}

// drawLast says when it dropped before.
func drawLast(c *canvas, y int, m *Model, s *state) {
	p := s.shown(m)
	if p == nil {
		return
	}
	label := "LAST DROP"
	if n := len(p.Incidents); n > 1 {
		label = fmt.Sprintf("LAST OF %d", n)
	}
	c.put(1, y, inkDim, "  "+label)
	c.putMax(labelColumn, y, c.width-1, inkPlain, report.Clip(p.History(m.Now), c.width-1-labelColumn))
}

// labelColumn is where the text of the lines at the top begins.
const labelColumn = 16

// drawWhy answers why, as far as that is known, in at most so many lines, and returns the next row.
func drawWhy(c *canvas, y, lines int, m *Model, s *state) int {
	sign, word, in := s.glyphs.unknown, "WHY", inkDim
	text := noFinding(m, s)
	if len(m.Findings) > 0 {
		f := m.Findings[0]
		sign, in = verdictSign(s.glyphs, f.Verdict)
		text = f.Title
		if name := f.Subject.String(); name != "" {
			text += " (" + name + ")"
		}
		if f.Verdict != string(rules.CannotTell) {
			text += fmt.Sprintf(", %s %.0f %%", f.Verdict, f.Confidence*100)
		}
		if n := len(m.Findings); n > 1 {
			text += fmt.Sprintf(" and %d more", n-1)
		}
	}
	c.put(1, y, in, sign+" "+word)
	return putLines(c, y, lines, inkBold, text)
}

// putLines writes text into at most so many lines beside the labels, and returns the next row. What does not fit
// is marked as cut off.
func putLines(c *canvas, y, lines int, in ink, text string) int {
	width := c.width - 1 - labelColumn
	wrapped := report.Wrap(text, width)
	if len(wrapped) > lines {
		wrapped[lines-1] = report.Clip(strings.Join(wrapped[lines-1:], " "), width)
		wrapped = wrapped[:lines]
	}
	for i, l := range wrapped {
		c.putMax(labelColumn, y+i, c.width-1, in, l)
	}
	return y + len(wrapped)
}

// noFinding says what it means that there is none.
func noFinding(m *Model, s *state) string {
	p := s.shown(m)
	blind := 0
	for _, d := range m.Devices {
		if d.OnPath && (d.Health == HealthUnknown || d.Health == HealthDown && d.Word != "") {
			blind++
		}
	}
	text := "nothing found so far"
	if p != nil && (p.State == StateDown || p.State == StateStalled) {
		text = "not known yet, the devices are being read"
	} else if p != nil && len(p.Outages) > 0 {
		text = "cannot tell: nothing that was read explains the drop"
	}
	if blind > 0 {
		text += fmt.Sprintf("; %d of %d devices can't be read", blind, len(m.Devices))
	}
	return text
}

func verdictSign(g glyphs, verdict string) (string, ink) {
	switch rules.Verdict(verdict) {
	case rules.Holds:
		return g.down, inkBad
	case rules.Suspected:
		return g.warn, inkWarn
	}
	return g.unknown, inkDim
}

// drawFirst says what to do first, in at most so many lines, and returns the next row.
func drawFirst(c *canvas, y, lines int, m *Model, s *state) int {
	if len(m.Findings) == 0 || len(m.Findings[0].Next) == 0 {
		return y
	}
	c.put(1, y, inkPlain, "  DO FIRST")
	return putLines(c, y, lines, inkPlain, m.Findings[0].Next[0])
}

// drawFooter shows what the last command came to, else the keys: help and quit always, the others as they fit.
func drawFooter(c *canvas, y int, s *state, m *Model) {
	if s.message != "" {
		c.putMax(1, y, c.width-1, inkBold, report.Clip(s.message, c.width-2))
		return
	}
	end, table := c.width-1, keyTable()
	for _, k := range slices.Backward(table) {
		if k.always {
			end -= keyWidth(k)
			drawKey(c, end, y, k)
			end -= 2
		}
	}
	x := 1
	for _, k := range table {
		if k.short == "" || k.always || !k.offered(s, m) {
			continue
		}
		if x+keyWidth(k) > end {
			return
		}
		x = drawKey(c, x, y, k) + 2
	}
}

func keyWidth(k key) int { return uniseg.StringWidth(k.label) + 1 + uniseg.StringWidth(k.short) }

func drawKey(c *canvas, x, y int, k key) int {
	return c.put(c.put(x, y, inkBold, k.label)+1, y, inkDim, k.short)
}

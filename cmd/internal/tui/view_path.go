package tui

import (
	"fmt"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"whydrop/cmd/internal/report"
)

// The width of a column of the path: its least, and the most it needs.
const (
	leastHop = 13
	tightHop = 18 // below that the far end's name gives way
	mostHop  = 30
)

// drawPath draws the path hop by hop from left to right, the ports under each device, a redundant group as rows
// under one another. It uses at most height rows from y on and returns how many it used.
func drawPath(c *canvas, y, height int, m *Model, p *Path, s *state) int {
	if len(p.Hops) == 0 {
		c.put(1, y, inkPlain, report.Clip("local "+s.glyphs.arrow+" "+p.To, c.width-2))
		c.put(1, y+1, inkDim, "the site names no hops for this path")
		return 2
	}
	hops, cut := fitting(p.Hops, c.width)
	ends := "local "
	if cut > 0 {
		ends = ".. "
	}
	room := c.width - 2 - uniseg.StringWidth(ends)
	far := min(uniseg.StringWidth(p.To), 18) + 4
	if (room-far)/len(hops) < tightHop {
		far = 3
	}
	width := min(mostHop, (room-far)/len(hops))
	to := report.Clip(p.To, max(0, room-width*len(hops)-3))
	rows := portRowsPerUnit(hops, height)
	used := 0
	c.put(1, y, inkPlain, ends)
	x := 1 + uniseg.StringWidth(ends)
	for i, h := range hops {
		before := 1
		if i > 0 {
			before = len(hops[i-1].Members)
		}
		used = max(used, drawHop(c, x, y, width, rows, h, before, s))
		x += width
	}
	g := s.glyphs
	if last := hops[len(hops)-1]; to != "" || len(last.Members) > 1 {
		drawLink(c, x, y, len(last.Members), 1, rows, g)
		c.putMax(x+3, y, c.width-1, inkPlain, to)
	}
	return min(used, height)
}

// fitting returns the last hops that fit the width, and how many were left out before them: the far end is where
// the errors of the whole path show.
func fitting(hops []Hop, width int) ([]Hop, int) {
	n := max(1, (width-2-6-3)/leastHop)
	if len(hops) <= n {
		return hops, 0
	}
	return hops[len(hops)-n:], len(hops) - n
}

// portRowsPerUnit returns how many rows of ports each unit gets.
func portRowsPerUnit(hops []Hop, height int) int {
	units, ports := 1, 0
	for _, h := range hops {
		units = max(units, len(h.Members))
		for _, d := range h.Members {
			ports = max(ports, len(d.Ports))
		}
	}
	return max(0, min(ports, height/units-1))
}

// drawHop draws one hop into a column and returns how many rows it took.
func drawHop(c *canvas, x, y, width, rows int, h Hop, before int, s *state) int {
	g := s.glyphs
	drawLink(c, x, y, before, len(h.Members), rows, g)
	at := y
	for _, d := range h.Members {
		drawUnit(c, x+3, at, x+width-1, d, g)
		n := rows
		if len(h.Members) == 1 {
			n = max(rows, min(len(d.Ports), rows*2))
		}
		drawUnitPorts(c, x+3, at+1, x+width-1, n, d, g)
		at += rows + 1
	}
	last := h.Members[len(h.Members)-1]
	used := (len(h.Members)-1)*(rows+1) + 1 + min(rows, len(last.Ports))
	if len(h.Members) == 1 {
		used = 1 + min(len(last.Ports), max(rows, min(len(last.Ports), rows*2)))
	}
	return used
}

// drawLink draws the line from the hop before, which has that many units, to the units of this one.
func drawLink(c *canvas, x, y, before, units, rows int, g glyphs) {
	in := inkDim
	switch {
	case units > 1:
		c.put(x, y, in, g.fork)
		for r := 1; r < (units-1)*(rows+1); r++ {
			c.put(x, y+r, in, g.vbar)
		}
		for u := 1; u < units; u++ {
			c.put(x, y+u*(rows+1), in, g.bend)
		}
	case before > 1:
		c.put(x, y, in, g.fork)
		for r := 1; r < (before-1)*(rows+1); r++ {
			c.put(x, y+r, in, g.vbar)
		}
		c.put(x, y+(before-1)*(rows+1), in, g.end)
	default:
		c.put(x, y, in, g.arrow)
	}
}

// drawUnit writes a device's name with its health and whether it forwards.
func drawUnit(c *canvas, x, y, limit int, d *Device, g glyphs) {
	sign, in := g.health(d.Health)
	x = c.putMax(x, y, limit, in, sign+" ")
	word, wordInk := "", inkDim
	switch {
	case d.Word != "":
		word, wordInk = d.Short, inkBad
		if d.Health == HealthUnknown {
			wordInk = inkDim
		}
	case d.Forwards == ForwardsYes:
		word, wordInk = "forwards", inkGood
	case d.Forwards == ForwardsNo:
		word = "idle"
	case d.Forwards == ForwardsUnknown:
		word = "forwards?"
	}
	room := limit - x
	if word != "" {
		if uniseg.StringWidth(d.Name)+1+uniseg.StringWidth(word) > room {
			word = tightWord(d, g)
		}
		if word != "" {
			room -= uniseg.StringWidth(word) + 1
		}
	}
	x = c.putMax(x, y, limit, inkBold, report.Clip(d.Name, room))
	if word != "" {
		c.putMax(x+1, y, limit, wordInk, word)
	}
}

// tightWord is a sign for the word beside a device's name where there is no room for it.
func tightWord(d *Device, g glyphs) string {
	switch {
	case d.Word != "":
		return "" // the sign of its health says as much
	case d.Forwards == ForwardsYes:
		return g.cursor
	case d.Forwards == ForwardsUnknown:
		return g.unknown
	}
	return ""
}

// drawUnitPorts lists a device's path ports; where there is no room for all, the worst come first.
func drawUnitPorts(c *canvas, x, y, limit, rows int, d *Device, g glyphs) {
	ports := d.Ports
	if len(ports) > rows {
		ports = slices.Clone(ports)
		slices.SortStableFunc(ports, func(a, b *Port) int { return worst(a.Health, b.Health) })
		ports = ports[:max(rows, 0)]
	}
	for i, p := range ports {
		sign, in := g.attention(p.Health)
		c.putMax(x, y+i, limit, in, sign)
		word := portWord(p)
		c.putMax(x+2, y+i, limit, inkPlain, clipLeft(p.Short, max(3, limit-x-2-uniseg.StringWidth(word)-1), g))
		wordInk := inkDim
		if p.Health >= HealthWarn {
			wordInk = in
		}
		c.right(limit, y+i, wordInk, word)
	}
}

// portWord is what matters of a port in few characters: that it is down or blocked, its errors or drops, else what
// it carries.
func portWord(p *Port) string {
	busier := p.In
	if p.Out != nil && (busier == nil || *p.Out > *busier) {
		busier = p.Out
	}
	switch {
	case p.Up != nil && !*p.Up:
		return "down"
	case p.ErrorsSeen >= attention:
		return count(p.ErrorsSeen) + " err"
	case p.DropsSeen >= attention:
		return count(p.DropsSeen) + " drop"
	case p.Forwarding != nil && !*p.Forwarding:
		return "BLK"
	case busier != nil:
		return shortRate(*busier)
	}
	return "?"
}

// shortRate writes a rate in at most five characters: "0.4M", "10M", "941M", "9.4G".
func shortRate(v float64) string {
	switch {
	case v >= 999.5e6:
		return fmt.Sprintf("%.1fG", v/1e9)
	case v >= 9.95e6:
		return fmt.Sprintf("%.0fM", v/1e6)
	}
	return fmt.Sprintf("%.1fM", v/1e6)
}

// clipLeft shortens a port's name from the left: its numbers tell ports apart.
func clipLeft(s string, width int, g glyphs) string {
	for uniseg.StringWidth(s) > width && s != "" {
		cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(strings.TrimPrefix(s, g.ellipsis), -1)
		s = g.ellipsis + strings.TrimPrefix(strings.TrimPrefix(s, g.ellipsis), cluster)
		if s == g.ellipsis {
			break
		}
	}
	return s
}

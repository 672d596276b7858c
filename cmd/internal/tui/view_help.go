package tui

import (
	"whydrop/cmd/internal/report"
)

// drawHelp lists the keys that can be used now, and what the signs mean.
func drawHelp(c *canvas, m *Model, s *state) {
	c.put(1, 0, inkBold, "Keys")
	y := 1
	for _, k := range keyTable() {
		if k.help == "" || !k.offered(s, m) || y >= c.height {
			continue
		}
		c.put(2, y, inkBold, report.Pad(k.label, 7))
		c.put(10, y, inkPlain, report.Clip(k.help, c.width-11))
		y++
	}
	g := s.glyphs
	signs := []struct {
		sign string
		in   ink
		text string
	}{
		{g.ok, inkGood, "well"}, {g.warn, inkWarn, "errors, drops, a suspicion"}, {g.down, inkBad, "down, an outage, a cause that holds"}, {g.unknown, inkDim, "not known"},
		{g.event, inkBold, "event on the path"}, {g.off, inkDim, "event off the path"}, {g.mark, inkWarn, "your mark"}, {g.dark, inkBad, "the path was dark"}, {g.stall, inkBad, "TCP stalled"},
		{g.cursor, inkGood, "forwards"}, {"BLK", inkDim, "blocked by spanning tree"},
	}
	if y+2 >= c.height {
		return
	}
	c.put(1, y+1, inkBold, "Signs")
	y += 2
	x := 2
	for _, sg := range signs {
		if x+len(sg.text)+4 > c.width {
			x, y = 2, y+1
		}
		if y >= c.height {
			return
		}
		x = c.put(x, y, sg.in, sg.sign)
		x = c.put(x+1, y, inkPlain, sg.text) + 3
	}
}

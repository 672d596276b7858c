package tui

import (
	"strings"

	"github.com/rivo/uniseg"
)

// ink is how a cell is drawn. What an ink means is always said by a word or a sign too: without colour nothing
// gets lost.
type ink uint8

const (
	inkPlain  ink = iota
	inkBold       // headings, what matters
	inkDim        // what matters little
	inkGood       // well
	inkBad        // down, lost
	inkWarn       // errors, suspicion
	inkCurve      // measured curves
	inkBadSay     // a line that must be seen: reversed
	inkChosen     // the row under the cursor: reversed
)

// cell is one place of the screen. The second column of a wide character has no text.
type cell struct {
	text string // one grapheme cluster; "" is a blank
	ink  ink
	tail bool // the right half of a wide character
}

// canvas is a grid of cells that views draw on. Everything outside it is cut off.
type canvas struct {
	width, height int
	cells         []cell
}

func newCanvas(width, height int) *canvas {
	width, height = max(width, 0), max(height, 0)
	return &canvas{width, height, make([]cell, width*height)}
}

func (c *canvas) at(x, y int) *cell {
	if x < 0 || y < 0 || x >= c.width || y >= c.height {
		return nil
	}
	return &c.cells[y*c.width+x]
}

// put writes clean text from x, y on and returns the column after it.
func (c *canvas) put(x, y int, in ink, text string) int { return c.putMax(x, y, c.width, in, text) }

// putMax is put that stops before the column limit.
func (c *canvas) putMax(x, y, limit int, in ink, text string) int {
	limit = min(limit, c.width)
	state := -1
	for text != "" {
		var cluster string
		var w int
		cluster, text, w, state = uniseg.FirstGraphemeClusterInString(text, state)
		if x+w > limit {
			break
		}
		if w == 0 {
			continue // clean text has none but a mark without a letter
		}
		c.set(x, y, in, cluster, w)
		x += w
	}
	return x
}

func (c *canvas) set(x, y int, in ink, cluster string, w int) {
	if p := c.at(x, y); p != nil {
		*p = cell{text: cluster, ink: in}
	}
	for i := 1; i < w; i++ {
		if p := c.at(x+i, y); p != nil {
			*p = cell{ink: in, tail: true}
		}
	}
}

// right writes text so that it ends before the column end.
func (c *canvas) right(end, y int, in ink, text string) {
	c.putMax(end-uniseg.StringWidth(text), y, end, in, text)
}

// row gives a whole row an ink, for a line that shall stand out.
func (c *canvas) row(y int, in ink) {
	for x := range c.width {
		if p := c.at(x, y); p != nil {
			p.ink = in
		}
	}
}

// paste lays the cells of part over c, with its upper left corner at x, y.
func (c *canvas) paste(x, y int, part *canvas) {
	for py := range part.height {
		for px := range part.width {
			if p := c.at(x+px, y+py); p != nil {
				*p = part.cells[py*part.width+px]
			}
		}
	}
}

// String returns the canvas as lines of text without trailing blanks.
func (c *canvas) String() string {
	var b strings.Builder
	for y := range c.height {
		var line strings.Builder
		for x := range c.width {
			switch p := c.at(x, y); {
			case p.tail:
			case p.text == "":
				line.WriteByte(' ')
			default:
				line.WriteString(p.text)
			}
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

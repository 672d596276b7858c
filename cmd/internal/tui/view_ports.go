package tui

import (
	"fmt"
	"math"

	"github.com/rivo/uniseg"

	"whydrop/cmd/internal/report"
)

// column is one column of the table of ports.
type column struct {
	title string
	width int
	right bool
	least int // the width of the screen from which it is shown, whole
	text  func(p *Port) string
	ink   func(p *Port) ink
}

var tableColumns = []column{
	{"Port", 18, false, 0, func(p *Port) string { return p.Short }, nil},
	{"State", 9, false, 0, stateText, stateOfPort},
	{"Speed", 5, true, 0, func(p *Port) string { return figure(p.Speed, shortSpeed) }, nil},
	{"In Mb/s", 7, true, 0, func(p *Port) string { return figure(p.In, report.Mbit) }, nil},
	{"Out Mb/s", 8, true, 0, func(p *Port) string { return figure(p.Out, report.Mbit) }, nil},
	{"Load %", 6, true, 0, func(p *Port) string {
		return figure(p.Load, func(v float64) string { return fmt.Sprintf("%.1f", v*100) })
	}, nil},
	{"Err/s", 5, true, 0, func(p *Port) string { return figure(p.Errors, perSecond) }, badIfAny(func(p *Port) float64 { return p.ErrorsSeen })},
	{"Drop/s", 6, true, 0, func(p *Port) string { return figure(p.Drops, perSecond) }, badIfAny(func(p *Port) float64 { return p.DropsSeen })},
	{"Err 1 min", 10, true, 105, func(p *Port) string { return seen(p.Errors, p.ErrorsSeen) }, badIfAny(func(p *Port) float64 { return p.ErrorsSeen })},
	{"Drop 1 min", 10, true, 116, func(p *Port) string { return seen(p.Drops, p.DropsSeen) }, badIfAny(func(p *Port) float64 { return p.DropsSeen })},
}

func portRows(m *Model, s *state) int {
	return len(sortedPorts(m.Ports, s.column, s.reverse, s.filter))
}

// drawPorts draws the devices in one line each and the table of ports.
func drawPorts(c *canvas, m *Model, s *state) {
	y := drawDevices(c, m, s)
	ports := sortedPorts(m.Ports, s.column, s.reverse, s.filter)
	order := portColumns[s.column%len(portColumns)].title
	direction := s.glyphs.dn
	if s.reverse {
		direction = s.glyphs.up
	}
	c.right(c.width-1, 0, inkDim, "order: "+order+" "+direction)
	rows := c.height - y - 1
	if rows < 1 {
		return
	}
	drawPortHead(c, y, s)
	top := s.place().follow(len(ports), rows)
	for i := top; i < min(top+rows, len(ports)); i++ {
		drawPortRow(c, y+1+i-top, ports[i], s, i == s.place().cursor)
	}
	if len(ports) == 0 {
		c.put(3, y+1, inkDim, nothingMatches(s, "no port is watched"))
	}
}

func nothingMatches(s *state, otherwise string) string {
	if s.filter != "" {
		return "nothing matches the filter; esc clears it"
	}
	return otherwise
}

// drawDevices writes one line for each device, as long as that leaves two thirds of the page to the ports, and
// returns the next row.
func drawDevices(c *canvas, m *Model, s *state) int {
	c.put(1, 0, inkBold, "Devices")
	y := 1
	for i, d := range m.Devices {
		if y > max(3, c.height/3) && i < len(m.Devices)-1 {
			c.put(3, y, inkDim, fmt.Sprintf("and %d more", len(m.Devices)-i))
			y++
			break
		}
		sign, in := s.glyphs.health(d.Health)
		x := c.put(1, y, in, sign+" ")
		x = c.put(x, y, inkBold, report.Pad(d.Name, 16))
		x = c.put(x+1, y, inkDim, report.Pad(d.Role, 9))
		c.putMax(x+1, y, c.width-1, inkPlain, report.Clip(deviceSays(d), c.width-2-x))
		y++
	}
	return y + 1
}

func deviceSays(d *Device) string {
	switch {
	case d.Word != "":
		return d.Word
	case d.Health == HealthDown:
		return "answers; a port on the path is down"
	case d.Health == HealthWarn:
		return "answers; errors or drops on the path"
	case d.Forwards == ForwardsYes:
		return "answers; forwards the path"
	case d.Forwards == ForwardsNo:
		return "answers; idle"
	case !d.OnPath:
		return "answers; on no path"
	}
	return "answers"
}

func deviceWidth(c *canvas) int {
	if c.width >= 100 {
		return 18
	}
	return 9
}

func drawPortHead(c *canvas, y int, s *state) {
	x := c.put(3, y, inkBold, report.Pad("Device", deviceWidth(c))) + 1
	for _, col := range tableColumns {
		if c.width < col.least {
			continue
		}
		x = putColumn(c, x, y, inkBold, portWidth(c, col), col.right, col.title)
	}
}

// portWidth narrows the first column on a small screen.
func portWidth(c *canvas, col column) int {
	if col.title == "Port" && c.width < 100 {
		return 10
	}
	return col.width
}

func putColumn(c *canvas, x, y int, in ink, width int, right bool, text string) int {
	text = report.Clip(text, width)
	if right {
		c.put(x+width-uniseg.StringWidth(text), y, in, text)
	} else {
		c.put(x, y, in, text)
	}
	return x + width + 1
}

func drawPortRow(c *canvas, y int, p *Port, s *state, chosen bool) {
	sign, in := s.glyphs.attention(p.Health)
	base := inkPlain
	if !p.OnPath {
		base = inkDim
	}
	if chosen {
		c.put(0, y, inkPlain, s.glyphs.cursor)
	}
	c.put(1, y, in, sign)
	x := c.put(3, y, base, report.Pad(p.Device, deviceWidth(c))) + 1
	for _, col := range tableColumns {
		if c.width < col.least {
			continue
		}
		in := base
		if col.ink != nil {
			if own := col.ink(p); own != inkPlain {
				in = own
			}
		}
		x = putColumn(c, x, y, in, portWidth(c, col), col.right, col.text(p))
	}
	if chosen {
		c.row(y, inkChosen)
	}
}

// figure writes a figure, or a question mark for what is not known.
func figure(v *float64, f func(float64) string) string {
	if v == nil {
		return "?"
	}
	return f(*v)
}

func perSecond(v float64) string {
	switch {
	case v >= 1000:
		return fmt.Sprintf("%.0f", v)
	case v > 0 && v < 0.05:
		return "<0.1" // not none
	}
	return fmt.Sprintf("%.1f", v)
}

func seen(known *float64, n float64) string {
	if known == nil && n == 0 {
		return "?"
	}
	return count(n)
}

// count writes how many of something there were, short: "12", "3400", "1.2M".
func count(n float64) string {
	switch {
	case n >= 1e6:
		return fmt.Sprintf("%.1fM", n/1e6)
	case n >= 1e5:
		return fmt.Sprintf("%.0fk", n/1e3)
	}
	return fmt.Sprintf("%.0f", max(0, math.Ceil(n-1e-9)))
}

// shortSpeed writes a speed in few characters: "1G", "100M", "2.5G".
func shortSpeed(v float64) string {
	switch {
	case v >= 1e9:
		return trimZero(v/1e9) + "G"
	case v >= 1e6:
		return trimZero(v/1e6) + "M"
	}
	return trimZero(v/1e3) + "k"
}

// stateText is the port's state, with a note if it is on no path.
func stateText(p *Port) string {
	if !p.OnPath {
		return p.Word() + ", off"
	}
	return p.Word()
}

func stateOfPort(p *Port) ink {
	if p.Up != nil && !*p.Up {
		return inkBad
	}
	return inkPlain
}

func badIfAny(n func(*Port) float64) func(*Port) ink {
	return func(p *Port) ink {
		if n(p) >= attention {
			return inkBad
		}
		return inkPlain
	}
}

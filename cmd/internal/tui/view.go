package tui

import (
	"time"

	"whydrop/correlate/timeline"
)

// view is one page. It draws the model on the canvas that it is given, which is its own; it keeps nothing and
// calls nothing that blocks.
type view struct {
	name string
	draw func(c *canvas, m *Model, s *state)
	// rows returns how many rows the cursor can stand on; nil if the page has no cursor but scrolls by lines.
	rows func(m *Model, s *state) int
}

// views is the list of pages in the order of their keys: a new page is one line here and one file beside this one.
var views = []view{
	{"Overview", drawOverview, nil},
	{"Ports", drawPorts, portRows},
	{"Events", drawEvents, eventRowCount},
	{"Findings", drawFindings, nil},
}

// state is what the user chose. It belongs to the goroutine of the screen.
type state struct {
	glyphs  glyphs
	page    int
	path    int // the path shown in the overview
	zoom    int // index into windows
	filter  string
	column  int // the order of the ports, index into portColumns
	reverse bool
	frozen  bool
	over    overlay          // what lies over the page
	port    timeline.Subject // whose details are shown
	inquiry *inquiry         // nil: not offered
	marks   bool             // marking is offered
	reports bool             // reports are offered
	replay  bool
	paused  bool
	speed   int // index into speeds
	ends    time.Time

	places  [8]place            // of each page
	laid    [overlayCount]place // of each overlay
	message string              // what the last command came to
	until   time.Time           // when the message goes away
}

// place is where a page is scrolled to.
type place struct {
	top    int  // the first row shown
	cursor int  // the row chosen
	moved  bool // the user moved: the page no longer follows what is new
}

// overlay is a page that lies over the others until it is closed.
type overlay uint8

// The overlays; the zero value is none.
const (
	noOverlay overlay = iota
	helpOverlay
	inquiryOverlay
	portOverlay
	overlayCount
)

// overlayView draws an overlay: a new one is one line here. It is no table, for the help lists the keys that open it.
func overlayView(o overlay) view {
	switch o {
	case inquiryOverlay:
		return view{"Investigation", drawInquiry, nil}
	case portOverlay:
		return view{"Port", drawPort, nil}
	}
	return view{"Help", drawHelp, nil}
}

// view returns what is seen: the page, or what lies over it.
func (s *state) view() view {
	if s.over != noOverlay {
		return overlayView(s.over)
	}
	return views[s.page]
}

// place is where what is seen is scrolled to.
func (s *state) place() *place {
	if s.over != noOverlay {
		return &s.laid[s.over]
	}
	return &s.places[s.page]
}

// speeds are the speeds of a replay.
var speeds = []float64{0.5, 1, 2, 4, 8, 16}

// normalSpeed is the index of 1.
const normalSpeed = 1

// scrolled returns the first row to show of n rows in height lines, so that the place stays within them.
func (p *place) scrolled(n, height int) int {
	p.top = max(0, min(p.top, n-height))
	return p.top
}

// follow keeps the cursor within n rows and in sight of height lines, and returns the first row to show.
func (p *place) follow(n, height int) int {
	p.cursor = max(0, min(p.cursor, n-1))
	if p.cursor < p.top {
		p.top = p.cursor
	}
	if p.cursor >= p.top+height {
		p.top = p.cursor - height + 1
	}
	return p.scrolled(n, height)
}

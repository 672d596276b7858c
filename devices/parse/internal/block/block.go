// Package block reads what most command lines print of an interface: a header line, and under it lines of figures
// with their labels until the next header. It knows the fields that the kinds of command line have in common; what
// a platform calls them, and the lines that it alone has, are its own.
package block

import (
	"strconv"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// Port is an interface while its block is read.
type Port struct {
	devices.Interface
	// Out says that the lines that follow are about what is sent: behind "TX", "Output".
	Out bool
	// Section is free for the platform: where in the block the lines are.
	Section string
	// Rates counts the averaging intervals whose rates were read.
	Rates int
}

// Platform is how one platform prints interfaces.
type Platform struct {
	// Header begins a new port if the line is a header, and says whether it is one.
	Header func(p *Port, line string) bool
	// Line reads any other line, and says whether it understood it.
	Line func(p *Port, line string, lines *text.Lines) bool
	// End, if not nil, draws what follows from several lines of the port.
	End func(p *Port)
}

// Scan reads a text and returns the ports in its order, and the lines within their blocks that were not understood.
func (b Platform) Scan(output string) (ports []devices.Interface, unread []string) {
	lines := text.NewLines(output)
	var cur *Port
	finish := func() {
		if cur == nil {
			return
		}
		if b.End != nil {
			b.End(cur)
		}
		ports = append(ports, cur.Interface)
		cur = nil
	}
	for {
		line, _, _, ok := lines.Next()
		if !ok {
			break
		}
		if line == "" {
			continue
		}
		next := Port{}
		if b.Header(&next, line) {
			finish()
			cur = &next
			continue
		}
		if cur != nil && !b.Line(cur, line, &lines) {
			unread = append(unread, line)
		}
	}
	finish()
	return ports, unread
}

// Where says which field of an interface a counter belongs to.
type Where func(p *Port) *devices.Opt[devices.Counter]

// Counters puts the counters of a line where their labels say, and says whether it knew any. A counter whose label
// is in facts instead becomes a fact of that name, with "in_" or "out_" before it where it begins with "_".
func Counters(p *Port, line string, fields map[string]Where, facts map[string]string) (known bool) {
	for n, label := range text.Pairs(line) {
		if w := fields[label]; w != nil {
			text.SetOpt(w(p), n)
			known = true
		} else if name, ok := facts[label]; ok {
			known = true
			if n.OK {
				p.Know(name, strconv.FormatUint(n.Value.Value, 10))
			}
		}
	}
	return known
}

// maxFacts bounds the facts of a port; no platform prints so many.
const maxFacts = 250

// Know keeps a fact, unless the value says that there is none. A name that begins with "_" gets "in" or "out" in
// front.
func (p *Port) Know(name, value string) {
	value = strings.TrimRight(strings.TrimSpace(value), ",")
	if value == "" || name == "" || len(p.Facts) >= maxFacts {
		return
	}
	if name[0] == '_' {
		if p.Out {
			name = "out" + name
		} else {
			name = "in" + name
		}
	}
	if p.Facts == nil {
		p.Facts = make([]devices.Fact, 0, 16)
	}
	p.Facts = append(p.Facts, devices.Fact{Name: name, Value: value})
}

// KnowOnce keeps a fact unless there is one of that name.
func (p *Port) KnowOnce(name, value string) {
	if p.Fact(name) == "" {
		p.Know(name, value)
	}
}

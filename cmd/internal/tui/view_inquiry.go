package tui

import (
	"fmt"
	"strings"

	"whydrop/cmd/internal/report"
	"whydrop/rules"
)

// drawInquiry draws the investigation: before it begins what it would be, then its course, the newest at the bottom,
// and the question that waits.
func drawInquiry(c *canvas, m *Model, s *state) {
	co := s.inquiry.now()
	lines := courseLines(co, c.width)
	if co.Began.IsZero() {
		lines = introduction(m, s, c.width)
	}
	prompt := promptOf(co)
	height := c.height
	if prompt.text != "" {
		height -= 2
	}
	if height < 1 {
		return
	}
	p := s.place()
	if !p.moved && !co.Began.IsZero() {
		p.top = len(lines) - height
	}
	top := p.scrolled(len(lines), height)
	p.moved = top < len(lines)-height
	for i := top; i < min(top+height, len(lines)); i++ {
		c.put(1, i-top, lines[i].ink, lines[i].text)
	}
	if more := len(lines) - top - height; more > 0 {
		c.right(c.width-1, height-1, inkDim, fmt.Sprintf("%s %s", s.glyphs.dn, rules.Plural(more, "more line")))
	}
	if prompt.text != "" {
		c.putMax(1, c.height-1, c.width-1, prompt.ink, report.Clip(prompt.text, c.width-2))
	}
}

// introduction says what an investigation of the path that is shown would do, and what fits so far.
func introduction(m *Model, s *state, width int) []styled {
	p := s.shown(m)
	if p == nil {
		return []styled{{text: "There is no path to investigate.", heading: true}}
	}
	title := "Investigate path " + p.Name
	if p.To != "" {
		title += " to " + p.To
	}
	out := []styled{{ink: inkBold, text: title}, {}}
	add := func(in ink, text string) {
		for _, l := range report.Wrap(text, width-3) {
			out = append(out, styled{ink: in, text: l})
		}
	}
	add(inkPlain, "Tells the causes that still fit apart by experiment, the one that tells most apart first. Each shows its load, and you are asked before it runs. It ends when one cause is left, nothing more can be told apart, or after 5 minutes of tests.")
	out = append(out, styled{})
	add(inkWarn, "The heartbeat and the devices are watched meanwhile; the watch's own test pauses while another runs. A test can slow the traffic of others.")
	out = append(out, styled{}, styled{ink: inkBold, text: "Found so far"})
	for _, f := range m.Findings {
		text := fmt.Sprintf("  %s (%s)", f.ID, verdictWords[rules.Verdict(f.Verdict)])
		if f.Verdict != string(rules.CannotTell) {
			text = fmt.Sprintf("  %s (%s, %.0f %%)", f.ID, verdictWords[rules.Verdict(f.Verdict)], f.Confidence*100)
		}
		if at := f.Subject.String(); at != "" {
			text += ": " + at
		}
		out = append(out, styled{text: report.Clip(text, width-2)})
	}
	if len(m.Findings) == 0 {
		add(inkPlain, "  "+noFinding(m, s))
	}
	begin := "enter begins; esc leaves"
	if len(m.Paths) > 1 {
		begin = "enter begins; n: another path; esc leaves"
	}
	return append(out, styled{}, styled{ink: inkBold, text: begin})
}

var verdictWords = map[rules.Verdict]string{rules.Holds: "holds", rules.Suspected: "suspected", rules.CannotTell: "cannot tell"}

// courseLines returns what was told, wrapped, under a heading.
func courseLines(co course, width int) []styled {
	out := []styled{{ink: inkBold, text: "Investigation of path " + co.Path}}
	for _, said := range co.Said {
		in := inkPlain
		switch {
		case strings.HasPrefix(said, "Experiment "):
			in = inkBold
			out = append(out, styled{})
		case strings.HasPrefix(said, "You said "):
			in = inkDim
		case said == "":
			continue
		}
		body := strings.TrimLeft(said, " ")
		indent := said[:len(said)-len(body)]
		for _, l := range report.Wrap(body, width-3-len(indent)) {
			out = append(out, styled{ink: in, text: indent + l})
		}
	}
	return out
}

// promptOf says what the last line asks of the user, or how it ended.
func promptOf(co course) styled {
	length := report.RoundLength(co.Ended.Sub(co.Began))
	switch {
	case co.Began.IsZero():
		return styled{}
	case co.Asks != "":
		return styled{ink: inkBadSay, text: "Run this experiment?  y: yes   n: no, another   x: end the investigation"}
	case co.running() && co.Stopping:
		return styled{ink: inkWarn, text: "ending"}
	case co.running():
		return styled{ink: inkWarn, text: "working; watching goes on, on the same path   x: end   esc: leave it to itself"}
	case co.Stopping:
		return styled{ink: inkBold, text: "You ended it after " + length + ".   enter: anew   esc: leave"}
	case co.Failure != "":
		return styled{ink: inkBad, text: "It ended early: " + co.Failure}
	}
	return styled{ink: inkBold, text: "It is over, after " + length + ".   enter: anew   esc: leave"}
}

// inquiryNote is what the other pages say of an investigation that goes on.
func inquiryNote(s *state) string {
	if s.inquiry == nil || s.over == inquiryOverlay {
		return ""
	}
	switch co := s.inquiry.now(); {
	case co.Asks != "":
		return "experiment asks: i"
	case co.running():
		return "investigating: i"
	}
	return ""
}

package tui

import (
	"fmt"
	"strings"

	"github.com/rivo/uniseg"

	"whydrop/cmd/internal/report"
	"whydrop/rules"
)

// styled is one line of a page of text.
type styled struct {
	ink     ink
	label   string
	text    string
	heading bool // it begins in the column of the labels
}

// drawFindings writes every finding in full: evidence for, against, missing, what to do.
func drawFindings(c *canvas, m *Model, s *state) {
	drawText(c, findingLines(m, s, c.width), s)
}

// drawText draws lines from where the page is scrolled to, and says if there is more below.
func drawText(c *canvas, lines []styled, s *state) {
	top := s.place().scrolled(len(lines), c.height)
	for i := top; i < min(top+c.height, len(lines)); i++ {
		l := lines[i]
		x := 1 + textIndent
		if l.heading {
			x = 1
		}
		c.put(1, i-top, inkDim, l.label)
		c.putMax(x, i-top, c.width-1, l.ink, l.text)
	}
	if more := len(lines) - top - c.height; more > 0 {
		c.right(c.width-1, c.height-1, inkDim, fmt.Sprintf("  %s %s", s.glyphs.dn, rules.Plural(more, "more line")))
	}
}

// textIndent is the width of the labels.
const textIndent = 11

func findingLines(m *Model, s *state, width int) []styled {
	var out []styled
	add := func(in ink, label string, texts ...string) {
		for i, t := range texts {
			mark := ""
			if len(texts) > 1 || label == "For" || label == "Against" || label == "Missing" {
				mark = "- "
			}
			for j, l := range report.Wrap(t, width-2-textIndent-uniseg.StringWidth(mark)) {
				lead := mark
				if j > 0 {
					lead = strings.Repeat(" ", len(mark))
				}
				line := styled{ink: in, text: lead + l}
				if i == 0 && j == 0 {
					line.label = label
				}
				out = append(out, line)
			}
		}
	}
	for i, f := range m.Findings {
		if !matches(s.filter, f.Title, f.ID, f.Subject.String(), f.Summary) {
			continue
		}
		if len(out) > 0 {
			out = append(out, styled{})
		}
		sign, _ := verdictSign(s.glyphs, f.Verdict)
		for _, l := range report.Wrap(fmt.Sprintf("%s %d. %s", sign, i+1, f.Title), width-2) {
			out = append(out, styled{ink: inkBold, text: l, heading: true})
		}
		add(inkPlain, "What", nonEmpty(f.Summary)...)
		add(inkPlain, "Where", nonEmpty(f.Subject.String())...)
		add(inkPlain, "When", report.SpanText(f.Span))
		add(inkPlain, "Cause", strings.Join(f.Chain, " > "))
		add(inkPlain, "Certainty", report.Certainty(f))
		if len(f.Next) > 0 {
			add(inkGood, "Do first", f.Next[0])
			add(inkPlain, "Then", f.Next[1:]...)
		}
		add(inkPlain, "Took", report.FailoverTexts(f)...)
		add(inkPlain, "For", report.EvidenceTexts(f)...)
		add(inkPlain, "Against", f.Against...)
		add(inkWarn, "Missing", f.Missing...)
	}
	if len(out) == 0 {
		text := noFinding(m, s)
		if s.filter != "" && len(m.Findings) > 0 {
			text = nothingMatches(s, "")
		}
		out = append(out, styled{ink: inkBold, text: text, heading: true})
		if s.filter == "" {
			out = append(out, lookedAt(m, width)...)
		}
	}
	return out
}

// lookedAt says what is being watched, so that "nothing found" can be believed.
func lookedAt(m *Model, width int) []styled {
	out := []styled{{}, {text: "What is looked at", heading: true}}
	add := func(label, text string) {
		for _, l := range report.Wrap(text, width-2-textIndent) {
			out = append(out, styled{label: label, text: l})
			label = ""
		}
	}
	for _, p := range m.Paths {
		add("path", p.Name+": "+p.Sentence(m.Now))
	}
	for _, d := range m.Devices {
		read := 0
		for _, p := range d.Ports {
			if p.Health != HealthUnknown {
				read++
			}
		}
		add(report.Clip(d.Role, textIndent-1), fmt.Sprintf("%s: %s; %d of %d ports on the path read", d.Name, deviceSays(d), read, len(d.Ports)))
	}
	return out
}

func nonEmpty(s string) []string {
	if s == "" {
		return nil
	}
	return []string{s}
}

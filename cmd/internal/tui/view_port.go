package tui

import (
	"whydrop/cmd/internal/report"
)

// drawPort writes all that is known of one port.
func drawPort(c *canvas, m *Model, s *state) {
	title := report.Clean(s.port.String())
	for _, p := range m.Ports {
		if p.subject == s.port && !p.OnPath {
			title += " (off the path)"
		}
	}
	lines := []styled{{ink: inkBold, text: title, heading: true}, {}}
	for _, d := range m.PortDetails(s.port) {
		in := inkPlain
		if d.Bad {
			in = inkBad
		}
		label := d.Label
		for _, l := range report.Wrap(d.Text, c.width-3-textIndent) {
			lines = append(lines, styled{ink: in, label: label, text: l})
			label = ""
		}
	}
	drawText(c, lines, s)
}

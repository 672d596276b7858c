package app

import (
	"fmt"
	"html"
	"io"
	"strings"
	"text/tabwriter"

	"whydrop/cmd/internal/report"
)

// demoFormats are the forms of an answer sheet, by the names of the report formats.
var demoFormats = map[string]func(io.Writer, DemoDocument) error{
	"text": demoText,
	"json": func(w io.Writer, d DemoDocument) error {
		raw, err := report.EncodeJSON(d)
		if err != nil {
			return err
		}
		_, err = w.Write(append(raw, '\n'))
		return err
	},
	"md":   demoMarkdown,
	"html": demoHTML,
}

// WriteDemo writes an answer sheet to w in one of the report formats.
func WriteDemo(w io.Writer, d DemoDocument, format string) error {
	if err := CheckFormat(format); err != nil {
		return err
	}
	return demoFormats[format](w, d)
}

// demoRows returns the table of an answer sheet; the first row is its head.
func demoRows(d DemoDocument) [][]string {
	if d.Figures == nil {
		rows := [][]string{{"scenario", "where", "outages", "what happens"}}
		for _, s := range d.Scenarios {
			what := s.help
			if c := s.Expected.Chain; len(c) > 1 || len(c) == 1 && c[0] != s.Name {
				what += ": " + chainText(c)
			}
			rows = append(rows, []string{s.Name, whereText(s.Expected.Device, s.Expected.Port), fmt.Sprint(len(s.Expected.Outages)), what})
		}
		return rows
	}
	rows := [][]string{{"scenario", "expected", "found", "outage error", "dating error", ""}}
	for _, s := range d.Scenarios {
		verdict := "right"
		if s.Right == nil || !*s.Right {
			verdict = "WRONG"
		}
		found := "nothing (" + s.Found.Verdict + ")"
		if len(s.Found.Findings) > 0 {
			f := s.Found.Findings[0]
			found = chainText(f.Chain) + " on " + f.Subject.String()
			if f.Verdict != "holds" {
				found += " (" + f.Verdict + ")"
			}
		}
		want := chainText(s.Expected.Chain)
		if s.Expected.Device != "" {
			want += " on " + whereText(s.Expected.Device, s.Expected.Port)
		}
		rows = append(rows, []string{s.Name, want, found, msText(s.OutageErrorMS), msText(s.DatingErrorMS), verdict})
	}
	return rows
}

func whereText(device, port string) string {
	if device == "" {
		return "-"
	}
	return report.PortName{Device: device, Port: port}.String()
}

func msText(ms *float64) string {
	if ms == nil {
		return "-"
	}
	return fmt.Sprintf("%.0f ms", *ms)
}

// demoNotes are the lines under the table.
func demoNotes(d DemoDocument) []string {
	var out []string
	for _, s := range d.Scenarios {
		for _, w := range s.Wrong {
			out = append(out, s.Name+": "+w)
		}
	}
	if f := d.Figures; f != nil {
		out = append(out, fmt.Sprintf("seed %d: %d of %d right in %.0f s; median outage error %s (at most %d ms), median event dating error %s (at most %d ms)",
			d.Seed, f.Right, f.Of, f.Seconds, msText(f.OutageErrorMS), MaxOutageError.Milliseconds(), msText(f.DatingErrorMS), MaxDatingError.Milliseconds()))
	}
	return out
}

func demoText(w io.Writer, d DemoDocument) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range demoRows(d) {
		last := len(row) - 1
		for i, line := range report.Wrap(row[last], 36) { // of 80 columns; the others are names
			if i > 0 {
				row = make([]string, last+1)
			}
			row[last] = line
			fmt.Fprintln(tw, strings.Join(cleaned(row), "\t"))
		}
	}
	if err := tw.Flush(); err != nil {
		return err
	}
	notes := demoNotes(d)
	if len(notes) > 0 {
		fmt.Fprintln(w)
	}
	for _, n := range notes {
		if _, err := fmt.Fprintln(w, report.Clean(n)); err != nil {
			return err
		}
	}
	return nil
}

func demoMarkdown(w io.Writer, d DemoDocument) error {
	var b strings.Builder
	for i, row := range demoRows(d) {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
		if i == 0 {
			b.WriteString("|" + strings.Repeat("---|", len(row)) + "\n")
		}
	}
	for _, n := range demoNotes(d) {
		fmt.Fprintf(&b, "\n%s\n", n)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func demoHTML(w io.Writer, d DemoDocument) error {
	var b strings.Builder
	b.WriteString("<!doctype html>\n<meta charset=\"utf-8\">\n<title>whydrop demo</title>\n<style>body{font:15px sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #999;padding:.3em .6em;text-align:left}</style>\n<table>\n")
	for i, row := range demoRows(d) {
		cell := "td"
		if i == 0 {
			cell = "th"
		}
		b.WriteString("<tr>")
		for _, x := range row {
			fmt.Fprintf(&b, "<%s>%s</%s>", cell, html.EscapeString(x), cell)
		}
		b.WriteString("</tr>\n")
	}
	b.WriteString("</table>\n")
	for _, n := range demoNotes(d) {
		fmt.Fprintf(&b, "<p>%s</p>\n", html.EscapeString(n))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// DemoVerdict says in lines what happened in a scenario that was run, and whether it was found.
func DemoVerdict(s DemoScenario) []string {
	happened := "what happened: " + s.help
	if s.Expected.Device != "" {
		happened += " (" + chainText(s.Expected.Chain) + " on " + whereText(s.Expected.Device, s.Expected.Port) + ")"
	}
	out := report.Wrap(happened, report.Columns)
	if s.Right != nil && *s.Right {
		out = append(out, fmt.Sprintf("the answer is right; outages are off by %s, events by %s (medians)", msText(s.OutageErrorMS), msText(s.DatingErrorMS)))
	}
	for _, l := range s.Late {
		out = append(out, report.Wrap("not counted: "+l, report.Columns)...)
	}
	for _, w := range s.Wrong {
		out = append(out, "the answer is wrong: "+w)
	}
	return out
}

// cleaned makes each cell safe to show.
func cleaned(row []string) []string {
	out := make([]string, len(row))
	for i, cell := range row {
		out[i] = report.Clean(cell)
	}
	return out
}

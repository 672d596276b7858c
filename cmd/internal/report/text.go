package report

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rivo/uniseg"
)

// Text writes the document as plain text of at most [Columns] columns, the headline first, times in UTC.
func Text(w io.Writer, d Document) error { return TextIn(w, d, nil) }

// TextIn is [Text] with a note of the offset between UTC and the time of zone, if zone is not nil: whoever reads
// it beside local logs needs no other help.
func TextIn(w io.Writer, d Document, zone *time.Location) error {
	p := &page{}
	p.head(d, zone)
	if len(d.Findings) == 0 {
		p.outages(d, "OUTAGES")
	}
	for i, f := range d.Findings {
		p.finding(d, i, f)
	}
	p.bullets("NOTES", d.Notes)
	p.inputs(d)
	p.examined(d)
	p.bullets("COULD NOT BE READ", d.Problems)
	p.bullets("WARNINGS", d.Warnings)
	_, err := io.WriteString(w, p.b.String())
	return err
}

// page collects lines.
type page struct{ b strings.Builder }

// labelWidth is the width of the left column.
const labelWidth = 11

func (p *page) line(s string) { p.b.WriteString(strings.TrimRight(s, " ") + "\n") }

func (p *page) section(title string) { p.line(""); p.line(title) }

// label returns the left column. A label that is too long for it gets a line of its own.
func (p *page) label(indent int, s string) string {
	s = Clip(Clean(s), Columns-indent)
	if uniseg.StringWidth(s) < labelWidth {
		return strings.Repeat(" ", indent) + Pad(s, labelWidth)
	}
	p.line(strings.Repeat(" ", indent) + s)
	return strings.Repeat(" ", indent+labelWidth)
}

// field writes a label and wrapped text beside it; nothing if the text is empty.
func (p *page) field(indent int, label, text string) {
	if text == "" {
		return
	}
	left := p.label(indent, label)
	for _, l := range Wrap(Clean(text), Columns-indent-labelWidth) {
		p.line(left + l)
		left = strings.Repeat(" ", indent+labelWidth)
	}
}

// items writes a label and a list of texts beside it, each with a dash.
func (p *page) items(indent int, label string, texts []string) {
	left := p.label(indent, label)
	for _, t := range texts {
		mark := "- "
		for _, l := range Wrap(Clean(t), Columns-indent-labelWidth-2) {
			p.line(left + mark + l)
			left, mark = strings.Repeat(" ", indent+labelWidth), "  "
		}
	}
}

func (p *page) bullets(title string, texts []string) {
	if len(texts) == 0 {
		return
	}
	p.section(title)
	for _, t := range texts {
		mark := "  - "
		for _, l := range Wrap(Clean(t), Columns-4) {
			p.line(mark + l)
			mark = "    "
		}
	}
}

func (p *page) head(d Document, zone *time.Location) {
	for _, l := range Wrap(Clean(d.Headline), Columns) {
		p.line(l)
	}
	p.line(strings.Repeat("=", Columns))
	p.field(0, "Verdict", d.Verdict)
	p.field(0, "Site", d.Site)
	covers := SpanText(d.Span)
	if zone != nil && d.Span.From != nil {
		covers += "; local time is UTC" + d.Span.From.In(zone).Format("-07:00")
	}
	p.field(0, "Covers", covers)
	for _, n := range d.Paths {
		p.field(0, "Path", PathText(n))
	}
	if d.Session != nil {
		p.recording(*d.Session)
	}
}

// maxWhole is how long a file's path may be to stand in one line, however wide the page: it is to be copied. What is
// longer than most systems allow for a name is no place anybody copies.
const maxWhole = 255

func (p *page) recording(path string) {
	if path = Clean(path); uniseg.StringWidth(path) > maxWhole {
		p.field(0, "Recording", path)
		return
	}
	p.line(p.label(0, "Recording") + path)
}

// PathText draws a path in one line: "a-b to 10.10.0.20: acc > swA > fw1|fw2 > swB".
func PathText(n PathNote) string {
	hops := make([]string, len(n.Hops))
	for i, h := range n.Hops {
		hops[i] = strings.Join(h, "|")
	}
	s := n.Name
	if n.To != "" {
		s += " to " + n.To
	}
	if len(hops) > 0 {
		s += ": " + strings.Join(hops, " > ")
	}
	return Clean(s)
}

// SpanText writes a span in full: "2026-03-01 14:02:05.120 to 14:02:09.330 UTC (4.21 s)".
func SpanText(s Span) string {
	switch {
	case s.From == nil && s.To == nil:
		return "time not known"
	case s.From == nil:
		return "until " + Stamp(*s.To)
	case s.To == nil:
		return "from " + Stamp(*s.From)
	case s.From.Equal(*s.To):
		return Stamp(*s.From)
	}
	to := DayClock(*s.To)
	if sameDay(*s.From, *s.To) {
		to = Clock(*s.To)
	}
	return fmt.Sprintf("%s to %s UTC (%s)", DayClock(*s.From), to, Length(s.To.Sub(*s.From)))
}

// Moment writes when something happened, with its uncertainty: "14:02:05.120", "14:02:05.120 ±40 ms", and for
// long spans "14:02:05-14:02:35".
func Moment(s Span) string {
	switch {
	case s.From == nil && s.To == nil:
		return ""
	case s.From == nil:
		return Clock(*s.To)
	case s.To == nil:
		return Clock(*s.From)
	}
	width := s.To.Sub(*s.From)
	switch {
	case width < time.Millisecond:
		return Clock(*s.From)
	case width <= 2*time.Second:
		return Clock(s.From.Add(width/2)) + " ±" + Length((width / 2).Round(time.Millisecond))
	}
	return ClockSecond(*s.From) + "-" + ClockSecond(*s.To)
}

func (p *page) finding(d Document, i int, f Finding) {
	title := "FINDING"
	if len(d.Findings) > 1 {
		title = fmt.Sprintf("FINDING %d", i+1)
	}
	p.section(title)
	p.field(2, "What", f.Title+". "+f.Summary)
	p.field(2, "Where", f.Subject.String())
	p.field(2, "When", SpanText(f.Span))
	p.field(2, "Cause", strings.Join(f.Chain, " > "))
	p.field(2, "Certainty", Certainty(f))
	if i == 0 {
		p.outages(d, "")
	}
	p.failover(f)
	evidence := EvidenceTexts(f)
	if more := len(evidence) - maxEvidence; more > 1 {
		evidence = append(evidence[:maxEvidence:maxEvidence], fmt.Sprintf("and %d more", more))
	}
	p.items(2, "For", evidence)
	p.items(2, "Against", f.Against)
	p.items(2, "Missing", f.Missing)
	if len(f.Next) > 0 {
		p.field(2, "Do first", f.Next[0])
		p.items(2, "Then", f.Next[1:])
	}
}

// Certainty puts a finding's verdict and confidence in words.
func Certainty(f Finding) string {
	s := f.Verdict
	if f.Verdict != "cannot-tell" {
		s += fmt.Sprintf(", confidence %.0f %%", f.Confidence*100)
	}
	if !f.Fault && f.Verdict == "holds" {
		s += "; it explains what was seen, nothing is broken"
	}
	return s
}

// EvidenceTexts writes the evidence for a finding, a line each: when, where, what, and who read it.
func EvidenceTexts(f Finding) []string {
	return list(f.Evidence, func(e Evidence) string { return evidenceText(f, e) })
}

func evidenceText(f Finding, e Evidence) string {
	var b strings.Builder
	if m := evidenceMoment(f, e); m != "" {
		b.WriteString(m + " ")
	}
	words := evidenceWords(e)
	if name := (PortName{e.Device, e.Port}).String(); strings.TrimSpace(name) != "" && !strings.Contains(words, name) {
		b.WriteString(name + ": ")
	}
	b.WriteString(words)
	if e.Source != "" {
		b.WriteString(" [" + e.Source + "]")
	}
	return Clean(b.String())
}

// evidenceMoment leaves the time out where it is that of the whole finding.
func evidenceMoment(f Finding, e Evidence) string {
	if e.Span.From != nil && e.Span.To != nil && f.Span.From != nil && f.Span.To != nil &&
		e.Span.From.Equal(*f.Span.From) && e.Span.To.Equal(*f.Span.To) {
		return ""
	}
	return Moment(e.Span)
}

// evidenceWords writes what was seen: the text, or the figure if there is none.
func evidenceWords(e Evidence) string {
	what := e.Text
	if what == "" {
		what = MetricName(e.Metric)
		if e.Value != nil {
			what += " " + Figure(e.Metric, *e.Value, e.Unit)
		}
	}
	return Clean(what)
}

// maxOutages and maxEvidence are how many a ticket lists, the strongest first; the rest are counted.
const (
	maxOutages  = 12
	maxEvidence = 10
)

// outages writes the table; within a finding it has no title of its own.
func (p *page) outages(d Document, title string) {
	if len(d.Outages) == 0 {
		return
	}
	if title == "" {
		p.line("")
	} else {
		p.section(title)
	}
	p.line("  Direction  From (UTC)               Length        Seen by")
	for _, o := range d.Outages[:min(len(d.Outages), maxOutages)] {
		row := fmt.Sprintf("  %s  %s  %s  %s", Pad(o.Direction, 9), Pad(DayClock(o.From), 23),
			Pad(OutageLength(o), 12), SeenText(o, len(d.Paths) > 1))
		p.line(Clip(Clean(row), Columns))
	}
	if more := len(d.Outages) - maxOutages; more > 0 {
		p.line(fmt.Sprintf("  and %d more", more))
	}
	if title == "" {
		p.line("")
	}
}

// OutageLength writes the length of an outage: "4.21 s", and "> 4.21 s" if it has not ended.
func OutageLength(o Outage) string {
	s := Length(o.To.Sub(o.From))
	if o.Open {
		return "> " + s
	}
	return s
}

// SeenText says who saw an outage and what is known about it, with its path if asked.
func SeenText(o Outage, withPath bool) string {
	s := o.SeenBy
	if o.Lost != nil {
		s += fmt.Sprintf(", %d lost", *o.Lost)
	}
	if o.BackoffMS != nil && *o.BackoffMS > 0 {
		s += ", " + Length(time.Duration(*o.BackoffMS*float64(time.Millisecond))) + " of it back-off"
	}
	if o.Open {
		s += ", still on"
	}
	if withPath {
		s += " (" + o.Path + ")"
	}
	return s
}

func (p *page) inputs(d Document) {
	if len(d.Inputs) == 0 {
		return
	}
	p.section("READ")
	for _, b := range d.Inputs {
		p.items(2, b.Kind, []string{b.Where + ": " + b.What})
	}
}

func (p *page) examined(d Document) {
	p.section("EXAMINED")
	rows := Looked(d)
	if len(rows) == 0 {
		p.line("  nothing")
		return
	}
	for _, r := range rows {
		p.field(2, r.Name, r.String())
	}
}

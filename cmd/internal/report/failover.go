package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Failover is an interruption in which something took over from something else, taken apart.
type Failover struct {
	Path  string    `json:"path"`
	From  time.Time `json:"from"`
	To    time.Time `json:"to"`
	Apart []Apart   `json:"apart"` // heartbeats forward, back, then the flow; those that were interrupted
}

// Apart is how one kind of traffic spent the interruption.
type Apart struct {
	SeenBy     string    `json:"seen_by"`   // heartbeat: new traffic; tcp: an established flow
	Direction  string    `json:"direction"` // forward, reverse, both
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	DurationMS float64   `json:"duration_ms"`
	Parts      []Part    `json:"parts"` // in order of time, without gaps
}

// Part is a stretch of it.
type Part struct {
	Terms      []string  `json:"terms"` // several where nothing tells when one ended and the next began
	From       time.Time `json:"from"`
	To         time.Time `json:"to"`
	DurationMS float64   `json:"duration_ms"`
	ErrorMS    float64   `json:"error_ms"` // how much longer or shorter it may be
	AtLeast    bool      `json:"at_least"` // it may have gone on in the next, which is AtMost as long
	AtMost     bool      `json:"at_most"`
	Longest    bool      `json:"longest"` // of its list, each as long as it may have been
}

func failoverOf(f correlate.Failover) Failover {
	return Failover{Path: Clean(f.Path), From: f.Span.From.UTC(), To: f.Span.To.UTC(), Apart: list(f.Apart, apartOf)}
}

func apartOf(a correlate.Apart) Apart {
	longest, _ := a.Largest()
	return Apart{
		SeenBy: Clean(a.SeenBy), Direction: Clean(a.Direction), From: a.Span.From.UTC(), To: a.Span.To.UTC(), DurationMS: milliseconds(a.Span.Width()),
		Parts: list(a.Parts, func(p correlate.Part) Part {
			return Part{
				Terms: list(p.Terms, func(t correlate.Term) string { return string(t) }),
				From:  p.Span.From.UTC(), To: p.Span.To.UTC(), DurationMS: milliseconds(p.Span.Width()), ErrorMS: milliseconds(p.Error),
				AtLeast: p.AtLeast, AtMost: p.AtMost, Longest: p.Span == longest.Span,
			}
		}),
	}
}

// failoverTable is the longest failover of a finding as a table: a row for each term, a column for each kind of traffic.
type failoverTable struct {
	Title   string   // "Failover at 14:02:05.120 taken apart, the longest of 3"
	Columns []string // of traffic: "heartbeat forward", "TCP flow"
	Rows    []failoverRow
}

type failoverRow struct {
	Term  string
	Cells []string // in the order of the columns
	Most  bool     // the longest of what lasted longest
}

// termOrder is the order in which terms follow each other.
var termOrder = []correlate.Term{correlate.TermDetection, correlate.TermForwarding, correlate.TermRole, correlate.TermRelearning, correlate.TermState, correlate.TermBackoff}

// failoverTableOf returns the table of a finding; false if nothing went over.
func failoverTableOf(f Finding) (t failoverTable, ok bool) {
	if len(f.Failovers) == 0 {
		return t, false
	}
	longest := slices.MaxFunc(f.Failovers, func(a, b Failover) int { return cmp.Compare(a.lasts(), b.lasts()) })
	t.Title = "Failover at " + Clock(longest.From) + " taken apart"
	if n := len(f.Failovers); n > 1 {
		t.Title += ", the longest of " + strconv.Itoa(n)
	}
	row := map[string]int{}
	for _, a := range longest.Apart {
		t.Columns = append(t.Columns, columnOf(a))
		for _, p := range a.Parts {
			name := strings.Join(p.Terms, " + ")
			if _, ok := row[name]; !ok {
				row[name] = len(t.Rows)
				t.Rows = append(t.Rows, failoverRow{Term: name})
			}
		}
	}
	slices.SortStableFunc(t.Rows, func(a, b failoverRow) int { return cmp.Compare(rankOf(a.Term), rankOf(b.Term)) })
	for i := range t.Rows {
		r := &t.Rows[i]
		for _, a := range longest.Apart {
			text, most := a.cell(r.Term)
			r.Cells = append(r.Cells, text)
			r.Most = r.Most || most && a.DurationMS == longest.lasts()
		}
	}
	sum := failoverRow{Term: "in all"}
	for _, a := range longest.Apart {
		sum.Cells = append(sum.Cells, lengthMS(a.DurationMS))
	}
	t.Rows = append(t.Rows, sum)
	return t, true
}

// FailoverTexts says in a line for each kind of traffic what the longest failover of a finding spent its time with; nil if
// nothing went over.
func FailoverTexts(f Finding) []string {
	t, ok := failoverTableOf(f)
	if !ok {
		return nil
	}
	sum := t.Rows[len(t.Rows)-1]
	out := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		var parts []string
		for _, r := range t.Rows[:len(t.Rows)-1] {
			if r.Cells[i] != none {
				parts = append(parts, r.Term+" "+r.Cells[i])
			}
		}
		out[i] = c + " " + sum.Cells[i] + ": " + strings.Join(parts, ", ")
	}
	return out
}

// none is the cell of a term that was not part of it.
const none = "-"

// lasts returns how long what lasted longest did, in milliseconds.
func (f Failover) lasts() (ms float64) {
	for _, a := range f.Apart {
		ms = max(ms, a.DurationMS)
	}
	return ms
}

// The columns are of heartbeats, new traffic that needs no state, one way or both, and of an established flow.
const heartbeatColumn, flowColumn = "heartbeat ", "TCP flow"

func columnOf(a Apart) string {
	if a.SeenBy == timeline.SeenByTCP {
		return flowColumn
	}
	if a.Direction == timeline.Both {
		return heartbeatColumn + "both ways"
	}
	return heartbeatColumn + a.Direction
}

func rankOf(name string) int {
	return slices.IndexFunc(termOrder, func(t correlate.Term) bool { return strings.HasPrefix(name, string(t)) })
}

// cell writes what a term took: "40 ms ±10 ms", "≥ 1.36 s", "-" if it was not part of it. most says whether it is the
// longest.
func (a Apart) cell(term string) (text string, most bool) {
	for _, p := range a.Parts {
		if strings.Join(p.Terms, " + ") != term {
			continue
		}
		text = lengthMS(p.DurationMS)
		switch {
		case p.AtMost:
			text = "≤ " + text
		case p.AtLeast:
			text = "≥ " + text
		case p.ErrorMS >= 1:
			text += " ±" + lengthMS(p.ErrorMS)
		}
		return text, p.Longest
	}
	return none, false
}

// lengthMS writes a length as exactly as anything here is dated.
func lengthMS(ms float64) string {
	if ms < 1000 {
		return fmt.Sprintf("%.0f ms", ms)
	}
	return Length(time.Duration(ms * float64(time.Millisecond)))
}

// failover writes the table of a finding.
func (p *page) failover(f Finding) {
	t, ok := failoverTableOf(f)
	if !ok {
		return
	}
	term := 0
	for _, r := range t.Rows {
		term = max(term, len(r.Term)+2)
	}
	cell := min(18, (Columns-2-term)/len(t.Columns))
	line := func(mark, name string, cells []string) {
		l := mark + Pad(name, term)
		for _, c := range cells {
			l += Pad(c, cell-1) + " "
		}
		p.line(strings.TrimRight(l, " "))
	}
	p.line("  " + t.Title)
	line("  ", "", list(t.Columns, func(c string) string {
		if len(c) >= cell {
			c = strings.TrimPrefix(c, heartbeatColumn)
		}
		return c
	}))
	for _, r := range t.Rows {
		mark := "  "
		if r.Most {
			mark = "> " // what to shorten first
		}
		line(mark, r.Term, r.Cells)
	}
	p.line("")
}

func (m *mdPage) failover(f Finding) {
	t, ok := failoverTableOf(f)
	if !ok {
		return
	}
	m.printf("\n**%s**\n\n| Term |", mdText(t.Title))
	for _, c := range t.Columns {
		m.printf(" %s |", mdText(c))
	}
	m.printf("\n|---|%s\n", strings.Repeat("---:|", len(t.Columns)))
	for _, r := range t.Rows {
		name := mdText(r.Term)
		if r.Most {
			name = "**" + name + "**"
		}
		m.printf("| %s |", name)
		for _, c := range r.Cells {
			m.printf(" %s |", mdText(c))
		}
		m.printf("\n")
	}
}

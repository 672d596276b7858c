package report

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strings"

	"github.com/rivo/uniseg"

	"whydrop/correlate/timeline"
)

//go:embed html.tmpl
var htmlSource string

var htmlPage = template.Must(template.New("report").Funcs(template.FuncMap{"cell": cellClass}).Parse(htmlSource))

// cellClass keeps a short name in one line; a long one may be broken anywhere.
func cellClass(s string) string {
	if uniseg.StringWidth(s) <= 24 {
		return "t"
	}
	return "long"
}

// HTML writes the document as one page that needs nothing else: no script, no picture from elsewhere, nothing
// that a browser would fetch. All text goes through html/template's escaping.
func HTML(w io.Writer, d Document) error {
	if err := htmlPage.Execute(w, newHTMLDoc(d)); err != nil {
		return fmt.Errorf("report: write HTML: %w", err)
	}
	return nil
}

// htmlDoc is what the template shows, every text clean and every figure written.
type htmlDoc struct {
	Verdict, Sign, Word       string
	Headline, Site, Covers    string
	Paths                     []string
	Session                   string
	Charts                    []svgChart
	Findings                  []htmlFinding
	Outages                   []htmlOutage
	ManyPaths                 bool
	Ports                     []htmlPort
	Events                    []htmlEvent
	MoreEvents                int
	MoreOutages               int
	Tests                     []htmlTest
	MoreTests                 int
	Inputs                    []Block
	Looked                    []htmlLook
	Notes, Problems, Warnings []string
	HasOffPath, HasOffEvent   bool
}

type htmlFinding struct {
	Number                               int
	Title, Summary, Where, When, Verdict string
	Certainty, First                     string
	Chain                                []string
	Evidence                             []htmlEvidence
	Against, Missing, Then               []string
	Failover                             *failoverTable // nil: nothing went over
}

type htmlEvidence struct{ When, Where, What, Source string }

type htmlOutage struct{ Direction, From, Length, Seen, Path string }

type htmlPort struct {
	Device, Port, State, Speed string
	Off, Down                  bool
	Rate, Errors, Drops        svgSpark
}

type htmlEvent struct {
	When, Where, What string
	Off, Outage       bool
}

type htmlLook struct{ Name, What string }

// verdictWords are the sign and the word for each verdict: colour is never alone.
var verdictWords = map[string][2]string{
	VerdictFound:      {"✖", "Cause found"},
	VerdictSuspected:  {"▲", "Cause suspected"},
	VerdictCannotTell: {"?", "Cannot tell"},
	VerdictHealthy:    {"✔", "Nothing found"},
}

func newHTMLDoc(d Document) htmlDoc {
	w := verdictWords[d.Verdict]
	h := htmlDoc{
		Verdict: d.Verdict, Sign: w[0], Word: w[1],
		Headline: Clean(d.Headline), Site: Clean(d.Site), Covers: SpanText(d.Span), Paths: list(d.Paths, PathText),
		ManyPaths: len(d.Paths) > 1,
		Inputs:    d.Inputs, Notes: list(d.Notes, Clean), Problems: list(d.Problems, Clean), Warnings: list(d.Warnings, Clean),
		Looked: list(Looked(d), func(l Look) htmlLook { return htmlLook{l.Name, l.String()} }),
	}
	if d.Session != nil {
		h.Session = Clean(*d.Session)
	}
	for _, name := range pathNames(d) {
		if c, ok := chart(d, name); ok {
			h.Charts = append(h.Charts, c)
		}
	}
	for i, f := range d.Findings {
		h.Findings = append(h.Findings, htmlFindingOf(i, f))
	}
	h.Outages = list(d.Outages[:min(len(d.Outages), maxRows)], htmlOutageOf)
	h.MoreOutages = len(d.Outages) - len(h.Outages)
	h.Tests = list(d.Tests[:min(len(d.Tests), maxRows)], htmlTestOf)
	h.MoreTests = len(d.Tests) - len(h.Tests)
	h.Ports = htmlPorts(d)
	h.Events, h.MoreEvents = htmlEvents(d)
	for _, p := range h.Ports {
		h.HasOffPath = h.HasOffPath || p.Off
	}
	for _, e := range h.Events {
		h.HasOffEvent = h.HasOffEvent || e.Off
	}
	return h
}

// pathNames returns the paths of the site, then those that only the timeline knows, as analyze's do.
func pathNames(d Document) []string {
	var out []string
	seen := map[string]bool{}
	add := func(n string) {
		if !seen[n] {
			seen[n] = true
			out = append(out, n)
		}
	}
	for _, p := range d.Topology.Paths {
		add(p.Name)
	}
	for _, k := range d.Snapshot.Keys() {
		if k.Subject.Kind == timeline.KindPath {
			add(k.Subject.Name)
		}
	}
	return out
}

func htmlFindingOf(i int, f Finding) htmlFinding {
	out := htmlFinding{
		Number: i + 1, Title: Clean(f.Title), Summary: Clean(f.Summary), Where: Clean(f.Subject.String()), When: SpanText(f.Span),
		Verdict: f.Verdict, Certainty: Certainty(f), Chain: list(f.Chain, Clean),
		Against: list(f.Against, Clean), Missing: list(f.Missing, Clean),
	}
	out.Evidence = list(f.Evidence, func(e Evidence) htmlEvidence {
		where := Clean(PortName{e.Device, e.Port}.String())
		return htmlEvidence{evidenceMoment(f, e), where, strings.TrimPrefix(evidenceWords(e), where+": "), Clean(e.Source)}
	})
	if t, ok := failoverTableOf(f); ok {
		out.Failover = &t
	}
	if len(f.Next) > 0 {
		out.First, out.Then = Clean(f.Next[0]), list(f.Next[1:], Clean)
	}
	return out
}

func htmlOutageOf(o Outage) htmlOutage {
	return htmlOutage{
		Direction: DirectionText(o.Direction), From: DayClock(o.From),
		Length: OutageLength(o), Seen: Clean(SeenText(o, false)), Path: Clean(o.Path),
	}
}

// htmlPorts lists every port of the site, those on the path first.
func htmlPorts(d Document) []htmlPort {
	var on, off []htmlPort
	busiest := 0.0 // the loads of all ports are drawn to one scale, so that an idle port looks idle
	for _, k := range d.Snapshot.Keys() {
		if k.Metric == timeline.InBits || k.Metric == timeline.OutBits {
			for _, s := range d.Snapshot.Series(k.Subject, k.Metric) {
				busiest = max(busiest, s.Value)
			}
		}
	}
	for _, dev := range d.Topology.Devices {
		for _, p := range dev.Ports {
			sub := timeline.Port(dev.Name, p)
			row := htmlPortOf(d, sub, busiest)
			if d.Topology.OnPath(sub) {
				on = append(on, row)
			} else {
				row.Off = true
				off = append(off, row)
			}
		}
		for _, p := range dev.OffPath {
			row := htmlPortOf(d, timeline.Port(dev.Name, p), busiest)
			row.Off = true
			off = append(off, row)
		}
	}
	return append(on, off...)
}

func htmlPortOf(d Document, sub timeline.Subject, busiest float64) htmlPort {
	p := htmlPort{
		Device: Clean(sub.Device), Port: Clean(sub.Name), State: "?", Speed: "?",
		Rate:   spark(d, sub, busiest, timeline.InBits, timeline.OutBits),
		Errors: spark(d, sub, 0, timeline.InErrors, timeline.OutErrors, timeline.InFCS, timeline.LateCollisions),
		Drops:  spark(d, sub, 0, timeline.InDrops, timeline.OutDrops),
	}
	if s, ok := d.Snapshot.Last(sub, timeline.Oper); ok {
		p.State, p.Down = stateWord(timeline.Oper, s.Value), s.Value == 0
	}
	if s, ok := d.Snapshot.Last(sub, timeline.Speed); ok {
		p.Speed = Speed(s.Value)
	}
	return p
}

// maxRows keeps the page of a storm printable: this many outages and this many events.
const maxRows = 150

// htmlEvents lists the events in order of time; tests have a table of their own. Where there are too many, the chatter of logs is left out, then
// what happened off the path, then the latest.
func htmlEvents(d Document) (out []htmlEvent, more int) {
	events := d.Snapshot.Events()
	own := func(e timeline.Event) bool {
		return e.Type == timeline.EventProbeStart || e.Type == timeline.EventProbeStop || e.Type == timeline.EventResult
	}
	log := func(e timeline.Event) bool { return e.Type == timeline.EventSyslog }
	off := func(e timeline.Event) bool { return !d.Topology.OnPath(e.Subject) }
	events = slices.DeleteFunc(slices.Clone(events), own)
	total := len(events)
	for _, drop := range []func(timeline.Event) bool{log, off} {
		if len(events) > maxRows {
			events = slices.DeleteFunc(events, drop)
		}
	}
	events = events[:min(len(events), maxRows)]
	return list(events, func(e timeline.Event) htmlEvent { return htmlEventOf(d, e) }), total - len(events)
}

func htmlEventOf(d Document, e timeline.Event) htmlEvent {
	when := e.Span.Mid()
	if e.Type == timeline.EventOutage {
		when = e.Span.From
	}
	return htmlEvent{
		When: DayClock(when), Where: Clean(strings.TrimPrefix(e.Subject.String(), "path ")),
		What: EventText(e), Off: !d.Topology.OnPath(e.Subject), Outage: e.Type == timeline.EventOutage,
	}
}

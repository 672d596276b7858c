package app

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
)

// progressEvery is how often a line of figures is written.
const progressEvery = 5 * time.Second

// progress writes what a run sees, line by line, for terminals without the UI and for log files.
type progress struct {
	mu      sync.Mutex
	w       io.Writer
	goodput map[timeline.Subject][]float64
	rtt     map[timeline.Subject]float64
	next    time.Time
	unread  map[silence]bool
}

// silence is what is told once: that a collector gets nothing, or not all, from a device.
type silence struct {
	device    timeline.Subject
	collector string
	partial   bool
}

func newProgress(w io.Writer) *progress {
	return &progress{w: w, goodput: map[timeline.Subject][]float64{}, rtt: map[timeline.Subject]float64{}, unread: map[silence]bool{}}
}

// Put writes a line for an event or a device that falls silent, and now and then one for the figures.
func (p *progress) Put(r timeline.Record) {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch r := r.(type) {
	case timeline.Event:
		if r.Type != timeline.EventSyslog {
			p.line(r.Span.From, r.Subject.String(), eventText(r))
		}
	case timeline.Gap:
		p.gap(r)
	case timeline.Sample:
		p.sample(r)
	}
}

func (p *progress) line(at time.Time, who, text string) {
	fmt.Fprintf(p.w, "%s  %-24s %s\n", at.UTC().Format("15:04:05.000"), report.Clean(who), report.Clean(text))
}

// eventText says an event in one line: the device's words, or its type and what changed.
func eventText(e timeline.Event) string {
	if e.Type == timeline.EventOutage {
		return fmt.Sprintf("outage %s (%s): %d ms", e.Attrs["direction"], e.Attrs["seen_by"], e.Span.Width().Milliseconds())
	}
	text := string(e.Type)
	if from, to := e.Attrs["from"], e.Attrs["to"]; from+to != "" {
		text += " " + from + " > " + to
	}
	if e.Text != "" {
		text += "  " + e.Text
	}
	return text
}

// gap tells once when a device falls silent, or answers in part only: such gaps are of no single metric, but for
// those of the log. A counter that was reset is no silence.
func (p *progress) gap(g timeline.Gap) {
	of := silence{g.Subject, g.Origin.Collector, g.Reason == timeline.ReasonPartial}
	whole := g.Metric == "" || g.Metric == timeline.ClockOffset
	if g.Kind != timeline.KindDevice || !whole || g.Reason == timeline.ReasonReset || g.Text == "" || p.unread[of] {
		return
	}
	p.unread[of] = true
	text := "no reading: "
	if of.partial {
		text = "not all is read: "
	}
	p.line(g.Span.To, g.Subject.String(), text+g.Text)
}

// answered ends the silence of the collector that a device's figure comes from.
func (p *progress) answered(s timeline.Sample) {
	if s.Kind == timeline.KindPath || s.Metric == timeline.Reachable && s.Value == 0 {
		return
	}
	delete(p.unread, silence{timeline.Device(s.Device), s.Origin.Collector, false})
}

func (p *progress) sample(s timeline.Sample) {
	p.answered(s)
	switch {
	case s.Metric == timeline.GoodputForward:
		p.goodput[s.Subject] = append(p.goodput[s.Subject], s.Value)
	case s.Metric == timeline.RTT:
		p.rtt[s.Subject] = s.Value
	}
	if s.Kind != timeline.KindPath || s.Span.To.Before(p.next) {
		return
	}
	if first := p.next.IsZero(); !first {
		p.figures(s.Span.To)
	}
	p.next = s.Span.To.Add(progressEvery)
}

func (p *progress) figures(at time.Time) {
	for sub, v := range p.goodput {
		var sum float64
		for _, x := range v {
			sum += x
		}
		text := "goodput " + strings.TrimSpace(report.Rate(sum/float64(len(v))))
		if rtt, ok := p.rtt[sub]; ok {
			text += ", RTT " + report.Figure(string(timeline.RTT), rtt, "s")
		}
		p.line(at, sub.String(), text)
	}
	clear(p.goodput)
	clear(p.rtt)
}

package tui

import (
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Kind says what an event's row is about, so that it can be told apart without reading.
type Kind uint8

// The kinds of rows.
const (
	KindEvent   Kind = iota // something a device on the path said or did
	KindOff                 // the same, off the path
	KindLog                 // a line of a log that means nothing in particular, on the path or off it
	KindOutage              // the path did not deliver
	KindProblem             // a probe or a device could not be read
	KindOwn                 // what probes and this host say of themselves, and marks
)

// kindWords are the words for the kinds, to read and to filter by.
var kindWords = map[Kind]string{
	KindEvent: "device", KindOff: "off path", KindLog: "log", KindOutage: "OUTAGE", KindProblem: "blind", KindOwn: "own",
}

// Event is one row of the common timeline.
type Event struct {
	At    time.Time // the best single moment: the beginning of a stretch, the middle of an uncertain moment
	Span  timeline.Span
	Where string
	What  string
	Kind  Kind
}

// maxEvents is how many rows are kept: the newest.
const maxEvents = 5000

// eventRows puts the events of devices and paths, and the stretches in which a device was not read, in one order.
func eventRows(s timeline.Snapshot, t correlate.Topology) []Event {
	events := s.Events()
	events = events[max(0, len(events)-maxEvents):]
	out := make([]Event, 0, len(events))
	for _, e := range events {
		out = append(out, eventRow(e, t))
	}
	for _, b := range report.BlindSpans(s) {
		what := "nothing was read for " + report.RoundLength(b.Span.Width()) + ": " + string(b.Reason)
		out = append(out, Event{At: b.Span.From, Span: b.Span, Where: report.Clean(b.Device), What: report.Clean(what), Kind: KindProblem})
	}
	slices.SortStableFunc(out, func(a, b Event) int { return a.At.Compare(b.At) })
	return out[max(0, len(out)-maxEvents):]
}

func eventRow(e timeline.Event, t correlate.Topology) Event {
	row := Event{At: e.Span.Mid(), Span: e.Span, What: report.EventText(e), Kind: KindEvent}
	row.Where = report.Clean(strings.TrimPrefix(strings.TrimPrefix(e.Subject.String(), "path "), "host "))
	if e.Subject.Kind == timeline.KindPort {
		row.Where = report.Clean(e.Device) + " " + shortPort(report.Clean(e.Name))
	}
	switch {
	case e.Type == timeline.EventOutage:
		row.At, row.Kind = e.Span.From, KindOutage
	case e.Type == timeline.EventProbeProblem:
		row.Kind = KindProblem
	case e.Type == timeline.EventMark, e.Type == timeline.EventProbeStart, e.Type == timeline.EventProbeStop, e.Type == timeline.EventResult, e.Kind == timeline.KindHost:
		row.Kind = KindOwn
	case e.Type == timeline.EventSyslog:
		row.Kind = KindLog
	case !t.OnPath(e.Subject):
		row.Kind = KindOff
	}
	return row
}

// filterEvents returns the rows that the filter lets through, in order.
func filterEvents(events []Event, filter string) []Event {
	if filter == "" {
		return events
	}
	var out []Event
	for _, e := range events {
		if matches(filter, e.Where, e.What, kindWords[e.Kind], report.Clock(e.At)) {
			out = append(out, e)
		}
	}
	return out
}

package correlate

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// Slack is how far two datings of one change may lie apart, and how late a device may notice it: net-snmp and
// many switches refresh their interface table once a second, so ifOperStatus lags the wire by up to that, and a
// log line is dated to the second.
const Slack = 1500 * time.Millisecond

// Change is one thing that happened to a device or a port, however many collectors saw it.
type Change struct {
	timeline.Event                  // with the narrowest dating, and the attributes of all
	Seen           []timeline.Event // every record of it, the narrowest first
	OnPath         bool
}

// Changes returns what happened to devices and ports in order of time. The same change seen by several
// collectors, SNMP within a poll and the device's own log to the millisecond, say, is one Change with the narrowest of
// their datings. Two records of one collector are never the same change. What happened before anything was watched,
// told by an old line of a log, is left out.
func Changes(s timeline.Snapshot, t Topology) []Change {
	watched := Watched(s).Widen(Slack, Slack)
	type kind struct {
		sub timeline.Subject
		typ timeline.EventType
	}
	groups := map[kind][]timeline.Event{}
	var order []kind
	for _, e := range s.Events() {
		if e.Kind != timeline.KindPort && e.Kind != timeline.KindDevice || !e.Span.Overlaps(watched) {
			continue
		}
		k := kind{e.Subject, e.Type}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], e)
	}
	var out []Change
	for _, k := range order {
		for _, seen := range clusters(groups[k]) {
			out = append(out, merged(seen, t))
		}
	}
	slices.SortStableFunc(out, func(a, b Change) int {
		return cmp.Or(a.Span.Mid().Compare(b.Span.Mid()), a.Subject.Compare(b.Subject), cmp.Compare(a.Type, b.Type))
	})
	return out
}

// clusters groups records of one subject and type that tell of the same change. Narrow records found the
// groups; each wider one joins the nearest that it can belong to.
func clusters(events []timeline.Event) [][]timeline.Event {
	if len(events) == 1 {
		return [][]timeline.Event{events}
	}
	events = slices.Clone(events)
	slices.SortStableFunc(events, func(a, b timeline.Event) int {
		return cmp.Or(cmp.Compare(a.Span.Width(), b.Span.Width()), a.Span.From.Compare(b.Span.From))
	})
	var out [][]timeline.Event
	for _, e := range events {
		best, dist := -1, time.Duration(0)
		for i, c := range out {
			d := c[0].Span.Mid().Sub(e.Span.Mid()).Abs()
			if mayBeSame(c, e) && (best < 0 || d < dist) {
				best, dist = i, d
			}
		}
		if best < 0 {
			out = append(out, []timeline.Event{e})
		} else {
			out[best] = append(out[best], e)
		}
	}
	return out
}

func mayBeSame(cluster []timeline.Event, e timeline.Event) bool {
	if !cluster[0].Span.Overlaps(e.Span.Widen(Slack, Slack)) {
		return false
	}
	for _, c := range cluster {
		if c.Origin.Collector == e.Origin.Collector && e.Origin.Collector != "" || !sameAttrs(c, e) {
			return false
		}
	}
	return true
}

// sameAttrs says whether no attribute that both records have differs. How often a counter rose is no attribute
// of the change itself, nor are a source's words for its reason; a log line's words are.
func sameAttrs(a, b timeline.Event) bool {
	if a.Type == timeline.EventSyslog && a.Text != b.Text {
		return false
	}
	for k, v := range a.Attrs {
		if w, ok := b.Attrs[k]; ok && w != v && k != "count" && k != "reason" {
			return false
		}
	}
	return true
}

func merged(seen []timeline.Event, t Topology) Change {
	c := Change{Event: seen[0], Seen: seen, OnPath: t.OnPath(seen[0].Subject)}
	if len(seen) == 1 {
		return c
	}
	attrs := map[string]string{}
	for _, e := range slices.Backward(seen) { // the narrowest last, so that its word counts
		for k, v := range e.Attrs {
			attrs[k] = v
		}
	}
	c.Attrs = attrs
	for _, e := range seen {
		if c.Text == "" || !strings.Contains(c.Text, "%") && strings.Contains(e.Text, "%") {
			c.Text = e.Text // the device's own words, where one record has them
		}
	}
	return c
}

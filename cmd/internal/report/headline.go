package report

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// headline is one line that can be a ticket's subject: what, where, how long the path was down and when.
func headline(d Document, ds []rules.Diagnosis, outages []correlate.Outage) string {
	switch {
	case len(ds) > 0:
		return leading(ds[0], outages)
	case d.Verdict == VerdictHealthy:
		return healthyLine(d)
	case len(outages) > 0:
		return "Cannot tell why: " + downtime(outages)
	}
	missing := blind(Input{Topology: d.Topology, Snapshot: d.Snapshot, Problems: d.Problems})
	if len(missing) == 0 {
		return "Cannot tell"
	}
	return "Cannot tell: " + strings.Join(missing, ", ")
}

func leading(d rules.Diagnosis, outages []correlate.Outage) string {
	var b strings.Builder
	switch {
	case d.Verdict == rules.Suspected:
		b.WriteString("Suspected: ")
	case d.Verdict == rules.CannotTell:
		b.WriteString("Cannot tell: ")
	case !d.Fault:
		b.WriteString("No fault: ")
	}
	title := d.Title
	if title == "" && len(d.Chain) > 0 {
		title = d.Chain[0]
	}
	b.WriteString(strings.TrimRight(title, ". "))
	if name := NameOf(d.Subject).String(); name != "" && !strings.Contains(title, name) {
		b.WriteString(" (" + name + ")")
	}
	if own := explained(d, outages); len(own) > 0 {
		b.WriteString(": " + downtime(own))
	} else if !d.Span.From.IsZero() {
		b.WriteString(", since " + ClockSecond(d.Span.From) + " UTC")
	}
	return b.String()
}

// explained returns those outages that the diagnosis explains.
func explained(d rules.Diagnosis, outages []correlate.Outage) []correlate.Outage {
	var own []correlate.Outage
	for _, o := range outages {
		if slices.ContainsFunc(d.Outages, func(e timeline.Event) bool { return e.Subject == o.Event.Subject && e.Span == o.Span }) {
			own = append(own, o)
		}
	}
	return own
}

// Incident is one stretch in which a path did not deliver, whatever saw it and in whichever direction.
type Incident struct {
	Path     string
	From, To time.Time
	Open     bool          // it has not ended
	Dark     bool          // the heartbeat saw it, From and To are its; else only the TCP flow stalled
	Stall    time.Duration // the longest stall of a TCP flow in it; 0 if none was seen
}

// Incidents joins outages of one path that overlap. From and To are those of the heartbeat's outage where there is
// one; a TCP flow stalls longer than the path is dark. They are ordered by their beginning.
func Incidents(outages []Outage) []Incident {
	type group struct {
		Incident
		until time.Time
	}
	in := slices.Clone(outages)
	slices.SortStableFunc(in, func(a, b Outage) int { return a.From.Compare(b.From) })
	var groups []group
	last := map[string]int{}
	for _, o := range in {
		dark, stall := o.SeenBy == timeline.SeenByHeartbeat, o.To.Sub(o.From)
		if o.SeenBy != timeline.SeenByTCP {
			stall = 0
		}
		i, ok := last[o.Path]
		if !ok || o.From.After(groups[i].until) {
			last[o.Path] = len(groups)
			groups = append(groups, group{Incident{o.Path, o.From, o.To, o.Open, dark, stall}, o.To})
			continue
		}
		g := &groups[i]
		switch {
		case dark && !g.Dark:
			g.From, g.To, g.Dark, g.Open = o.From, o.To, true, o.Open
		case dark == g.Dark:
			g.From, g.To, g.Open = earlier(g.From, o.From), later(g.To, o.To), g.Open || o.Open
		}
		g.until, g.Stall = later(g.until, o.To), max(g.Stall, stall)
	}
	out := make([]Incident, 0, len(groups))
	for _, g := range groups {
		out = append(out, g.Incident)
	}
	return out
}

func earlier(a, b time.Time) time.Time {
	if b.Before(a) {
		return b
	}
	return a
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// Worst is the longer of the dark stretch and the stall: what a user of the path felt.
func (i Incident) Worst() time.Duration { return max(i.To.Sub(i.From), i.Stall) }

// String says how long the path was dark and the flow stalled: "down 463 ms, TCP stalled 2.94 s".
func (i Incident) String() string {
	length := Length(i.To.Sub(i.From))
	if i.Open {
		length = "for " + length + " and still"
	}
	switch {
	case !i.Dark:
		return "TCP stalled " + length
	case i.Stall > 0:
		return "down " + length + ", TCP stalled " + Length(i.Stall)
	}
	return "down " + length
}

// downtime says how often and how long, and when the longest began.
func downtime(outages []correlate.Outage) string {
	inc := Incidents(list(outages, outageOf))
	longest := inc[0]
	for _, i := range inc {
		if i.Worst() > longest.Worst() {
			longest = i
		}
	}
	path := longest.Path
	if path == "" {
		path = "path"
	}
	s := fmt.Sprintf("%s %s, at %s UTC", path, longest, ClockSecond(longest.From))
	if len(inc) > 1 {
		s += fmt.Sprintf(", the longest of %d", len(inc))
	}
	return s
}

func healthyLine(d Document) string {
	devices, ports, series := map[string]bool{}, map[PortName]bool{}, 0
	for _, e := range d.Examined {
		if e.Samples == 0 {
			continue
		}
		series++
		if e.Device != "" && e.Device != timeline.LocalHost { // this host's own card is no device of the site
			devices[e.Device] = true
			if e.Port != "" {
				ports[PortName{e.Device, e.Port}] = true
			}
		}
	}
	recordings := 0
	for _, b := range d.Inputs {
		if b.Kind == "session" {
			recordings++
		}
	}
	var parts []string
	for _, c := range []struct {
		n    int
		noun string
	}{{recordings, "recording"}, {len(d.Inputs) - recordings, "block"}, {len(devices), "device"}, {len(ports), "port"}, {series, "series"}} {
		if c.n > 0 {
			parts = append(parts, rules.Plural(c.n, c.noun))
		}
	}
	what := strings.Join(parts, ", ") + " examined"
	if d.Span.From != nil && d.Span.To != nil && d.Span.To.After(*d.Span.From) {
		what += " over " + RoundLength(d.Span.To.Sub(*d.Span.From))
	}
	if len(d.Problems) > 0 {
		what += "; not all could be read"
	}
	return "Nothing found: " + what
}

package report

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Build makes the document for one input. It is pure: the same input gives the same document, whatever the time
// zone of the machine. All text in it has passed [Clean]; lists are never nil; times are UTC. The snapshot and
// the topology stay with the document for the charts.
func Build(in Input) Document {
	outages := inOrder(in.Snapshot, in.Topology)
	ds := ordered(in.Diagnoses)
	d := Document{
		SchemaVersion: SchemaVersion,
		Site:          Clean(in.Topology.Site),
		Span:          spanOf(in.Snapshot.Span()),
		Findings:      list(ds, findingOf),
		Outages:       list(outages, outageOf),
		Tests:         tests(in.Snapshot),
		Examined:      examined(in.Snapshot, in.Topology),
		Inputs:        list(in.Blocks, func(b Block) Block { return Block{Clean(b.Where), Clean(b.Kind), prose(b.What)} }),
		Problems:      list(in.Problems, prose),
		Warnings:      list(warnings(in), prose),
		Notes:         list(in.Notes, prose),
		Paths:         list(in.Topology.Paths, pathOf),
		Snapshot:      in.Snapshot,
		Topology:      in.Topology,
	}
	if in.Undated {
		d.Span = Span{}
	}
	if in.Session != "" {
		s := Clean(in.Session)
		d.Session = &s
	}
	d.Verdict = verdict(in, ds, outages)
	d.Headline = Clip(prose(headline(d, ds, outages)), maxHeadline)
	return d
}

// maxHeadline is how many columns the headline may have: names that devices give themselves have no limit, and
// mail and ticket subjects get unwieldy beyond two lines.
const maxHeadline = 2 * Columns

// Findings returns the findings of a document made of these diagnoses alone, strongest verdict first.
func Findings(ds []rules.Diagnosis) []Finding { return list(ordered(ds), findingOf) }

// Outages returns the outages of a document, in order of their beginning.
func Outages(s timeline.Snapshot, t correlate.Topology) []Outage {
	return list(inOrder(s, t), outageOf)
}

func inOrder(s timeline.Snapshot, t correlate.Topology) []correlate.Outage {
	out := correlate.Outages(s, t)
	slices.SortStableFunc(out, func(a, b correlate.Outage) int {
		return cmp.Or(a.Span.From.Compare(b.Span.From), a.Span.To.Compare(b.Span.To))
	})
	return out
}

// list maps every element and never returns nil.
func list[A, B any](in []A, f func(A) B) []B {
	out := make([]B, 0, len(in))
	for _, a := range in {
		out = append(out, f(a))
	}
	return out
}

// ordered returns the diagnoses strongest verdict first; within one verdict they stay as the rules ordered them.
func ordered(in []rules.Diagnosis) []rules.Diagnosis {
	rank := []rules.Verdict{rules.Holds, rules.Suspected, rules.CannotTell}
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b rules.Diagnosis) int {
		return slices.Index(rank, a.Verdict) - slices.Index(rank, b.Verdict)
	})
	return out
}

// verdict sums up. Healthy is said only if what the site is made of was measured: an outage that no rule
// explains, a path without a sample or devices that were all blind are not health.
func verdict(in Input, ds []rules.Diagnosis, outages []correlate.Outage) string {
	has := func(v rules.Verdict) bool {
		return slices.ContainsFunc(ds, func(d rules.Diagnosis) bool { return d.Verdict == v })
	}
	switch {
	case has(rules.Holds):
		return VerdictFound
	case has(rules.Suspected):
		return VerdictSuspected
	case has(rules.CannotTell), len(outages) > 0, len(blind(in)) > 0:
		return VerdictCannotTell
	}
	return VerdictHealthy
}

// blind lists what had to be measured for a healthy verdict and was not.
func blind(in Input) []string {
	path, device, any := false, false, false
	for _, k := range in.Snapshot.Keys() {
		any = true
		switch k.Subject.Kind {
		case timeline.KindPath:
			path = true
		case timeline.KindPort:
			device = device || k.Subject.Device != timeline.LocalHost // this host's own card is none
		case timeline.KindDevice:
			device = device || k.Metric != timeline.Reachable && k.Metric != timeline.PollTime
		}
	}
	for _, e := range in.Snapshot.Events() {
		if e.Type == timeline.EventResult && e.Kind == timeline.KindPath && e.Attrs["rate_bps"] != "" { // a test that ended measured it
			any, path = true, true
		}
	}
	var out []string
	if len(in.Topology.Paths) > 0 && !path {
		out = append(out, "no probe measured the path")
	}
	watched := slices.ContainsFunc(in.Topology.Devices, func(d correlate.Device) bool { return d.Role != "host" })
	if watched && !device {
		out = append(out, "no device could be read")
	}
	switch {
	case any || len(out) > 0:
	case len(in.Problems) > 0:
		out = append(out, "nothing could be read")
	default:
		out = append(out, "nothing was measured")
	}
	return out
}

// warnings are those of the input, what was relaxed for each device, and where answers came from elsewhere.
func warnings(in Input) []string {
	out := slices.Clone(in.Warnings)
	for _, d := range in.Topology.Devices {
		for _, w := range d.Warnings {
			if w = d.Name + ": " + w; !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	// A device that answers from another address than was asked (devices.AnsweredFrom) may be another one.
	for _, e := range in.Snapshot.Events() {
		if from := e.Attrs["answered_from"]; e.Type == timeline.EventSettings && e.Kind == timeline.KindDevice && from != "" {
			if w := e.Device + ": its answers come from " + from + ", not from the address that was asked; any_source allows that"; !slices.Contains(out, w) {
				out = append(out, w)
			}
		}
	}
	return out
}

func findingOf(d rules.Diagnosis) Finding {
	f := Finding{
		Chain:      list(d.Chain, Clean),
		Title:      prose(d.Title),
		Verdict:    string(d.Verdict),
		Confidence: min(max(d.Confidence, 0), 1),
		Fault:      d.Fault,
		Subject:    NameOf(d.Subject),
		Span:       spanOf(d.Span),
		Summary:    prose(d.Summary),
		Evidence:   list(distinct(d.Evidence), evidenceOf),
		Against:    list(d.Against, prose),
		Missing:    list(d.Missing, prose),
		Next:       list(d.Next, prose),
		Failovers:  list(d.Failovers, failoverOf),
	}
	if len(f.Chain) > 0 {
		f.ID = f.Chain[0]
	}
	if f.Title == "" {
		f.Title = f.ID
	}
	return f
}

// distinct leaves out what another piece of evidence of the same figure says in the same words, and more: the causes of a
// chain may rest on one observation.
func distinct(in []rules.Evidence) []rules.Evidence {
	var out []rules.Evidence
	for i, e := range in {
		repeats := func(j int, o rules.Evidence) bool {
			return o.Subject == e.Subject && o.Metric == e.Metric && strings.Contains(o.Text, e.Text) && (len(o.Text) > len(e.Text) || j < i && o.Span == e.Span)
		}
		said := false
		for j, o := range in {
			said = said || e.Text != "" && i != j && repeats(j, o)
		}
		if !said {
			out = append(out, e)
		}
	}
	return out
}

func evidenceOf(e rules.Evidence) Evidence {
	name := NameOf(e.Subject)
	out := Evidence{
		Source: Clean(e.Source),
		Device: name.Device, Port: name.Port,
		Metric: Clean(e.Metric),
		Unit:   Clean(e.Unit),
		Span:   spanOf(e.Span),
		Text:   prose(e.Text),
	}
	if e.Value != nil && finite(*e.Value) {
		v := *e.Value
		out.Value = &v
	}
	return out
}

func outageOf(o correlate.Outage) Outage {
	out := Outage{
		From:       o.Span.From.UTC(),
		To:         o.Span.To.UTC(),
		DurationMS: milliseconds(o.Span.Width()),
		Direction:  Clean(o.Direction),
		SeenBy:     Clean(o.SeenBy),
		Path:       Clean(o.Path),
		Open:       o.Open,
	}
	if o.Backoff != nil {
		ms := milliseconds(*o.Backoff)
		out.BackoffMS = &ms
	}
	if o.Lost != nil {
		n := *o.Lost
		out.Lost = &n
	}
	return out
}

// milliseconds keeps microseconds: no probe dates finer than that.
func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// NameOf returns the two names of a subject in a finding: a port's device and ifName; a device, a host or a path
// has its name in Device and no port.
func NameOf(s timeline.Subject) PortName {
	if s.Kind == timeline.KindPath || s.Kind == timeline.KindHost {
		return PortName{Device: Clean(s.Name)}
	}
	return PortName{Device: Clean(s.Device), Port: Clean(s.Name)}
}

// String returns the name as a person writes it: "sw1 Gi1/0/1".
func (p PortName) String() string {
	if p.Port == "" {
		return p.Device
	}
	return p.Device + " " + p.Port
}

func spanOf(s timeline.Span) Span {
	var out Span
	if !s.From.IsZero() {
		t := s.From.UTC()
		out.From = &t
	}
	if !s.To.IsZero() {
		t := s.To.UTC()
		out.To = &t
	}
	return out
}

func pathOf(p correlate.Path) PathNote {
	hops := list(p.Hops, func(h []string) []string { return list(h, Clean) })
	return PathNote{Name: Clean(p.Name), To: Clean(p.To), Hops: hops}
}

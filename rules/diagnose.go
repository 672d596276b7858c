package rules

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// mostEvents is how many device events one finding shows; the rest are in the timeline.
const mostEvents = 16

// diagnoses writes the findings, best first.
func (e *evaluation) diagnoses() []Diagnosis {
	faulty := slices.ContainsFunc(e.matches, func(m *match) bool { return !m.rule.Harmless && m.verdict != CannotTell })
	slices.SortStableFunc(e.matches, func(a, b *match) int { // beside a fault, what is none and explains nothing comes last
		return cmp.Or(int(truth(faulty && a.idle()))-int(truth(faulty && b.idle())), compareMatches(a, b))
	})
	var out []Diagnosis
	for _, m := range e.matches {
		if m.parent == nil {
			out = append(out, e.diagnosis(m))
		}
	}
	return out
}

func (e *evaluation) diagnosis(root *match) Diagnosis {
	all := root.all()
	d := Diagnosis{
		Chain: root.ids(), Title: root.rule.Title, Verdict: root.verdict,
		Confidence: math.Round(root.believed()*1000) / 1000, Argued: root.confidence,
		Fault: !root.rule.Harmless, Subject: root.subject, Span: root.span,
	}
	summary := []string{root.summary}
	hits := slices.Clone(root.hits)
	for i, m := range all {
		d.Span = d.Span.Union(m.span)
		if i > 0 {
			summary = append(summary, m.follows)
			hits = append(hits, m.hits...)
		}
		for _, s := range m.said {
			if s.text == "" {
				continue
			}
			d.Evidence = append(d.Evidence, e.figure(m, s))
		}
		d.Against = appendNew(d.Against, m.against...)
		d.Missing = appendNew(d.Missing, m.missing...)
		d.Next = appendNew(d.Next, m.next...)
		d.Events = append(d.Events, m.cand.events...)
	}
	hits = uniqueEpisodes(hits)
	for _, h := range hits {
		d.Span = d.Span.Union(h.Span)
	}
	d.Summary = strings.Join(summary, " ")
	d.Events = orderEvents(d.Events)
	d.Outages = outagesOf(hits)
	if d.Failovers = e.failovers(d.Chain, hits); len(d.Failovers) > 0 {
		if r := Remedy(worstFailover(d.Failovers)); r != "" {
			d.Next = append(d.Next, r)
		}
	}
	e.tellRhythm(&d, hits)
	for i, ev := range d.Events {
		if i == mostEvents {
			break
		}
		d.Evidence = append(d.Evidence, Evidence{Source: ev.Origin.Collector, Subject: ev.Subject, Metric: string(ev.Type), Span: ev.Span, Text: wordsOf(ev)})
	}
	d.Against = appendNew(d.Against, e.rivals(all)...)
	d.Against = appendNew(d.Against, e.offPath()...)
	return d
}

// figure makes a piece of evidence of what a match says.
func (e *evaluation) figure(m *match, s said) Evidence {
	ev := Evidence{Subject: m.cand.subject, Metric: s.Metric, Span: m.span, Text: s.text}
	if s.Of == ScopePath {
		ev.Subject = timeline.Path(m.cand.path)
	}
	if strings.HasPrefix(s.Metric, "host.") {
		ev.Subject = timeline.Host(timeline.LocalHost)
		if !strings.Contains(s.If.Text, "path.own") {
			ev.Subject = timeline.Host(e.pathOf(m.cand.path).facts.FarName)
		}
	}
	if d, ok := timeline.Describe(timeline.Metric(s.Metric)); ok {
		ev.Unit = d.Unit
	}
	if !math.IsNaN(s.value) && !math.IsInf(s.value, 0) && !s.Value.IsZero() {
		v := s.value
		ev.Value = &v
	}
	if in := e.snap.Between(ev.Subject, timeline.Metric(s.Metric), ev.Span); len(in) > 0 {
		ev.Source = in[0].Origin.Collector
	}
	return ev
}

// rivals says why the causes that look like those of a chain were not chosen.
func (e *evaluation) rivals(chain []*match) []string {
	var out []string
	for _, m := range chain {
		for _, id := range m.rule.Rivals {
			taken := slices.ContainsFunc(e.matches, func(o *match) bool { return o.rule.ID == id })
			if f, ok := e.failed[id]; ok && !taken && f.why != "" {
				out = appendNew(out, id+": "+f.why)
			} else if !ok && !taken {
				if r := e.rule(id); r != nil && len(r.Symptom)+len(r.When) > 0 && e.unasked(r.Scope) != "" {
					out = appendNew(out, id+": "+e.unasked(r.Scope))
				}
			}
		}
	}
	return out
}

func (e *evaluation) rule(id string) *Rule {
	for i := range e.rules {
		if e.rules[i].ID == id {
			return &e.rules[i]
		}
	}
	return nil
}

// unasked says why a rule of the scope had nothing to look at.
func (e *evaluation) unasked(s Scope) string {
	switch {
	case !slices.ContainsFunc(e.paths, e.watchedOverTime):
		return "" // of single tests and totals nobody knows what did not happen
	case s == ScopeFlap && len(e.losses) == 0:
		return "no port on the path lost its carrier"
	case s == ScopeMove && len(e.moves) == 0:
		return "spanning tree moved no port on the path"
	case s == ScopeDevice && len(e.blinds) == 0:
		return "every device on the path answered"
	}
	return ""
}

// offPath tells of what happened to ports that are watched but not on the path, so that nobody need wonder.
func (e *evaluation) offPath() []string {
	var out []string
	for _, d := range e.topo.Devices {
		for _, p := range d.OffPath {
			sub := timeline.Port(d.Name, p)
			if e.topo.OnPath(sub) {
				continue
			}
			var what []string
			for _, x := range []struct {
				m    timeline.Metric
				word string
			}{{timeline.InFCS, "FCS errors"}, {timeline.OutDrops, "output drops"}} {
				if n := math.Round(correlate.Total(e.snap.Series(sub, x.m), e.span)); n >= 1 {
					what = append(what, "counted "+number(n)+" "+x.word)
				}
			}
			downs := 0
			for _, c := range e.changes {
				if c.Subject == sub && c.Type == timeline.EventOper && c.Attrs["to"] != "up" {
					downs++
				}
			}
			if downs > 0 {
				what = append(what, "went down "+times(downs))
			}
			if len(what) > 0 {
				out = append(out, sub.String()+" "+list(what)+", but is not on the path")
			}
		}
	}
	return out
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return number(float64(n)) + " times"
}

func appendNew(to []string, add ...string) []string {
	for _, a := range add {
		if a != "" && !slices.Contains(to, a) {
			to = append(to, a)
		}
	}
	return to
}

// orderEvents orders events by time and drops what is there twice.
func orderEvents(in []timeline.Event) []timeline.Event {
	out := slices.Clone(in)
	slices.SortStableFunc(out, func(a, b timeline.Event) int {
		if c := a.Span.Mid().Compare(b.Span.Mid()); c != 0 {
			return c
		}
		if c := a.Subject.Compare(b.Subject); c != 0 {
			return c
		}
		return strings.Compare(string(a.Type), string(b.Type))
	})
	return slices.CompactFunc(out, func(a, b timeline.Event) bool {
		return a.Subject == b.Subject && a.Type == b.Type && a.Span == b.Span && a.Attrs["to"] == b.Attrs["to"]
	})
}

// wordsOf says what an event is, with the device's own words where it had any.
func wordsOf(ev timeline.Event) string {
	who, from, to := ev.Subject.String(), ev.Attrs["from"], ev.Attrs["to"]
	arrow := from + " to " + to
	if from == "" {
		arrow = "to " + to
	}
	what := ""
	switch ev.Type {
	case timeline.EventOper:
		what = who + " went " + to
	case timeline.EventSTPState:
		what = who + ": spanning tree went " + arrow
	case timeline.EventSTPRole:
		what = who + ": spanning-tree role went " + arrow
	case timeline.EventRootPort:
		what = who + ": root port went " + arrow
	case timeline.EventRootBridge:
		what = who + ": the root bridge changed"
	case timeline.EventTopologyChange:
		what = who + " counted a topology change"
	case timeline.EventFailover:
		what = who + " went " + arrow
	case timeline.EventSpeed:
		what = who + ": speed went from " + speedText(from) + " to " + speedText(to)
	case timeline.EventDuplex:
		what = who + ": duplex went " + arrow
	default:
		what = who + ": " + string(ev.Type)
	}
	if strings.Contains(ev.Text, "%") {
		what += ` ("` + ev.Text + `")`
	}
	return what
}

// speedText returns a speed of an event, in bit/s, with its unit; what is no number as it is.
func speedText(s string) string {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		return rateText(v)
	}
	return cmp.Or(s, "an unknown one")
}

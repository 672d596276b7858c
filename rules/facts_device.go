package rules

import (
	"slices"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// deviceCandidates returns the devices on a path from which nothing could be read for a while, or that began anew or lost a part.
func (sc *scene) deviceCandidates() []*candidate {
	var out []*candidate
	for _, ps := range sc.paths {
		for _, d := range sc.topo.Devices {
			if !ps.Path.Crosses(d.Name) {
				continue
			}
			if c := sc.deviceCandidate(ps, d); c != nil {
				out = append(out, c)
			}
		}
	}
	return out
}

func (sc *scene) deviceCandidate(ps *pathScene, d correlate.Device) *candidate {
	f := &deviceFacts{Name: d.Name, Ports: d.Ports}
	c := &candidate{scope: ScopeDevice, path: ps.Path.Name, subject: timeline.Device(d.Name), env: sc.env(ps)}
	for _, b := range sc.blinds {
		if b.Device != d.Name {
			continue
		}
		length := b.Span.Width().Seconds()
		f.Blind += length
		if length > f.Longest {
			f.Longest, f.Span, f.Reason = length, b.Span, string(b.Reason)
		}
		hits := ps.touched([]timeline.Span{b.Span})
		f.During += float64(len(hits))
		for _, h := range hits {
			if h.Kind != correlate.Stall {
				continue
			}
			if sc.explains != nil && sc.explains(h) {
				f.Explained += shared(b.Span, h.Span.Widen(correlate.Slack, correlate.Slack))
			}
			if dark := h.Incident.DarkAny(); !dark.IsZero() {
				f.Dark += shared(b.Span, dark.Widen(correlate.Slack, correlate.Slack))
			}
		}
		c.hits = append(c.hits, hits...)
		c.times = append(c.times, b.Span)
	}
	if f.Life = sc.lifeFacts(ps, d); f.Blind == 0 && !f.Life.started() {
		return nil
	}
	f.Answered = sc.neverBlind(ps)
	c.events = sc.lifeEvents(d.Name)
	f.Share = f.Blind / sc.span.Width().Seconds()
	c.hits = uniqueEpisodes(c.hits)
	c.span = hull(c.times, nil)
	c.env["device"] = f
	return c
}

// neverBlind returns the devices of a path that answered all along, in the path's order.
func (sc *scene) neverBlind(ps *pathScene) []string {
	var out []string
	for _, hop := range ps.Path.Hops {
		for _, name := range hop {
			if !slices.ContainsFunc(sc.blinds, func(b correlate.Blind) bool { return b.Device == name }) {
				out = append(out, name)
			}
		}
	}
	return out
}

// shared returns how many seconds two spans have in common.
func shared(a, b timeline.Span) float64 {
	if !a.Overlaps(b) {
		return 0
	}
	if b.From.After(a.From) {
		a.From = b.From
	}
	if b.To.Before(a.To) {
		a.To = b.To
	}
	return a.Width().Seconds()
}

package rules

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

func (sc *scene) portCandidates() []*candidate {
	var out []*candidate
	for _, ps := range sc.paths {
		for _, sub := range sc.portsOn(ps) {
			c := &candidate{scope: ScopePort, path: ps.Path.Name, subject: sub, env: sc.env(ps), span: sc.span}
			c.times = []timeline.Span{sc.span}
			c.env["port"] = sc.port(ps, sub)
			for _, ch := range sc.changes {
				if ch.Subject == sub && (ch.Type == timeline.EventSpeed || ch.Type == timeline.EventDuplex || ch.Type == timeline.EventDuplexMismatch || aboutLink[ch.Type]) {
					c.events = append(c.events, ch.Event)
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// port returns the facts of a port on a path; they are computed once.
func (sc *scene) port(ps *pathScene, sub timeline.Subject) *portFacts {
	key := portKey{ps.Path.Name, sub}
	if f, ok := sc.ports[key]; ok {
		return f
	}
	f := sc.portFacts(ps, sub)
	if sc.ports == nil {
		sc.ports = map[portKey]*portFacts{}
	}
	sc.ports[key] = f
	return f
}

type portKey struct {
	path string
	sub  timeline.Subject
}

func (sc *scene) portFacts(ps *pathScene, sub timeline.Subject) *portFacts {
	d, _ := sc.topo.Device(sub.Device)
	f := &portFacts{Device: sub.Device, Name: sub.Name, Role: d.Role}
	in, out := sc.snap.Series(sub, timeline.InPackets), sc.snap.Series(sub, timeline.OutPackets)
	work := func(m timeline.Metric, packets []timeline.Sample) activity {
		return sc.activity(sc.snap.Series(sub, m), packets)
	}
	f.FCS, f.Errors = work(timeline.InFCS, in), work(timeline.InErrors, in)
	f.Drops, f.InDrops = work(timeline.OutDrops, out), work(timeline.InDrops, in)
	f.Late, f.Collisions = work(timeline.LateCollisions, out), work(timeline.Collisions, out)
	f.Runts, f.Alignment = work(timeline.InRunts, in), work(timeline.InAlignment, in)
	if f.Bad = f.FCS; math.IsNaN(f.FCS.Total) {
		f.Bad = f.Errors
	}
	f.TroubleAt = f.Bad.Span.Union(f.Late.Span)
	f.BER = nan
	if f.Bad.Total > 0 {
		f.BER = f.Bad.Total / correlate.Total(sc.snap.Between(sub, timeline.InBits, f.Bad.Span), f.Bad.Span)
	}
	sc.loadFacts(f, ps, sub)
	sc.speedFacts(f, sub)
	sc.totalFacts(f, sub)
	f.Link = sc.linkFacts(ps, sub, f)
	for _, c := range sc.changes {
		if c.Type == timeline.EventDuplexMismatch && (c.Subject == sub || c.Device == sub.Device && c.Attrs["port"] == sub.Name) {
			f.Mismatch = 1
		}
	}
	return f
}

// loadFacts reads how much the port carried.
func (sc *scene) loadFacts(f *portFacts, ps *pathScene, sub timeline.Subject) {
	f.Utilisation, f.DropUtil, f.Carries = nan, nan, nan
	for _, x := range sc.snap.Series(sub, timeline.Utilisation) {
		f.Utilisation = max(x.Value, orZero(f.Utilisation))
		if x.Span.Overlaps(f.Drops.Span) {
			f.DropUtil = max(x.Value, orZero(f.DropUtil))
		}
	}
	if probe := correlate.ProbeRate(sc.snap, ps.Path.Name, sc.span); probe > 0 {
		f.Carries = correlate.PortRate(sc.snap, sub, sc.span) / probe
	}
}

// speedFacts reads the port's speed and duplex while it was up and its way did not move.
func (sc *scene) speedFacts(f *portFacts, sub timeline.Subject) {
	f.Speed, f.SpeedUsual, f.SpeedMax, f.HalfDuplex = nan, nan, nan, nan
	speeds := sc.undisturbed(sc.snap.Series(sub, timeline.Speed))
	for _, x := range speeds {
		if x.Value > 0 {
			f.SpeedUsual = max(x.Value, orZero(f.SpeedUsual))
			if !(f.Speed <= x.Value) {
				f.Speed = x.Value
			}
		}
	}
	if x, ok := sc.snap.Last(sub, timeline.SpeedMax); ok && x.Value > 0 {
		f.SpeedMax = x.Value
	}
	best := f.SpeedUsual
	if f.SpeedMax > best {
		best = f.SpeedMax
	}
	for _, x := range speeds {
		if x.Value > 0 && x.Value < best {
			f.SlowSpan = f.SlowSpan.Union(x.Span)
		}
	}
	f.Fell = truth(f.Speed < f.SpeedUsual)
	for _, x := range sc.undisturbed(sc.snap.Series(sub, timeline.HalfDuplex)) {
		f.HalfDuplex = max(x.Value, orZero(f.HalfDuplex))
	}
}

// undisturbed returns the samples that lie outside of moves and carrier losses.
func (sc *scene) undisturbed(samples []timeline.Sample) []timeline.Sample {
	if len(sc.disturbs) == 0 {
		return samples
	}
	out := make([]timeline.Sample, 0, len(samples))
	for _, x := range samples {
		if !slices.ContainsFunc(sc.disturbs, x.Span.Overlaps) {
			out = append(out, x)
		}
	}
	return out
}

// rest is how long a counter may stand still within one activity.
const rest = 10 * time.Second

// activity finds the stretch in which a counter of trouble rose most, outside of moves and carrier losses: what a
// link counts as it goes down, and what is sent to it while it is, is a consequence.
func (sc *scene) activity(samples, packets []timeline.Sample) activity {
	if len(samples) == 0 {
		return activity{Total: nan, Ratio: nan, Share: nan, Rate: nan, Length: nan}
	}
	var best, cur activity
	var rose, seen, bestRose, bestSeen float64
	flush := func() {
		if cur.Total > best.Total {
			best, bestRose, bestSeen = cur, rose, seen
		}
		cur, rose, seen = activity{}, 0, 0
	}
	pending := 0.0 // still intervals since the counter last rose
	for _, x := range samples {
		if x.Value <= 0 {
			pending++
			continue
		}
		if slices.ContainsFunc(sc.disturbs, x.Span.Overlaps) {
			continue
		}
		if !cur.Span.IsZero() && x.Span.From.Sub(cur.Span.To) > rest {
			flush()
		}
		if cur.Span.IsZero() {
			pending = 0
		}
		seen += pending + 1
		rose++
		pending = 0
		cur.Total += x.Value * x.Span.Width().Seconds()
		cur.Span = cur.Span.Union(x.Span)
	}
	flush()
	best.Ratio, best.Length = nan, best.Span.Width().Seconds()
	if best.Total > 0 {
		best.Share, best.Rate = bestRose/bestSeen, best.Total/max(best.Length, 1e-3)
		if n := correlate.Total(packets, best.Span); n+best.Total > 0 {
			best.Ratio = best.Total / (n + best.Total)
		}
	} else {
		best.Ratio = 0
	}
	return best
}

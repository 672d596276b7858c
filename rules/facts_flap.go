package rules

import (
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// flapCandidates groups carrier losses by the port to look at first.
func (sc *scene) flapCandidates() []*candidate {
	var groups [][]correlate.CarrierGroup
	for _, g := range sc.groups {
		i := slices.IndexFunc(groups, func(h []correlate.CarrierGroup) bool { return h[0].Main.Port == g.Main.Port })
		if i < 0 {
			groups = append(groups, nil)
			i = len(groups) - 1
		}
		groups[i] = append(groups[i], g)
	}
	var out []*candidate
	for _, g := range groups {
		for _, ps := range sc.paths {
			if ps.Path.Crosses(g[0].Main.Port.Device) {
				out = append(out, sc.flapCandidate(ps, g))
			}
		}
	}
	return out
}

func (sc *scene) flapCandidate(ps *pathScene, g []correlate.CarrierGroup) *candidate {
	port := g[0].Main.Port
	f := &flapFacts{Device: port.Device, Port: port.Name, Count: float64(len(g)), Carried: nan}
	c := &candidate{scope: ScopeFlap, path: ps.Path.Name, subject: port, env: sc.env(ps)}
	var told []string
	var ends []timeline.Span
	for _, x := range g {
		lasted := x.Main.Lasted(sc.span.To)
		c.times = append(c.times, x.Main.Down)
		moments := []timeline.Span{x.Main.Down}
		for _, l := range x.Losses {
			if !(l.Carried <= f.Carried) && l.Carried == l.Carried {
				f.Carried = l.Carried
			}
			if l.Port != port && !slices.Contains(f.Others, l.Port.String()) {
				f.Others = append(f.Others, l.Port.String())
			}
			c.events = append(c.events, l.Changes...)
			if l.Up != nil {
				moments = append(moments, *l.Up)
				ends = append(ends, *l.Up)
			}
		}
		led := sc.movesLedBy(x)
		hits := ps.touched(append(moments, led...), correlate.Stall)
		f.Hit += truth(len(ps.touched(append(led, x.Main.Down), correlate.Stall)) > 0 || sc.hurtIn(ps, led))
		f.Longest = maxSeconds(f.Longest, lasted.Width())
		f.Down = f.Down || x.Main.Up == nil
		told = append(told, clockText(x.Main.Down.Mid())+" for "+secondsText(lasted.Width().Seconds())+lengths(hits))
		c.hits = append(c.hits, hits...)
	}
	slices.Sort(f.Others)
	for _, e := range sc.changesOf(port) {
		if e.Type == timeline.EventErrDisabled && e.Attrs["cause"] != "" {
			f.Shut = e.Attrs["cause"]
		}
	}
	f.Told = tell(told)
	f.Slept = truth(sc.slept(port))
	sig := correlate.Coincidence(spansOf(ps.Incidents), append(slices.Clone(c.times), ends...), sc.span)
	f.Met, f.Of, f.Expect, f.Chance = float64(sig.Met), float64(sig.Episodes), sig.Expected, sig.Chance
	c.hits = uniqueEpisodes(c.hits)
	c.span = hull(append(slices.Clone(c.times), ends...), c.hits)
	c.env["flap"] = f
	return c
}

// slept says whether a port changed to a lower speed and to a higher one, and counted no bad frame: so does the card of a host that
// sleeps, for a wake on LAN needs 10 Mbit/s and least power. A contact that comes and goes damages frames.
func (sc *scene) slept(port timeline.Subject) bool {
	slower, faster := false, false
	for _, e := range sc.changesOf(port) {
		from, to := figure(numbers(e.Attrs), "from"), figure(numbers(e.Attrs), "to")
		if e.Type == timeline.EventSpeed {
			slower, faster = slower || to < from, faster || to > from
		}
	}
	return slower && faster && orZero(correlate.Total(sc.snap.Series(port, timeline.InFCS), sc.span)) == 0
}

// carrierLead is how long before a spanning-tree move a carrier may have gone or come back to have set it off: a
// bridge that does not see it waits for three hellos of 2 s (IEEE 802.1D-2004, 17.13), and the move takes its time.
const carrierLead = 8 * time.Second

// movesLedBy returns the spans of the moves that a carrier's going or coming back set off. The move back may be the
// one that hurts: the move away can be over before a packet is lost.
func (sc *scene) movesLedBy(g correlate.CarrierGroup) []timeline.Span {
	var out []timeline.Span
	for _, m := range sc.moves {
		span := m.Span.Union(m.Stop)
		if slices.ContainsFunc(g.Losses, func(l correlate.CarrierLoss) bool {
			return correlate.Leads(l.Down, span, carrierLead) || l.Up != nil && correlate.Leads(*l.Up, span, carrierLead)
		}) {
			out = append(out, span)
		}
	}
	return out
}

// hurtIn says whether a move cost anything at all, if only a few heartbeats.
func (sc *scene) hurtIn(ps *pathScene, moves []timeline.Span) bool {
	return len(ps.touched(moves, correlate.LossBurst, correlate.Dip)) > 0 ||
		slices.ContainsFunc(moves, func(m timeline.Span) bool { return sc.lossAt(ps, m) })
}

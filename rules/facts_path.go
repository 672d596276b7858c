package rules

import (
	"math"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// tcpShare is how much of a line's rate TCP carries as payload at an MTU of 1500: 1448 of the 1538 octets that a
// frame takes on the wire with preamble and gap, with time stamps on. 941 of 1000 Mbit/s.
const tcpShare = 1448.0 / 1538.0

func (sc *scene) pathCandidates() []*candidate {
	var out []*candidate
	for _, ps := range sc.paths {
		c := &candidate{scope: ScopePath, path: ps.Path.Name, subject: timeline.Path(ps.Path.Name), env: sc.env(ps), span: sc.span}
		c.times = []timeline.Span{sc.span}
		out = append(out, c)
	}
	return out
}

func (sc *scene) pathFacts(ps *pathScene) *pathFacts {
	away := ps.Disturbed()
	goodput, way := ps.Goodput()
	f := &pathFacts{
		Name: ps.Path.Name, Way: way, Expected: ps.Expected, Offered: nan, LossPeak: 0,
		Goodput: correlate.Quantile(goodput.Without(away), 0.5), Spread: correlate.Spread(goodput.Without(away)),
		LossForward: mean(ps.LossFwd.Without(away)), LossReverse: mean(ps.LossRev.Without(away)),
		RTT: correlate.Quantile(ps.RTT.Without(away), 0.5), RTTBase: correlate.Quantile(ps.RTT.Without(away), 0.1),
		Incidents: float64(len(ps.Incidents)), Untold: truth(sc.untold(ps)),
	}
	if ps.Offered > 0 {
		f.Offered = ps.Offered
	}
	f.episodes(ps)
	if f.WorstSpan = f.LowSpan; f.WorstSpan.IsZero() {
		f.WorstSpan, f.LowGoodput, f.LowSpread = f.DelaySpan, f.Goodput, f.Spread
	}
	worst := f.WorstSpan
	if worst.IsZero() {
		worst = sc.span
	}
	sc.tcpFacts(f, ps, worst)
	sc.hostFacts(f, ps, worst)
	sc.ownFacts(f, ps)
	sc.portsOfPath(f, ps)
	sc.pathFunctions(f, ps, goodput, away)
	f.spanFunctions(ps)
	sc.ledgerFunctions(f, ps)
	f.Air = sc.airFacts(ps)
	return f
}

// untold says whether what is known was written down by hand and holds nothing of what the path did.
func (sc *scene) untold(ps *pathScene) bool {
	return len(ps.Incidents) == 0 && len(ps.Episodes) == 0 && len(sc.results(ps.Path.Name)) == 0 && !sc.watchedOverTime(ps) &&
		slices.ContainsFunc(sc.snap.Events(), func(e timeline.Event) bool { return strings.HasPrefix(e.Origin.Collector, byHand) })
}

// episodes sums up the episodes of the path.
func (f *pathFacts) episodes(ps *pathScene) {
	var longest, lossiest, slowest correlate.Episode
	for _, e := range ps.Episodes {
		length := e.Span.Width().Seconds()
		f.HurtSpans = append(f.HurtSpans, e.Span)
		switch e.Kind {
		case correlate.Dip, correlate.Plateau:
			f.Low += length
			if e.Span.Width() > longest.Span.Width() {
				longest = e
			}
		case correlate.LossBurst:
			f.Lost += float64(e.Lost)
			f.LossPeak = max(f.LossPeak, e.Value)
			if e.Lost > lossiest.Lost {
				lossiest = e
			}
		case correlate.Delay:
			f.Delay += length
			if e.Span.Width() > slowest.Span.Width() {
				slowest = e
			}
		}
	}
	f.LossSpan, f.DelaySpan, f.DelayRTT = lossiest.Span, slowest.Span, slowest.Value
	f.LowSpan, f.LowGoodput = longest.Span, longest.Value
	if !longest.Span.IsZero() {
		goodput, _ := ps.Goodput()
		f.LowSpread = correlate.Spread(goodput.Within(longest.Span))
		f.LowShare = f.Low / ps.Span.Width().Seconds()
	}
}

// tcpFacts reads the sender's own account of the flow within the span.
func (sc *scene) tcpFacts(f *pathFacts, ps *pathScene, sp timeline.Span) {
	sub := timeline.Path(ps.Path.Name)
	in := func(m timeline.Metric) float64 { return correlate.Mean(sc.snap.Between(sub, m, sp), sp) }
	f.TCPRTT, f.Retransmits = in(timeline.TCPRTT), in(timeline.TCPRetransmits)
	f.RwndLimited, f.SndbufLimited = in(timeline.TCPRwndLimited), in(timeline.TCPSndbufLimited)
	const segment = 1448 * 8 // bits of payload in a full segment at an MTU of 1500 with time stamps
	f.RetransShare = f.Retransmits / (f.LowGoodput/segment + f.Retransmits)
	var windows []float64
	for _, x := range sc.snap.Between(sub, timeline.TCPSendWindow, sp) {
		windows = append(windows, x.Value)
	}
	f.Window = correlate.Quantile(windows, 0.9)
	rtt := f.RTT
	if math.IsNaN(rtt) || f.TCPRTT > rtt {
		rtt = f.TCPRTT
	}
	f.WindowRate = f.Window * 8 / rtt
	f.WindowIsIt = f.LowGoodput / f.WindowRate
}

// hostFacts reads how busy the two ends were within the span.
func (sc *scene) hostFacts(f *pathFacts, ps *pathScene, sp timeline.Span) {
	f.FarCPU, f.FarProcess, f.FarReadStall, f.FarUDPDrops = nan, nan, nan, nan
	f.FarWait, f.FarThrottled = nan, nan
	f.OwnCPU, f.OwnProcess, f.OwnUDPDrops, f.OwnCore, f.OwnNet = nan, nan, nan, nan, nan
	f.OwnSpare, f.FarName = 1, ps.Path.To
	for _, sub := range sc.hosts() {
		in := func(m timeline.Metric) float64 { return correlate.Mean(sc.snap.Between(sub, m, sp), sp) }
		if sub.Name == timeline.LocalHost {
			f.OwnCPU, f.OwnProcess, f.OwnUDPDrops = in(timeline.HostCPU), in(timeline.HostProcessCPU), in(timeline.HostUDPDrops)
			f.OwnCore, f.OwnNet = in(timeline.HostCoreBusy), in(timeline.HostSoftirq)
			if f.OwnCPU >= fullyBusy {
				f.OwnSpare = nan
			}
			continue
		}
		if len(sc.hosts()) > 2 && sub.Name != ps.Path.To {
			continue // another path's far end
		}
		f.FarName = sub.Name
		f.FarCPU, f.FarProcess = in(timeline.HostCPU), in(timeline.HostProcessCPU)
		f.FarWait, f.FarThrottled = in(timeline.HostCPUWait), in(timeline.HostThrottled)
		f.FarReadStall, f.FarUDPDrops = in(timeline.HostReadStall), in(timeline.HostUDPDrops)
	}
}

// fullyBusy is the share of its CPU at which a host answers late and loses what it receives: with 3 % left, some
// cores had nothing left.
const fullyBusy = 0.97

// hosts returns the hosts that any sample is about.
func (sc *scene) hosts() []timeline.Subject {
	var out []timeline.Subject
	for _, k := range sc.keys() {
		if k.Subject.Kind == timeline.KindHost && (len(out) == 0 || out[len(out)-1] != k.Subject) {
			out = append(out, k.Subject)
		}
	}
	return out
}

// portsOfPath sums up what was read of the path's ports.
func (sc *scene) portsOfPath(f *pathFacts, ps *pathScene) {
	f.Line, f.Flaps = nan, float64(len(sc.losses))
	for _, sub := range sc.portsOn(ps) {
		p := sc.port(ps, sub)
		f.Ports++
		if sc.wasRead(ps, sub) {
			f.Read++
		} else {
			f.Unread = append(f.Unread, sub.String())
		}
		if p.Bad.Total >= 3 || p.Drops.Total >= 3 || p.Late.Total >= 1 || p.InDrops.Total >= 3 {
			f.Troubled = append(f.Troubled, sub.String())
		}
		if p.Speed > 0 && !(p.Speed >= f.Line) && !(p.Carries < 0.1) {
			f.Line, f.LinePort = p.Speed, sub.String()
		}
	}
	sc.ownLine(f)
	f.TCPMax = f.Line * tcpShare
	f.Clean = nan
	switch {
	case len(f.Troubled) > 0:
		f.Clean = 0
	case f.Ports > 0 && f.Read == f.Ports:
		f.Clean = 1
	}
	for _, line := range lineRates {
		if share := f.LowGoodput / (line * tcpShare); share >= 0.95 && share <= 1.02 {
			f.RoundRate = line
		}
	}
}

// lineRates are the usual speeds of Ethernet ports, bit/s (IEEE 802.3).
var lineRates = []float64{10e6, 100e6, 1e9, 2.5e9, 5e9, 10e9, 25e9, 40e9, 100e9}

// wasRead says whether the port's error and drop counters were read for at least half of the watched time, and
// its device was not silent during any trouble of the path.
func (sc *scene) wasRead(ps *pathScene, sub timeline.Subject) bool {
	for _, b := range sc.blinds {
		if b.Device == sub.Device && len(ps.touched([]timeline.Span{b.Span})) > 0 {
			return false
		}
	}
	covered := func(metrics ...timeline.Metric) bool {
		for _, m := range metrics {
			total := 0.0
			for _, x := range sc.snap.Series(sub, m) {
				total += x.Span.Width().Seconds()
			}
			if total >= sc.span.Width().Seconds()/2 {
				return true
			}
		}
		return false
	}
	return covered(timeline.InFCS, timeline.InErrors) && covered(timeline.OutDrops)
}

// portsOn returns the subjects of the path's ports, hop by hop.
func (sc *scene) portsOn(ps *pathScene) []timeline.Subject {
	var out []timeline.Subject
	for _, hop := range ps.Path.Hops {
		for _, name := range hop {
			d, _ := sc.topo.Device(name)
			for _, p := range d.Ports {
				out = append(out, timeline.Port(name, p))
			}
		}
	}
	return out
}

// pathFunctions gives the facts that are asked about a span.
func (sc *scene) pathFunctions(f *pathFacts, ps *pathScene, goodput correlate.Bins, away []timeline.Span) {
	retrans := sc.snap.Series(timeline.Path(ps.Path.Name), timeline.TCPRetransmits)
	f.GoodputIn = func(sp timeline.Span) float64 { return correlate.Quantile(inside(goodput, sp, away), 0.5) }
	f.SpreadIn = func(sp timeline.Span) float64 { return correlate.Spread(inside(goodput, sp, away)) }
	f.RTTIn = func(sp timeline.Span) float64 { return correlate.Quantile(inside(ps.RTT, sp, away), 0.5) }
	f.Around = func(sp timeline.Span) timeline.Span {
		if sp.IsZero() {
			return sp
		}
		all := sp
		near := timeline.Span{From: sp.From, To: sp.To.Add(time.Second)}
		for _, e := range ps.Episodes {
			if (e.Kind == correlate.Dip || e.Kind == correlate.Plateau) && e.Span.Overlaps(near) {
				all = all.Union(e.Span)
			}
		}
		return all
	}
	loss := func(sp timeline.Span) (fwd, rev float64) {
		return mean(inside(ps.LossFwd, sp, away)), mean(inside(ps.LossRev, sp, away))
	}
	f.LossIn = func(sp timeline.Span) float64 {
		fwd, rev := loss(sp)
		if rev > fwd || math.IsNaN(fwd) {
			return rev
		}
		return fwd
	}
	f.WorseIn = func(sp timeline.Span) string {
		if fwd, rev := loss(sp); rev > fwd {
			return timeline.Reverse
		}
		return timeline.Forward
	}
	f.RetransIn = func(sp timeline.Span) float64 { return correlate.Total(retrans, sp) }
	f.RetransOut = func(sp timeline.Span) float64 {
		all, in := correlate.Total(retrans, sc.span), correlate.Total(retrans, sp)
		if rest := (sc.span.Width() - sp.Width()).Seconds(); rest >= 3 {
			return (all - orZero(in)) / rest
		}
		return nan
	}
	f.UDPLoss = nan
	for _, x := range sc.snap.Series(timeline.Path(ps.Path.Name), timeline.LossForward) {
		if strings.HasPrefix(x.Origin.Collector, "iperf") {
			f.UDPLoss = max(x.Value, orZero(f.UDPLoss))
		}
	}
}

// inside returns the known bins within the span that touch no incident; all within it, if none is left.
func inside(b correlate.Bins, sp timeline.Span, away []timeline.Span) []float64 {
	if sp.IsZero() {
		return nil
	}
	out := b.Part(sp).Without(away)
	if len(out) == 0 {
		return b.Within(sp)
	}
	return out
}

func mean(v []float64) float64 {
	if len(v) == 0 {
		return nan
	}
	sum := 0.0
	for _, x := range v {
		sum += x
	}
	return sum / float64(len(v))
}

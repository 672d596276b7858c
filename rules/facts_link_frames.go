package rules

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// Frames that a port lost or damaged: in bursts, inside of it, or for their number.

// burstGap is how long bad frames may pause within one burst: two polls.
const burstGap = 2500 * time.Millisecond

// contact finds the bursts of bad frames, those near a loss of carrier too: they belong to a loose contact.
func (sc *scene) contact(l *linkFacts, ps *pathScene, sub timeline.Subject, downs []timeline.Span) {
	bad := sc.snap.Series(sub, timeline.InFCS)
	if len(bad) == 0 {
		bad = sc.snap.Series(sub, timeline.InErrors)
	}
	var bursts []timeline.Span
	for _, x := range bad {
		if x.Value <= 0 {
			continue
		}
		l.BurstBad += x.Value * x.Span.Width().Seconds()
		if n := len(bursts); n > 0 && x.Span.From.Sub(bursts[n-1].To) <= burstGap {
			bursts[n-1] = bursts[n-1].Union(x.Span)
		} else {
			bursts = append(bursts, x.Span)
		}
	}
	for _, b := range bursts {
		l.Dirty += b.Width().Seconds() / sc.span.Width().Seconds()
		l.Apart += truth(!slices.ContainsFunc(downs, func(d timeline.Span) bool { return correlate.Coincides(b, d) }))
		l.BurstHit += truth(len(ps.touched([]timeline.Span{b})) > 0 || sc.lossAt(ps, b))
	}
	l.Bursts, l.BurstTimes = float64(len(bursts)), sc.timesLossy(ps, bursts)
	l.Rough = append(l.Rough, bursts...)
	slices.SortFunc(l.Rough, func(a, b timeline.Span) int { return a.From.Compare(b.From) })
}

// timesLossy returns how many times as much the path lost in the spans as outside of them: of heartbeats or, if that is
// more, of what TCP sent again.
func (sc *scene) timesLossy(ps *pathScene, spans []timeline.Span) float64 {
	most := nan
	if len(spans) == 0 {
		return most
	}
	again := correlate.Resample(sc.snap.Series(timeline.Path(ps.Path.Name), timeline.TCPRetransmits), sc.span, time.Second)
	for _, b := range []correlate.Bins{ps.LossFwd, ps.LossRev, again} {
		var in, out, inside, outside float64
		touched := b.Touched(spans)
		for i, v := range b.Values {
			switch {
			case math.IsNaN(v):
			case touched[i]:
				in, inside = in+v, inside+1
			default:
				out, outside = out+v, outside+1
			}
		}
		if inside == 0 || outside == 0 {
			continue
		}
		times := 0.0
		if in > 0 {
			times = in / inside / (out / outside)
		}
		if !(times <= most) {
			most = times
		}
	}
	return most
}

// lostInside finds the counter of frames lost in the port itself that rose most.
func (sc *scene) lostInside(l *linkFacts, sub timeline.Subject) {
	l.Internal = sc.activity(nil, nil)
	for _, x := range []struct {
		m   timeline.Metric
		how string
	}{
		{timeline.InMACErrors, "internal receive errors"}, {timeline.OutMACErrors, "internal transmit errors"}, {timeline.OutUnderruns, "underruns"},
	} {
		if a := sc.activity(sc.snap.Series(sub, x.m), nil); a.Total > l.Internal.Total || math.IsNaN(l.Internal.Total) {
			l.Internal, l.InternalHow = a, x.how
		}
	}
}

// packets reads how many packets of which size the port took while it dropped some on the way in.
func (sc *scene) packets(l *linkFacts, sub timeline.Subject, sp timeline.Span) {
	l.PacketRate, l.PacketPeak, l.PacketSpread, l.PacketSize, l.PacketLoad, l.DeviceCPU = nan, nan, nan, nan, nan, nan
	if sp.IsZero() {
		return
	}
	var rates, others, cpu []float64
	for _, x := range sc.snap.Between(sub, timeline.InPackets, sp) {
		rates = append(rates, x.Value)
	}
	for _, x := range sc.snap.Series(sub, timeline.InPackets) {
		if !x.Span.Overlaps(sp) {
			others = append(others, x.Value)
		}
	}
	l.PacketPeak = correlate.Quantile(others, 0.95)
	l.PacketRate, l.PacketSpread = correlate.Quantile(rates, 0.5), correlate.Spread(rates)
	l.PacketSize = correlate.Total(sc.snap.Between(sub, timeline.InBits, sp), sp) / 8 / correlate.Total(sc.snap.Between(sub, timeline.InPackets, sp), sp)
	for _, x := range sc.snap.Between(sub, timeline.Utilisation, sp) {
		l.PacketLoad = max(x.Value, orZero(l.PacketLoad))
	}
	for _, x := range sc.snap.Between(timeline.Device(sub.Device), timeline.DeviceCPU, sp) {
		cpu = append(cpu, x.Value)
	}
	l.DeviceCPU = correlate.Quantile(cpu, 0.5)
}

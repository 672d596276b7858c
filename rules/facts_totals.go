package rules

import (
	"maps"
	"math"
	"strconv"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// totalFacts gives what can be asked of a port about any metric, and what its counters stood at.
func (sc *scene) totalFacts(f *portFacts, sub timeline.Subject) {
	totals := sc.totals(sub)
	f.Age = figure(totals, "age_s")
	counts := map[string]float64{} // many rules ask for the same, and a day has 86400 samples
	f.Counted = func(m string) float64 {
		n, ok := counts[m]
		if !ok {
			n = correlate.Total(sc.snap.Series(sub, timeline.Metric(m)), sc.span)
			counts[m] = n
		}
		return n
	}
	f.Share = func(m string) float64 {
		n := f.Counted(m)
		return n / (n + f.Counted(string(packetsOf(m))))
	}
	f.Total = func(m string) float64 { return figure(totals, m) }
	f.TotalShare = func(m string) float64 {
		n, all := f.Total(m), f.Total(string(packetsOf(m)))
		if !(all > 0) {
			return nan
		}
		return n / (n + all)
	}
	f.State = func(m string) float64 {
		if x, ok := sc.snap.Last(sub, timeline.Metric(m)); ok {
			return x.Value
		}
		return nan
	}
	f.Events = func(t string) float64 { return float64(len(sc.snap.EventsOf(sub, timeline.EventType(t)))) }
	f.MeanSize = f.Total(string(timeline.InBits)) / f.Total(string(timeline.InPackets))
	if n := f.Counted(string(timeline.InBits)) / 8 / f.Counted(string(timeline.InPackets)); !math.IsNaN(n) {
		f.MeanSize = n
	}
	counted := false
	for _, m := range []timeline.Metric{timeline.InErrors, timeline.InFCS, timeline.OutDrops, timeline.InDrops, timeline.InSymbol} {
		counted = counted || len(sc.snap.Series(sub, m)) > 0
	}
	f.HasTotals = truth(len(totals) > 0 && !counted)
	sc.meanLoad(f, sub)
	sc.otherEnd(f, sub)
}

// totals reads what the counters of a port or device stood at.
func (sc *scene) totals(sub timeline.Subject) map[string]float64 {
	totals := map[string]float64{}
	for _, e := range sc.snap.EventsOf(sub, timeline.EventTotals) {
		maps.Copy(totals, numbers(e.Attrs))
	}
	return totals
}

// numbers returns the attributes that are figures.
func numbers(attrs map[string]string) map[string]float64 {
	out := map[string]float64{}
	for k, v := range attrs {
		if n, err := strconv.ParseFloat(v, 64); err == nil {
			out[k] = n
		}
	}
	return out
}

// figure returns a figure by its name, NaN if it is not told.
func figure(of map[string]float64, name string) float64 {
	if n, ok := of[name]; ok {
		return n
	}
	return nan
}

// packetsOf returns the metric of the packets that a counter is a part of.
func packetsOf(m string) timeline.Metric {
	if strings.HasPrefix(m, "if.out.") || strings.Contains(m, "collisions") || strings.Contains(m, "policer") || strings.Contains(m, "class") {
		return timeline.OutPackets
	}
	return timeline.InPackets
}

// meanLoad finds the utilisation over the longest interval: a mean hides what is shorter.
func (sc *scene) meanLoad(f *portFacts, sub timeline.Subject) {
	f.MeanLoad, f.LoadOver = nan, nan
	for _, x := range sc.snap.Series(sub, timeline.Utilisation) {
		if w := x.Span.Width().Seconds(); !(w < f.LoadOver) || math.IsNaN(f.LoadOver) {
			f.MeanLoad, f.LoadOver = x.Value, w
		}
	}
	if !math.IsNaN(f.MeanLoad) || !(f.Speed > 0) {
		return
	}
	// Not read as such: from the octets, of what was counted or else of the totals over their age.
	busier := func(count func(string) float64, bits float64) float64 {
		return max(orZero(count(string(timeline.InBits))), orZero(count(string(timeline.OutBits)))) * bits
	}
	for _, x := range []struct{ bits, over float64 }{{busier(f.Counted, 1), sc.span.Width().Seconds()}, {busier(f.Total, 8), f.Age}} {
		if load := x.bits / x.over / f.Speed; x.bits > 0 && load <= 1 {
			f.MeanLoad, f.LoadOver = load, x.over
			return
		}
	}
}

// otherEnd compares the port with the one at the other end of its link.
func (sc *scene) otherEnd(f *portFacts, sub timeline.Subject) {
	far, ok := sc.topo.FarEnd(sub)
	if ok {
		f.OtherEnd = far.String()
	}
	differ := func(m timeline.Metric) bool {
		a, okA := sc.snap.Last(sub, m)
		b, okB := sc.snap.Last(far, m)
		return ok && okA && okB && a.Value != b.Value
	}
	f.MTUs = func() bool { return differ(timeline.MTU) }
	f.Duplexes = func() bool { return differ(timeline.HalfDuplex) }
}

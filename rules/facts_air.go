package rules

import (
	"math"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// airFacts are about how unsteady a path is without any outage: what a shared medium does to it.
type airFacts struct {
	Jitter    float64         `expr:"jitter" metric:"path.jitter.forward,path.jitter.reverse"` // s, the median of the seconds, of the worse direction
	JitterWay string          `expr:"jitter_way"`
	Swing     float64         `expr:"swing" metric:"path.goodput.forward"` // goodput's upper tenth less its lower tenth, over its median
	RTTSwing  float64         `expr:"rtt_swing" metric:"path.rtt"`         // s, the round trip's upper tenth less its lower tenth
	RTTTimes  float64         `expr:"rtt_times" metric:"path.rtt"`         // the upper tenth over the least
	Spans     []timeline.Span `expr:"spans"`                               // its losses, dips and delays, without its stalls
	LineShare func() float64  `expr:"line_share"`                          // the highest utilisation of any port of the path
}

// airFacts reads how unsteady the path is, outside of its incidents.
func (sc *scene) airFacts(ps *pathScene) airFacts {
	sub, away := timeline.Path(ps.Path.Name), ps.Disturbed()
	a := airFacts{Jitter: nan, LineShare: func() float64 {
		most := nan
		for _, p := range sc.portsOn(ps) {
			most = max(orZero(most), orZero(sc.port(ps, p).Utilisation))
		}
		return most
	}}
	if len(ps.Episodes) == 0 {
		return a
	}
	for _, x := range []struct {
		m   timeline.Metric
		way string
	}{{timeline.JitterForward, timeline.Forward}, {timeline.JitterReverse, timeline.Reverse}} {
		b := correlate.Resample(sc.snap.Series(sub, x.m), sc.span, time.Second)
		if v := correlate.Quantile(b.Without(away), 0.5); v > a.Jitter || math.IsNaN(a.Jitter) && !math.IsNaN(v) {
			a.Jitter, a.JitterWay = v, x.way
		}
	}
	goodput, _ := ps.Goodput()
	swing := func(v []float64) float64 { return correlate.Quantile(v, 0.9) - correlate.Quantile(v, 0.1) }
	flow, rtt := goodput.Without(away), ps.RTT.Without(away)
	a.Swing, a.RTTSwing = swing(flow)/correlate.Quantile(flow, 0.5), swing(rtt)
	a.RTTTimes = correlate.Quantile(rtt, 0.9) / correlate.Quantile(rtt, 0)
	for _, e := range ps.Episodes {
		if e.Kind != correlate.Stall {
			a.Spans = append(a.Spans, e.Span)
		}
	}
	return a
}

// spanFunctions gives what is asked about the path in a span.
func (f *pathFacts) spanFunctions(ps *pathScene) {
	f.HurtIn = func(sp timeline.Span) float64 {
		if sp.IsZero() {
			return 0
		}
		return float64(len(ps.touched([]timeline.Span{sp})))
	}
	f.DarkIn = func(sp timeline.Span) string {
		way := ""
		for _, e := range ps.touched([]timeline.Span{sp}, correlate.Stall) {
			for _, o := range e.Incident.Outages {
				switch {
				case o.SeenBy != timeline.SeenByHeartbeat:
				case way == "":
					way = o.Direction
				case way != o.Direction:
					way = timeline.Both
				}
			}
		}
		return way
	}
}

package rules

import (
	"math"
	"slices"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// What a module tells of light.

// darkness is the power in dBm at which there is no light at all rather than too little: no module receives with that (the best long-range
// ones end at -28). Where a link is down the other transmitter is off, and that is no matter of the fibre.
const darkness = -30

// slowSensor is how old a module's reading may be: agents read them every minute at most.
const slowSensor = time.Minute

// light reads the module's diagnostics and those of the transmitter at the other end.
func (sc *scene) light(l *linkFacts, sub timeline.Subject, events []correlate.Change, downs []timeline.Span) {
	last := func(of timeline.Subject, m timeline.Metric) float64 {
		if x, ok := sc.snap.Last(of, m); ok {
			return x.Value
		}
		return nan
	}
	l.Rx, l.RxFell = nan, nan
	best := math.Inf(-1)
	readings := sc.snap.Series(sub, timeline.RxPower)
	if lit := slices.DeleteFunc(slices.Clone(readings), func(x timeline.Sample) bool {
		return x.Value <= darkness && slices.ContainsFunc(downs, func(d timeline.Span) bool { return x.Span.Overlaps(d.Widen(slowSensor, slowSensor)) })
	}); len(lit) > 0 {
		readings = lit
	}
	for _, x := range readings {
		best = max(best, x.Value)
		if !(l.Rx <= x.Value) {
			l.Rx = x.Value
		}
	}
	if !math.IsNaN(l.Rx) {
		l.RxFell = best - l.Rx
	}
	l.RxWarn, l.RxAlarm = last(sub, timeline.RxLowWarn), last(sub, timeline.RxLowAlarm)
	if math.IsNaN(l.RxWarn) {
		l.RxWarn = l.RxAlarm
	}
	l.Tx, l.FarTx, l.FarTxLow = last(sub, timeline.TxPower), nan, nan
	if far, ok := sc.topo.FarEnd(sub); ok {
		l.FarTx = last(far, timeline.TxPower)
		if warn := last(far, timeline.TxLowWarn); !math.IsNaN(l.FarTx) && !math.IsNaN(warn) {
			l.FarTxLow = truth(l.FarTx < warn)
		}
	}
	for _, e := range events {
		off := len(downs) > 0 && figure(numbers(e.Attrs), "value") <= darkness
		if e.Type == timeline.EventOptics && e.Attrs["sensor"] == "rx_power" && strings.HasPrefix(e.Attrs["to"], "low") && !off {
			l.Told++
		}
	}
}

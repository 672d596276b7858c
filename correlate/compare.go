package correlate

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// Comparison is one figure of two records: two cables, with and without a switch, before and after a repair.
type Comparison struct {
	Subject timeline.Subject // as A names it
	InB     timeline.Subject // as B names it; the same unless the only path of each has another name
	Metric  timeline.Metric
	// PerPacket says that the figure is a share of the packets the port carried in the same direction, and not a rate.
	PerPacket bool
	A, B      Estimate
	// Chance is the probability that two records of the same thing differ as much or more. NaN: can't be said.
	Chance  float64
	Verdict Became
}

// Became is what became of a figure from A to B.
type Became string

// What may become of a figure.
const (
	Rose    Became = "rose"
	Fell    Became = "fell"
	Same    Became = "same"    // no difference beyond chance
	Unknown Became = "unknown" // one of the two is not known, or measured once
)

// Better says whether the change is for the better: 1 better, -1 worse, 0 neither or not known.
func (c Comparison) Better() int {
	sign := 0
	switch c.Verdict {
	case Rose:
		sign = 1
	case Fell:
		sign = -1
	}
	if !higherIsBetter[c.Metric] {
		sign = -sign
	}
	return sign
}

// Nothing says whether the figure is zero on both sides, or one of two equal states.
func (c Comparison) Nothing() bool {
	return c.A.Value == 0 && c.B.Value == 0 || c.Chance == 1 && c.A.N == 1 && c.B.N == 1
}

// Estimate is a figure with its uncertainty.
type Estimate struct {
	Value     float64 // in the metric's unit, or a ratio; NaN: not known
	Low, High float64 // 95 % confidence interval; NaN: can't be said from one value
	Count     float64 // for a share: how many; NaN for a level
	Of        float64 // for a share: packets; for a count over time: seconds
	N         int     // how many independent blocks it rests on
}

// higherIsBetter lists the figures of which more is better; of all others that are compared, less is.
var higherIsBetter = map[timeline.Metric]bool{
	timeline.GoodputForward: true, timeline.GoodputReverse: true, timeline.Speed: true, timeline.Oper: true, timeline.RxPower: true,
}

// comparedLevels are the figures of paths and hosts compared as levels.
var comparedLevels = []timeline.Metric{
	timeline.GoodputForward, timeline.GoodputReverse, timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip,
	timeline.RTT, timeline.JitterForward, timeline.JitterReverse, timeline.Reordered, timeline.TCPRetransmits, timeline.TCPRTT,
	timeline.HostCoreBusy, timeline.HostUDPDrops, timeline.HostReadStall, timeline.DeviceCPU, timeline.RxPower,
}

// comparedCounts are the figures of ports compared as shares of the packets in the metric's direction.
var comparedCounts = map[timeline.Metric]timeline.Metric{
	timeline.InFCS: timeline.InPackets, timeline.InErrors: timeline.InPackets, timeline.InSymbol: timeline.InPackets, timeline.InAlignment: timeline.InPackets,
	timeline.InRunts: timeline.InPackets, timeline.InGiants: timeline.InPackets, timeline.InDrops: timeline.InPackets, timeline.InOverrun: timeline.InPackets,
	timeline.OutErrors: timeline.OutPackets, timeline.OutDrops: timeline.OutPackets, timeline.LateCollisions: timeline.OutPackets, timeline.Collisions: timeline.OutPackets,
}

// comparedStates are the figures compared by their last value.
var comparedStates = []timeline.Metric{timeline.Speed, timeline.HalfDuplex, timeline.Oper, timeline.MTU}

// blocks is into how many stretches a record is cut: values within one are not independent of each other, the
// stretches' means nearly are.
const blocks = 10

// Compare compares the figures that both records have, and those that one of them has. The order is that of subjects
// and metrics. Its verdicts hold together: the chance of even one false one is at most 5 % (Holm, 1979).
func Compare(a, b timeline.Snapshot) []Comparison {
	c := comparing{a: a, b: b, spanA: Watched(a), spanB: Watched(b)}
	c.pair()
	for _, sub := range c.subjects {
		switch sub.Kind {
		case timeline.KindPort:
			c.port(sub)
		case timeline.KindPath:
			c.outages(sub)
		}
		for _, m := range comparedLevels {
			c.level(sub, m)
		}
	}
	judge(c.out)
	return c.out
}

type comparing struct {
	a, b         timeline.Snapshot
	spanA, spanB timeline.Span
	subjects     []timeline.Subject
	inB          map[timeline.Subject]timeline.Subject
	out          []Comparison
}

// pair finds what each subject of A is called in B: the same, or, if each has just one path, that one.
func (c *comparing) pair() {
	paths := func(s timeline.Snapshot) (out []timeline.Subject) {
		for _, x := range s.Subjects() {
			if x.Kind == timeline.KindPath {
				out = append(out, x)
			}
		}
		return out
	}
	c.inB = map[timeline.Subject]timeline.Subject{}
	pa, pb := paths(c.a), paths(c.b)
	if len(pa) == 1 && len(pb) == 1 {
		c.inB[pa[0]] = pb[0]
	}
	taken := map[timeline.Subject]bool{}
	for _, x := range c.a.Subjects() {
		c.subjects = append(c.subjects, x)
		if _, ok := c.inB[x]; !ok {
			c.inB[x] = x
		}
		taken[c.inB[x]] = true
	}
	for _, x := range c.b.Subjects() {
		if !taken[x] {
			c.subjects = append(c.subjects, x)
			c.inB[x] = x
		}
	}
	slices.SortFunc(c.subjects, timeline.Subject.Compare)
}

func (c *comparing) add(x Comparison) {
	if math.IsNaN(x.A.Value) && math.IsNaN(x.B.Value) {
		return
	}
	x.InB = c.inB[x.Subject]
	c.out = append(c.out, x)
}

// level compares means.
func (c *comparing) level(sub timeline.Subject, m timeline.Metric) {
	x := Comparison{Subject: sub, Metric: m, A: mean(c.a.Series(sub, m), c.spanA), B: mean(c.b.Series(c.inB[sub], m), c.spanB)}
	if math.IsNaN(x.A.Value) {
		x.A = tests(c.a, sub, m)
	}
	if math.IsNaN(x.B.Value) {
		x.B = tests(c.b, c.inB[sub], m)
	}
	x.Chance = welch(x.A, x.B)
	c.add(x)
}

// port compares counters and states.
func (c *comparing) port(sub timeline.Subject) {
	metrics := make([]timeline.Metric, 0, len(comparedCounts))
	for m := range comparedCounts {
		metrics = append(metrics, m)
	}
	slices.Sort(metrics)
	for _, m := range metrics {
		x := Comparison{Subject: sub, Metric: m, PerPacket: true}
		x.A = ratio(c.a, sub, m, comparedCounts[m])
		x.B = ratio(c.b, c.inB[sub], m, comparedCounts[m])
		// Errors come in bursts: the intervals in which there were any must differ too.
		x.Chance = poisson(x.A, x.B)
		if a, b := intervals(c.a, sub, m), intervals(c.b, c.inB[sub], m); a.Of >= blocks/2 && b.Of >= blocks/2 {
			x.Chance = max(x.Chance, poisson(a, b))
		}
		c.add(x)
	}
	for _, m := range comparedStates {
		x := Comparison{Subject: sub, Metric: m, A: last(c.a, sub, m), B: last(c.b, c.inB[sub], m), Chance: math.NaN()}
		if !math.IsNaN(x.A.Value) && !math.IsNaN(x.B.Value) {
			x.Chance = 1
			if x.A.Value != x.B.Value {
				x.Chance = 0
			}
		}
		c.add(x)
	}
}

// outages compares how many times a path went dark.
func (c *comparing) outages(sub timeline.Subject) {
	count := func(s timeline.Snapshot, sub timeline.Subject, watched timeline.Span) Estimate {
		if len(s.Series(sub, timeline.RTT)) == 0 && len(s.Series(sub, timeline.GoodputForward)) == 0 {
			return unknown()
		}
		return counted(float64(len(s.EventsOf(sub, timeline.EventOutage))), watched.Width().Seconds())
	}
	x := Comparison{Subject: sub, Metric: timeline.Metric(timeline.EventOutage), A: count(c.a, sub, c.spanA), B: count(c.b, c.inB[sub], c.spanB)}
	x.Chance = poisson(x.A, x.B)
	c.add(x)
}

func unknown() Estimate {
	n := math.NaN()
	return Estimate{Value: n, Low: n, High: n, Count: n, Of: n}
}

// mean estimates a level from the means of blocks of time.
func mean(v []timeline.Sample, watched timeline.Span) Estimate {
	e := unknown()
	if len(v) == 0 {
		return e
	}
	var means []float64
	width := max(watched.Width()/blocks, time.Second)
	for _, x := range Resample(v, timeline.Span{From: v[0].Span.From, To: v[len(v)-1].Span.To}, width).Values {
		if !math.IsNaN(x) {
			means = append(means, x)
		}
	}
	if len(means) == 0 {
		return e
	}
	e.N = len(means)
	e.Value = Mean(v, timeline.Span{From: v[0].Span.From, To: v[len(v)-1].Span.To})
	if math.IsNaN(e.Value) {
		e.Value = means[0]
	}
	if e.N < 3 {
		return e
	}
	half := student(e.N-1) * deviation(means) / math.Sqrt(float64(e.N))
	e.Low, e.High = e.Value-half, e.Value+half
	return e
}

// resultAttrs says where tests that ended give a figure of a path, and its unit there.
var resultAttrs = map[timeline.Metric]struct {
	attr, direction string
	unit            float64
}{
	timeline.GoodputForward: {"rate_bps", timeline.Forward, 1}, timeline.GoodputReverse: {"rate_bps", timeline.Reverse, 1},
	timeline.LossForward: {"loss_ratio", timeline.Forward, 1}, timeline.LossReverse: {"loss_ratio", timeline.Reverse, 1},
	timeline.RTT: {"rtt_ms", "", 1e-3}, timeline.JitterForward: {"jitter_ms", timeline.Forward, 1e-3}, timeline.JitterReverse: {"jitter_ms", timeline.Reverse, 1e-3},
}

// tests estimates a level from tests that ended, each one value.
func tests(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) Estimate {
	e := unknown()
	how, ok := resultAttrs[m]
	if !ok {
		return e
	}
	var values []float64
	sum := 0.0
	for _, ev := range s.EventsOf(sub, timeline.EventResult) {
		v, err := strconv.ParseFloat(ev.Attrs[how.attr], 64)
		if err != nil || how.direction != "" && cmp.Or(ev.Attrs["direction"], timeline.Forward) != how.direction {
			continue
		}
		values = append(values, v*how.unit)
		sum += v * how.unit
	}
	if len(values) == 0 {
		return e
	}
	e.N, e.Value = len(values), sum/float64(len(values))
	if e.N >= 3 {
		half := student(e.N-1) * deviation(values) / math.Sqrt(float64(e.N))
		e.Low, e.High = e.Value-half, e.Value+half
	}
	return e
}

// deviation is the standard deviation of a sample.
func deviation(v []float64) float64 {
	var sum, sq float64
	for _, x := range v {
		sum += x
	}
	m := sum / float64(len(v))
	for _, x := range v {
		sq += (x - m) * (x - m)
	}
	return math.Sqrt(sq / float64(len(v)-1))
}

// ratio estimates how many of the packets a counter counted.
func ratio(s timeline.Snapshot, sub timeline.Subject, m, of timeline.Metric) Estimate {
	v, w := s.Series(sub, m), s.Series(sub, of)
	if len(v) == 0 || len(w) == 0 {
		return unknown()
	}
	sp := timeline.Span{From: v[0].Span.From, To: v[len(v)-1].Span.To}
	return counted(math.Round(Total(v, sp)), Total(w, sp))
}

// counted estimates a rate from a count, with its exact Poisson interval (Garwood, 1936).
func counted(count, of float64) Estimate {
	if !(of > 0) || math.IsNaN(count) {
		return unknown()
	}
	e := Estimate{Value: count / of, Count: count, Of: of, N: blocks}
	e.Low, e.High = 0, gammaQuantile(count+1, 0.975)/of
	if count > 0 {
		e.Low = gammaQuantile(count, 0.025) / of
	}
	return e
}

// intervals estimates in how many of the intervals read a counter rose.
func intervals(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) Estimate {
	v := s.Series(sub, m)
	if len(v) == 0 {
		return unknown()
	}
	rose := 0
	for _, x := range v {
		if x.Value > 0 {
			rose++
		}
	}
	return counted(float64(rose), float64(len(v)))
}

func last(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) Estimate {
	e := unknown()
	if x, ok := s.Last(sub, m); ok {
		e.Value, e.N = x.Value, 1
	}
	return e
}

// judge gives the verdicts, the surest first, and stops where chance would explain one of what is left. What is
// nothing on both sides could not differ and is none of the questions asked (Tarone, 1990).
func judge(list []Comparison) {
	order := make([]int, 0, len(list))
	for i, c := range list {
		if math.IsNaN(c.Chance) {
			list[i].Verdict = Unknown
			continue
		}
		if c.Nothing() {
			list[i].Verdict = Same
			continue
		}
		order = append(order, i)
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(list[i].Chance, list[j].Chance) })
	sure := true
	for k, i := range order {
		c := &list[i]
		sure = sure && c.Chance <= 0.05/float64(len(order)-k)
		switch {
		case !sure || c.A.Value == c.B.Value:
			c.Verdict = Same
		case c.B.Value > c.A.Value:
			c.Verdict = Rose
		default:
			c.Verdict = Fell
		}
	}
}

package correlate

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// EpisodeKind says in which way a path was in trouble.
type EpisodeKind string

// The kinds of episodes.
const (
	Stall     EpisodeKind = "stall"      // nothing was delivered: an incident of outages
	LossBurst EpisodeKind = "loss-burst" // heartbeats were lost outside of any stall
	Dip       EpisodeKind = "dip"        // goodput fell below what was offered or usual, unsteadily
	Plateau   EpisodeKind = "plateau"    // goodput lay flat below what was offered
	Delay     EpisodeKind = "delay"      // the round-trip time rose and stayed
)

// Episode is a stretch of trouble on a path.
type Episode struct {
	Kind      EpisodeKind
	Path      string
	Span      timeline.Span
	Direction string   // timeline.Forward, Reverse or Both; "" where it makes no sense
	Value     float64  // the mean of its figure meanwhile: loss ratio, goodput in bit/s, seconds of round trip
	Usual     float64  // the same figure otherwise, or what was offered; NaN if not known
	Lost      int      // for loss-burst: heartbeats lost, at least
	Incident  Incident // for stall
}

// View is one path's measurements prepared for looking at: binned, with the incidents cut out.
type View struct {
	Path      Path
	Span      timeline.Span // the watched time
	Incidents []Incident
	Forward   Bins // goodput, bit/s
	Reverse   Bins
	LossFwd   Bins // ratio; of the round trip where directions are not known
	LossRev   Bins
	RTT       Bins    // s
	Expected  float64 // goodput that could be expected: what was offered, else the usual best; NaN if nothing was measured
	Offered   float64 // bit/s; 0 if unlimited or not known
	Episodes  []Episode

	lossFwd, lossRev []timeline.Sample // what LossFwd and LossRev were made from
}

const (
	// binWidth is one second: the cadence of polls, and long enough for a mean of 50 heartbeats.
	binWidth = time.Second
	// lowShare is below which share of the expected goodput a second counts as low. A paced TCP flow in a busy
	// host swings by a tenth.
	lowShare = 0.8
	// lowLasts is how long goodput must be low: a retransmission time-out alone makes one bad second.
	lowLasts = 3 * time.Second
	// settleAfter is how long after an incident the flow may still recover or catch up.
	settleAfter = 3 * time.Second
	// lossGap joins losses: at 50 heartbeats a second and 1 % loss, eight seconds without one are rare (2 %).
	lossGap = 8 * time.Second
	// lossLeast is how many heartbeats must be lost to call it a burst and not an accident.
	lossLeast = 3
	// delayRise and delayFactor are by how much the round trip must grow to be more than a queue's breath.
	delayRise, delayFactor = 15e-3, 1.5
)

// Look prepares one path.
func Look(s timeline.Snapshot, t Topology, p Path, incidents []Incident) View {
	sub, all := timeline.Path(p.Name), Watched(s)
	v := View{Path: p, Span: all, Offered: p.Rate, Expected: math.NaN()}
	for _, i := range incidents {
		if i.Path == p.Name {
			v.Incidents = append(v.Incidents, i)
		}
	}
	bins := func(m timeline.Metric) Bins { return Resample(s.Series(sub, m), all, binWidth) }
	v.Forward, v.Reverse = bins(timeline.GoodputForward), bins(timeline.GoodputReverse)
	v.LossFwd, v.LossRev, v.RTT = bins(timeline.LossForward), bins(timeline.LossReverse), bins(timeline.RTT)
	v.lossFwd, v.lossRev = s.Series(sub, timeline.LossForward), s.Series(sub, timeline.LossReverse)
	if len(v.lossFwd) == 0 {
		v.LossFwd, v.lossFwd = bins(timeline.LossRoundTrip), s.Series(sub, timeline.LossRoundTrip)
	}
	if o := s.Series(sub, timeline.OfferedForward); len(o) > 0 {
		v.Offered = o[len(o)-1].Value
	}
	v.Expected = v.Offered
	if v.Offered <= 0 {
		b, _ := v.Goodput()
		v.Expected = Quantile(b.Without(v.Disturbed()), 0.9)
	}
	v.Episodes = v.episodes(s)
	return v
}

// Goodput returns the goodput in the direction in which the flow's data went, the one with the greater median, and
// that direction.
func (v View) Goodput() (Bins, string) {
	if f, r := Quantile(v.Forward.Values, 0.5), Quantile(v.Reverse.Values, 0.5); r > f || math.IsNaN(f) && !math.IsNaN(r) {
		return v.Reverse, timeline.Reverse
	}
	return v.Forward, timeline.Forward
}

// Disturbed returns the spans of the incidents in which something was lost, with the time the flow needs to settle
// after each.
func (v View) Disturbed() []timeline.Span {
	var out []timeline.Span
	for _, x := range v.Incidents {
		if x.Dropped() {
			out = append(out, x.Span.Widen(binWidth, settleAfter))
		}
	}
	return out
}

func (v View) episodes(s timeline.Snapshot) []Episode {
	var out []Episode
	for _, i := range v.Incidents {
		e := Episode{Kind: Stall, Path: v.Path.Name, Span: i.Span, Incident: i, Usual: v.Expected}
		for _, o := range i.Outages {
			if e.Direction == "" || e.Direction == o.Direction {
				e.Direction = o.Direction
			} else {
				e.Direction = timeline.Both
			}
		}
		out = append(out, e)
	}
	away := v.Disturbed()
	out = append(out, v.losses(v.LossFwd, v.lossFwd, timeline.Forward, away)...)
	out = append(out, v.losses(v.LossRev, v.lossRev, timeline.Reverse, away)...)
	out = append(out, v.low(away)...)
	out = append(out, v.delays(away)...)
	slices.SortStableFunc(out, func(a, b Episode) int { return a.Span.From.Compare(b.Span.From) })
	return out
}

// runs returns the stretches of bins for which want holds, joined over gaps of at most gap in which it does
// not; bins that are not known or lie in a span of away, in part at least, neither hold nor break a stretch.
func runs(b Bins, away []timeline.Span, gap time.Duration, want func(float64) bool) []timeline.Span {
	var out []timeline.Span
	inner := make([]timeline.Span, len(away)) // a bin that ends where a span begins does not lie in it
	for i, a := range away {
		inner[i] = a.Widen(-1, -1)
	}
	skip := b.Touched(inner)
	quiet := gap
	for i, x := range b.Values {
		if math.IsNaN(x) || skip[i] {
			continue
		}
		if !want(x) {
			quiet += b.Width
			continue
		}
		sp := b.Span(i)
		if quiet < gap && len(out) > 0 || quiet == 0 && len(out) > 0 {
			out[len(out)-1].To = sp.To
		} else {
			out = append(out, sp)
		}
		quiet = 0
	}
	return out
}

func (v View) losses(b Bins, samples []timeline.Sample, direction string, away []timeline.Span) []Episode {
	one, touched := oneLost(samples), b.Touched(away)
	var out []Episode
	for _, sp := range runs(b, away, lossGap, func(x float64) bool { return x > 0 }) {
		sum, inside := 0.0, b.of(sp, touched)
		for _, x := range inside {
			sum += x
		}
		if n := lostIn(samples, one, sp, away); n >= lossLeast && len(inside) > 0 {
			out = append(out, Episode{Kind: LossBurst, Path: v.Path.Name, Span: sp, Direction: direction, Value: sum / float64(len(inside)), Usual: 0, Lost: n})
		}
	}
	return out
}

// oneLost returns the ratio that a sample has when one heartbeat of its few was lost: where loss is rare, the usual
// least of those that lost any (the very least may be of a sample that held one heartbeat more than the others).
func oneLost(samples []timeline.Sample) float64 {
	var positive []float64
	for _, x := range samples {
		if x.Value > 0 && x.Span.Width() <= binWidth {
			positive = append(positive, x.Value)
		}
	}
	return Quantile(positive, 0.25)
}

// lostIn counts the heartbeats lost in the span, but for those in spans told already.
func lostIn(samples []timeline.Sample, one float64, sp timeline.Span, away []timeline.Span) int {
	n := 0
	for _, x := range samples {
		if x.Value <= 0 || x.Span.Width() > binWidth || !x.Span.Overlaps(sp) || slices.ContainsFunc(away, x.Span.Overlaps) {
			continue
		}
		n += max(1, int(math.Round(x.Value/one)))
	}
	return n
}

// of returns the known values of the bins that a run spans, but for those to skip.
func (b Bins) of(run timeline.Span, skip []bool) []float64 {
	var out []float64
	for i := floor(run.From.Sub(b.From), b.Width); i < len(b.Values) && b.Span(i).From.Before(run.To); i++ {
		if !skip[i] && !math.IsNaN(b.Values[i]) {
			out = append(out, b.Values[i])
		}
	}
	return out
}

func (v View) low(away []timeline.Span) []Episode {
	b, direction := v.Goodput()
	if math.IsNaN(v.Expected) || v.Expected <= 0 {
		return nil
	}
	var out []Episode
	touched := b.Touched(away)
	for _, sp := range runs(b, away, 2*binWidth, func(x float64) bool { return x < lowShare*v.Expected }) {
		inside := b.of(sp, touched)
		if sp.Width() < lowLasts || len(inside) == 0 {
			continue
		}
		e := Episode{Kind: Dip, Path: v.Path.Name, Span: sp, Direction: direction, Value: Quantile(inside, 0.5), Usual: v.Expected}
		if Spread(inside) <= flat {
			e.Kind = Plateau
		}
		out = append(out, e)
	}
	return out
}

// flat is the greatest spread of a plateau: pathdiag allows a rate clamp 10 % of overhead, and a second's mean
// of a real flow swings by as much again.
const flat = 0.2

// Spread returns how far the middle half of the values lies apart, relative to their median; NaN without values.
func Spread(values []float64) float64 {
	return (Quantile(values, 0.75) - Quantile(values, 0.25)) / Quantile(values, 0.5)
}

func (v View) delays(away []timeline.Span) []Episode {
	base := Quantile(v.RTT.Without(away), 0.1)
	if math.IsNaN(base) {
		return nil
	}
	limit := max(base+delayRise, base*delayFactor)
	var out []Episode
	for _, sp := range runs(v.RTT, away, 2*binWidth, func(x float64) bool { return x > limit }) {
		if inside := v.RTT.Within(sp); sp.Width() >= lowLasts {
			out = append(out, Episode{Kind: Delay, Path: v.Path.Name, Span: sp, Value: Quantile(inside, 0.5), Usual: base})
		}
	}
	return out
}

// Episodes returns the stretches of trouble on every path, in order of time within a path.
func Episodes(s timeline.Snapshot, t Topology) []Episode {
	incidents := Incidents(Outages(s, t))
	var out []Episode
	for _, p := range t.PathsIn(s) {
		out = append(out, Look(s, t, p, incidents).Episodes...)
	}
	return out
}

// PathsIn returns the paths of the site, and those that only the records know of, ordered by name after them.
func (t Topology) PathsIn(s timeline.Snapshot) []Path {
	out := slices.Clone(t.Paths)
	for _, sub := range s.Subjects() {
		if _, known := t.Path(sub.Name); sub.Kind == timeline.KindPath && !known {
			out = append(out, Path{Name: sub.Name})
		}
	}
	return out
}

package correlate

import (
	"math"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Significance says how often episodes coincide with a kind of event, against what chance would give.
type Significance struct {
	Episodes int     // how many there were
	Met      int     // how many of them coincide with an event
	Expected float64 // how many would, if the events lay anywhere: the share of time that the events' windows take
	Chance   float64 // the probability that chance alone gives Met or more
}

// closely is how near to each other an event and the beginning of an episode must be dated to count as close: a
// retransmission time-out and the spread of several devices' clocks.
const closely = 500 * time.Millisecond

// Coincidence compares episodes with events over the time that was watched. An event dated to a wide span, and
// events that are many, make a coincidence worth less. Where every episode that meets an event also begins with
// one, only beginnings are compared, which chance meets more rarely.
func Coincidence(episodes, events []timeline.Span, watched timeline.Span) Significance {
	out := Significance{Episodes: len(episodes)}
	begins := 0
	for _, e := range episodes {
		if slices.ContainsFunc(events, func(v timeline.Span) bool { return Coincides(v, e) }) {
			out.Met++
		}
		if slices.ContainsFunc(events, func(v timeline.Span) bool { return v.Overlaps(timeline.Around(e.From, closely)) }) {
			begins++
		}
	}
	if len(episodes) == 0 || watched.Width() <= 0 {
		return out
	}
	expect := 0.0
	p := make([]float64, 0, len(episodes))
	for _, e := range episodes {
		// An event of width w meets the episode wherever its middle lies within the episode widened by half of w.
		windows := make([]timeline.Span, 0, len(events))
		for _, v := range events {
			reach := v.Width()/2 + Slack + e.Width()/2
			if begins == out.Met {
				reach = v.Width()/2 + closely
			}
			windows = append(windows, timeline.Around(v.Mid(), reach))
		}
		share := min(1, covered(windows, watched)/watched.Width().Seconds())
		expect += share
		p = append(p, share)
	}
	out.Expected, out.Chance = expect, atLeast(p, out.Met)
	return out
}

// covered returns how many seconds of within the spans cover together.
func covered(spans []timeline.Span, within timeline.Span) float64 {
	spans = slices.Clone(spans)
	slices.SortFunc(spans, func(a, b timeline.Span) int { return a.From.Compare(b.From) })
	total, end := 0.0, within.From
	for _, s := range spans {
		if s.From.Before(end) {
			s.From = end
		}
		if s.To.After(within.To) {
			s.To = within.To
		}
		if s.To.After(s.From) {
			total += s.To.Sub(s.From).Seconds()
			end = s.To
		}
	}
	return total
}

// atLeast returns the probability that k or more of independent trials with probabilities p succeed.
func atLeast(p []float64, k int) float64 {
	dist := []float64{1}
	for _, q := range p {
		next := make([]float64, len(dist)+1)
		for i, d := range dist {
			next[i] += d * (1 - q)
			next[i+1] += d * q
		}
		dist = next
	}
	sum := 0.0
	for i := len(dist) - 1; i >= k; i-- {
		sum += dist[i]
	}
	return math.Min(1, sum)
}

package app

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// The bounds that a demo of all scenarios must keep, as medians over everything that was found.
const (
	MaxOutageError = 100 * time.Millisecond
	MaxDatingError = 200 * time.Millisecond
)

// Judgement compares what was found with the truth of a story.
type Judgement struct {
	Right  bool
	Wrong  []string        // what differs, one sentence each
	Late   []string        // which outages differ because this host, which plays the whole site, did not get to run: not wrong
	Outage []time.Duration // for each expected outage that was found: how far its worse end is off
	Dating []time.Duration // for each expected moment: how far the found event is off; datingWindow if none was found
}

// leastOutage is the length from which an outage that the story does not have counts as a false one.
const leastOutage = 100 * time.Millisecond

// datingWindow is how far from the truth an event is looked for.
const datingWindow = 3 * time.Second

// judge compares a run with its story. It knows nothing of the scenario but its truth.
func judge(story *sim.Story, begun time.Time, res Result) Judgement {
	var j Judgement
	j.cause(story.Truth, res.Document)
	j.outages(story.Truth.Outages, begun, res.Document.Outages, res.Snapshot)
	for _, m := range story.Truth.Events {
		j.Dating = append(j.Dating, datingError(m, begun, res.Snapshot))
	}
	j.Right = len(j.Wrong) == 0
	return j
}

func (j *Judgement) wrong(format string, args ...any) {
	j.Wrong = append(j.Wrong, fmt.Sprintf(format, args...))
}

// Around the moments at which this host did not get to run for so long, outages may be its own. What its programs were to
// carry meanwhile goes on late, and TCP is back later still: its first time-out is a second (RFC 6298, section 2.1).
const (
	hostStall = 40 * time.Millisecond
	hostAfter = time.Second
)

// outage notes an outage that differs: as wrong, or as this host's own doing if its program stood still about then.
func (j *Judgement) outage(from, to time.Time, s timeline.Snapshot, format string, args ...any) {
	var most time.Duration
	for _, v := range s.Between(timeline.Host(timeline.LocalHost), timeline.HostSchedGap, timeline.Span{From: from.Add(-hostAfter), To: to.Add(hostAfter)}) {
		most = max(most, time.Duration(v.Value*float64(time.Second)))
	}
	if most < hostStall {
		j.wrong(format, args...)
		return
	}
	j.Late = append(j.Late, fmt.Sprintf(format, args...)+fmt.Sprintf("; this host was busy then and did not get to run for %d ms", most.Milliseconds()))
}

// cause judges the first finding.
func (j *Judgement) cause(want sim.Truth, got report.Document) {
	if len(want.Chain) == 0 {
		if len(got.Findings) > 0 || got.Verdict != report.VerdictHealthy {
			j.wrong("nothing was wrong, but the verdict is %s%s", got.Verdict, firstOf(got))
		}
		return
	}
	if len(got.Findings) == 0 {
		j.wrong("nothing was found (%s)", got.Verdict)
		return
	}
	f := got.Findings[0]
	if !slices.Equal(f.Chain, want.Chain) {
		j.wrong("the chain is %s, not %s", chainText(f.Chain), chainText(want.Chain))
	}
	if f.Subject.Device != want.Device || f.Subject.Port != want.Port {
		j.wrong("the subject is %s, not %s", f.Subject, report.PortName{Device: want.Device, Port: want.Port})
	}
	if cannot := string(rules.CannotTell); (f.Verdict == cannot) != (want.Verdict == cannot) {
		j.wrong("it %s, but the right answer %s", verdictText(f.Verdict), verdictText(want.Verdict))
	}
}

func verdictText(v string) string {
	switch rules.Verdict(v) {
	case rules.CannotTell:
		return "can't be told"
	case rules.Suspected:
		return "is suspected"
	}
	return v
}

func firstOf(d report.Document) string {
	if len(d.Findings) == 0 {
		return ""
	}
	return ": " + chainText(d.Findings[0].Chain) + " on " + d.Findings[0].Subject.String()
}

func chainText(chain []string) string {
	if len(chain) == 0 {
		return "none"
	}
	return strings.Join(chain, " > ")
}

// outages pairs the expected outages with those found. Each seer and direction is judged for itself.
func (j *Judgement) outages(want []sim.Outage, begun time.Time, got []report.Outage, s timeline.Snapshot) {
	used := make([]bool, len(got))
	for _, w := range want {
		from, to := begun.Add(w.From), begun.Add(w.To)
		best, common := -1, time.Duration(0)
		for i, g := range got {
			c := minTime(to, g.To).Sub(maxTime(from, g.From))
			if !used[i] && g.Direction == w.Direction && g.SeenBy == w.SeenBy && c > common {
				best, common = i, c
			}
		}
		// Half of the longer one in common: else it is another outage, or most of it was missed.
		if best < 0 || common < max(to.Sub(from), got[best].To.Sub(got[best].From))/2 {
			if best >= 0 {
				from, to = minTime(from, got[best].From), maxTime(to, got[best].To)
			}
			j.outage(from, to, s, "the outage of %d ms %s by %s at %s was not found", (w.To - w.From).Milliseconds(), w.Direction, w.SeenBy, offset(w.From))
			continue
		}
		used[best] = true
		j.Outage = append(j.Outage, max(got[best].From.Sub(from).Abs(), got[best].To.Sub(to).Abs()))
	}
	for i, g := range got {
		if d := g.To.Sub(g.From); !used[i] && d >= leastOutage {
			j.outage(g.From, g.To, s, "an outage of %d ms %s by %s at %s was found that did not happen", d.Milliseconds(), g.Direction, g.SeenBy, offset(g.From.Sub(begun)))
		}
	}
}

// offset writes a moment of the story.
func offset(d time.Duration) string { return fmt.Sprintf("%.3f s", d.Seconds()) }

// datingError returns how far the best-dated event for a moment is from it. As a reader of the timeline would, it
// takes the event that claims to be dated most narrowly.
func datingError(m sim.Moment, begun time.Time, s timeline.Snapshot) time.Duration {
	sub := timeline.Device(m.Device)
	if m.Port != "" {
		sub = timeline.Port(m.Device, m.Port)
	}
	at := begun.Add(m.At)
	var best *timeline.Event
	for _, e := range s.EventsOf(sub, m.Type) {
		if to := e.Attrs["to"]; to != "" && m.To != "" && to != m.To || e.Span.Mid().Sub(at).Abs() > datingWindow {
			continue
		}
		if best == nil || e.Span.Width() < best.Span.Width() {
			best = &e
		}
	}
	if best == nil {
		return datingWindow
	}
	return best.Span.Mid().Sub(at).Abs()
}

// median returns the middle value; ok is false if there is none.
func median(v []time.Duration) (m time.Duration, ok bool) {
	if len(v) == 0 {
		return 0, false
	}
	v = slices.Sorted(slices.Values(v))
	return (v[(len(v)-1)/2] + v[len(v)/2]) / 2, true
}

func minTime(a, b time.Time) time.Time {
	if a.Before(b) {
		return a
	}
	return b
}

func maxTime(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

package tui

import (
	"fmt"
	"slices"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// State is how a path is doing now.
type State uint8

// The states, worst last.
const (
	StateOK      State = iota
	StateUnknown       // no figure that is fresh enough
	StateSlow          // less is delivered than is offered
	StateLossy         // heartbeats are lost
	StateStalled       // TCP delivers nothing, the heartbeat passes
	StateDown          // no heartbeat passes
)

// Path is one path as it is now. Figures that are not known are nil.
type Path struct {
	Name, To  string
	State     State
	Since     time.Time // since when it is in this state; zero if that is not known
	Loss      *float64  // the worse direction, over the last second
	Direction string    // of the loss: timeline.Forward, Reverse, Both or "" if it is not known
	Goodput   *float64  // bit/s to the far end, over the last second
	Reverse   *float64  // bit/s from the far end
	Offered   *float64  // bit/s
	RTT       *float64  // s
	Hops      []Hop
	Outages   []report.Outage
	Incidents []report.Incident

	own     float64 // the loss that belongs to no outage
	subject timeline.Subject
}

// Hop is one place of the path: a device, or several of which one forwards.
type Hop struct{ Members []*Device }

// The thresholds of the states, of what is offered or sent.
const (
	darkLoss  = 0.99  // this share of the heartbeats lost is no delivery at all
	lossyFrom = 0.002 // one heartbeat in ten seconds at 20 ms
	stalledAt = 0.02
	slowBelow = 0.7
)

var lossMetrics = []timeline.Metric{timeline.LossForward, timeline.LossReverse, timeline.LossRoundTrip}

func (m *Model) newPath(s timeline.Snapshot, t correlate.Topology, name string, outages []report.Outage) *Path {
	sub := timeline.Path(name)
	p := &Path{Name: report.Clean(name), subject: sub}
	if site, ok := t.Path(name); ok {
		p.To = report.Clean(site.To)
		p.Hops = m.hops(s, site)
	}
	for _, o := range outages {
		if o.Path == p.Name {
			p.Outages = append(p.Outages, o)
		}
	}
	p.Incidents = report.Incidents(p.Outages)
	p.measure(s, m.Now)
	p.judge(s, m.Now)
	return p
}

// measure reads the figures of the last second that is known, if that is fresh. A small loss shows in the last five
// seconds only; those before the end of an outage are not counted, or a path would be lossy after each.
func (p *Path) measure(s timeline.Snapshot, now time.Time) {
	p.Goodput = lastSecond(s, p.subject, timeline.GoodputForward, now)
	p.Reverse = lastSecond(s, p.subject, timeline.GoodputReverse, now)
	p.Offered = lastSecond(s, p.subject, timeline.OfferedForward, now)
	p.RTT = lastSecond(s, p.subject, timeline.RTT, now)
	known := map[timeline.Metric]*float64{}
	newest := time.Time{}
	for _, l := range lossMetrics {
		if v, ok := s.Last(p.subject, l); ok && v.Span.To.After(newest) {
			newest = v.Span.To
		}
	}
	for _, l := range lossMetrics {
		// A series that is behind the others speaks of the past: while nothing comes back the direction is open.
		if v, ok := s.Last(p.subject, l); ok && newest.Sub(v.Span.To) < time.Second && now.Sub(v.Span.To) <= freshPath {
			known[l] = lastMean(s, p.subject, l, now, lossTime, p.ofAnOutage)
			if own := known[l]; own != nil {
				p.own = max(p.own, *own)
			} else {
				known[l] = &v.Value // the newest is of an outage
			}
		}
		if v := known[l]; v != nil && (p.Loss == nil || *v > *p.Loss) {
			p.Loss = v
		}
	}
	forward, reverse := known[timeline.LossForward], known[timeline.LossReverse]
	if p.Loss == nil || *p.Loss == 0 || known[timeline.LossRoundTrip] != nil && p.Loss == known[timeline.LossRoundTrip] {
		return
	}
	switch f, r := forward != nil && *forward > 0, reverse != nil && *reverse > 0; {
	case f && r:
		p.Direction = timeline.Both
	case f:
		p.Direction = timeline.Forward
	case r:
		p.Direction = timeline.Reverse
	}
}

// lossTime is the time over which loss is summed up: at 50 heartbeats a second one lost is 0.4 %.
const lossTime = 5 * time.Second

// lastSecond returns the mean of a series over its last second; nil if the series is not fresh.
func lastSecond(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric, now time.Time) *float64 {
	return lastMean(s, sub, m, now, time.Second, nil)
}

// lastMean returns the mean of a series over its last stretch of that length, each sample weighing as much as it is
// long; nil if the series is not fresh. The stretch begins anew after a sample that apart finds, so that nothing may
// be left of it.
func lastMean(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric, now time.Time, d time.Duration, apart func(timeline.Sample) bool) *float64 {
	last, ok := s.Last(sub, m)
	if !ok || now.Sub(last.Span.To) > freshPath {
		return nil
	}
	from := last.Span.To.Add(-d)
	sum, weight := 0.0, 0.0
	for _, v := range s.Between(sub, m, timeline.Span{From: from, To: last.Span.To}) {
		if !v.Span.To.After(from) && v != last {
			continue
		}
		if apart != nil && apart(v) {
			sum, weight = 0, 0
			continue
		}
		w := max(v.Span.Width().Seconds(), 1e-6)
		sum, weight = sum+v.Value*w, weight+w
	}
	if weight == 0 {
		return nil
	}
	mean := sum / weight
	return &mean
}

// ofAnOutage says whether a sample of loss belongs to an outage, whole or in part: it is no loss of its own.
func (p *Path) ofAnOutage(v timeline.Sample) bool {
	if v.Value >= darkLoss {
		return true
	}
	for _, o := range slices.Backward(p.Outages) {
		if o.SeenBy == timeline.SeenByHeartbeat && v.Span.From.Before(o.To) && v.Span.To.After(o.From) {
			return true
		}
	}
	return false
}

func (p *Path) judge(s timeline.Snapshot, now time.Time) {
	reference := p.Offered
	if reference == nil {
		reference = usual(s, p.subject, now)
	}
	below := func(share, v float64) bool { return reference != nil && v < share**reference }
	lost := func(v timeline.Sample) bool { return v.Value > 0 && !p.ofAnOutage(v) }
	switch {
	case p.dark(s, now):
		p.State, p.RTT = StateDown, nil // what there is of it is of before
		p.Since = runStart(s, p.subject, lossMetrics, now, joint, func(v timeline.Sample) bool { return v.Value >= darkLoss })
		p.Since = p.Since.Add(-partDark(s, p.subject, p.Since))
	case p.Goodput != nil && below(stalledAt, *p.Goodput):
		p.State = StateStalled
		p.Since = runStart(s, p.subject, []timeline.Metric{timeline.GoodputForward}, now, joint, func(v timeline.Sample) bool { return below(stalledAt, v.Value) })
	case p.own >= lossyFrom:
		p.State = StateLossy
		p.Since = runStart(s, p.subject, lossMetrics, now, 2*lossTime, lost)
	case p.Loss == nil && p.Goodput == nil && p.RTT == nil:
		p.State = StateUnknown
	case p.Offered != nil && p.Goodput != nil && below(slowBelow, *p.Goodput):
		p.State = StateSlow
		p.Since = runStart(s, p.subject, []timeline.Metric{timeline.GoodputForward}, now, joint, func(v timeline.Sample) bool { return below(slowBelow, v.Value) })
	}
}

// dark says whether the newest loss that is known is of everything. The mean of the last second would hide the
// first second of an outage and see one where it is over.
func (p *Path) dark(s timeline.Snapshot, now time.Time) bool {
	var newest timeline.Sample
	worst := 0.0
	for _, m := range lossMetrics {
		v, ok := s.Last(p.subject, m)
		switch {
		case !ok || now.Sub(v.Span.To) > freshPath || v.Span.To.Before(newest.Span.To):
		case v.Span.To.After(newest.Span.To):
			newest, worst = v, v.Value
		default:
			worst = max(worst, v.Value)
		}
	}
	return worst >= darkLoss
}

// usual returns the highest goodput of the last minute, to compare with where no rate was asked for.
func usual(s timeline.Snapshot, sub timeline.Subject, now time.Time) *float64 {
	hi := 0.0
	for _, v := range s.Between(sub, timeline.GoodputForward, timeline.Span{From: now.Add(-recent), To: now}) {
		hi = max(hi, v.Value)
	}
	if hi == 0 {
		return nil
	}
	return &hi
}

// joint is how far apart two samples of one run may lie: a window in which nothing was sent does not end it.
const joint = 1200 * time.Millisecond

// partDark returns how much of the sample that ends where a dark run begins belongs to it: of a window of which a
// fifth was lost before everything was, the last fifth.
func partDark(s timeline.Snapshot, sub timeline.Subject, start time.Time) time.Duration {
	part := time.Duration(0)
	for _, m := range lossMetrics {
		for _, v := range s.Between(sub, m, timeline.At(start)) {
			if v.Span.To.Equal(start) && v.Value < darkLoss {
				part = max(part, time.Duration(v.Value*float64(v.Span.Width())))
			}
		}
	}
	return part
}

// runStart returns when the newest run of samples that meet the condition began: it walks back from the last of
// them as long as there is another at most reach before. The walk ends after maxRun samples; it is zero if there is
// no run.
func runStart(s timeline.Snapshot, sub timeline.Subject, ms []timeline.Metric, now time.Time, reach time.Duration, is func(timeline.Sample) bool) time.Time {
	const maxRun = 20000
	start := newest(s, sub, ms, timeline.Span{From: now.Add(-freshPath), To: now}, is).Span.From
	if start.IsZero() {
		return start
	}
	for range maxRun {
		next := start
		for _, m := range ms {
			for _, v := range s.Between(sub, m, timeline.Span{From: start.Add(-reach), To: start}) {
				if is(v) && v.Span.From.Before(next) {
					next = v.Span.From
				}
			}
		}
		if !next.Before(start) {
			break
		}
		start = next
	}
	return start
}

// newest returns the last sample in the span that meets the condition, of any of the metrics.
func newest(s timeline.Snapshot, sub timeline.Subject, ms []timeline.Metric, span timeline.Span, is func(timeline.Sample) bool) timeline.Sample {
	var last timeline.Sample
	for _, m := range ms {
		for _, v := range slices.Backward(s.Between(sub, m, span)) {
			if is(v) {
				if v.Span.To.After(last.Span.To) {
					last = v
				}
				break
			}
		}
	}
	return last
}

// signs and words of the states; colour is never alone.
var stateWords = map[State]string{
	StateOK: "OK NOW", StateUnknown: "NO READING", StateSlow: "SLOW NOW", StateLossy: "LOSS NOW",
	StateStalled: "STALLED NOW", StateDown: "DOWN NOW",
}

// Sentence says how the path is doing now and since when, what matters most first: on a narrow screen the end is
// cut off.
func (p *Path) Sentence(now time.Time) string {
	since := ""
	if !p.Since.IsZero() {
		since = "for " + report.RoundLength(now.Sub(p.Since)) + ", since " + tenth(p.Since) + " UTC: "
	}
	switch p.State {
	case StateDown:
		return since + "no heartbeat" + where(p.Direction)
	case StateStalled:
		return since + "TCP stands still, the heartbeat passes"
	case StateLossy:
		return since + report.Percent(*p.Loss) + " lost" + where(p.Direction)
	case StateSlow:
		return since + report.Rate(*p.Goodput) + " of " + report.Rate(*p.Offered) + " offered"
	case StateUnknown:
		return "nothing measured in the last " + report.RoundLength(freshPath)
	}
	return p.figures()
}

// tenth writes a time of day in UTC to a tenth of a second: heartbeats are summed up ten times a second.
func tenth(t time.Time) string { return t.UTC().Format("15:04:05.0") }

func where(direction string) string {
	if direction == "" {
		return ""
	}
	return " " + report.DirectionText(direction)
}

func (p *Path) figures() string {
	out := ""
	add := func(s string) {
		if out != "" {
			out += ", "
		}
		out += s
	}
	if p.Goodput != nil {
		add(report.Rate(*p.Goodput))
	} else if p.Reverse == nil {
		add("goodput ?")
	}
	if p.Reverse != nil && *p.Reverse > 0 {
		add(report.Rate(*p.Reverse) + " back")
	}
	if p.Loss != nil {
		add("loss " + report.Percent(*p.Loss))
	}
	if p.RTT != nil {
		add("RTT " + report.Figure(string(timeline.RTT), *p.RTT, "s"))
	}
	return out
}

// History says how the path dropped the last time.
func (p *Path) History(now time.Time) string {
	n := len(p.Incidents)
	if n == 0 {
		return "none so far"
	}
	last := p.Incidents[n-1]
	ago := report.RoundLength(now.Sub(last.From.Add(last.Worst())))
	return fmt.Sprintf("%s ago, %s UTC: %s", ago, report.ClockSecond(last.From), last)
}

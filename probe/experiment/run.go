package experiment

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/iperf3"
)

// ErrNothing says that no step measured anything.
var ErrNothing = errors.New("no step measured anything")

const (
	// lossy is the share of datagrams from which on a step lost some: less is what a single burst of other traffic does.
	lossy = 0.005
	// tooMuch ends the way up of a sweep over rates: more only hurts others.
	tooMuch = 0.2
	// late is what the heartbeat's verdict on the last packets of a step may take.
	late = 1500 * time.Millisecond
)

// Run carries out the plan and returns a row for each step that ran, in the order of what is swept over. Each is also an
// event (timeline.EventResult) on out, and the heartbeat's records go there; out may be nil. A step that fails is a row
// with its reason. When ctx ends, Run returns soon with the rows it has. The error wraps ErrNothing if no step measured
// anything.
func Run(ctx context.Context, p Plan, out timeline.Sink) ([]Row, error) {
	if out == nil {
		out = timeline.SinkFunc(func(timeline.Record) {})
	}
	r := &run{plan: p, out: out, path: p.Options.Path}
	if r.path == "" {
		r.path = p.Options.Test.Address
		if host, _, err := net.SplitHostPort(r.path); err == nil {
			r.path = host
		}
	}
	r.beat = startHeartbeat(ctx, r.path, p.Options, out)
	defer r.beat.end()
	r.began = time.Now()
	pause(ctx, idle)
	r.loaded = time.Now()
	r.all(ctx)
	r.settle(ctx)
	slices.SortStableFunc(r.rows, func(a, b Row) int {
		if p.Kind != Rate {
			return 0
		}
		return int(math.Copysign(1, a.Step.Value-b.Step.Value))
	})
	for _, row := range r.rows {
		if row.Reason == "" {
			return r.rows, nil
		}
	}
	if len(r.rows) == 0 {
		return nil, fmt.Errorf("experiment: %s: %w", p.Kind, ErrNothing)
	}
	return r.rows, fmt.Errorf("experiment: %s: %w: %s", p.Kind, ErrNothing, r.rows[0].Reason)
}

type run struct {
	plan Plan
	path string
	out  timeline.Sink
	beat *heartbeat

	began, loaded time.Time // of the time without load
	rows          []Row
	told          int // rows that are on out
}

func (r *run) all(ctx context.Context) {
	if r.plan.Kind == Disk {
		r.rows = append(r.rows, alone(ctx, r.plan.Options))
	}
	much := 0
	for _, s := range r.plan.Steps {
		if ctx.Err() != nil {
			return
		}
		row := r.step(ctx, s)
		if r.plan.Kind == Rate && row.Loss.Or(0) >= tooMuch {
			if much++; much == 2 {
				break
			}
		}
	}
	for range r.plan.refine {
		next, ok := r.between()
		if !ok || ctx.Err() != nil {
			return
		}
		r.step(ctx, next)
	}
}

// between returns the step in the middle between the highest rate that lost nothing and the lowest that lost.
func (r *run) between() (Step, bool) {
	clean, loses := 0.0, math.Inf(1)
	for _, row := range r.rows {
		if row.Reason == "" && row.Loss.OK && row.Loss.Value >= lossy {
			loses = min(loses, row.Step.Value)
		}
	}
	for _, row := range r.rows {
		if row.Reason == "" && row.Loss.OK && row.Loss.Value < lossy && !row.OffPace && row.Step.Value < loses {
			clean = max(clean, row.Step.Value)
		}
	}
	if clean == 0 || math.IsInf(loses, 1) || loses/clean < 1.03 {
		return Step{}, false
	}
	s := r.plan.Steps[0]
	s.Value = math.Sqrt(clean * loses)
	s.Name, s.Test.Rate = Bits(s.Value), s.Value
	return s, true
}

// step runs one step and notes its row.
func (r *run) step(ctx context.Context, s Step) Row {
	row := Row{Step: s, Span: timeline.Span{From: time.Now()}}
	err := r.share(&s)
	if s.Test.File != "" && !s.Test.Reverse {
		forgetFile(s.Test.File)
	}
	if err == nil {
		var res iperf3.Result
		if res, err = iperf3.Run(ctx, s.Test, time.Hour, iperf3.Handler{}); err == nil {
			row = rowOf(s, res)
			if n := len(res.Broken); s.Test.UDP && n > 0 && n >= len(res.Connections) {
				err = res.Broken[0]
			}
		}
	}
	if ctx.Err() != nil && row.Seconds < minStep.Seconds() {
		return row // it hardly began
	}
	if err != nil {
		row.Reason = err.Error()
	}
	if row.Span.To.IsZero() {
		row.Span.To = time.Now()
	}
	r.rows = append(r.rows, row)
	r.tell(len(r.rows) - 1)
	pause(ctx, around/4) // what stands in queues goes
	return row
}

// share gives a step the rate that follows from the steps before it.
func (r *run) share(s *Step) error {
	if s.Share == 0 || s.Test.Rate > 0 {
		return nil
	}
	slowest := math.Inf(1)
	for _, row := range r.rows {
		if row.Reason != "" || row.Step.Test.UDP {
			continue
		}
		slowest = min(slowest, row.Arrived)
		if row.Step.Test.Bidirectional {
			slowest = min(slowest, row.Back)
		}
	}
	if math.IsInf(slowest, 1) || slowest <= 0 {
		return errors.New("no step before it says how much the path carries")
	}
	s.Test.Rate = s.Share * slowest
	if most := r.plan.Options.Rate; most > 0 {
		s.Test.Rate = min(s.Test.Rate, most)
	}
	return nil
}

// tell completes the rows before number n and puts them out: by then the heartbeat knows what became of its packets.
func (r *run) tell(n int) {
	quiet := r.beat.during(timeline.Span{From: r.began, To: r.loaded})
	for ; r.told < n; r.told++ {
		row := &r.rows[r.told]
		row.IdleRTT, row.LoadedRTT = quiet, r.beat.during(row.Span)
		r.out.Put(row.Event(r.path, r.plan.Kind, uint64(r.told+1)))
	}
}

// settle waits for the heartbeat's last word and puts out the rest.
func (r *run) settle(ctx context.Context) {
	if n := len(r.rows); r.beat.kind != "" && n > 0 {
		last := r.rows[n-1].Span.To.Add(-100 * time.Millisecond) // a window of the heartbeat's
		for end := time.Now().Add(late); time.Now().Before(end) && !r.beat.knows(last) && ctx.Err() == nil; {
			pause(ctx, 20*time.Millisecond)
		}
	}
	r.tell(len(r.rows))
}

func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	}
}

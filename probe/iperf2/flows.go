package iperf2

import (
	"context"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// runFlows carries out the work of streams of one direction that belong together, tells of them each interval (0:
// never) and at the end, and returns the final figures in the streams' order. It returns when all work is over; the
// work must end when ctx does, and must have called finish.
func runFlows(ctx context.Context, e *events, interval time.Duration, flows []*flow, work func(context.Context, *flow)) []Figures {
	start := time.Now()
	var wg, lines sync.WaitGroup
	for _, f := range flows {
		f.begin(start)
	}
	tick, stop := context.WithCancel(ctx)
	defer stop()
	if interval > 0 {
		lines.Go(func() {
			stream.Every(tick, start, interval, func(now time.Time) bool {
				tell(e, flows, start, now.Sub(start).Truncate(interval))
				return true
			})
		})
	}
	for _, f := range flows {
		wg.Go(func() {
			work(ctx, f)
			f.finish(time.Now(), "")
		})
	}
	wg.Wait()
	stop()
	lines.Wait()
	finals := make([]Figures, len(flows))
	for i, f := range flows {
		finals[i] = f.final()
		e.figures(finals[i])
	}
	if len(flows) > 1 {
		e.figures(sum(finals))
	}
	return finals
}

// tell prints the lines of an interval. A stream that is over has its line at the end.
func tell(e *events, flows []*flow, start time.Time, to time.Duration) {
	var got []Figures
	for _, f := range flows {
		if f.overBefore(start.Add(to)) {
			continue
		}
		fig := f.interval(to)
		got = append(got, fig)
		e.figures(fig)
	}
	if len(got) > 1 {
		e.figures(sum(got))
	}
}

// sum adds up figures of one direction over the span that holds them all.
func sum(of []Figures) Figures {
	s := Figures{Stream: of[0].Stream, Sum: len(of), From: of[0].From, Final: of[0].Final}
	for _, f := range of {
		s.Counts = s.add(f.Counts)
		s.From, s.To = min(s.From, f.From), max(s.To, f.To)
	}
	return s
}

package stream

import (
	"context"
	"time"
)

// Tick is how often counts are read while a test runs; every figure for a longer interval is made of these.
const Tick = 10 * time.Millisecond

// Every calls f at start+d, start+2d and so on until ctx ends or f returns false. The schedule is absolute; what
// the host was too late for is left out, not made up for. It returns when no call of f goes on.
func Every(ctx context.Context, start time.Time, d time.Duration, f func(now time.Time) bool) {
	t := time.NewTimer(time.Until(start.Add(d)))
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		now := time.Now()
		if !f(now) {
			return
		}
		next := start.Add((time.Since(start)/d + 1) * d)
		t.Reset(time.Until(next))
	}
}

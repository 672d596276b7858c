package outage

import (
	"context"
	"time"
)

// Every calls f at once and then once per period until ctx ends. The schedule is absolute: a call that comes late
// does not move the later ones, and calls that were missed are not made up for. f is told the time and, if calls
// were missed, the time of the call before; otherwise missed is zero.
func Every(ctx context.Context, period time.Duration, f func(now, missed time.Time)) {
	start := time.Now()
	timer := time.NewTimer(0)
	defer timer.Stop()
	var last time.Time
	for k := int64(0); ; k++ {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		if ctx.Err() != nil {
			return
		}
		now := time.Now()
		var missed time.Time
		if n := int64(now.Sub(start) / period); n > k {
			k, missed = n, last
		}
		f(now, missed)
		last = now
		timer.Reset(time.Until(start.Add(time.Duration(k+1) * period)))
	}
}

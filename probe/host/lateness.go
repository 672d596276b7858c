package host

import (
	"context"
	"sync/atomic"
	"time"
)

// tick is the period of the timer whose lateness is measured: half of the usual heartbeat.
const tick = 10 * time.Millisecond

// lateness holds how late the latest timer was since it was last taken, in nanoseconds.
type lateness struct{ worst atomic.Int64 }

// run measures until ctx ends. The next timer is set from the moment of the last, so that one late timer does not
// make the next ones late.
func (l *lateness) run(ctx context.Context) {
	timer := time.NewTimer(tick)
	defer timer.Stop()
	due := time.Now().Add(tick)
	for {
		select {
		case <-ctx.Done():
			return
		case <-timer.C:
		}
		now := time.Now()
		l.note(now.Sub(due))
		due = now.Add(tick)
		timer.Reset(tick)
	}
}

func (l *lateness) note(d time.Duration) {
	for {
		old := l.worst.Load()
		if int64(d) <= old || l.worst.CompareAndSwap(old, int64(d)) {
			return
		}
	}
}

// take returns the greatest lateness since the last call.
func (l *lateness) take() time.Duration { return time.Duration(l.worst.Swap(0)) }

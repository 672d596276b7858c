package outage

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestTheScheduleDoesNotDrift(t *testing.T) {
	tests := []struct {
		name   string
		busy   map[int]time.Duration // what the n-th call takes
		calls  []time.Duration       // when the calls come
		missed map[int]time.Duration // the call before the n-th, where calls were missed
	}{
		{"in time", nil, []time.Duration{0, 20, 40, 60, 80, 100}, nil},
		{"a call that takes long does not move the next", map[int]time.Duration{1: 15}, []time.Duration{0, 20, 40, 60, 80, 100}, nil},
		{"a call that comes late does not move the next", map[int]time.Duration{1: 25}, []time.Duration{0, 20, 45, 60, 80, 100}, nil},
		{"missed calls are not made up for", map[int]time.Duration{1: 65}, []time.Duration{0, 20, 85, 100}, map[int]time.Duration{2: 20}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 110*time.Millisecond)
				defer cancel()
				start := time.Now()
				n := 0
				Every(ctx, 20*time.Millisecond, func(now, missed time.Time) {
					if n >= len(tt.calls) {
						t.Fatalf("call %d at %s is one too many", n, now.Sub(start))
					}
					if got, want := now.Sub(start), tt.calls[n]*time.Millisecond; got != want {
						t.Errorf("call %d at %s, want %s", n, got, want)
					}
					want, ok := tt.missed[n]
					if missed.IsZero() == ok || ok && missed.Sub(start) != want*time.Millisecond {
						t.Errorf("call %d: missed since %s, want %s, %v", n, missed.Sub(start), want*time.Millisecond, ok)
					}
					time.Sleep(tt.busy[n] * time.Millisecond)
					n++
				})
				if n != len(tt.calls) {
					t.Errorf("%d calls, want %d", n, len(tt.calls))
				}
			})
		})
	}
}

package devices

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestClockRestarted(t *testing.T) {
	const day = 24 * time.Hour
	ticks := func(d time.Duration) uint32 { return uint32(d / tick) }
	for name, c := range map[string]struct {
		before, after uint32
		elapsed       time.Duration
		want          bool
	}{
		"the clock runs on":                       {ticks(day), ticks(day + time.Second), time.Second, false},
		"a reboot":                                {ticks(day), ticks(time.Minute), 3 * time.Minute, true},
		"wrapped after 497 days":                  {1<<32 - 50, 50, time.Second, false},
		"wrapped, the clock 4 % fast":             {1<<32 - 5000, 5400, 100 * time.Second, false},
		"a reboot close to the wrap":              {1<<32 - 5000, ticks(20 * time.Second), 10 * time.Minute, true},
		"the agent's clock stands still":          {ticks(day), ticks(day), time.Second, false},
		"taken back by a tick":                    {ticks(day), ticks(day) - 1, time.Second, false},
		"a fall, up for longer than the interval": {ticks(9 * day), ticks(2 * day), time.Second, true},
		"rebooted soon after the start":           {ticks(10 * time.Second), ticks(20 * time.Second), time.Minute, true},
		"a reboot soon after another":             {ticks(time.Second / 2), ticks(time.Second / 5), time.Second, true},
	} {
		t.Run(name, func(t *testing.T) {
			t0 := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
			a := Clock{c.before, timeline.At(t0)}
			b := Clock{c.after, timeline.At(t0.Add(c.elapsed))}
			if got := a.Restarted(b); got != c.want {
				t.Errorf("Restarted = %v, want %v", got, c.want)
			}
		})
	}
}

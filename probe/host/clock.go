package host

import (
	"math"
	"time"
)

// instant is one moment on all the clocks of the host.
type instant struct {
	wall  time.Time     // without a monotonic reading
	mono  time.Duration // on the clock of the timers, which does not run while the host sleeps
	boot  time.Duration // the same, but it does; -1 if the system has no such clock
	error time.Duration // how far the readings may lie apart
}

var epoch = time.Now()

// readClocks reads the clocks. Between two readings this program may have lost the processor, so it tries again until
// they lie close together.
func readClocks() instant {
	best := instant{error: math.MaxInt64}
	for range 5 {
		before := time.Since(epoch)
		i := instant{wall: time.Now().Round(0), boot: sinceBoot()}
		i.mono = time.Since(epoch)
		if i.error = i.mono - before; i.error < best.error {
			best = i
		}
		if best.error < 100*time.Microsecond {
			break
		}
	}
	return best
}

const (
	// leastStep is what a step of the clock must be at least: NTP corrects up to 128 ms by slewing (ntpd(8)), which
	// moves both clocks, so that anything longer than the readings' error is a step; less than 10 ms moves no finding.
	leastStep = 10 * time.Millisecond
	// leastSleep is what a sleep must be at least: the two clocks are not read at one moment.
	leastSleep = 500 * time.Millisecond
)

// step returns by how much the wall clock was set from a to b, and how long the host slept; 0 if not at all. Where
// the system has no clock that tells of sleep, sleep looks like a step.
func step(a, b instant) (set, slept time.Duration) {
	ran := b.mono - a.mono
	if a.boot >= 0 && b.boot >= 0 {
		if d := b.boot - a.boot - ran; d >= leastSleep {
			slept = d
		}
	}
	set = b.wall.Sub(a.wall) - ran - slept
	if set.Abs() < leastStep+a.error+b.error || slept > 0 && set.Abs() < leastSleep {
		set = 0
	}
	return set, slept
}

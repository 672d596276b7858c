package host

import "time"

// Waits is how long the threads of this process were ready and did not get to run, since it started. A quota that
// stopped them counts.
type Waits struct {
	Ready     time.Duration // sum over the threads: others were running, or the quota was used up
	Throttled time.Duration // sum over the processors: the quota of a control group that the process is in was used up
	Limited   bool          // Throttled is known: the process is in a control group that can have a quota
}

// WaitShares is how much of a length of time threads waited for a processor. Several threads wait at once: a share may
// be above 1.
type WaitShares struct {
	Ready     float64
	Throttled float64
	Limited   bool // Throttled is known
}

// since returns the shares of a length of time that began with before. A thread that ended takes its time along: what
// fell counts as not moved.
func (w Waits) since(before Waits, length time.Duration) WaitShares {
	share := func(a, b time.Duration) float64 { return max(0, (b-a).Seconds()) / length.Seconds() }
	return WaitShares{
		Ready:     share(before.Ready, w.Ready),
		Throttled: share(before.Throttled, w.Throttled),
		Limited:   before.Limited && w.Limited,
	}
}

// Waiting returns how long the threads of this process waited for a processor since the last call. It is not known
// (false) on the first call and where the system does not tell.
func (l *Load) Waiting(now time.Time) (WaitShares, bool) {
	before, known, d := l.waits, l.waited, now.Sub(l.waitsAt)
	w, err := readWaits()
	l.waits, l.waited, l.waitsAt = w, err == nil, now
	if !known || err != nil || d <= 0 {
		return WaitShares{}, false
	}
	return w.since(before, d), true
}

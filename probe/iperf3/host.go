package iperf3

import "time"

// hostLoad measures how busy this host and this process are between two calls of its methods.
type hostLoad struct {
	busy, all uint64 // ticks of all cores, as last read
	known     bool

	user, system time.Duration // of this process, as last read
	at           time.Time
}

// host returns the busy share of all cores since the last call, 0-1; ok is false on the first call and where
// the system does not tell.
func (h *hostLoad) host() (share float64, ok bool) {
	busy, all, ok := cpuTicks()
	before := *h
	h.busy, h.all, h.known = busy, all, ok
	if !ok || !before.known || all <= before.all || busy < before.busy {
		return 0, false
	}
	return min(1, float64(busy-before.busy)/float64(all-before.all)), true
}

// process returns the processor time of this process per second since the last call; 1 is one core.
func (h *hostLoad) process(now time.Time) (share float64, ok bool) {
	use, ok := h.use(now)
	return use.Total / 100, ok
}

// use returns the same split up, in per cent of one core.
func (h *hostLoad) use(now time.Time) (CPUUse, bool) {
	user, system, ok := processTime()
	dt, du, ds := now.Sub(h.at), user-h.user, system-h.system
	first := h.at.IsZero()
	h.user, h.system, h.at = user, system, now
	if !ok || first || dt <= 0 {
		return CPUUse{}, false
	}
	pct := func(d time.Duration) float64 { return 100 * d.Seconds() / dt.Seconds() }
	return CPUUse{Total: pct(du + ds), User: pct(du), System: pct(ds)}, true
}

package outage

import "time"

// minimumTime is how long a minimum holds at least; it is forgotten after twice that.
const minimumTime = 15 * time.Second

// minimum is the smallest duration of the last 15 to 30 s in which there was one.
type minimum struct {
	since     time.Duration
	now, last time.Duration
	n         int // 0: none, 1: now, 2: now and last
}

func (m *minimum) known() bool { return m.n > 0 }

func (m *minimum) value() time.Duration {
	if m.n == 2 {
		return min(m.now, m.last)
	}
	return m.now
}

func (m *minimum) add(at, d time.Duration) {
	switch {
	case m.n == 0:
		*m = minimum{since: at, now: d, n: 1}
	case at-m.since > minimumTime:
		*m = minimum{since: at, now: d, last: m.now, n: 2}
	default:
		m.now = min(m.now, d)
	}
}

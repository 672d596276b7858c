package poll

import (
	"fmt"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Bounds of the device's own load. Networks report control planes that polling drives to 90 % and more; the usual
// rising threshold of vendors' own warnings is 80 %.
const (
	highLoad = 0.85            // from which the device is asked more rarely
	calmLoad = 0.70            // below which it is asked more often again
	loadMost = 5               // times the interval wanted: the rarest that load alone makes it
	loadAge  = 2 * time.Minute // how long a figure counts: some sources tell it once a minute
)

// load is how busy a device last said its processor is.
type load struct {
	cpu float64
	at  time.Time
}

func (l load) known(now time.Time) bool { return !l.at.IsZero() && now.Sub(l.at) < loadAge }

// note takes what a reading says of the load.
func (l *load) note(r devices.Reading, now time.Time) {
	if c := r.CPU; c.OK && c.Value >= 0 && c.Value <= 1 {
		*l = load{c.Value, now}
	}
}

// govern slows down for a device that is slow to answer or says that it is busy, and speeds up again when it is quick
// and calm. The first poll, which also finds the ports or logs in, does not count.
func (t *task) govern(took time.Duration) {
	if t.polls <= 1 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	const (
		calm  = 3 // quick polls before the interval shrinks
		tired = 2 // slow polls before it grows: one datagram that was lost makes one
	)
	now := time.Now()
	loaded := t.load.known(now) && t.load.cpu >= highLoad
	if t.tired++; took <= t.interval/2 {
		t.tired = 0
	}
	switch most := max(slowest, t.every); {
	case t.tired >= tired && t.interval < most:
		t.slow(took, min(2*t.interval, most), fmt.Sprintf("took %s to answer by %s", took.Round(time.Millisecond), t.source.Name))
	case loaded && t.interval < min(loadMost*t.every, most):
		t.slow(took, min(2*t.interval, loadMost*t.every, most), fmt.Sprintf("says that its processor is %.0f %% busy", 100*t.load.cpu))
	case took < t.interval/8 && t.interval > t.every && !(t.load.known(now) && t.load.cpu >= calmLoad):
		if t.quick++; t.quick >= calm {
			t.interval, t.quick = max(t.interval/2, t.every), 0
		}
	default:
		t.quick = 0
	}
}

// slow makes the interval longer and says why. The caller holds the lock.
func (t *task) slow(took, interval time.Duration, why string) {
	t.interval, t.quick = interval, 0
	now := time.Now().UTC()
	t.out.Put(timeline.Event{
		Subject: timeline.Device(t.device.Name), Type: timeline.EventSlow,
		Span: timeline.Span{From: now.Add(-took), To: now}, Origin: t.origin(),
		Text:  fmt.Sprintf("the device %s; it is asked by %s every %s now", why, t.source.Name, interval),
		Attrs: map[string]string{"period_ms": strconv.FormatInt(interval.Milliseconds(), 10)},
	})
}

package stream

import "time"

// Limits of pacing.
const (
	// quantum is how far apart the writes of a paced sender are. A wake-up costs about 0.1 ms of processor time,
	// so 4 ms keep it below 3 % of a core, and a 10 ms reading still sees progress each time.
	quantum = 4 * time.Millisecond
	// catchUp is how much lateness of the own timers and processor is made up for: two time slices of a busy host.
	catchUp = 50 * time.Millisecond
)

// Pacer says when the next bytes may go. It has no clock of its own. The zero Pacer does not limit.
type Pacer struct {
	// Rate is in bit/s of payload; 0 does not limit.
	Rate float64

	due     time.Time
	starved time.Duration
}

// Wait returns how long to wait at now before the next bytes; 0 if they may go at once.
func (p *Pacer) Wait(now time.Time) time.Duration {
	if p.Rate <= 0 {
		return 0
	}
	if p.due.IsZero() {
		p.due = now
	}
	return max(0, p.due.Sub(now))
}

// Sent notes that n bytes went by now, of which time the path kept the sender waiting for blocked. Lateness
// that the path caused is forgiven, the host's own is made up for up to 50 ms.
func (p *Pacer) Sent(now time.Time, n int, blocked time.Duration) {
	if p.Rate <= 0 {
		return
	}
	if p.due.IsZero() {
		p.due = now
	}
	p.due = p.due.Add(time.Duration(float64(n) * 8 / p.Rate * float64(time.Second)))
	lag := now.Sub(p.due)
	if lag <= 0 {
		return
	}
	own := max(0, lag-blocked)
	if own > catchUp {
		p.starved += own - catchUp
		own = catchUp
	}
	p.due = now.Add(-own)
}

// Starved returns how much time was lost because this host was late by more than can be made up for. If it
// grows, the rate measured is the host's, not the path's.
func (p *Pacer) Starved() time.Duration { return p.starved }

// ChunkFor returns how many bytes a sender paced at rate (bit/s) writes at a time, at most limit.
func ChunkFor(rate float64, limit int) int {
	if rate <= 0 {
		return limit
	}
	n := int(rate / 8 * quantum.Seconds())
	return min(max(n, minChunk), limit)
}

// minChunk is about one segment of an Ethernet path: less would measure small packets.
const minChunk = 1400

package iperf2

import (
	"sync"
	"time"
)

// Counts is what one direction of one stream carried in a span of time.
type Counts struct {
	Bytes uint64
	// Datagrams is how many UDP datagrams were sent, or arrived at a receiver, duplicates left out. 0 for TCP.
	Datagrams uint64
	// Received is set for a receiver of UDP; only then the fields below are known.
	Received   bool
	Total      uint64 // datagrams that should have arrived, as their numbers say
	Lost       uint64 // of Total
	OutOfOrder uint64 // arrived behind one with a higher number; not lost
	Duplicates uint64
	Jitter     time.Duration // RFC 3550, at the end of the span
}

// LossRatio returns the share of datagrams lost, 0 to 1.
func (c Counts) LossRatio() float64 { return lossRatio(c.Lost, c.Total) }

// since returns what was counted after before. Datagrams that came late may have been counted as lost before.
func (c Counts) since(before Counts) Counts {
	less := func(a, b uint64) uint64 {
		if a < b {
			return 0
		}
		return a - b
	}
	d := c
	d.Bytes, d.Datagrams = less(c.Bytes, before.Bytes), less(c.Datagrams, before.Datagrams)
	d.Total, d.Lost = less(c.Total, before.Total), less(c.Lost, before.Lost)
	d.Lost = min(d.Lost, d.Total)
	d.OutOfOrder, d.Duplicates = less(c.OutOfOrder, before.OutOfOrder), less(c.Duplicates, before.Duplicates)
	return d
}

// add returns the sum of two streams; jitter is the greater, as a sum has none.
func (c Counts) add(o Counts) Counts {
	c.Bytes += o.Bytes
	c.Datagrams += o.Datagrams
	c.Received = c.Received || o.Received
	c.Total += o.Total
	c.Lost += o.Lost
	c.OutOfOrder += o.OutOfOrder
	c.Duplicates += o.Duplicates
	c.Jitter = max(c.Jitter, o.Jitter)
	return c
}

const (
	// window is how far back a datagram's number is remembered: at 1 Gbit/s of full frames 0.7 s.
	window = 1 << 16
	// maxNumber is the highest number that is believed; a faithful sender needs 2000 years at 10^5 a second.
	maxNumber = 1 << 53
	// clockStep is a change of transit time that no queue explains: a clock was set. It is no jitter.
	clockStep = 10 * time.Second
)

// reception counts the datagrams of one stream. The zero reception is ready to use; it may be read while another
// goroutine adds to it.
type reception struct {
	mu sync.Mutex

	begun       bool
	zero        bool // numbers count from 0
	first, last time.Time
	highest     int64
	arrived     uint64 // without duplicates
	bytes       uint64
	late, twice uint64
	seen        [window / 64]uint64

	jitter    float64 // s
	transit   time.Duration
	hasSample bool
}

// add counts a datagram with a number (positive, or 0 for the first of 2.0.5) and a size in bytes, sent and arrived
// at these moments by two clocks. It returns false if it believes none of it.
func (r *reception) add(number int64, size int, sent, arrived time.Time) bool {
	if number < 0 || number > maxNumber {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.begun {
		r.begun, r.first = true, arrived
		r.highest = number - 1
	}
	if number == 0 {
		r.zero = true
	}
	r.last = arrived
	switch {
	case number > r.highest:
		r.forget(number)
		r.highest = number
	case r.known(number):
		r.twice++
		return true
	default:
		r.late++
	}
	r.seen[number%window/64] |= 1 << (number % 64)
	r.arrived++
	r.bytes += uint64(size)
	r.sample(arrived.Sub(r.first) - sent.Sub(time.Unix(r.first.Unix(), 0)))
	return true
}

// forget makes room in the window for the numbers up to number.
func (r *reception) forget(number int64) {
	if number-r.highest >= window {
		r.seen = [window / 64]uint64{}
		return
	}
	for n := r.highest + 1; n <= number; n++ {
		r.seen[n%window/64] &^= 1 << (n % 64)
	}
}

// known says whether a number, not above the highest, was there before. Of one that fell out of the window it is
// believed that it is new as long as something is missing.
func (r *reception) known(number int64) bool {
	if r.highest-number >= window {
		return r.arrived >= r.total()
	}
	return r.seen[number%window/64]&(1<<(number%64)) != 0
}

// sample takes a transit time, with an unknown constant in it, for the jitter: RFC 3550, section 6.4.1. The first
// has none before it to differ from.
func (r *reception) sample(transit time.Duration) {
	d := transit - r.transit
	had := r.hasSample
	r.transit, r.hasSample = transit, true
	if d < 0 {
		d = -d
	}
	if had && d < clockStep {
		r.jitter += (d.Seconds() - r.jitter) / 16
	}
}

// total returns how many datagrams were sent up to the highest number seen.
func (r *reception) total() uint64 {
	if !r.begun || r.highest < 0 {
		return 0
	}
	n := uint64(r.highest)
	if r.zero {
		n++
	}
	return max(n, r.arrived)
}

// Counts returns what was counted so far.
func (r *reception) Counts() Counts {
	r.mu.Lock()
	defer r.mu.Unlock()
	total := r.total()
	return Counts{
		Bytes: r.bytes, Datagrams: r.arrived, Received: true, Total: total, Lost: total - r.arrived,
		OutOfOrder: r.late, Duplicates: r.twice, Jitter: time.Duration(r.jitter * float64(time.Second)),
	}
}

// report returns the counts as they are told to the sender.
func (r *reception) report() Report {
	c := r.Counts()
	return Report{
		Bytes: c.Bytes, Time: r.span(), Lost: c.Lost, OutOfOrder: c.OutOfOrder, Total: c.Total, Jitter: c.Jitter,
	}
}

// span returns the time from the first datagram to the last.
func (r *reception) span() time.Duration {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last.Sub(r.first)
}

// lastAt returns when the last datagram arrived.
func (r *reception) lastAt() time.Time {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.last
}

// times returns when the first and the last datagram arrived.
func (r *reception) times() (first, last time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.first, r.last
}

// top returns the highest number seen.
func (r *reception) top() int64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.highest
}

package stream

import (
	"sync"
	"time"
)

// Arrived is what was counted of numbered datagrams that arrived.
type Arrived struct {
	Datagrams  uint64 // without duplicates
	Bytes      uint64 // of their payload, without duplicates
	Expected   uint64 // numbers up to the highest seen
	Lost       uint64 // of Expected
	Reordered  uint64 // arrived behind one with a higher number; not lost
	Duplicates uint64
	Foreign    uint64 // datagrams that were none of the test's
	// HostDropped is how many of Lost this host dropped for want of room in the socket; Dropped is how many pieces
	// it dropped in all, lost or not yet missed. Known says whether this host tells.
	HostDropped uint64
	Dropped     uint64
	Known       bool
	// Cut is how many bursts were read by their first datagram only, because this host did not keep up.
	Cut uint64
	// Jitter is that of RFC 3550, section 6.4.1; Exact says that arrivals were timed by the kernel.
	Jitter time.Duration
	Exact  bool
	// First and Last are when the first and the last datagram arrived; zero: none did.
	First, Last time.Time
	// Read is when datagrams were last read: long after Last if this host does not keep up.
	Read time.Time
	Path string // how they were read, e.g. "recvmmsg UDP_GRO"; "" before the first
}

const (
	// window is how far back a datagram's number is remembered: at 1 Gbit/s of full frames 3 s, at the highest rate
	// that one socket reads 0.1 s.
	window = 1 << 18
	// maxNumber is the highest number that is believed; a faithful sender needs 2000 years at 10^5 a second.
	maxNumber = 1 << 53
	// clockStep is a change of transit time that no queue explains: a clock was set. It is no jitter.
	clockStep = 10 * time.Second
)

// Reception counts the numbered datagrams of one sender. It may be read while another goroutine adds to it. A zero
// Reception is ready to use for numbers of 64 bits that begin with 0.
type Reception struct {
	// Start is the number of the first datagram: what is missing from there on is lost.
	Start uint64
	// Wrap32 says that numbers have 32 bits and begin again when they are used up. Counts have 64 bits all the same.
	Wrap32 bool

	mu       sync.Mutex
	c        Arrived
	begun    bool
	next     uint64 // above the highest number seen
	seen     []uint64
	jitter   float64   // s
	sent     time.Time // of the last sample
	at       time.Time
	dropped  uint64 // pieces at the last burst
	joined   int    // most datagrams in one piece so far
	missed   uint64 // missing numbers at the last burst
	hostMost uint64 // most that this host's drops explain
}

// Counts returns what was counted so far.
func (r *Reception) Counts() Arrived {
	r.mu.Lock()
	defer r.mu.Unlock()
	c := r.c
	if r.begun {
		c.Expected = r.next - r.Start
		c.Lost = c.Expected - min(c.Expected, c.Datagrams)
	}
	if c.Cut > 0 {
		c.Path += ", beginnings only while behind"
	}
	c.HostDropped = min(r.hostMost, c.Lost)
	c.Jitter = time.Duration(r.jitter * float64(time.Second))
	return c
}

func (r *Reception) reads(path string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c.Path = path
}

// Parse reads the fields that a protocol has at the beginning of a datagram: its number and when it was sent, by the
// sender's clock. ok is false if it is no datagram of the test.
type Parse func(b []byte) (number uint64, sent time.Time, ok bool)

// Add counts the datagrams of a burst. Of a burst that was cut the first one's number is known; the others are taken
// to follow it: the kernel puts together what came one after the other. If one was missing in between, that shows
// with the next burst, so that counts of what arrived and what was lost are right, and only an exchange of places
// within the burst goes unseen.
func (r *Reception) Add(b Burst, parse Parse) {
	r.mu.Lock()
	defer r.mu.Unlock()
	known := 0
	r.c.Exact, r.c.Read = b.Exact, time.Now()
	if cut := len(b.Data) < b.Length; cut {
		r.c.Cut++
		number, sent, ok := parse(b.Data[:min(len(b.Data), b.Size)])
		for i := range b.Count() {
			size := min(b.Size, b.Length-i*b.Size)
			if !ok || size < b.Size || !r.add(number+uint64(i), size, sent, b.At) {
				r.c.Foreign++
				continue
			}
			known++
		}
	} else {
		b.Each(func(d []byte) {
			number, sent, ok := parse(d)
			if !ok || !r.add(number, len(d), sent, b.At) {
				r.c.Foreign++
				return
			}
			known++
		})
	}
	r.joined = max(r.joined, known)
	r.attribute(b.Dropped)
}

// attribute explains what is missing since the last burst by the pieces that this host dropped meanwhile. A piece
// held as many datagrams as the greatest that arrived, at most.
func (r *Reception) attribute(dropped uint64) {
	missing := r.next - r.Start - min(r.next-r.Start, r.c.Datagrams)
	if dropped > r.dropped {
		r.c.Dropped = max(r.c.Dropped, dropped)
		if missing > r.missed {
			r.hostMost += min((dropped-r.dropped)*uint64(max(1, r.joined)), missing-r.missed)
		}
		r.dropped = dropped
	}
	r.missed = missing
}

// Finish takes in what this host dropped after the last datagram that arrived, and how many were sent in all, if
// the sender told (0: it did not): what is missing at the end is lost, too.
func (r *Reception) Finish(dropped uint64, known bool, sent uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.c.Known = known
	if !r.begun && sent > 0 {
		r.begun, r.next = true, r.Start
	}
	if r.begun && sent > r.next-r.Start && sent-(r.next-r.Start) < maxNumber {
		r.next = r.Start + sent
		r.seen = nil // nothing is to come
	}
	r.c.Dropped = max(r.c.Dropped, dropped)
	if sent > 0 { // otherwise nothing more is known to be missing
		r.attribute(dropped)
	}
}

// add counts one datagram; it returns false if it does not believe its number.
func (r *Reception) add(number uint64, size int, sent, at time.Time) bool {
	if r.seen == nil {
		r.seen = make([]uint64, window/64)
	}
	if !r.begun {
		r.begun, r.next = true, r.Start
		r.c.First = at
	}
	if r.Wrap32 {
		// The nearest to what is due (serial numbers, RFC 1982).
		number = r.next + uint64(int64(int32(uint32(number)-uint32(r.next))))
	}
	if number-r.Start > maxNumber {
		return false
	}
	r.c.Last = at
	switch {
	case number >= r.next:
		r.forget(number)
		r.next = number + 1
	case r.known(number):
		r.c.Duplicates++
		return true
	default:
		r.c.Reordered++
	}
	r.seen[number%window/64] |= 1 << (number % 64)
	r.c.Datagrams++
	r.c.Bytes += uint64(size)
	r.sample(sent, at)
	return true
}

// forget makes room in the window for the numbers from next up to number.
func (r *Reception) forget(number uint64) {
	if number-r.next >= window {
		clear(r.seen)
		return
	}
	for n := r.next; n <= number; n++ {
		r.seen[n%window/64] &^= 1 << (n % 64)
	}
}

// known says whether a number below next was there before. Of one that fell out of the window it is believed that
// it is new as long as something is missing.
func (r *Reception) known(number uint64) bool {
	if r.next-number > window {
		return r.c.Datagrams >= r.next-r.Start
	}
	return r.seen[number%window/64]&(1<<(number%64)) != 0
}

// sample takes a transit time for the jitter: RFC 3550, section 6.4.1. The first has none before it to differ from.
// Datagrams that were stamped together and arrived together are one sample: the others tell nothing.
func (r *Reception) sample(sent, at time.Time) {
	first := r.at.IsZero()
	if !first && sent.Equal(r.sent) && at.Equal(r.at) {
		return
	}
	if !first {
		d := at.Sub(r.at) - sent.Sub(r.sent)
		if d < 0 {
			d = -d
		}
		if d < clockStep {
			r.jitter += (d.Seconds() - r.jitter) / 16
		}
	}
	r.sent, r.at = sent, at
}

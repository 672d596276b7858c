package iperf2

import (
	"math"
	"time"
)

// session is the receiving end of one UDP stream. One goroutine gives it datagrams; others may read rec.
type session struct {
	rec      *reception
	header   clientHeader
	wide     bool
	ended    bool // the last datagram was there
	answered time.Time
}

// newSession begins with a stream's first datagram, which has yet to be taken.
func newSession(d datagram, rec *reception) *session {
	return &session{header: d.header, wide: d.wide, rec: rec}
}

// answerEvery is how often a last datagram that comes again is answered: stock iperf 2.1.8 sends it each 10 ms.
const answerEvery = 100 * time.Millisecond

// take counts a datagram of size bytes and returns what to answer, if anything: never more bytes than came.
func (s *session) take(b []byte, size int, at time.Time) (answer []byte) {
	d, ok := parseDatagram(b)
	if !ok {
		return nil
	}
	number, last := d.number, d.number < 0
	if s.wide && !d.wide && len(b) >= wideSize {
		// A short or strange header does not change how the stream counts.
		number = int64(word(b, 3))<<32 | int64(word(b, 0))
		last = number < 0
	}
	if !s.wide {
		number, last = narrowNumber(word(b, 0), s.rec.top())
	}
	if !last {
		if !s.ended {
			s.rec.add(number, size, d.sent, at)
		}
		return nil
	}
	if !s.ended {
		if number == math.MinInt64 || !s.rec.add(-number, size, d.sent, at) {
			return nil
		}
		s.ended = true
	} else if at.Sub(s.answered) < answerEvery {
		return nil
	}
	s.answered = at
	return appendReport(nil, s.rec.report(), number, s.wide, size)
}

// narrowNumber reads a number of 32 bits with a sign that means "last", where highest is the highest so far. A
// sender that counts on beyond 2^31 makes them negative too: next to that border they are not the last.
func narrowNumber(raw uint32, highest int64) (number int64, last bool) {
	const near = 1 << 20
	if raw < 1<<31 {
		return int64(raw), false
	}
	signed := int64(int32(raw))
	if wrapped := int64(raw); highest >= 1<<31-near && wrapped-highest < near {
		return wrapped, false
	}
	return signed, true
}

func word(b []byte, i int) uint32 {
	return uint32(b[4*i])<<24 | uint32(b[4*i+1])<<16 | uint32(b[4*i+2])<<8 | uint32(b[4*i+3])
}

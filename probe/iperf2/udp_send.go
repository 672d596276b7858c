package iperf2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"sync/atomic"
	"time"

	"whydrop/probe/stream"
)

// datagramSender sends a stream's datagrams; where they go is all that it knows of the socket, so that a faster
// engine can take its place.
type datagramSender struct {
	w        io.Writer // one Write is one datagram
	length   int       // bytes of each
	rate     float64   // bit/s of payload; 0: as fast as it goes
	time     time.Duration
	bytes    uint64       // instead of time; 0: no end by number
	narrow   bool         // the form of 2.0.5, without a header
	header   clientHeader // in every datagram
	sent     atomic.Uint64
	refused  atomic.Uint64 // datagrams that the far end's host refused (ICMP)
	unsent   atomic.Uint64 // attempts that this host could not send
	starving time.Duration // lost because this host, or its link, was slower than the rate
	number   int64         // of the last datagram sent
	buf      []byte
}

// errTooLong says that the path's first link takes no datagrams of the length asked for.
var errTooLong = errors.New("datagrams of this length do not fit the link")

// refusals is how many datagrams in a row must be refused, over at least a tenth of a second and before anything
// was heard of the far end, until it is believed that nothing listens there.
const refusals = 5

// Counts returns what was sent so far.
func (s *datagramSender) Counts() Counts {
	n := s.sent.Load()
	return Counts{Bytes: n * uint64(s.length), Datagrams: n}
}

// run sends until the time or the bytes are over or ctx ends, without the last datagram. The error says that it
// could not go on: the length does not fit, or nothing listens.
func (s *datagramSender) run(ctx context.Context) error {
	s.prepare()
	if s.time > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, s.time)
		defer cancel()
	}
	if d, ok := s.w.(interface{ SetWriteDeadline(time.Time) error }); ok {
		defer context.AfterFunc(ctx, func() { _ = d.SetWriteDeadline(time.Unix(1, 0)) })()
	}
	pacer := stream.Pacer{Rate: s.rate}
	start := time.Now()
	catch := catchUp{}
	if s.rate > 0 {
		catch.least = time.Duration(burst * float64(s.length) * 8 / s.rate / 2 * float64(time.Second))
	}
	for ctx.Err() == nil && (s.bytes == 0 || s.sent.Load()*uint64(s.length) < s.bytes) {
		now := time.Now()
		if s.time > 0 && now.Sub(start) >= s.time {
			break
		}
		if w := pacer.Wait(now); w > 0 {
			stream.Nap(ctx, w)
			continue
		}
		putNumber(s.buf, s.number+1, now, !s.narrow)
		_, err := s.w.Write(s.buf)
		after := time.Now()
		if err != nil {
			if err := s.failed(ctx, err, after.Sub(start)); err != nil {
				return err
			}
			continue
		}
		s.number++
		s.sent.Add(1)
		// Only this host's own link makes a datagram wait, never the path: all lateness is the host's.
		pacer.Sent(after, s.length, 0)
		if w := catch.sent(after); w > 0 {
			stream.Nap(ctx, w)
		}
	}
	s.starving = pacer.Starved()
	if s.rate > 0 && s.bytes == 0 {
		due := time.Duration(float64(s.sent.Load()) * float64(s.length) * 8 / s.rate * float64(time.Second))
		s.starving = max(s.starving, time.Since(start)-due)
	}
	return nil
}

// burst is how many datagrams may go back to back: a sixth of what a stock receiver's buffer holds.
const burst = 16

// catchUp bounds how fast lateness is made up for: at twice the rate, not by one long burst.
type catchUp struct {
	least time.Duration // for a burst; 0: no bound
	n     int
	since time.Time
}

// sent notes a datagram and returns how long to wait before the next.
func (c *catchUp) sent(now time.Time) time.Duration {
	if c.n++; c.n < burst {
		return 0
	}
	w := c.least - now.Sub(c.since)
	c.n, c.since = 0, now.Add(max(0, w))
	return w
}

func (s *datagramSender) prepare() {
	if s.length == 0 {
		s.length = DefaultUDPLength
	}
	// Bytes that do not compress: links that compress would otherwise look faster than they are.
	s.buf = make([]byte, max(s.length, wideSize))
	r := rand.New(rand.NewPCG(2, 5001))
	for i := range s.buf {
		s.buf[i] = byte(r.Uint32())
	}
	if s.narrow {
		clear(s.buf[narrowSize:min(len(s.buf), narrowSize+baseSize)])
	} else {
		copy(s.buf[wideSize:], s.header.append(nil, wideSize))
	}
	s.buf = s.buf[:s.length]
}

// failed judges an error of a write. The path may come back: what it refuses to take is tried again.
func (s *datagramSender) failed(ctx context.Context, err error, since time.Duration) error {
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.Is(err, net.ErrClosed):
		return err
	case tooLong(err):
		return errTooLong
	case refused(err):
		// The refusal is of an earlier datagram; this one was not sent.
		if n := s.refused.Add(1); n >= refusals && since > 100*time.Millisecond && n*2 >= s.sent.Load() {
			return errRefused
		}
		return nil
	}
	s.unsent.Add(1)
	stream.Nap(ctx, time.Millisecond)
	return nil
}

// lateText says that this host was slower than the rate asked for; "" if not so that it matters.
func lateText(starving time.Duration) string {
	if starving <= 100*time.Millisecond {
		return ""
	}
	return fmt.Sprintf("this host could not keep the rate for %v: what was sent is the host's figure, not the path's",
		starving.Round(time.Millisecond))
}

var errRefused = errors.New("nothing listens on the far end's UDP port")

// Ending a stream: how often the last datagram is sent and how long an answer is waited for (2.0.5: 10 times 250 ms).
const (
	lastTries = 10
	lastWait  = 250 * time.Millisecond
)

// last sends the last datagram until the receiver answers with its report; nil if it does not, or if ctx ends, when
// it is tried twice. The last datagram counts once.
func (s *datagramSender) last(ctx context.Context, conn net.Conn) *Report {
	s.number++
	s.sent.Add(1)
	_ = conn.SetWriteDeadline(time.Time{})
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	buf := make([]byte, 2048)
	for try := range lastTries {
		if ctx.Err() != nil && try >= 2 {
			break
		}
		putNumber(s.buf, -s.number, time.Now(), !s.narrow)
		until := time.Now().Add(lastWait)
		_ = conn.SetWriteDeadline(until)
		_, _ = conn.Write(s.buf)
		_ = conn.SetReadDeadline(until)
		for time.Now().Before(until) {
			n, err := conn.Read(buf)
			if refused(err) {
				stream.Nap(ctx, time.Until(until))
			}
			if err != nil {
				break
			}
			if r, err := parseReport(buf[:n]); err == nil {
				return &r
			}
		}
	}
	return nil
}

// sendLast sends the last datagram a few times to a receiver that does not answer (-R).
func (s *datagramSender) sendLast() {
	s.number++
	s.sent.Add(1)
	for range 3 {
		putNumber(s.buf, -s.number, time.Now(), !s.narrow)
		_, _ = s.w.Write(s.buf)
	}
}

// wait waits for d or until ctx ends.
func wait(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

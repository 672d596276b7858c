package stream

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"time"
)

// DatagramSender sends datagrams of one length, numbered one after the other.
type DatagramSender struct {
	// Rate is in bit/s of payload; 0: as fast as the kernel takes them.
	Rate float64
	// Length is how many bytes of payload a datagram has.
	Length int
	// Burst, if greater than 0, is how many datagrams go at a time when paced. 0 chooses by the rate: one at a
	// time as long as timers are good enough, no more than half a millisecond's worth at any rate.
	Burst int
	// Fill, if not nil, writes the protocol's fields to the beginning of the datagram b; what it wrote before is
	// still there. number counts on from First; now is when the datagram goes, the same for all of one burst.
	Fill func(b []byte, number uint64, now time.Time)
	// First is the number of the first datagram. The number after the last is First plus what Count counted.
	First uint64
	// Payload, if not nil, is what the datagrams hold under their fields; at least Length bytes. nil is bytes that
	// do not compress.
	Payload []byte
	// Budget, if not nil, is how many bytes go before the sender ends; the last datagram is as long as the others.
	Budget *Budget
	// To is where they go if the socket is not connected; then it must be a *net.UDPConn.
	To netip.AddrPort
	// Count must not be nil; it counts on from where it is.
	Count *DatagramCount
}

// PlainReceiverRate, in bit/s, is the rate to send at without a limit to a receiver that reads one datagram at a time,
// as stock iperf3 and iperf 2 do. What comes faster costs it the time to read the rest: stock iperf3 took 8 to 9 Gbit/s of
// full frames, and of 12 Gbit/s fewer.
const PlainReceiverRate = 8.5e9

// ErrTooLong says that the first link on the way takes no datagrams of the length asked for, or that there are no
// datagrams of that length.
var ErrTooLong = errors.New("datagrams of this length do not fit the link")

// batchWriter sends datagrams that lie one after the other.
type batchWriter interface {
	// most returns how many datagrams one call takes; it may shrink.
	most() int
	// write sends the datagrams in b, each length bytes long, and returns how many the kernel took. It waits for
	// room; the socket's write deadline ends it with an error.
	write(b []byte, length int) (datagrams int, err error)
	// waited says whether the last write, which took so long, waited for room; otherwise this host was slow.
	waited(took time.Duration) bool
	path() string
}

// Run sends until ctx ends or the budget is used up, then returns nil. A path that does not take datagrams for a
// while does not end it: it goes on trying and counts. It returns [ErrTooLong], and an error if the socket is
// closed. It takes over the socket's write deadline and leaves none behind.
func (s *DatagramSender) Run(ctx context.Context, conn net.Conn) error {
	if s.Length <= 0 || s.Length > maxDatagram {
		return fmt.Errorf("stream: send: %w: %d bytes", ErrTooLong, s.Length)
	}
	defer interruptible(ctx, conn.SetWriteDeadline)()
	wait := func(d time.Duration) { _ = sleep(ctx, d) }
	w := newBatchWriter(conn, s)
	if w == nil {
		w = newPlainWriter(conn, s.To)
	} else if s.Rate > 0 {
		wait = func(d time.Duration) { Nap(ctx, d) }
		defer punctual()()
	}
	burst := burstFor(s.Rate, s.Length, s.Burst, w.most())
	buf := s.buffer(burst)
	pacer := Pacer{Rate: s.Rate}
	number := s.First + s.Count.Sent().Datagrams
	rest := 0 // of a burst that does not go in one call
	for ctx.Err() == nil {
		now := time.Now()
		if d := pacer.Wait(now); d > 0 && rest == 0 {
			wait(d)
			continue
		}
		if rest == 0 {
			rest = max(burst, s.Burst)
		}
		taken := s.take(min(burst, rest, w.most()) * s.Length)
		if taken == 0 {
			return nil
		}
		whole := buf[:(taken+s.Length-1)/s.Length*s.Length]
		for at, n := 0, number; at < len(whole) && s.Fill != nil; at, n = at+s.Length, n+1 {
			s.Fill(whole[at:at+s.Length], n, now)
		}
		n, err := w.write(whole, s.Length)
		sent := n * s.Length
		if rest -= n; n == 0 || rest < 0 {
			rest = 0
		}
		if s.Budget != nil {
			s.Budget.giveBack(taken - sent)
		}
		if after := time.Now(); n > 0 {
			number += uint64(n)
			blocked := after.Sub(now)
			if !w.waited(blocked) {
				blocked = 0
			}
			pacer.Sent(after, sent, blocked)
			s.Count.took(after, n, sent, blocked, pacer.Starved(), w.path())
		}
		if err := s.over(ctx, err); err != nil {
			return err
		}
	}
	return nil
}

const (
	// maxDatagram is the longest payload of UDP over IPv4 (RFC 768, RFC 791).
	maxDatagram = 65507
	// callTime is what a call takes at most that does not wait for room; what takes longer waited for the path.
	callTime = time.Millisecond
)

// over judges an error of a write; nil means to go on.
func (s *DatagramSender) over(ctx context.Context, err error) error {
	switch {
	case err == nil, ctx.Err() != nil && errors.Is(err, os.ErrDeadlineExceeded):
		return nil
	case errors.Is(err, net.ErrClosed):
		return fmt.Errorf("stream: send: %w", err)
	case tooLong(err):
		return fmt.Errorf("stream: send %d bytes: %w", s.Length, ErrTooLong)
	case refused(err): // of an earlier datagram; this one was not sent
		s.Count.failed(true)
		return nil
	}
	s.Count.failed(false)
	_ = sleep(ctx, time.Millisecond)
	return nil
}

// take returns how many of size bytes may go.
func (s *DatagramSender) take(size int) int {
	if s.Budget == nil {
		return size
	}
	return s.Budget.Take(size)
}

// buffer returns room for burst datagrams, each filled with the payload.
func (s *DatagramSender) buffer(burst int) []byte {
	one := s.Payload
	if one == nil {
		one = payload(s.Length)
	}
	b := make([]byte, 0, burst*s.Length)
	for range burst {
		b = append(b, one[:s.Length]...)
	}
	return b
}

const (
	// burstTime is how much of a paced sender's time one burst is at most: half of iperf3's. Shorter costs more
	// wake-ups, of about 0.05 ms at each end.
	burstTime = 500 * time.Microsecond
	// joinRate is the rate in bit/s below which datagrams do not go as one piece: that would overrun small queues.
	joinRate = 500e6
)

// burstFor returns how many datagrams go at a time.
func burstFor(rate float64, length, asked, most int) int {
	if rate <= 0 {
		return most
	}
	if asked > 0 {
		return min(asked, most)
	}
	return min(max(1, int(rate/8*burstTime.Seconds()/float64(length))), most)
}

// plainWriter sends by the means of the net package, one datagram at a time.
type plainWriter struct {
	conn net.Conn
	to   netip.AddrPort
}

func newPlainWriter(conn net.Conn, to netip.AddrPort) *plainWriter { return &plainWriter{conn, to} }

func (w *plainWriter) most() int    { return 64 }
func (w *plainWriter) path() string { return "write" }

func (w *plainWriter) waited(took time.Duration) bool { return took >= callTime }

func (w *plainWriter) write(b []byte, length int) (n int, err error) {
	for len(b) > 0 {
		one := b[:min(length, len(b))]
		if u, ok := w.conn.(*net.UDPConn); ok && w.to.IsValid() {
			_, err = u.WriteToUDPAddrPort(one, w.to)
		} else {
			_, err = w.conn.Write(one)
		}
		if err != nil {
			return n, err
		}
		n, b = n+1, b[len(one):]
	}
	return n, nil
}

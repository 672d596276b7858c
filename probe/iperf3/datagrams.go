package iperf3

import (
	"context"
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"time"

	"whydrop/probe/stream"
)

// Lengths and times of UDP tests.
const (
	// defaultDatagram fits a path of Ethernet's MTU (DEFAULT_UDP_BLKSIZE of iperf.h).
	defaultDatagram = 1460
	// socketRoom is asked for the receivers' sockets together where the client asks for none: 20 ms at 25 Gbit/s, which
	// is as long as a busy host lets a program wait. The system may grant less; see Connection.Actual.
	socketRoom = 64 << 20
	helloWait  = time.Second // for the answer to a hello before it is said again
	lateQuiet  = 100 * time.Millisecond
	lateMost   = time.Second
)

// The client's hello and the server's answer, as little-endian hosts write them; big-endian ones write them reversed
// (UDP_CONNECT_MSG and UDP_CONNECT_REPLY of iperf.h are numbers).
const (
	helloText  = "9876"
	helloReply = "6789"
)

// answerTo returns the answer to a hello; "" if it is none. Clients before 3.12 say anything of four bytes.
func answerTo(hello []byte) string {
	switch {
	case len(hello) != len(helloText):
		return ""
	case string(hello) == helloReply: // from a big-endian host
		return helloText
	}
	return helloReply
}

// datagramFor returns the length of datagrams where none is asked for: a segment of the control connection, as iperf3.
func datagramFor(mss int) int {
	if mss < 88 || mss > maxDatagram {
		return defaultDatagram
	}
	return mss
}

// fill writes the fields at the beginning of a datagram: when it goes, in seconds and microseconds of the sender's
// clock, and its number, counted from 1.
func fill(wide bool) func(b []byte, number uint64, now time.Time) {
	return func(b []byte, number uint64, now time.Time) {
		if len(b) < 12 || wide && len(b) < 16 {
			return
		}
		us := now.UnixMicro()
		binary.BigEndian.PutUint32(b, uint32(us/1e6))
		binary.BigEndian.PutUint32(b[4:], uint32(us%1e6))
		if wide {
			binary.BigEndian.PutUint64(b[8:], number)
		} else {
			binary.BigEndian.PutUint32(b[8:], uint32(number))
		}
	}
}

// parseDatagram reads the fields that fill writes.
func parseDatagram(wide bool) stream.Parse {
	return func(b []byte) (number uint64, sent time.Time, ok bool) {
		if len(b) < 12 || wide && len(b) < 16 {
			return 0, time.Time{}, false
		}
		us := int64(binary.BigEndian.Uint32(b))*1e6 + int64(binary.BigEndian.Uint32(b[4:]))
		if wide {
			number = binary.BigEndian.Uint64(b[8:])
		} else {
			number = uint64(binary.BigEndian.Uint32(b[8:]))
		}
		return number, time.UnixMicro(us), number > 0 || !wide
	}
}

// newCounts gives a UDP stream its counters.
func (c *dataConn) newCounts(wide bool) {
	if c.sends {
		c.out = &stream.DatagramCount{}
	} else {
		c.in = &stream.Reception{Start: 1, Wrap32: !wide}
	}
}

// datagrams says how one stream's datagrams are sent.
type datagrams struct {
	rate          float64
	length, burst int
	wide          bool
	budget        *stream.Budget
}

// moveDatagrams carries one stream's datagrams until ctx ends or the budget is used up.
func (c *dataConn) moveDatagrams(ctx context.Context, d datagrams) error {
	if c.sends {
		return (&stream.DatagramSender{Rate: d.rate, Length: d.length, Burst: d.burst, First: 1, Fill: fill(d.wide), Budget: d.budget, Count: c.out}).Run(ctx, c.conn)
	}
	pc, ok := c.conn.(net.PacketConn)
	if !ok {
		return fmt.Errorf("iperf3: a stream of datagrams over %T", c.conn)
	}
	parse := parseDatagram(d.wide)
	if c.early != nil {
		c.in.Add(stream.Burst{Data: c.early, Size: len(c.early), At: time.Now()}, parse)
	}
	again := func(b []byte, from netip.AddrPort) { // the answer to the hello was lost
		if a := answerTo(b); a != "" && c.answers {
			_, _ = c.conn.Write([]byte(a))
		}
	}
	return (&stream.DatagramReceiver{Parse: parse, Foreign: again, Count: c.in}).Run(ctx, pc)
}

// lateIsLost says, at a moment after the end of a test, whether what has not arrived counts as lost.
func lateIsLost(conns []*dataConn, end, now time.Time) bool {
	last := end
	for _, c := range conns {
		if l := c.last(); c.in != nil && l.After(last) {
			last = l
		}
	}
	return now.Sub(last) >= lateQuiet || now.Sub(end) >= lateMost
}

// dialDatagrams opens the i-th stream's socket and says hello until the far end answers.
func (f *flow) dialDatagrams(ctx context.Context, c *dataConn, i int) error {
	dial := f.test.Dial
	if dial == nil {
		dial = f.test.dialer(f.test.socket(c.sends), "udp", i).DialContext
	}
	conn, err := dial(ctx, f.test.network("udp"), f.address())
	if err != nil {
		return fmt.Errorf("iperf3: %w", classify(err))
	}
	c.conn = conn
	c.newCounts(f.test.Counters64)
	growBuffers(conn, f.test.Window, f.test.conns())
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(past) })
	defer stop()
	if c.early, err = sayHello(ctx, conn, f.test.connectWait()); err != nil {
		conn.Close()
		return err
	}
	_ = conn.SetReadDeadline(time.Time{})
	f.answered(false)
	return nil
}

// growBuffers gives a socket room for what arrives while this program does not run, where none was asked for.
func growBuffers(conn net.Conn, asked, streams int) {
	if pc, ok := conn.(net.PacketConn); ok && asked == 0 {
		stream.GrowReceiveBuffer(pc, max(socketRoom/streams, 256<<10))
	}
}

// sayHello says hello until something comes back, which is the answer, or already a datagram of the test: then the
// answer was lost or is late. It gives up after the wait.
func sayHello(ctx context.Context, conn net.Conn, wait time.Duration) (early []byte, err error) {
	b := make([]byte, maxDatagram)
	for began := time.Now(); time.Since(began) < wait && ctx.Err() == nil; {
		said := time.Now()
		if _, err = conn.Write([]byte(helloText)); err != nil {
			err = fmt.Errorf("hello: %w", err)
		}
		_ = conn.SetReadDeadline(time.Now().Add(helloWait))
		n, rerr := conn.Read(b)
		switch {
		case rerr == nil && n == len(helloReply):
			return nil, nil
		case rerr == nil && n > len(helloReply):
			return b[:n:n], nil
		case rerr != nil:
			err = fmt.Errorf("hello: %w", rerr)
			pause(ctx, helloWait-time.Since(said)) // a refusal comes at once, and the port may open yet
		}
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	return nil, fmt.Errorf("%w on UDP in %v: %w", ErrNoAnswer, wait, err)
}

// Package rxtime reads datagrams together with the moment at which they arrived.
//
// A program that was not scheduled reads late; the kernel's receive timestamp (SO_TIMESTAMPNS, socket(7)) does not
// know of that. Where the kernel gives one, [Packet.Exact] is set and At is that moment, carried over to a
// [time.Time] with a monotonic reading; elsewhere At is when the program read.
package rxtime

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"
)

// Packet is one datagram as it was received.
type Packet struct {
	Data  []byte         // valid until the next call of the reader
	From  netip.AddrPort // the sender; the port is 0 for ICMP
	To    netip.Addr     // the address of ours it was sent to; zero if not known
	At    time.Time      // when it arrived, with a monotonic reading
	Exact bool           // At was taken by the kernel
	TTL   int            // time to live or hop limit on arrival; -1 if not known
	Drops uint32         // datagrams dropped so far for want of room in the socket, if the kernel says so; wraps
}

// Report is what a host or a router on the way said about a datagram of ours that it did not deliver (ICMP). It is
// an error of [Reader.Drain].
type Report struct {
	By      netip.Addr // who said it
	Refused bool       // it has the address, but nothing listens on the port
	Text    string     // in words, e.g. "host unreachable"
}

// Error returns who said what.
func (r *Report) Error() string { return fmt.Sprintf("%s says: %s", r.By, r.Text) }

// maxSize is the longest datagram that is read whole: more than a jumbo frame of 9000 bytes holds.
const maxSize = 9216

// Reader reads from one socket, from one goroutine at a time.
type Reader struct {
	conn net.PacketConn
	buf  [maxSize]byte
	fast *fastReader // nil where the kernel does not give what is needed

	queue chan queued // without fast: what a goroutine has read for Drain
	done  chan struct{}
}

type queued struct {
	p   Packet
	err error
}

// New returns a reader of conn, which it owns from now on. Kernel timestamps are switched on where there are any
// and conn is a socket (*net.UDPConn, *net.IPConn). Only one of Read and Drain is to be used with a reader.
func New(conn net.PacketConn) *Reader {
	return &Reader{conn: conn, fast: newFast(conn)}
}

// Read waits for a datagram. It ends with an error when the socket is closed, when its read deadline passes, and
// when an earlier datagram was refused.
func (r *Reader) Read() (Packet, error) {
	if r.fast != nil {
		return r.fast.read(r.buf[:], true)
	}
	return r.plain(r.buf[:])
}

// Reports says whether Drain returns a [Report] for every datagram that was refused. Otherwise a refusal is an error
// of the socket, without an author, which a call that sends may get instead.
func (r *Reader) Reports() bool { return r.fast != nil }

// Drain gives f every datagram that waits in the socket and returns at once. An error, such as a [Report], ends it;
// what waits behind it is given by the next call.
func (r *Reader) Drain(f func(Packet)) error {
	if r.fast != nil {
		return r.fast.drain(r.buf[:], f)
	}
	if r.queue == nil {
		r.queue, r.done = make(chan queued, 1024), make(chan struct{})
		go r.fill()
	}
	for {
		select {
		case q, ok := <-r.queue:
			if !ok {
				return net.ErrClosed
			}
			if q.err != nil {
				return q.err
			}
			f(q.p)
		default:
			return nil
		}
	}
}

// Close closes the socket and waits until nothing reads from it.
func (r *Reader) Close() error {
	err := r.conn.Close()
	if r.done != nil {
		for range r.queue { // make room: fill may wait for it
		}
		<-r.done
	}
	return err
}

// fill reads for Drain until the socket is closed.
func (r *Reader) fill() {
	defer close(r.done)
	defer close(r.queue)
	for {
		p, err := r.plain(make([]byte, maxSize))
		r.queue <- queued{p, err}
		if errors.Is(err, net.ErrClosed) {
			return
		}
	}
}

// plain reads a datagram by the means of the net package.
func (r *Reader) plain(buf []byte) (Packet, error) {
	n, from, err := r.conn.ReadFrom(buf)
	if err != nil {
		return Packet{}, err
	}
	return Packet{Data: buf[:n], From: addrPort(from), At: time.Now(), TTL: -1}, nil
}

func addrPort(a net.Addr) netip.AddrPort {
	switch a := a.(type) {
	case *net.UDPAddr:
		p := a.AddrPort()
		return netip.AddrPortFrom(p.Addr().Unmap(), p.Port())
	case *net.IPAddr:
		ip, _ := netip.AddrFromSlice(a.IP)
		return netip.AddrPortFrom(ip.Unmap().WithZone(a.Zone), 0)
	}
	return netip.AddrPort{}
}

// arrival carries a kernel timestamp over to the monotonic clock. It is not believed if it lies in the future or
// more than a minute back: then the wall clock was set since.
func arrival(now, kernel time.Time) (at time.Time, exact bool) {
	age := now.Round(0).Sub(kernel)
	if age < -time.Millisecond || age > time.Minute {
		return now, false
	}
	return now.Add(-max(age, 0)), true
}

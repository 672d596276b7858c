package stream

import (
	"net"
	"net/netip"
	"sync"
	"time"
)

// DatagramCount is what a sender of datagrams did. It may be read while the sender runs. The zero value is ready to
// use.
type DatagramCount struct {
	mu sync.Mutex
	s  DatagramsSent
}

// DatagramsSent is what was counted of datagrams on their way out.
type DatagramsSent struct {
	Datagrams uint64        // that the kernel took
	Bytes     uint64        // of their payload
	Refused   uint64        // times that a host said that nobody listens (ICMP)
	Unsent    uint64        // times that this host could not send: no route, no room, a filter of its own
	Starved   time.Duration // lost because this host was late by more than can be made up for
	Blocked   time.Duration // waited for room in the socket
	Last      time.Time     // when the kernel last took one; zero: never
	Path      string        // how they went to the kernel, e.g. "sendmsg UDP_SEGMENT"; "" before the first
}

// Sent returns what was counted so far.
func (c *DatagramCount) Sent() DatagramsSent {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.s
}

func (c *DatagramCount) took(now time.Time, datagrams, bytes int, blocked, starved time.Duration, path string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.s.Datagrams += uint64(datagrams)
	c.s.Bytes += uint64(bytes)
	c.s.Blocked += blocked
	c.s.Starved, c.s.Last, c.s.Path = starved, now, path
}

func (c *DatagramCount) failed(refused bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if refused {
		c.s.Refused++
	} else {
		c.s.Unsent++
	}
}

// Burst is datagrams of one sender that arrived together: one, or several that the kernel gave as one piece.
type Burst struct {
	// Data holds the datagrams one after the other. It is valid until the next read.
	Data []byte
	// Size is how long each datagram is; the last may be shorter.
	Size int
	// Length is how long they are together: more than Data holds if the reader cuts; see [DatagramReader.Heads].
	Length int
	// From is who sent them; zero if the socket is connected and the reader was not told.
	From netip.AddrPort
	// At is when they arrived, with a monotonic reading; Exact says that the kernel took the time.
	At    time.Time
	Exact bool
	// Dropped is how many pieces this host dropped for want of room in the socket before this one arrived, since
	// the socket was opened. A piece is a datagram, or as many as the kernel had put together (UDP_GRO).
	Dropped uint64
}

// Count returns how many datagrams a burst has.
func (b Burst) Count() int {
	if b.Size <= 0 {
		return 1
	}
	return max(1, (b.Length+b.Size-1)/b.Size)
}

// Each calls f with each datagram of a burst that was not cut, in order, and with the beginning of the first of one
// that was.
func (b Burst) Each(f func(datagram []byte)) {
	data := b.Data
	if len(data) < b.Length {
		f(data[:min(len(data), b.Size)])
		return
	}
	for b.Size > 0 && len(data) > b.Size {
		f(data[:b.Size])
		data = data[b.Size:]
	}
	f(data)
}

// DatagramReader reads datagrams from a UDP socket, many by one call where the system can. It is to be used by one
// goroutine at a time.
type DatagramReader struct {
	conn net.PacketConn
	fast *fastDatagrams // nil where there is none
	buf  []byte
}

// NewDatagramReader returns a reader of conn and sets the socket up for it: the kernel's time of arrival, its count
// of what found no room, and joining of datagrams, as far as there are any. From then on nothing else is to read
// from conn: it might get several datagrams as one. Closing conn is left to the caller.
func NewDatagramReader(conn net.PacketConn) *DatagramReader {
	r := &DatagramReader{conn: conn, fast: newFastDatagrams(conn)}
	if r.fast == nil {
		r.buf = make([]byte, 1<<16)
	}
	return r
}

// Heads lets the reader cut bursts while this host cannot keep up, where the alternative is to drop: then Data holds
// the first datagram only, and of that no more than 128 bytes, while Size and Length are right.
func (r *DatagramReader) Heads() {
	if r.fast != nil {
		r.fast.heads = true
	}
}

// Read waits for datagrams and gives each burst to f. The socket's read deadline ends it with an error, and so does
// its closing; a datagram of ours that was refused (ICMP) does so on a connected socket.
func (r *DatagramReader) Read(f func(Burst)) error {
	if r.fast != nil {
		return r.fast.read(f)
	}
	var n int
	var from netip.AddrPort
	var err error
	if u, ok := r.conn.(*net.UDPConn); ok {
		n, from, err = u.ReadFromUDPAddrPort(r.buf)
	} else {
		var a net.Addr
		n, a, err = r.conn.ReadFrom(r.buf)
		if ua, ok := a.(*net.UDPAddr); ok {
			from = ua.AddrPort()
		}
	}
	if err != nil {
		return err
	}
	f(Burst{Data: r.buf[:n], Size: n, Length: n, From: unmapped(from), At: time.Now()})
	return nil
}

// rest gives f what came before now and was not read yet, where the system lets the reader do so without waiting.
func (r *DatagramReader) rest(f func(Burst)) {
	const most = time.Second
	if r.fast == nil {
		return
	}
	end := time.Now()
	for late := false; !late && time.Since(end) < most; {
		err := r.fast.drain(func(b Burst) {
			if late = late || b.At.After(end); !late {
				f(b)
			}
		})
		if err != nil && !refused(err) {
			return
		}
	}
}

// release lets others read from the socket again.
func (r *DatagramReader) release() {
	if r.fast != nil {
		r.fast.release()
	}
}

// Dropped returns how many pieces this host has dropped for want of room in the socket, see [Burst]; known is false
// where the system does not say.
func (r *DatagramReader) Dropped() (n uint64, known bool) {
	if r.fast != nil {
		return r.fast.dropped()
	}
	return 0, false
}

// Path says how datagrams are read: "recvmmsg UDP_GRO", "recvmmsg" or "read".
func (r *DatagramReader) Path() string {
	if r.fast != nil {
		return r.fast.path()
	}
	return "read"
}

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

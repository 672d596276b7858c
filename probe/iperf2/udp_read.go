package iperf2

import (
	"net"
	"net/netip"
	"time"
)

// arrival is one datagram as it arrived.
type arrival struct {
	head []byte // its beginning, at most headSize bytes; valid until the next read
	size int    // of the whole datagram, bytes
	from netip.AddrPort
	at   time.Time // taken by the kernel where it does, with a monotonic reading
}

// source is where a receiver's datagrams come from, so that a faster engine can take its place.
type source interface {
	// read waits for at least one datagram and gives each to f. The socket's read deadline ends it with an error,
	// and so does its closing.
	read(f func(arrival)) error
	// drops returns how many datagrams this host dropped because the socket had no room, as far as it says so.
	drops() uint64
}

// plainSource reads by the means of the net package, one datagram at a time.
type plainSource struct {
	conn *net.UDPConn
	buf  []byte
}

func newPlainSource(conn *net.UDPConn) *plainSource {
	return &plainSource{conn: conn, buf: make([]byte, 1<<16)}
}

func (s *plainSource) read(f func(arrival)) error {
	n, from, err := s.conn.ReadFromUDPAddrPort(s.buf)
	if err != nil {
		return err
	}
	f(arrival{head: s.buf[:min(n, headSize)], size: n, from: unmapped(from), at: time.Now()})
	return nil
}

func (s *plainSource) drops() uint64 { return 0 }

func unmapped(a netip.AddrPort) netip.AddrPort { return netip.AddrPortFrom(a.Addr().Unmap(), a.Port()) }

package trace

import (
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
)

// rawErrors reads ICMP errors from a raw socket, where that is allowed.
type rawErrors struct {
	s  socket
	in [2048]byte
}

// openRawErrors opens the socket; without one, the rest works as if no errors came this way.
func openRawErrors(to netip.Addr) rawErrors {
	proto := unix.IPPROTO_ICMP
	if to.Is6() {
		proto = unix.IPPROTO_ICMPV6
	}
	s, err := newSocket(to, unix.SOCK_RAW, proto)
	if err != nil {
		return rawErrors{s: socket{fd: -1}}
	}
	r := rawErrors{s: s}
	_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	r.filter()
	return r
}

// filter keeps away what is no error: raw(7), ICMP_FILTER; RFC 3542, section 3.2. A set bit is what is not wanted.
func (r *rawErrors) filter() {
	if !r.s.v6 {
		const icmpFilter, solRaw = 1, 255
		wanted := uint32(1<<3 | 1<<11 | 1<<12)
		_ = unix.SetsockoptInt(r.s.fd, solRaw, icmpFilter, int(int32(^wanted)))
		return
	}
	var f unix.ICMPv6Filter
	for i := range f.Data {
		f.Data[i] = ^uint32(0)
	}
	f.Data[0] = ^uint32(1<<1 | 1<<2 | 1<<3 | 1<<4)
	_ = unix.SetsockoptICMPv6Filter(r.s.fd, unix.IPPROTO_ICMPV6, unix.ICMPV6_FILTER, &f)
}

func (r *rawErrors) ok() bool { return r.s.fd >= 0 }
func (r *rawErrors) close()   { r.s.close() }

// read gives the errors that wait.
func (r *rawErrors) read(give func(icmperr.Notice, icmperr.Quote)) {
	if !r.ok() {
		return
	}
	for range 256 {
		b, from, at, ok := receive(r.s, r.in[:])
		if !ok {
			return
		}
		if n, q, ok := icmperr.Parse(b, r.s.v6); ok {
			n.By, n.At = from, at
			give(n, q)
		}
	}
}

// receive takes one packet from a raw socket, without its IP header, and says when it came; ok is false if none waits.
func receive(s socket, buf []byte) (b []byte, from netip.Addr, at time.Time, ok bool) {
	var oob [128]byte
	size, oobn, _, sa, err := unix.Recvmsg(s.fd, buf, oob[:], unix.MSG_DONTWAIT)
	if err != nil {
		return nil, from, at, false
	}
	at = time.Now()
	if ms, err := unix.ParseSocketControlMessage(oob[:oobn]); err == nil {
		for _, m := range ms {
			if m.Header.Level == unix.SOL_SOCKET && m.Header.Type == unix.SO_TIMESTAMPNS {
				at = icmperr.Stamp(at, m.Data)
			}
		}
	}
	b = buf[:size]
	if !s.v6 && size >= 20 {
		if h := int(b[0]&15) * 4; h <= size {
			b = b[h:]
		}
	}
	return b, fromSockaddr(sa).Addr(), at, true
}

package trace

import (
	"net/netip"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

// rawErrors reads ICMP errors from a raw socket, where that is allowed.
type rawErrors struct {
	s  sock.Socket
	in [2048]byte
}

// openRawErrors opens the socket; without one, the rest works as if no errors came this way.
func openRawErrors(to netip.Addr) rawErrors {
	proto := unix.IPPROTO_ICMP
	if to.Is6() {
		proto = unix.IPPROTO_ICMPV6
	}
	s, err := sock.New(to, unix.SOCK_RAW, proto)
	if err != nil {
		return rawErrors{s: sock.None}
	}
	r := rawErrors{s: s}
	s.Watch()
	r.filter()
	return r
}

// filter keeps away what is no error: raw(7), ICMP_FILTER; RFC 3542, section 3.2. A set bit is what is not wanted.
func (r *rawErrors) filter() {
	if !r.s.V6 {
		const icmpFilter, solRaw = 1, 255
		wanted := uint32(1<<3 | 1<<11 | 1<<12)
		_ = unix.SetsockoptInt(r.s.FD, solRaw, icmpFilter, int(int32(^wanted)))
		return
	}
	var f unix.ICMPv6Filter
	for i := range f.Data {
		f.Data[i] = ^uint32(0)
	}
	f.Data[0] = ^uint32(1<<1 | 1<<2 | 1<<3 | 1<<4)
	_ = unix.SetsockoptICMPv6Filter(r.s.FD, unix.IPPROTO_ICMPV6, unix.ICMPV6_FILTER, &f)
}

func (r *rawErrors) ok() bool { return r.s.OK() }
func (r *rawErrors) close()   { r.s.Close() }

// read gives the errors that wait.
func (r *rawErrors) read(give func(icmperr.Notice, icmperr.Quote)) {
	if !r.ok() {
		return
	}
	for range 256 {
		p, ok := r.s.ReceiveRaw(r.in[:])
		if !ok {
			return
		}
		if n, q, ok := icmperr.Parse(p.Data, r.s.V6); ok {
			n.By, n.At = p.From.Addr(), p.At
			give(n, q)
		}
	}
}

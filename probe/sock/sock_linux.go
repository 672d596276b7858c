package sock

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
)

// Socket is a socket that does not wait. Whoever made it closes it.
type Socket struct {
	FD int
	V6 bool
}

// None is no socket: it may be closed, and never has anything.
var None = Socket{FD: -1}

// New makes a socket of a type (SOCK_DGRAM, ...) and protocol, in the address family of what it is for.
func New(to netip.Addr, kind, proto int) (Socket, error) {
	family := unix.AF_INET
	if to.Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, proto)
	if err != nil {
		return None, fmt.Errorf("socket: %w", err)
	}
	return Socket{fd, to.Is6()}, nil
}

// Close closes the socket, if it is one.
func (s Socket) Close() {
	if s.OK() {
		_ = unix.Close(s.FD)
	}
}

// OK says whether it is a socket.
func (s Socket) OK() bool { return s.FD >= 0 }

func (s Socket) set(name4, name6, value int) error {
	if s.V6 {
		return unix.SetsockoptInt(s.FD, unix.IPPROTO_IPV6, name6, value)
	}
	return unix.SetsockoptInt(s.FD, unix.IPPROTO_IP, name4, value)
}

// SetTTL sets the time to live or hop limit of what is sent from now on.
func (s Socket) SetTTL(ttl int) error { return s.set(unix.IP_TTL, unix.IPV6_UNICAST_HOPS, ttl) }

// SetWhole makes packets leave in one piece, and stay so, whatever the kernel believes of the path (ip(7),
// IP_PMTUDISC_PROBE). What is larger than the own link takes cannot be sent then (EMSGSIZE).
func (s Socket) SetWhole() error {
	return s.set(unix.IP_MTU_DISCOVER, unix.IPV6_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
}

// Watch asks the kernel to date what is received and to say whether it came in fragments. What it refuses is done
// without.
func (s Socket) Watch() {
	_ = unix.SetsockoptInt(s.FD, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	_ = s.set(unix.IP_RECVFRAGSIZE, unix.IPV6_RECVFRAGSIZE, 1)
}

// Connect connects the socket: it sends to and receives from nobody else then. It does not wait for a connection.
func (s Socket) Connect(to netip.AddrPort) error {
	if err := unix.Connect(s.FD, Sockaddr(to)); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		return fmt.Errorf("connect: %w", err)
	}
	return nil
}

// Bind gives the socket its own address; port 0 is for the system to choose.
func (s Socket) Bind(a netip.AddrPort) error {
	if err := unix.Bind(s.FD, Sockaddr(a)); err != nil {
		return fmt.Errorf("bind to %s: %w", a, err)
	}
	return nil
}

// Local returns the address and port of the socket.
func (s Socket) Local() netip.AddrPort {
	sa, err := unix.Getsockname(s.FD)
	if err != nil {
		return netip.AddrPort{}
	}
	return addrPort(sa)
}

// Clear takes the error that waits at the socket, which a later call would return.
func (s Socket) Clear() error {
	no, err := unix.GetsockoptInt(s.FD, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if no != 0 {
		return unix.Errno(no)
	}
	return nil
}

// Send sends one packet. An error about an earlier packet that a call meets (a refusal, an unreachable) is not one of
// this packet, which is sent then. A packet that the own device drops (ENOBUFS; veth does when the other end takes no
// frames of that length) is one that was lost on the first link.
func (s Socket) Send(b []byte) error {
	err := unix.Send(s.FD, b, 0)
	for range 2 {
		if !isReport(err) {
			break
		}
		err = unix.Send(s.FD, b, 0)
	}
	if errors.Is(err, unix.ENOBUFS) {
		return nil
	}
	return err
}

// isReport says whether a call that sends may have failed because of what somebody said about an earlier packet.
func isReport(err error) bool {
	return errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EHOSTUNREACH) || errors.Is(err, unix.ENETUNREACH) ||
		errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPROTO) || errors.Is(err, unix.ENOPROTOOPT) || errors.Is(err, unix.EMSGSIZE)
}

// Packet is what was received.
type Packet struct {
	Data     []byte         // in the buffer that was given
	From     netip.AddrPort // the port is 0 where there is none
	At       time.Time      // when it arrived, with a monotonic reading
	Fragment int            // length of the longest fragment it came in, IP header included; 0: in one piece
}

// Receive takes a packet that waits; ok is false if none does.
func (s Socket) Receive(buf []byte) (p Packet, ok bool) {
	var oob [256]byte
	size, oobn, _, sa, err := unix.Recvmsg(s.FD, buf, oob[:], unix.MSG_DONTWAIT)
	if err != nil {
		return p, false
	}
	p = Packet{Data: buf[:size], From: addrPort(sa), At: time.Now()}
	ms, err := unix.ParseSocketControlMessage(oob[:oobn])
	if err != nil {
		return p, true
	}
	for _, m := range ms {
		h := m.Header
		switch {
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS:
			p.At = icmperr.Stamp(p.At, m.Data)
		case len(m.Data) >= 4 && (h.Level == unix.IPPROTO_IP && h.Type == unix.IP_RECVFRAGSIZE || h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_RECVFRAGSIZE):
			p.Fragment = int(binary.NativeEndian.Uint32(m.Data))
		}
	}
	return p, true
}

// ReceiveRaw takes a packet from a raw socket, without the IP header that IPv4 gives with it.
func (s Socket) ReceiveRaw(buf []byte) (p Packet, ok bool) {
	if p, ok = s.Receive(buf); ok && !s.V6 && len(p.Data) >= 20 {
		if h := int(p.Data[0]&15) * 4; h <= len(p.Data) {
			p.Data = p.Data[h:]
		}
	}
	return p, ok
}

// Poll waits until one of the sockets, of which None may be one, is ready for the events (POLLIN, ...) or has an
// error, or until then. It says which of the two it was.
func Poll(until time.Time, events int16, sockets ...Socket) bool {
	p := make([]unix.PollFd, 0, 8)
	for _, s := range sockets {
		if s.OK() {
			p = append(p, unix.PollFd{Fd: int32(s.FD), Events: events})
		}
	}
	wait := unix.NsecToTimespec(int64(max(time.Until(until), 0)))
	ready, err := unix.Ppoll(p, &wait, nil)
	return err == nil && ready > 0
}

// Sockaddr returns the address as the kernel takes it.
func Sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	sa := &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
	if ifi, err := net.InterfaceByName(a.Addr().Zone()); err == nil {
		sa.ZoneId = uint32(ifi.Index)
	}
	return sa
}

func addrPort(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// Source returns the address that packets to an address leave from, with a port.
func Source(to netip.AddrPort, port uint16) (netip.AddrPort, error) {
	s, err := New(to.Addr(), unix.SOCK_DGRAM, 0)
	if err != nil {
		return netip.AddrPort{}, err
	}
	defer s.Close()
	if err := s.Connect(to); err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(s.Local().Addr().WithZone(to.Addr().Zone()), port), nil
}

package trace

import (
	"errors"
	"fmt"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"
)

const icmpRemedy = "let sysctl net.ipv4.ping_group_range include a group of this user, or run it as root or with CAP_NET_RAW"

// open opens a carrier. Where raw sockets are allowed they are used beside or instead of others: they see more of
// what routers quote.
func open(c Config, to netip.Addr) (carrier, error) {
	switch c.Method {
	case ICMP:
		w, err := openEcho(c, to)
		if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
			return nil, fmt.Errorf("%w: %s", ErrPermission, icmpRemedy)
		}
		return w, err
	case TCP:
		if w, err := openSYN(c, to); err == nil || !errors.Is(err, unix.EPERM) {
			return w, err
		}
		return openConnect(c, to)
	}
	return openUDP(c, to)
}

// socket is a socket of the kernel's, not waiting.
type socket struct {
	fd int
	v6 bool
}

func newSocket(to netip.Addr, kind, proto int) (socket, error) {
	family := unix.AF_INET
	if to.Is6() {
		family = unix.AF_INET6
	}
	fd, err := unix.Socket(family, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, proto)
	if err != nil {
		return socket{-1, false}, fmt.Errorf("socket: %w", err)
	}
	return socket{fd, to.Is6()}, nil
}

func (s socket) close() {
	if s.fd >= 0 {
		_ = unix.Close(s.fd)
	}
}

func (s socket) set(level4, name4, level6, name6, value int) error {
	if s.v6 {
		return unix.SetsockoptInt(s.fd, level6, name6, value)
	}
	return unix.SetsockoptInt(s.fd, level4, name4, value)
}

func (s socket) setTTL(ttl int) error {
	return s.set(unix.IPPROTO_IP, unix.IP_TTL, unix.IPPROTO_IPV6, unix.IPV6_UNICAST_HOPS, ttl)
}

// setWhole makes packets leave in one piece whatever the kernel believes about the path (ip(7), IP_PMTUDISC_PROBE).
func (s socket) setWhole() error {
	return s.set(unix.IPPROTO_IP, unix.IP_MTU_DISCOVER, unix.IPPROTO_IPV6, unix.IPV6_MTU_DISCOVER, unix.IP_PMTUDISC_PROBE)
}

// local returns the address and port of the socket.
func (s socket) local() netip.AddrPort {
	sa, err := unix.Getsockname(s.fd)
	if err != nil {
		return netip.AddrPort{}
	}
	return fromSockaddr(sa)
}

// clear takes the error that waits at the socket, which a later call would return.
func (s socket) clear() error {
	no, err := unix.GetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_ERROR)
	if err != nil {
		return err
	}
	if no != 0 {
		return unix.Errno(no)
	}
	return nil
}

func sockaddr(a netip.AddrPort) unix.Sockaddr {
	if a.Addr().Is4() {
		return &unix.SockaddrInet4{Addr: a.Addr().As4(), Port: int(a.Port())}
	}
	sa := &unix.SockaddrInet6{Addr: a.Addr().As16(), Port: int(a.Port())}
	if ifi, err := net.InterfaceByName(a.Addr().Zone()); err == nil {
		sa.ZoneId = uint32(ifi.Index)
	}
	return sa
}

func fromSockaddr(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		return netip.AddrPortFrom(netip.AddrFrom16(sa.Addr).Unmap(), uint16(sa.Port))
	}
	return netip.AddrPort{}
}

// unspecified returns the address of any interface, in the family of a.
func unspecified(a netip.Addr) netip.Addr {
	if a.Is4() {
		return netip.IPv4Unspecified()
	}
	return netip.IPv6Unspecified()
}

// poll waits until one of the sockets has something, or until then.
func poll(until time.Time, events int16, fds ...int) bool {
	var p [4]unix.PollFd
	n := 0
	for _, fd := range fds {
		if fd >= 0 {
			p[n] = unix.PollFd{Fd: int32(fd), Events: events}
			n++
		}
	}
	wait := time.Until(until)
	if wait < 0 {
		wait = 0
	}
	ready, err := unix.Ppoll(p[:n], &unix.Timespec{Sec: int64(wait / time.Second), Nsec: int64(wait % time.Second)}, nil)
	return err == nil && ready > 0
}

// isReport says whether a call that sends failed because of what somebody said about an earlier packet; this one was
// not sent.
func isReport(err error) bool {
	return errors.Is(err, unix.ECONNREFUSED) || errors.Is(err, unix.EHOSTUNREACH) || errors.Is(err, unix.ENETUNREACH) ||
		errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPROTO) || errors.Is(err, unix.ENOPROTOOPT)
}

// again calls a function that sends until it does not fail because of an earlier packet, three times at most.
func again(send func() error) error {
	err := send()
	for range 2 {
		if !isReport(err) {
			break
		}
		err = send()
	}
	return err
}

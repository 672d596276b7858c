package icmperr

import (
	"net"
	"net/netip"
	"strconv"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Enable asks the kernel to queue notices for a socket, and to date them.
func Enable(fd int, v6 bool) error {
	_ = unix.SetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
	if v6 {
		return unix.SetsockoptInt(fd, unix.IPPROTO_IPV6, unix.IPV6_RECVERR, 1)
	}
	return unix.SetsockoptInt(fd, unix.IPPROTO_IP, unix.IP_RECVERR, 1)
}

// Read takes one notice from a socket's queue without waiting; ok is false if there is none. buf, which the notice's
// Quoted lies in, should have room for a packet.
func Read(fd int, buf []byte) (n Notice, ok bool) {
	var oob [512]byte
	size, oobn, _, from, err := unix.Recvmsg(fd, buf, oob[:], unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
	if err != nil {
		return n, false
	}
	now := time.Now()
	n = Notice{At: now, Quoted: buf[:size], To: addrPort(from)}
	found := false
	for rest := oob[:oobn]; len(rest) >= unix.CmsgLen(0); {
		h, data, next, err := unix.ParseOneSocketControlMessage(rest)
		if err != nil {
			break
		}
		rest = next
		switch {
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS:
			n.At = Stamp(now, data)
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_RECVERR, h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_RECVERR:
			found = n.extended(data) || found
		}
	}
	return n, found
}

// extended enters an extended error and the address of its author behind it.
func (n *Notice) extended(data []byte) bool {
	const size = int(unsafe.Sizeof(unix.SockExtendedErr{}))
	if len(data) < size {
		return false
	}
	e := *(*unix.SockExtendedErr)(unsafe.Pointer(&data[0]))
	switch e.Origin {
	case unix.SO_EE_ORIGIN_LOCAL:
		n.Local = true
	case unix.SO_EE_ORIGIN_ICMP:
		n.Type, n.Code = e.Type, e.Code
	case unix.SO_EE_ORIGIN_ICMP6:
		n.V6, n.Type, n.Code = true, e.Type, e.Code
	default: // a transmit timestamp and the like
		return false
	}
	if unix.Errno(e.Errno) == unix.EMSGSIZE {
		n.MTU = int(e.Info)
	}
	if data = data[size:]; n.Local || len(data) < 2 {
		return true
	}
	switch family := *(*uint16)(unsafe.Pointer(&data[0])); {
	case family == unix.AF_INET && len(data) >= unix.SizeofSockaddrInet4:
		n.By = netip.AddrFrom4((*unix.RawSockaddrInet4)(unsafe.Pointer(&data[0])).Addr)
	case family == unix.AF_INET6 && len(data) >= unix.SizeofSockaddrInet6:
		sa := (*unix.RawSockaddrInet6)(unsafe.Pointer(&data[0]))
		n.By = netip.AddrFrom16(sa.Addr).Unmap()
		if n.By.IsLinkLocalUnicast() && sa.Scope_id != 0 {
			n.By = n.By.WithZone(zone(sa.Scope_id))
		}
	}
	return true
}

// Stamp carries the kernel's receive timestamp (socket(7), SO_TIMESTAMPNS), as its control message holds it, over to
// the monotonic clock, now being the time. It is not believed if it lies in the future or more than a minute back:
// then the wall clock was set since.
func Stamp(now time.Time, data []byte) time.Time {
	if len(data) < int(unsafe.Sizeof(unix.Timespec{})) {
		return now
	}
	age := now.Round(0).Sub(time.Unix((*(*unix.Timespec)(unsafe.Pointer(&data[0]))).Unix()))
	if age < -time.Millisecond || age > time.Minute {
		return now
	}
	return now.Add(-max(age, 0))
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

func zone(index uint32) string {
	if ifi, err := net.InterfaceByIndex(int(index)); err == nil {
		return ifi.Name
	}
	return strconv.Itoa(int(index))
}

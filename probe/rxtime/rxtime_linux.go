package rxtime

import (
	"errors"
	"net"
	"net/netip"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

var errEmpty = errors.New("rxtime: nothing waits")

// fastReader reads by recvmsg, with control messages.
type fastReader struct {
	raw     syscall.RawConn
	oob     [256]byte
	reports bool // refusals are asked for
	stripIP bool // a raw IPv4 socket: the datagrams begin with the IP header
}

// newFast switches on what the kernel can say about a datagram. What it refuses is left out.
func newFast(conn net.PacketConn) *fastReader {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	f := &fastReader{raw: raw}
	stamped := false
	err = raw.Control(func(fd uintptr) {
		s := int(fd)
		stamped = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil
		_ = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1)
		_ = unix.SetsockoptInt(s, unix.IPPROTO_IP, unix.IP_RECVTTL, 1)
		_ = unix.SetsockoptInt(s, unix.IPPROTO_IP, unix.IP_PKTINFO, 1)
		_ = unix.SetsockoptInt(s, unix.IPPROTO_IPV6, unix.IPV6_RECVHOPLIMIT, 1)
		_ = unix.SetsockoptInt(s, unix.IPPROTO_IPV6, unix.IPV6_RECVPKTINFO, 1)
	})
	if err != nil || !stamped {
		return nil
	}
	// Reports are asked for by the first drain: a socket that answers anybody wants none.
	if ip, ok := conn.(*net.IPConn); ok {
		local, _ := ip.LocalAddr().(*net.IPAddr)
		f.stripIP = local != nil && local.IP.To4() != nil
	}
	return f
}

// read receives one datagram; if it is not to wait and there is none, it returns errEmpty.
func (f *fastReader) read(buf []byte, wait bool) (Packet, error) {
	var n, oobn int
	var from unix.Sockaddr
	var failed error
	err := f.raw.Read(func(fd uintptr) bool {
		for {
			n, oobn, _, from, failed = unix.Recvmsg(int(fd), buf, f.oob[:], unix.MSG_DONTWAIT)
			if failed != unix.EINTR {
				break
			}
		}
		return failed != unix.EAGAIN || !wait
	})
	now := time.Now()
	switch {
	case err != nil:
		return Packet{}, err
	case failed == unix.EAGAIN:
		return Packet{}, errEmpty
	case failed != nil:
		return Packet{}, failed
	}
	p := Packet{Data: buf[:n], From: sockaddr(from), At: now, TTL: -1}
	f.control(f.oob[:oobn], now, &p)
	if f.stripIP && n >= ipv4.HeaderLen && buf[0]>>4 == 4 {
		if h := int(buf[0]&15) * 4; h <= n {
			p.Data = buf[h:n]
		}
	}
	return p, nil
}

// drain gives f what waits, then returns the first of the reports that wait.
func (f *fastReader) drain(buf []byte, give func(Packet)) error {
	if !f.reports {
		f.reports = true
		_ = f.raw.Control(func(fd uintptr) {
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IP, unix.IP_RECVERR, 1)
			_ = unix.SetsockoptInt(int(fd), unix.IPPROTO_IPV6, unix.IPV6_RECVERR, 1)
		})
	}
	for errs := 0; ; {
		p, err := f.read(buf, false)
		var no syscall.Errno
		switch {
		case err == nil:
			give(p)
		case errors.Is(err, errEmpty):
			return f.report(buf)
		case errors.As(err, &no) && errs < 8: // announces a report
			errs++
		default:
			return err
		}
	}
}

// report takes one report from the socket's error queue (ip(7), IP_RECVERR); nil if there is none.
func (f *fastReader) report(buf []byte) error {
	var oobn int
	var failed error
	err := f.raw.Control(func(fd uintptr) {
		_, oobn, _, _, failed = unix.Recvmsg(int(fd), buf, f.oob[:], unix.MSG_ERRQUEUE|unix.MSG_DONTWAIT)
	})
	if err != nil {
		return err
	}
	if failed != nil {
		return nil
	}
	for oob := f.oob[:oobn]; len(oob) >= unix.CmsgLen(0); {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return nil
		}
		oob = rest
		const size = int(unsafe.Sizeof(unix.SockExtendedErr{}))
		if len(data) < size {
			continue
		}
		four := h.Level == unix.IPPROTO_IP && h.Type == unix.IP_RECVERR
		if !four && !(h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_RECVERR) {
			continue
		}
		return newReport(*(*unix.SockExtendedErr)(unsafe.Pointer(&data[0])), data[size:])
	}
	return nil
}

// icmpWords are what reports mean: RFC 792, RFC 1812 section 5.2.7.1, RFC 4443 section 3.
var icmpWords = map[[3]uint8]string{ // origin, type, code
	{unix.SO_EE_ORIGIN_ICMP, 3, 0}:  "network unreachable",
	{unix.SO_EE_ORIGIN_ICMP, 3, 1}:  "host unreachable",
	{unix.SO_EE_ORIGIN_ICMP, 3, 3}:  "port unreachable",
	{unix.SO_EE_ORIGIN_ICMP, 3, 9}:  "administratively prohibited",
	{unix.SO_EE_ORIGIN_ICMP, 3, 10}: "administratively prohibited",
	{unix.SO_EE_ORIGIN_ICMP, 3, 13}: "administratively prohibited",
	{unix.SO_EE_ORIGIN_ICMP, 11, 0}: "time exceeded in transit",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 0}: "no route",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 1}: "administratively prohibited",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 3}: "host unreachable",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 4}: "port unreachable",
	{unix.SO_EE_ORIGIN_ICMP6, 3, 0}: "time exceeded in transit",
	{unix.SO_EE_ORIGIN_LOCAL, 0, 0}: "this host cannot send",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 5}: "administratively prohibited",
	{unix.SO_EE_ORIGIN_ICMP6, 1, 6}: "administratively prohibited",
}

// newReport reads an extended error and the address of its author behind it.
func newReport(e unix.SockExtendedErr, offender []byte) *Report {
	r := &Report{Text: icmpWords[[3]uint8{e.Origin, e.Type, e.Code}]}
	if r.Text == "" {
		r.Text = syscall.Errno(e.Errno).Error()
	}
	r.Refused = r.Text == "port unreachable"
	if len(offender) < 2 {
		return r
	}
	switch family := *(*uint16)(unsafe.Pointer(&offender[0])); {
	case family == unix.AF_INET && len(offender) >= unix.SizeofSockaddrInet4:
		r.By = netip.AddrFrom4((*unix.RawSockaddrInet4)(unsafe.Pointer(&offender[0])).Addr)
	case family == unix.AF_INET6 && len(offender) >= unix.SizeofSockaddrInet6:
		r.By = netip.AddrFrom16((*unix.RawSockaddrInet6)(unsafe.Pointer(&offender[0])).Addr).Unmap()
	}
	return r
}

// control enters what the control messages say.
func (f *fastReader) control(oob []byte, now time.Time, p *Packet) {
	for len(oob) >= unix.CmsgLen(0) {
		h, data, rest, err := unix.ParseOneSocketControlMessage(oob)
		if err != nil {
			return
		}
		oob = rest
		switch {
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) >= int(unsafe.Sizeof(unix.Timespec{})):
			ts := *(*unix.Timespec)(unsafe.Pointer(&data[0]))
			p.At, p.Exact = arrival(now, time.Unix(ts.Unix()))
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_RXQ_OVFL && len(data) >= 4:
			p.Drops = *(*uint32)(unsafe.Pointer(&data[0]))
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_TTL && len(data) >= 4,
			h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_HOPLIMIT && len(data) >= 4:
			p.TTL = int(*(*int32)(unsafe.Pointer(&data[0])))
		case h.Level == unix.IPPROTO_IP && h.Type == unix.IP_PKTINFO && len(data) >= unix.SizeofInet4Pktinfo:
			p.To = netip.AddrFrom4((*unix.Inet4Pktinfo)(unsafe.Pointer(&data[0])).Addr)
		case h.Level == unix.IPPROTO_IPV6 && h.Type == unix.IPV6_PKTINFO && len(data) >= unix.SizeofInet6Pktinfo:
			p.To = netip.AddrFrom16((*unix.Inet6Pktinfo)(unsafe.Pointer(&data[0])).Addr).Unmap()
		}
	}
}

func sockaddr(sa unix.Sockaddr) netip.AddrPort {
	switch sa := sa.(type) {
	case *unix.SockaddrInet4:
		return netip.AddrPortFrom(netip.AddrFrom4(sa.Addr), uint16(sa.Port))
	case *unix.SockaddrInet6:
		a := netip.AddrFrom16(sa.Addr).Unmap()
		if sa.ZoneId != 0 && a.Is6() {
			a = a.WithZone(zone(int(sa.ZoneId)))
		}
		return netip.AddrPortFrom(a, uint16(sa.Port))
	}
	return netip.AddrPort{}
}

func zone(index int) string {
	if ifi, err := net.InterfaceByIndex(index); err == nil {
		return ifi.Name
	}
	return ""
}

// ReplyFrom returns the control message that makes a UDP reply leave from the address it is given, for
// WriteMsgUDPAddrPort; nil if that cannot be said.
func ReplyFrom(to netip.Addr) []byte {
	switch {
	case !to.IsValid():
		return nil
	case to.Is4():
		return unix.PktInfo4(&unix.Inet4Pktinfo{Spec_dst: to.As4()})
	}
	return unix.PktInfo6(&unix.Inet6Pktinfo{Addr: to.As16()})
}

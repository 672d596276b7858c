package stream

import (
	"encoding/binary"
	"net"
	"net/netip"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// pieces is how many messages one call reads. More do not pay when each holds 44 datagrams; of their beginnings
	// there may be more.
	pieces, maxPieces = 16, 64
	// pieceSize is the most that the kernel puts together: an IP packet.
	pieceSize = 1 << 16
	// gatherTime is how long the datagrams of a sender that sends one each gatherEach, or more, are let gather;
	// gatherRoom is the least receive buffer for that, as the system counts: ten times what comes meanwhile at
	// 1 million full frames a second.
	gatherTime, gatherEach = 100 * time.Microsecond, 10 * time.Microsecond
	gatherRoom             = 1 << 20
	// headSize is what is read of a piece that is cut: the fields of any protocol.
	headSize = 128
)

// fastDatagrams reads many messages by one call (recvmmsg). A message is a datagram, or datagrams of one length
// that were sent as one piece or that the kernel has put together (UDP_GRO, udp(7)).
type fastDatagrams struct {
	raw    syscall.RawConn
	joined bool // UDP_GRO is on
	msgs   []mmsg
	iov    []unix.Iovec
	names  []unix.RawSockaddrAny
	oob    [][oobSize]byte
	bufs   []byte

	gather  bool      // datagrams come so fast that waiting for several pays
	patient bool      // and the socket has room for what comes meanwhile
	last    time.Time // of the last call

	heads  bool // the beginning of a piece is enough when this host falls behind
	behind bool // it does: the last call found as much as it could take

	lastName unix.RawSockaddrAny // and what it means
	lastFrom netip.AddrPort

	ovfl  uint32 // the kernel's count of drops, as last seen; wraps
	total atomic.Uint64
}

// oobSize holds a time stamp, a count of drops and a segment's size.
const oobSize = 24 + 2*16 + 32 + 24 // of 32 and 64 bits, with room

func newFastDatagrams(conn net.PacketConn) *fastDatagrams {
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	if _, ok := conn.(*net.UDPConn); !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	f := &fastDatagrams{raw: raw}
	err = raw.Control(func(fd uintptr) {
		s := int(fd)
		_ = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1)
		_ = unix.SetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1)
		f.joined = unix.SetsockoptInt(s, unix.IPPROTO_UDP, unix.UDP_GRO, 1) == nil
		room, err := unix.GetsockoptInt(s, unix.SOL_SOCKET, unix.SO_RCVBUF)
		f.patient = err == nil && room >= gatherRoom
	})
	if err != nil {
		return nil
	}
	f.msgs, f.iov = make([]mmsg, maxPieces), make([]unix.Iovec, maxPieces)
	f.names, f.oob = make([]unix.RawSockaddrAny, maxPieces), make([][oobSize]byte, maxPieces)
	f.bufs = make([]byte, pieces*pieceSize)
	for i := range f.msgs {
		h := &f.msgs[i].hdr
		h.Name = (*byte)(unsafe.Pointer(&f.names[i]))
		h.Iov = &f.iov[i]
		h.SetIovlen(1)
		h.Control = &f.oob[i][0]
	}
	return f
}

func (f *fastDatagrams) path() string {
	if f.joined {
		return "recvmmsg UDP_GRO"
	}
	return "recvmmsg"
}

func (f *fastDatagrams) release() {
	if f.joined {
		_ = f.raw.Control(func(fd uintptr) { _ = unix.SetsockoptInt(int(fd), unix.IPPROTO_UDP, unix.UDP_GRO, 0) })
	}
}

// read waits for something and reads what there is. A datagram that finds nobody awake to read it costs its sender the
// time to wake the reader, so those of a fast sender are given a moment to gather: from stock iperf3 on the same host
// a third more arrive. The time of arrival is the kernel's all the same.
func (f *fastDatagrams) read(give func(Burst)) error {
	if f.gather && f.heads && f.patient {
		doze(gatherTime)
	}
	return f.with(f.raw.Read, give)
}

// drain reads what waits, without waiting itself and whatever the deadline; it returns an error if nothing does.
func (f *fastDatagrams) drain(give func(Burst)) error {
	return f.with(func(read func(uintptr) bool) error {
		return f.raw.Control(func(fd uintptr) { read(fd) })
	}, give)
}

// with reads by a call with the descriptor. If f.heads, and only then, pieces may be cut: when a call finds as much
// as it can take, this host falls behind, and copying is most of the work, so the next call copies the beginnings
// only.
func (f *fastDatagrams) with(call func(func(uintptr) bool) error, give func(Burst)) error {
	most, size, flags := pieces, pieceSize, unix.MSG_DONTWAIT
	if f.heads && f.behind {
		most, size, flags = maxPieces, headSize, unix.MSG_DONTWAIT|unix.MSG_TRUNC // tells the whole length of what it cuts, recv(2)
	}
	for i := range most {
		h := &f.msgs[i].hdr
		f.iov[i].Base = &f.bufs[i*size]
		f.iov[i].SetLen(size)
		h.Namelen = uint32(unsafe.Sizeof(f.names[0]))
		h.SetControllen(oobSize)
	}
	var n int
	var failed error
	err := call(func(fd uintptr) bool {
		n, failed = multiple(unix.SYS_RECVMMSG, fd, f.msgs[:most], flags)
		return failed != unix.EAGAIN
	})
	if err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	now := time.Now()
	f.gather = n < most && now.Sub(f.last) < time.Duration(n)*gatherEach
	f.behind, f.last = n == most, now
	for i := range n {
		m := &f.msgs[i]
		b := Burst{Data: f.bufs[i*size:][:min(int(m.n), size)], Size: int(m.n), Length: int(m.n), From: f.from(i), At: now}
		f.control(f.oob[i][:min(int(m.hdr.Controllen), oobSize)], now, &b)
		b.Dropped = f.total.Load()
		give(b)
	}
	return nil
}

// control reads the control messages (cmsg(3)) of one message.
func (f *fastDatagrams) control(oob []byte, now time.Time, b *Burst) {
	ne := binary.NativeEndian
	const header = unix.SizeofCmsghdr
	for len(oob) >= header {
		h := (*unix.Cmsghdr)(unsafe.Pointer(&oob[0]))
		n := int(h.Len)
		if n < header || n > len(oob) {
			return
		}
		data := oob[header:n]
		switch {
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_TIMESTAMPNS && len(data) == 16:
			kernel := time.Unix(int64(ne.Uint64(data)), int64(ne.Uint64(data[8:])))
			// A time in the future, or long past, says that the wall clock was set since.
			if age := now.Round(0).Sub(kernel); age > -time.Millisecond && age < time.Minute {
				b.At, b.Exact = now.Add(-age), true
			}
		case h.Level == unix.SOL_SOCKET && h.Type == unix.SO_RXQ_OVFL && len(data) == 4:
			f.drops(ne.Uint32(data))
		case h.Level == unix.IPPROTO_UDP && h.Type == unix.UDP_GRO && len(data) >= 4:
			if size := int(ne.Uint32(data)); size > 0 && size < b.Size {
				b.Size = size
			}
		}
		oob = oob[min(len(oob), unix.CmsgSpace(n-header)):]
	}
}

// drops takes in the kernel's count, which has 32 bits. It never runs back: an older count is left out.
func (f *fastDatagrams) drops(v uint32) {
	if d := v - f.ovfl; d < 1<<31 {
		f.ovfl = v
		f.total.Add(uint64(d))
	}
}

// dropped asks the socket itself: the last drops are not told with a datagram.
func (f *fastDatagrams) dropped() (uint64, bool) {
	const words = 9 // SK_MEMINFO_VARS of linux/sock_diag.h, of which the last is the drops, since Linux 4.6
	var info [words]uint32
	size := uint32(unsafe.Sizeof(info))
	known := false
	_ = f.raw.Control(func(fd uintptr) {
		_, _, no := unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_SOCKET, unix.SO_MEMINFO,
			uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
		known = no == 0 && size == words*4
	})
	if known {
		f.drops(info[words-1])
	}
	return f.total.Load(), known
}

// from returns who sent a message. Most are from who sent the one before.
func (f *fastDatagrams) from(i int) netip.AddrPort {
	raw := &f.names[i]
	switch raw.Addr.Family {
	case unix.AF_INET:
		a, last := (*unix.RawSockaddrInet4)(unsafe.Pointer(raw)), (*unix.RawSockaddrInet4)(unsafe.Pointer(&f.lastName))
		if a.Family == last.Family && a.Port == last.Port && a.Addr == last.Addr {
			return f.lastFrom
		}
		f.lastFrom = netip.AddrPortFrom(netip.AddrFrom4(a.Addr), ntohs(a.Port))
	case unix.AF_INET6:
		a, last := (*unix.RawSockaddrInet6)(unsafe.Pointer(raw)), (*unix.RawSockaddrInet6)(unsafe.Pointer(&f.lastName))
		if a.Family == last.Family && a.Port == last.Port && a.Addr == last.Addr && a.Scope_id == last.Scope_id {
			return f.lastFrom
		}
		ip := netip.AddrFrom16(a.Addr).Unmap()
		if a.Scope_id != 0 {
			ip = ip.WithZone(zone(int(a.Scope_id)))
		}
		f.lastFrom = netip.AddrPortFrom(ip, ntohs(a.Port))
	default:
		return netip.AddrPort{}
	}
	f.lastName = *raw
	return f.lastFrom
}

func ntohs(v uint16) uint16 {
	var b [2]byte
	binary.NativeEndian.PutUint16(b[:], v)
	return binary.BigEndian.Uint16(b[:])
}

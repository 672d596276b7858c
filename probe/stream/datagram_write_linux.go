package stream

import (
	"encoding/binary"
	"errors"
	"net"
	"net/netip"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// maxJoined is how many datagrams one piece holds at most: UDP_MAX_SEGMENTS of linux/udp.h before 6.9.
	maxJoined = 64
	// maxBatch is how many single datagrams one call sends.
	maxBatch = 32
)

// fastWriter sends datagrams as one piece that the kernel, or the card, cuts up (UDP_SEGMENT, udp(7)), or else many
// by one call (sendmmsg).
type fastWriter struct {
	raw    syscall.RawConn
	length int
	join   bool // send as one piece; switched off for good where the path does not take it
	full   bool // the last write found no room at first
	name   *unix.RawSockaddrAny
	size   uint32 // of name; 0: the socket is connected
	msgs   []mmsg
	iov    []unix.Iovec
	oob    [segmentSpace]byte
}

const segmentSpace = 32 // more than CmsgSpace(2) anywhere

func newBatchWriter(conn net.Conn, s *DatagramSender) batchWriter {
	u, ok := conn.(*net.UDPConn)
	if !ok {
		return nil
	}
	raw, err := u.SyscallConn()
	if err != nil {
		return nil
	}
	w := &fastWriter{raw: raw, length: s.Length, join: s.Rate <= 0 || s.Rate >= joinRate,
		msgs: make([]mmsg, maxBatch), iov: make([]unix.Iovec, maxBatch)}
	if s.To.IsValid() && !w.address(s.To) {
		return nil
	}
	return w
}

// address sets whom the datagrams go to; it returns false if that cannot be said to this socket.
func (w *fastWriter) address(to netip.AddrPort) (ok bool) {
	domain := 0
	_ = w.raw.Control(func(fd uintptr) { domain, _ = unix.GetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_DOMAIN) })
	w.name = new(unix.RawSockaddrAny)
	port := ntohs(to.Port()) // the same both ways
	switch domain {
	case unix.AF_INET:
		if !to.Addr().Unmap().Is4() {
			return false
		}
		*(*unix.RawSockaddrInet4)(unsafe.Pointer(w.name)) = unix.RawSockaddrInet4{Family: unix.AF_INET, Port: port, Addr: to.Addr().Unmap().As4()}
		w.size = unix.SizeofSockaddrInet4
	case unix.AF_INET6:
		a := unix.RawSockaddrInet6{Family: unix.AF_INET6, Port: port, Addr: to.Addr().As16()}
		if z := to.Addr().Zone(); z != "" {
			i, ok := zoneIndex(z)
			if !ok {
				return false
			}
			a.Scope_id = i
		}
		*(*unix.RawSockaddrInet6)(unsafe.Pointer(w.name)) = a
		w.size = unix.SizeofSockaddrInet6
	default:
		return false
	}
	return true
}

func (w *fastWriter) most() int {
	if w.join {
		return max(1, min(maxJoined, maxDatagram/w.length))
	}
	return maxBatch
}

func (w *fastWriter) waited(time.Duration) bool { return w.full }

func (w *fastWriter) path() string {
	if w.join {
		return "sendmsg UDP_SEGMENT"
	}
	return "sendmmsg"
}

func (w *fastWriter) write(b []byte, length int) (datagrams int, err error) {
	datagrams = (len(b) + length - 1) / length
	if !w.join || datagrams == 1 {
		return w.batch(b, length)
	}
	err = w.piece(b, length)
	switch {
	case err == nil:
		return datagrams, nil
	case errors.Is(err, unix.EINVAL), errors.Is(err, unix.EIO), errors.Is(err, unix.ENOPROTOOPT),
		errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EMSGSIZE):
		// A card without checksums (EIO), datagrams longer than the path takes whole (EINVAL, EMSGSIZE).
		w.join = false
		return w.batch(b[:min(len(b), maxBatch*length)], length)
	}
	return 0, err
}

// piece sends b as datagrams of length bytes by one call.
func (w *fastWriter) piece(b []byte, length int) error {
	h := (*unix.Cmsghdr)(unsafe.Pointer(&w.oob[0]))
	h.Level, h.Type = unix.IPPROTO_UDP, unix.UDP_SEGMENT
	h.SetLen(unix.CmsgLen(2))
	binary.NativeEndian.PutUint16(w.oob[unix.CmsgLen(0):], uint16(length))
	w.fill(0, b)
	w.msgs[0].hdr.Control = &w.oob[0]
	w.msgs[0].hdr.SetControllen(unix.CmsgSpace(2))
	_, err := w.send(w.msgs[:1])
	w.msgs[0].hdr.Control = nil
	w.msgs[0].hdr.SetControllen(0)
	return err
}

// batch sends the datagrams in b one by one, by one call.
func (w *fastWriter) batch(b []byte, length int) (int, error) {
	n := 0
	for ; len(b) > 0 && n < maxBatch; n++ {
		one := b[:min(length, len(b))]
		w.fill(n, one)
		b = b[len(one):]
	}
	return w.send(w.msgs[:n])
}

func (w *fastWriter) fill(i int, b []byte) {
	w.iov[i].Base = &b[0]
	w.iov[i].SetLen(len(b))
	h := &w.msgs[i].hdr
	h.Iov = &w.iov[i]
	h.SetIovlen(1)
	h.Name, h.Namelen = (*byte)(unsafe.Pointer(w.name)), w.size
}

func (w *fastWriter) send(msgs []mmsg) (n int, err error) {
	w.full = false
	failed := w.raw.Write(func(fd uintptr) bool {
		n, err = multiple(unix.SYS_SENDMMSG, fd, msgs, unix.MSG_DONTWAIT)
		w.full = w.full || err == unix.EAGAIN
		return err != unix.EAGAIN
	})
	if failed != nil {
		return 0, failed
	}
	return n, err
}

// zone returns the name of an interface as an address has it.
func zone(index int) string {
	if i, err := net.InterfaceByIndex(index); err == nil {
		return i.Name
	}
	return strconv.Itoa(index)
}

func zoneIndex(name string) (uint32, bool) {
	if i, err := net.InterfaceByName(name); err == nil {
		return uint32(i.Index), true
	}
	n, err := strconv.ParseUint(name, 10, 32)
	return uint32(n), err == nil
}

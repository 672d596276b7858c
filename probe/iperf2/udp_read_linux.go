package iperf2

import (
	"encoding/binary"
	"net"
	"net/netip"
	"time"
	"unsafe"

	"golang.org/x/net/ipv4"
	"golang.org/x/sys/unix"
)

// batch is how many datagrams are read by one call; the buffers together hold only their beginnings.
const batch = 64

// batchSource reads many datagrams by one call (recvmmsg), only the beginning of each, with the kernel's time of
// arrival (SO_TIMESTAMPNS) and its count of datagrams that found no room (SO_RXQ_OVFL).
type batchSource struct {
	conn  *ipv4.PacketConn // its batches work with IPv6 sockets as well
	msgs  []ipv4.Message
	ovfl  uint32 // as last seen; wraps
	total uint64
}

func newSource(conn *net.UDPConn) source {
	raw, err := conn.SyscallConn()
	if err != nil {
		return newPlainSource(conn)
	}
	stamped := false
	err = raw.Control(func(fd uintptr) {
		stamped = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_TIMESTAMPNS, 1) == nil
		_ = unix.SetsockoptInt(int(fd), unix.SOL_SOCKET, unix.SO_RXQ_OVFL, 1)
	})
	if err != nil || !stamped {
		return newPlainSource(conn)
	}
	s := &batchSource{conn: ipv4.NewPacketConn(conn), msgs: make([]ipv4.Message, batch)}
	for i := range s.msgs {
		s.msgs[i].Buffers = [][]byte{make([]byte, headSize)}
		s.msgs[i].OOB = make([]byte, unix.CmsgSpace(16)+unix.CmsgSpace(4))
	}
	return s
}

func (s *batchSource) read(f func(arrival)) error {
	// MSG_TRUNC makes the kernel tell the whole length of what it cuts (recv(2)).
	n, err := s.conn.ReadBatch(s.msgs, unix.MSG_TRUNC)
	if err != nil {
		return err
	}
	now := time.Now()
	for i := range s.msgs[:n] {
		m := &s.msgs[i]
		from, ok := m.Addr.(*net.UDPAddr)
		if !ok {
			continue
		}
		a := arrival{head: m.Buffers[0][:min(m.N, headSize)], size: m.N, from: udpAddrPort(from), at: now}
		s.control(m.OOB[:m.NN], now, &a)
		f(a)
	}
	return nil
}

func udpAddrPort(a *net.UDPAddr) netip.AddrPort { return unmapped(a.AddrPort()) }

// control reads the control messages (cmsg(3)) of one datagram. A time that lies in the future or more than a
// minute back is not believed: then the wall clock was set since.
func (s *batchSource) control(oob []byte, now time.Time, a *arrival) {
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
		case h.Level != unix.SOL_SOCKET:
		case h.Type == unix.SO_TIMESTAMPNS && len(data) == 16:
			at := time.Unix(int64(ne.Uint64(data)), int64(ne.Uint64(data[8:])))
			if age := now.Round(0).Sub(at); age > 0 && age < time.Minute {
				a.at = now.Add(-age)
			}
		case h.Type == unix.SO_RXQ_OVFL && len(data) == 4:
			v := ne.Uint32(data)
			s.total += uint64(v - s.ovfl)
			s.ovfl = v
		}
		oob = oob[min(len(oob), unix.CmsgSpace(n-header)):]
	}
}

func (s *batchSource) drops() uint64 { return s.total }

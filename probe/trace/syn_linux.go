package trace

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

// TCP header fields (RFC 9293, section 3.1).
const (
	tcpHeader = 24 // with the option maximum segment size
	flagSYN   = 0x02
	flagRST   = 0x04
	flagACK   = 0x10
)

// syn sends bare SYNs from a raw socket. The kernel, which knows of no connection, resets what is accepted.
type syn struct {
	s       sock.Socket
	errors  rawErrors
	holder  sock.Socket // keeps the port ours
	to      netip.AddrPort
	from    netip.AddrPort
	first   uint32 // sequence number of packet 0
	sent    int
	in, out [2048]byte
}

func openSYN(c Config, to netip.Addr) (w *syn, err error) {
	w = &syn{to: netip.AddrPortFrom(to, c.Port), first: rand.Uint32(), holder: sock.None, errors: rawErrors{s: sock.None}}
	if w.s, err = sock.New(to, unix.SOCK_RAW, unix.IPPROTO_TCP); err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			w.close()
			w, err = nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
		}
	}()
	if w.from, err = sock.Source(w.to, c.SrcPort); err != nil {
		return w, err
	}
	if w.holder, err = sock.New(to, unix.SOCK_STREAM, 0); err != nil {
		return w, err
	}
	if err = w.holder.Bind(w.from); err != nil {
		return w, err
	}
	w.from = w.holder.Local()
	if to.Is6() { // RFC 3542, section 3.1: the kernel writes the checksum there
		if err = unix.SetsockoptInt(w.s.FD, unix.IPPROTO_IPV6, unix.IPV6_CHECKSUM, 16); err != nil {
			return w, err
		}
	}
	w.s.Watch()
	if err = w.s.Connect(netip.AddrPortFrom(to, 0)); err != nil {
		return w, err
	}
	if w.errors = openRawErrors(to); !w.errors.ok() {
		return w, unix.EPERM
	}
	return w, nil
}

func (w *syn) single() bool    { return false }
func (w *syn) srcPort() uint16 { return w.from.Port() }
func (w *syn) close()          { w.s.Close(); w.errors.close(); w.holder.Close() }

func (w *syn) send(ttl, n int, _ time.Time) error {
	if err := w.s.SetTTL(ttl); err != nil {
		return err
	}
	b := w.segment(n)
	err := w.s.Send(b)
	if err == nil {
		w.sent = n + 1
	}
	return err
}

// segment builds SYN n.
func (w *syn) segment(n int) []byte {
	b := binary.BigEndian.AppendUint16(w.out[:0], w.from.Port())
	b = binary.BigEndian.AppendUint16(b, w.to.Port())
	b = binary.BigEndian.AppendUint32(b, w.first+uint32(n))
	b = append(b, 0, 0, 0, 0, tcpHeader/4<<4, flagSYN, 0xff, 0xff, 0, 0, 0, 0)
	b = append(b, 2, 4, 1460>>8, 1460&0xff)
	if w.to.Addr().Is4() {
		src, dst := w.from.Addr().As4(), w.to.Addr().As4()
		pseudo := append(append(src[:], dst[:]...), 0, unix.IPPROTO_TCP, 0, tcpHeader)
		binary.BigEndian.PutUint16(b[16:], sock.Checksum(uint32(^sock.Checksum(0, pseudo)), b))
	}
	return b
}

func (w *syn) receive(until time.Time, give func(reply)) {
	sock.Poll(until, unix.POLLIN, w.s, w.errors.s)
	w.errors.read(func(n icmperr.Notice, q icmperr.Quote) {
		if q.Proto != unix.IPPROTO_TCP || q.Dst != w.to.Addr().WithZone("") || q.DstPort != w.to.Port() || q.SrcPort != w.from.Port() {
			return
		}
		r := reply{n: w.number(q.Seq), by: n.By, at: n.At, end: n.Kind() != icmperr.Exceeded}
		if r.end {
			r.said = n.Text()
		}
		give(r)
	})
	_ = w.s.Clear()
	for range 256 { // all TCP of the target's comes here
		p, ok := w.s.ReceiveRaw(w.in[:])
		if !ok {
			return
		}
		if n := w.answered(p.Data); n >= 0 {
			give(reply{n: n, by: w.to.Addr(), end: true, at: p.At})
		}
	}
}

// answered returns the number of the SYN that a segment accepts or refuses; -1 if none.
func (w *syn) answered(b []byte) int {
	if len(b) < 20 || binary.BigEndian.Uint16(b) != w.to.Port() || binary.BigEndian.Uint16(b[2:]) != w.from.Port() {
		return -1
	}
	if f := b[13]; f&flagACK == 0 || f&(flagSYN|flagRST) == 0 {
		return -1
	}
	return w.number(binary.BigEndian.Uint32(b[8:]) - 1)
}

// number returns the number of the SYN with a sequence number; -1 if there is none.
func (w *syn) number(seq uint32) int {
	if n := seq - w.first; uint64(n) < uint64(w.sent) {
		return int(n)
	}
	return -1
}

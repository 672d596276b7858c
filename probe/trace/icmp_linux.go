package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

// echo sends echo requests, from a ping socket (icmp(7)) or a raw one.
type echo struct {
	s      sock.Socket
	raw    bool
	errors rawErrors // of a raw socket
	to     netip.Addr
	id     uint16 // where the kernel does not set it
	size   int    // of the payload
	sent   int
	cookie [8]byte
	out    []byte
	in     [2048]byte
}

func openEcho(c Config, to netip.Addr) (*echo, error) {
	w := &echo{to: to, size: echoPayload, id: uint16(rand.IntN(65536)), errors: rawErrors{s: sock.None}}
	if c.Size > 0 {
		w.size = c.Size - headerSize(to)
	}
	binary.BigEndian.PutUint64(w.cookie[:], rand.Uint64())
	proto := unix.IPPROTO_ICMP
	if to.Is6() {
		proto = unix.IPPROTO_ICMPV6
	}
	var err error
	if w.s, err = sock.New(to, unix.SOCK_DGRAM, proto); errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.EPROTONOSUPPORT) {
		w.raw = true
		if w.s, err = sock.New(to, unix.SOCK_RAW, proto); err == nil {
			w.errors = openRawErrors(to)
		}
	}
	if err != nil {
		return nil, err
	}
	err = icmperr.Enable(w.s.FD, to.Is6())
	if err == nil && c.Size > 0 {
		err = w.s.SetWhole()
	}
	if err == nil { // of a raw socket too: replies come from the target, errors to the other socket
		err = w.s.Connect(netip.AddrPortFrom(to, 0))
	}
	if err != nil {
		w.close()
		return nil, fmt.Errorf("open a flow to %s: %w", to, err)
	}
	return w, nil
}

func (w *echo) single() bool    { return false }
func (w *echo) srcPort() uint16 { return 0 }
func (w *echo) close()          { w.s.Close(); w.errors.close() }

// send sends a request whose checksum is the same for every n: the payload makes up for the number.
func (w *echo) send(ttl, n int, _ time.Time) error {
	if err := w.s.SetTTL(ttl); err != nil {
		return err
	}
	typ := byte(8)
	if w.to.Is6() {
		typ = 128
	}
	b := append(w.out[:0], typ, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, w.id)
	b = binary.BigEndian.AppendUint16(b, uint16(n))
	b = append(b, w.cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, ^uint16(n))
	b = append(b, make([]byte, w.size-10)...)
	if w.to.Is4() { // the kernel does it for ICMPv6 (RFC 4443, section 2.3)
		binary.BigEndian.PutUint16(b[2:], sock.Checksum(0, b))
	}
	w.out = b
	err := w.s.Send(b)
	if err == nil {
		w.sent = n + 1
	}
	return err
}

func (w *echo) receive(until time.Time, give func(reply)) {
	sock.Poll(until, unix.POLLIN, w.s, w.errors.s)
	w.errors.read(func(n icmperr.Notice, q icmperr.Quote) {
		if q.Dst == w.to.WithZone("") && q.SrcPort == w.id && (q.Proto == unix.IPPROTO_ICMP || q.Proto == unix.IPPROTO_ICMPV6) {
			give(w.reply(n))
		}
	})
	for range 64 {
		n, ok := icmperr.Read(w.s.FD, w.in[:])
		if !ok {
			break
		}
		if !n.Local && !w.raw {
			give(w.reply(n))
		}
	}
	_ = w.s.Clear()
	for range 64 {
		take := w.s.Receive
		if w.raw {
			take = w.s.ReceiveRaw
		}
		p, ok := take(w.in[:])
		if !ok {
			return
		}
		if n := w.answered(p.Data); n >= 0 {
			give(reply{n: n, by: w.to, end: true, at: p.At})
		}
	}
}

// answered returns the number of the request that a message answers; -1 if none.
func (w *echo) answered(b []byte) int {
	typ := byte(0)
	if w.to.Is6() {
		typ = 129
	}
	if len(b) < 16 || b[0] != typ || !bytes.Equal(b[8:16], w.cookie[:]) || w.raw && binary.BigEndian.Uint16(b[4:]) != w.id {
		return -1
	}
	return w.number(binary.BigEndian.Uint16(b[6:]))
}

func (w *echo) reply(n icmperr.Notice) reply {
	r := reply{n: -1, by: n.By, at: n.At, end: n.Kind() != icmperr.Exceeded}
	if len(n.Quoted) >= 8 {
		r.n = w.number(binary.BigEndian.Uint16(n.Quoted[6:]))
	}
	if r.end {
		r.said = n.Text()
	}
	return r
}

// number returns the newest request with these low bits of its number.
func (w *echo) number(low uint16) int {
	n := w.sent - 1
	return n - int(uint16(n)-low)
}

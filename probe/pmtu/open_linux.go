package pmtu

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
	"whydrop/probe/stamp"
)

// Linux sends one refusal a second to one address, and up to six at once if it has sent none for a while (icmp(7),
// icmp_ratelimit; XRLIM_BURST_FACTOR in its source).
const (
	refusalPause = 1050 * time.Millisecond
	refusalsFree = 4
)

// system returns the MTU of the own link and what the kernel takes for the path's.
func system(to netip.Addr) (own, believed int, err error) {
	s, err := sock.New(to, unix.SOCK_DGRAM, 0)
	if err != nil {
		return 0, 0, err
	}
	defer s.Close()
	if err := s.Connect(netip.AddrPortFrom(to, closedPort)); err != nil {
		return 0, 0, err
	}
	if to.Is6() {
		believed, _ = unix.GetsockoptInt(s.FD, unix.IPPROTO_IPV6, unix.IPV6_MTU)
	} else {
		believed, _ = unix.GetsockoptInt(s.FD, unix.IPPROTO_IP, unix.IP_MTU)
	}
	own = believed
	if ifi := interfaceOf(s.Local().Addr()); ifi != nil {
		own = ifi.MTU
	}
	return own, believed, nil
}

// interfaceOf returns the interface that has an address; nil if none has.
func interfaceOf(a netip.Addr) *net.Interface {
	all, err := net.Interfaces()
	if err != nil {
		return nil
	}
	for _, ifi := range all {
		as, err := ifi.Addrs()
		if err != nil {
			continue
		}
		for _, x := range as {
			if p, err := netip.ParsePrefix(x.String()); err == nil && p.Addr().Unmap().WithZone("") == a.WithZone("") {
				return &ifi
			}
		}
	}
	return nil
}

// open opens a means.
func open(c Config, to netip.Addr, k Means) (carrier, error) {
	kind, proto, port := unix.SOCK_DGRAM, 0, uint16(closedPort)
	w := &wire{to: to, means: k, cookie: rand.Uint64(), session: uint16(1 + rand.IntN(65535)), first: 1024 + uint32(rand.IntN(65536-1024)), key: c.STAMPKey}
	switch k {
	case STAMP:
		port = c.STAMPPort
	case ICMP:
		port, proto = 0, unix.IPPROTO_ICMP
		if to.Is6() {
			proto = unix.IPPROTO_ICMPV6
		}
	}
	var err error
	w.s, err = sock.New(to, kind, proto)
	if k == ICMP && err != nil { // a raw socket needs rights, a ping socket the right group
		w.raw, w.id = true, uint16(rand.IntN(65536))
		w.s, err = sock.New(to, unix.SOCK_RAW, proto)
	}
	if errors.Is(err, unix.EPERM) || errors.Is(err, unix.EACCES) {
		return nil, fmt.Errorf("not allowed to send ICMP echo requests: %w", err)
	}
	if err != nil {
		return nil, err
	}
	if err = icmperr.Enable(w.s.FD, to.Is6()); err == nil {
		err = w.s.SetWhole()
	}
	if err == nil {
		err = w.s.Connect(netip.AddrPortFrom(to, port))
	}
	if err != nil {
		w.s.Close()
		return nil, err
	}
	w.s.Watch()
	return w, nil
}

// wire sends packets of one means from one socket.
type wire struct {
	s        sock.Socket
	to       netip.Addr
	means    Means
	raw      bool   // a raw socket, for ICMP
	id       uint16 // of ICMP, where the kernel does not set it
	cookie   uint64
	session  uint16 // of STAMP
	first    uint32
	key      []byte // of STAMP; empty: unauthenticated mode
	refusals int    // so far
	out      []byte
	in       [65536]byte
}

func (w *wire) close() { w.s.Close() }

func (w *wire) pause() time.Duration {
	if w.means == UDP && w.refusals >= refusalsFree {
		return refusalPause
	}
	return 10 * time.Millisecond
}

func (w *wire) ipHeader() int {
	if w.to.Is6() {
		return 40
	}
	return 20
}

func (w *wire) send(size, n int) error {
	w.build(size-w.ipHeader()-8, n)
	return w.s.Send(w.out)
}

// build builds packet n with so many octets behind the UDP or ICMP header.
func (w *wire) build(payload, n int) {
	b := w.out[:0]
	switch w.means {
	case STAMP:
		q := stamp.Question{Sequence: w.first + uint32(n), Timestamp: stamp.Timestamp(w.cookie), Estimate: stamp.NewErrorEstimate(stamp.NTP, false, time.Millisecond), Session: w.session}
		b = q.AppendFor(b, w.key)
		payload -= len(b)
	case ICMP:
		typ := byte(8)
		if w.to.Is6() {
			typ = 128
		}
		b = append(b, typ, 0, 0, 0)
		b = binary.BigEndian.AppendUint16(b, w.id)
		b = binary.BigEndian.AppendUint16(b, uint16(n))
		fallthrough
	default:
		b = binary.BigEndian.AppendUint64(b, w.cookie)
		b = binary.BigEndian.AppendUint32(b, uint32(n))
		payload -= 12
	}
	b = append(b, make([]byte, max(payload, 0))...)
	if w.means == ICMP && w.to.Is4() {
		binary.BigEndian.PutUint16(b[2:], sock.Checksum(0, b))
	}
	w.out = b
}

func (w *wire) receive(until time.Time, give func(reply)) {
	sock.Poll(until, unix.POLLIN, w.s)
	for range 64 {
		n, ok := icmperr.Read(w.s.FD, w.in[:])
		if !ok {
			break
		}
		if !n.Local {
			give(w.noticed(n))
		}
	}
	_ = w.s.Clear()
	take := w.s.Receive
	if w.raw {
		take = w.s.ReceiveRaw
	}
	for range 64 {
		p, ok := take(w.in[:])
		if !ok {
			return
		}
		if r, ok := w.answered(p); ok {
			give(r)
		}
	}
}

// noticed makes a reply of a notice: to a closed port, the refusal is the answer.
func (w *wire) noticed(n icmperr.Notice) reply {
	r := reply{n: -1, at: n.At, notice: &n}
	switch {
	case w.means == ICMP && len(n.Quoted) >= 8:
		r.n = int(binary.BigEndian.Uint16(n.Quoted[6:])) // no run sends more than 65536
	case w.means == STAMP && len(n.Quoted) >= 4:
		r.n = int(binary.BigEndian.Uint32(n.Quoted) - w.first)
	case w.means == UDP && len(n.Quoted) >= 12 && binary.BigEndian.Uint64(n.Quoted) == w.cookie:
		r.n = int(binary.BigEndian.Uint32(n.Quoted[8:]))
	}
	if w.means == UDP && n.Kind() == icmperr.Port && n.By.WithZone("") == w.to.WithZone("") {
		r.notice = nil
		w.refusals++
	}
	return r
}

// answered makes a reply of what the target sent, if it answers one of our packets.
func (w *wire) answered(p sock.Packet) (reply, bool) {
	b := p.Data
	r := reply{n: -1, at: p.At, size: len(b) + w.ipHeader() + 8, fragment: p.Fragment}
	switch w.means {
	case STAMP:
		a, err := stamp.ParseAnswerFor(b, w.key)
		if err != nil || uint64(a.Question.Timestamp) != w.cookie {
			return r, false
		}
		r.n = int(a.Question.Sequence - w.first)
		r.count, r.counts = a.Sequence, a.Sequence != a.Question.Sequence
	case ICMP:
		r.size -= 8
		typ := byte(0)
		if w.to.Is6() {
			typ = 129
		}
		var cookie [8]byte
		binary.BigEndian.PutUint64(cookie[:], w.cookie)
		if len(b) < 20 || b[0] != typ || !bytes.Equal(b[8:16], cookie[:]) || w.raw && binary.BigEndian.Uint16(b[4:]) != w.id {
			return r, false
		}
		r.n = int(binary.BigEndian.Uint32(b[16:]))
	default: // a program listens there after all; what it says is no refusal of ours
		r.size = 0
	}
	return r, true
}

package trace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

const (
	headers4 = 20 + 8 // IPv4 (RFC 791) and UDP (RFC 768) or ICMP echo
	headers6 = 40 + 8
)

// udp sends datagrams from one socket.
type udp struct {
	s      sock.Socket
	raw    rawErrors
	to     netip.AddrPort
	from   netip.AddrPort
	size   int // of the payload; 0: it varies
	sent   int
	cookie [8]byte
	out    []byte
	in     [2048]byte
}

func openUDP(c Config, to netip.Addr) (*udp, error) {
	w := &udp{to: netip.AddrPortFrom(to, c.Port), out: make([]byte, 0, max(c.Size, udpPayload+lengths))}
	binary.BigEndian.PutUint64(w.cookie[:], rand.Uint64())
	var err error
	if w.s, err = sock.New(to, unix.SOCK_DGRAM, 0); err != nil {
		return nil, err
	}
	err = icmperr.Enable(w.s.FD, to.Is6())
	if err == nil && c.SrcPort != 0 {
		err = w.s.Bind(netip.AddrPortFrom(sock.Unspecified(to), c.SrcPort))
	}
	if err == nil && c.Size > 0 {
		w.size = c.Size - headerSize(to)
		err = w.s.SetWhole()
	}
	if err == nil {
		err = w.s.Connect(w.to)
	}
	if err != nil {
		w.s.Close()
		return nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
	}
	w.from = w.s.Local()
	w.raw = openRawErrors(to)
	return w, nil
}

func headerSize(a netip.Addr) int {
	if a.Is6() {
		return headers6
	}
	return headers4
}

func (w *udp) single() bool    { return false }
func (w *udp) srcPort() uint16 { return w.from.Port() }
func (w *udp) close()          { w.s.Close(); w.raw.close() }

func (w *udp) send(ttl, n int, _ time.Time) error {
	if err := w.s.SetTTL(ttl); err != nil {
		return err
	}
	size := w.size
	if size == 0 {
		size = udpPayload + n%lengths
	}
	w.out = append(w.out[:0], w.cookie[:]...)
	w.out = binary.BigEndian.AppendUint32(w.out, uint32(n))
	w.out = append(w.out, make([]byte, size-len(w.out))...)
	err := w.s.Send(w.out)
	if err == nil {
		w.sent = n + 1
	}
	return err
}

func (w *udp) receive(until time.Time, give func(reply)) {
	sock.Poll(until, unix.POLLIN, w.s, w.raw.s)
	w.raw.read(func(n icmperr.Notice, q icmperr.Quote) {
		if q.Proto != unix.IPPROTO_UDP || q.Dst != w.to.Addr().WithZone("") || q.DstPort != w.to.Port() || q.SrcPort != w.from.Port() {
			return
		}
		number := w.number(n.Quoted)
		if number < 0 && w.size == 0 {
			number = byLength(int(q.Length), w.sent)
		}
		give(w.reply(n, number))
	})
	for range 64 { // what waits; more would keep us from sending
		n, ok := icmperr.Read(w.s.FD, w.in[:])
		if !ok {
			break
		}
		if !n.Local && !w.raw.ok() { // otherwise the raw socket has it too, and more of it
			give(w.reply(n, w.number(n.Quoted)))
		}
	}
	_ = w.s.Clear()
	w.data(give)
}

// data takes what the target's program answers, if there is one.
func (w *udp) data(give func(reply)) {
	for range 64 {
		size, _, err := unix.Recvfrom(w.s.FD, w.in[:], unix.MSG_DONTWAIT)
		if err != nil {
			return
		}
		// A program says nothing about which packet it answers, unless it returns it.
		give(reply{n: w.number(w.in[:size]), by: w.to.Addr(), end: true, at: time.Now()})
	}
}

func (w *udp) reply(n icmperr.Notice, number int) reply {
	r := reply{n: number, by: n.By, at: n.At, end: n.Kind() != icmperr.Exceeded}
	if r.end && !(n.Kind() == icmperr.Port && n.By.WithZone("") == w.to.Addr().WithZone("")) {
		r.said = n.Text()
	}
	return r
}

// number reads the number of the packet from what is quoted of its payload; -1 if it is not there.
func (w *udp) number(payload []byte) int {
	if len(payload) < 12 || !bytes.Equal(payload[:8], w.cookie[:]) {
		return -1
	}
	return int(binary.BigEndian.Uint32(payload[8:]))
}

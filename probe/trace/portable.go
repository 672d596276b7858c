package trace

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"os"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

// portable sends datagrams or echo requests and hears the answers on a raw ICMP socket, by the means of the net
// package alone: for systems without an error queue. It needs root.
type portable struct {
	to     netip.AddrPort
	from   netip.AddrPort // of UDP
	raw    *net.IPConn
	udp    *net.UDPConn // nil: echo requests, on raw
	id     uint16
	sent   int
	cookie [8]byte
	in     [2048]byte
}

func openPortable(c Config, to netip.Addr) (carrier, error) {
	if c.Method == TCP || c.Size > 0 {
		return nil, fmt.Errorf("%w: by TCP, or with packets of a size, it is for Linux", ErrUnsupported)
	}
	network, any := "ip4:icmp", "0.0.0.0"
	if to.Is6() {
		network, any = "ip6:ipv6-icmp", "::"
	}
	w := &portable{to: netip.AddrPortFrom(to, c.Port), id: uint16(rand.IntN(65536))}
	binary.BigEndian.PutUint64(w.cookie[:], rand.Uint64())
	raw, err := net.ListenIP(network, &net.IPAddr{IP: net.ParseIP(any)})
	if errors.Is(err, os.ErrPermission) {
		return nil, fmt.Errorf("%w: answers come to raw sockets only here: run it as root", ErrPermission)
	}
	if err != nil {
		return nil, err
	}
	w.raw = raw
	if c.Method == ICMP {
		return w, nil
	}
	local := &net.UDPAddr{Port: int(c.SrcPort)}
	if w.udp, err = net.DialUDP("udp", local, net.UDPAddrFromAddrPort(w.to)); err != nil {
		_ = raw.Close()
		return nil, err
	}
	w.from = w.udp.LocalAddr().(*net.UDPAddr).AddrPort()
	return w, nil
}

func (w *portable) single() bool    { return false }
func (w *portable) srcPort() uint16 { return w.from.Port() }

func (w *portable) close() {
	_ = w.raw.Close()
	if w.udp != nil {
		_ = w.udp.Close()
	}
}

func (w *portable) send(ttl, n int, now time.Time) error {
	if err := w.setTTL(ttl); err != nil {
		return err
	}
	var err error
	if w.udp == nil {
		_ = w.raw.SetWriteDeadline(now.Add(time.Second))
		_, err = w.raw.WriteTo(w.request(n), &net.IPAddr{IP: w.to.Addr().AsSlice(), Zone: w.to.Addr().Zone()})
	} else {
		b := binary.BigEndian.AppendUint32(append([]byte(nil), w.cookie[:]...), uint32(n))
		b = append(b, make([]byte, udpPayload+n%lengths-len(b))...)
		_ = w.udp.SetWriteDeadline(now.Add(time.Second))
		if _, err = w.udp.Write(b); err != nil { // perhaps the refusal of an earlier one; this one was not sent
			_, err = w.udp.Write(b)
		}
	}
	if err == nil {
		w.sent = n + 1
	}
	return err
}

func (w *portable) setTTL(ttl int) error {
	var c net.Conn = w.raw
	if w.udp != nil {
		c = w.udp
	}
	if w.to.Addr().Is6() {
		return ipv6.NewConn(c).SetHopLimit(ttl)
	}
	return ipv4.NewConn(c).SetTTL(ttl)
}

// request builds an echo request with a checksum that is the same for every n.
func (w *portable) request(n int) []byte {
	typ := byte(ipv4.ICMPTypeEcho)
	if w.to.Addr().Is6() {
		typ = byte(ipv6.ICMPTypeEchoRequest)
	}
	b := binary.BigEndian.AppendUint16([]byte{typ, 0, 0, 0}, w.id)
	b = binary.BigEndian.AppendUint16(b, uint16(n))
	b = append(b, w.cookie[:]...)
	b = binary.BigEndian.AppendUint16(b, ^uint16(n))
	b = append(b, make([]byte, echoPayload-10)...)
	if w.to.Addr().Is4() { // the kernel does it for ICMPv6 (RFC 4443, section 2.3)
		binary.BigEndian.PutUint16(b[2:], sock.Checksum(0, b))
	}
	return b
}

func (w *portable) receive(until time.Time, give func(reply)) {
	for {
		_ = w.raw.SetReadDeadline(until)
		n, from, err := w.raw.ReadFromIP(w.in[:])
		if err != nil {
			return
		}
		at := time.Now()
		until = at // what waits too, and no more
		by, _ := netip.AddrFromSlice(from.IP)
		if r, ok := w.parse(w.in[:n], by.Unmap().WithZone(from.Zone)); ok {
			r.at = at
			give(r)
		}
	}
}

// parse reads a message that came from an address.
func (w *portable) parse(b []byte, by netip.Addr) (reply, bool) {
	six := w.to.Addr().Is6()
	target := w.to.Addr().WithZone("")
	if n, q, ok := icmperr.Parse(b, six); ok {
		r := reply{n: -1, by: by, end: n.Kind() != icmperr.Exceeded}
		if r.end && !(w.udp != nil && n.Kind() == icmperr.Port && by.WithZone("") == target) {
			r.said = n.Text()
		}
		switch {
		case q.Dst != target:
			return r, false
		case w.udp == nil:
			r.n = w.number(q.DstPort)
			return r, q.SrcPort == w.id && (q.Proto == 1 || q.Proto == 58)
		case len(n.Quoted) >= 12 && bytes.Equal(n.Quoted[:8], w.cookie[:]):
			r.n = int(binary.BigEndian.Uint32(n.Quoted[8:]))
		default:
			r.n = byLength(int(q.Length), w.sent)
		}
		return r, q.Proto == 17 && q.SrcPort == w.from.Port() && q.DstPort == w.to.Port()
	}
	typ := byte(ipv4.ICMPTypeEchoReply)
	if six {
		typ = byte(ipv6.ICMPTypeEchoReply)
	}
	if w.udp != nil || len(b) < 16 || b[0] != typ || by.WithZone("") != target || binary.BigEndian.Uint16(b[4:]) != w.id || !bytes.Equal(b[8:16], w.cookie[:]) {
		return reply{}, false
	}
	return reply{n: w.number(binary.BigEndian.Uint16(b[6:])), by: by, end: true}, true
}

// number returns the newest request with these low bits of its number.
func (w *portable) number(low uint16) int {
	n := w.sent - 1
	return n - int(uint16(n)-low)
}

const (
	udpPayload  = 32  // octets of the shortest datagram
	lengths     = 256 // so many different lengths tell datagrams apart where nothing else is quoted
	echoPayload = 32  // octets that a small echo request carries
)

// byLength finds the newest datagram of a length, as it stands in the UDP header, of so many that were sent; it is
// negative if there was none.
func byLength(length, sent int) int {
	k := length - 8 - udpPayload
	if k < 0 || k >= lengths || sent == 0 {
		return -1
	}
	n := sent - 1
	return n - (n%lengths-k+lengths)%lengths
}

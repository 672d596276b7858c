package iperf2

import (
	"context"
	"net/netip"
	"strings"
	"testing"
	"time"
)

// TestNothingIsSentToForgedAddresses gives the server datagrams with an address of a third party in them, as they
// would come with a forged sender.
func TestNothingIsSentToForgedAddresses(t *testing.T) {
	l := &log{}
	cfg := ServerConfig{Address: "127.0.0.1:0", Handler: l.handler(), Trusted: []netip.Prefix{netip.MustParsePrefix("198.51.100.0/24")}}
	s, err := cfg.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	third := netip.MustParseAddr("192.0.2.9")
	ask := func(from netip.Addr, wireText string) {
		h := &hub{events: s.events, conn: s.udp, streams: map[netip.AddrPort]*hubStream{}, late: s.lateUDP}
		h.admit = func(d datagram, from netip.AddrPort, size int) (func(Figures), bool) {
			return s.admitUDP(ctx, h, d, from, size)
		}
		b := append(wire(t, wireText), make([]byte, 1000)...)
		h.take(arrival{head: b[:headSize], size: len(b), from: netip.AddrPortFrom(from, 9999), at: time.Now()})
		for _, st := range h.streams {
			h.end(st, "")
		}
		h.wg.Wait()
	}
	sends := func() (n int) {
		s.wg.Wait()
		l.with(func() {
			for _, st := range l.streams {
				if st.Sends {
					n++
				}
			}
		})
		return n
	}
	short := strings.Replace(udpRev218, "ffffff38", "ffffffff", 1) // 10 ms
	ask(third, short)
	s.refused = time.Time{}
	ask(third, strings.Replace(udp218, "48010098", "c8010099", 1)) // -d
	ask(third, strings.Replace(udp218, "48010098", "c8010098", 1)) // -r
	if n := sends(); n != 0 {
		t.Fatalf("%d streams are sent to an address that only a datagram names", n)
	}
	if !l.told("it may be forged") || !l.told("--iperf2-trust ") {
		t.Errorf("not told: %q", l.notices)
	}
	ask(netip.MustParseAddr("198.51.100.7"), short)
	if n := sends(); n != 1 {
		t.Errorf("%d streams to a trusted address, want 1", n)
	}
	s.peers.meet(third, time.Now())
	ask(third, short)
	if n := sends(); n != 2 {
		t.Errorf("%d streams after a TCP connection from the address, want 2", n)
	}
	if s.peers.mayFlood(third, time.Now().Add(11*time.Minute)) {
		t.Error("an address is known for more than ten minutes")
	}
}

// TestAnswersAreNeverLongerThanQuestions counts what a UDP server sends for what it gets.
func TestAnswersAreNeverLongerThanQuestions(t *testing.T) {
	t.Parallel()
	port, _ := serve(t, ServerConfig{})
	for _, size := range []int{20, 56, 100, 1470} {
		conn := raw(t, "udp", port, nil)
		b := append(wire(t, udp218), make([]byte, 1470)...)
		in, out := 0, 0
		for _, n := range []int64{1, -2, -2, -2} {
			putNumber(b, n, time.Now(), true)
			in += size
			_, _ = conn.Write(b[:size])
			_ = conn.SetReadDeadline(time.Now().Add(120 * time.Millisecond))
			for {
				k, err := conn.Read(make([]byte, 4096))
				if err != nil {
					break
				}
				if n > 0 || k > size {
					t.Errorf("%d bytes in answer to datagram %d of %d bytes", k, n, size)
				}
				out += k
			}
		}
		if out > in || out == 0 && size >= 56 {
			t.Errorf("%d bytes out for %d in, datagrams of %d", out, in, size)
		}
	}
}

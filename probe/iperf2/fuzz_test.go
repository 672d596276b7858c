package iperf2

import (
	"encoding/binary"
	"testing"
	"time"
)

func FuzzClientHeader(f *testing.F) {
	for _, s := range []string{tcp218, reverse218, dual218, trade218, tcp205, dual205, trade205, tcp2013, rev2013} {
		f.Add(wire(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if len(b) < 4 {
			return
		}
		n, extension := headerLength(word(b, 0))
		if n != 0 && (n < baseSize || n > maxHeader) {
			t.Fatalf("header of %d bytes", n)
		}
		if extension && len(b) >= n {
			if k := extensionLength(b[:n]); k < 0 || n+k > maxHeader {
				t.Fatalf("extension of %d bytes", k)
			}
		}
		h, ok := parseHeader(b)
		if !ok {
			return
		}
		if d, bytes := h.asked(); d < 0 || d > 0 && bytes > 0 {
			t.Fatalf("asks for %v and %d bytes", d, bytes)
		}
		if r := h.bits(1470); r < 0 || r > 1e14 {
			t.Fatalf("rate %v", r)
		}
		s := &Server{cfg: ServerConfig{MaxTime: DefaultMaxTime}}
		if p := s.limits(h, 1e6); p.time <= 0 || p.time > DefaultMaxTime || p.length < 0 || p.length > 1<<20 {
			t.Fatalf("plan %+v", p)
		}
	})
}

func FuzzReport(f *testing.F) {
	for _, s := range []string{report218, report205, udp218, last205} {
		f.Add(wire(f, s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := parseReport(b)
		if err != nil {
			return
		}
		if r.Lost > r.Total || r.OutOfOrder > r.Total || r.Time < 0 || r.Jitter < 0 || !(r.LossRatio() >= 0 && r.LossRatio() <= 1) {
			t.Fatalf("%+v", r)
		}
	})
}

// FuzzDatagrams gives a session any datagrams: two bytes of length before each.
func FuzzDatagrams(f *testing.F) {
	pack := func(all ...string) (b []byte) {
		for _, s := range all {
			d := wire(f, s)
			b = append(binary.BigEndian.AppendUint16(b, uint16(len(d))), d...)
		}
		return b
	}
	f.Add(pack(udp218, last218))
	f.Add(pack(udp205, last205))
	f.Add(pack(dualUDP205, udp205, last205))
	f.Add(pack(udpRev218, udpPPS218, compat218, udp2013))
	f.Fuzz(func(t *testing.T, b []byte) {
		var s *session
		at := time.Unix(1_700_000_000, 0)
		for len(b) > 2 {
			n := min(int(binary.BigEndian.Uint16(b)), len(b)-2)
			d := b[2 : 2+n]
			b = b[2+n:]
			if s == nil {
				first, ok := parseDatagram(d)
				if !ok || first.number < 0 {
					continue
				}
				s = newSession(first, &reception{})
			}
			at = at.Add(time.Millisecond)
			if a := s.take(d, n, at); len(a) > n {
				t.Fatalf("%d bytes in answer to %d", len(a), n)
			}
			c := s.rec.Counts()
			if c.Lost > c.Total || c.Datagrams > c.Total || !(c.LossRatio() >= 0 && c.LossRatio() <= 1) || c.Jitter < 0 {
				t.Fatalf("%+v", c)
			}
		}
	})
}

package icmp

import (
	"errors"
	"net/netip"
	"os"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
	"whydrop/probe/rxtime"
	"whydrop/probe/sock"
)

const ms = time.Millisecond

// allowed skips the test where echo requests cannot be sent.
func allowed(t *testing.T, err error) {
	t.Helper()
	if errors.Is(err, ErrPermission) && os.Getenv("WHYDROP_REQUIRE_PEERS") != "1" {
		t.Skip(err)
	}
}

func TestMain(m *testing.M) {
	peertest.Parallel(8)
	os.Exit(m.Run())
}

func TestHeartbeatOverLoopback(t *testing.T) {
	for _, to := range []string{"127.0.0.1", "::1"} {
		t.Run(to, func(t *testing.T) {
			t.Parallel()
			allowed(t, Check(t.Context(), to))
			h := peertest.Run(t, &Pinger{Name: "a-b", To: to})
			h.Measures(4)
			s, path := h.Stop(), timeline.Path("a-b")
			for _, x := range s.Series(path, timeline.LossRoundTrip) {
				if x.Value != 0 || x.Origin.Collector != "icmp:a-b" {
					t.Errorf("%s is %v on loopback, from %s", x.Metric, x.Value, x.Origin.Collector)
				}
			}
			if e := s.EventsOf(path, timeline.EventProbeStart); len(e) != 1 || e[0].Attrs["kind"] != "icmp" || e[0].Attrs["to"] != to {
				t.Errorf("%d starts", len(e))
			}
		})
	}
}

func TestCheck(t *testing.T) {
	err := Check(t.Context(), "127.0.0.1")
	allowed(t, err)
	if err != nil {
		t.Errorf("the loopback address: %v", err)
	}
	if err := Check(t.Context(), ""); err == nil {
		t.Error("a host without address passed")
	}
}

// Answers that are not to our requests must not be believed.
func TestOnlyAnswersToOurRequestsCount(t *testing.T) {
	v4, v6 := netip.MustParseAddr("192.0.2.1"), netip.MustParseAddr("2001:db8::1")
	reply := func(to netip.Addr, id uint16, cookie, n uint64, change func([]byte)) []byte {
		b := request(nil, to, id, cookie, n)
		b[0] = 0
		if to.Is6() {
			b[0] = 129
		}
		if change != nil {
			change(b)
		}
		return b
	}
	tests := []struct {
		name string
		to   netip.Addr
		from netip.Addr
		data []byte
		want bool
	}{
		{"an answer", v4, v4, reply(v4, 7, 99, 70000, nil), true},
		{"an answer over IPv6", v6, v6, reply(v6, 7, 99, 70000, nil), true},
		{"from another host", v4, netip.MustParseAddr("192.0.2.2"), reply(v4, 7, 99, 70000, nil), false},
		{"to another program", v4, v4, reply(v4, 8, 99, 70000, nil), false},
		{"with another cookie", v4, v4, reply(v4, 7, 98, 70000, nil), false},
		{"to a request not yet sent", v4, v4, reply(v4, 7, 99, 80000, nil), false},
		{"with another sequence number", v4, v4, reply(v4, 7, 99, 70000, func(b []byte) { b[7]++ }), false},
		{"our own request, heard on loopback", v4, v4, request(nil, v4, 7, 99, 70000), false},
		{"cut short", v4, v4, reply(v4, 7, 99, 70000, nil)[:20], false},
		{"a destination that is unreachable", v4, v4, reply(v4, 7, 99, 70000, func(b []byte) { b[0] = 3 }), false},
		{"empty", v4, v4, nil, false},
	}
	for _, tt := range tests {
		w := wire{to: tt.to, cookie: 99, beats: 80000, socket: &socket{id: 7, raw: true}}
		n, ok := w.parse(rxtime.Packet{Data: tt.data, From: netip.AddrPortFrom(tt.from, 0)})
		if ok != tt.want || ok && n != 70000 {
			t.Errorf("%s: heartbeat %d, %v; want %v", tt.name, n, ok, tt.want)
		}
	}
}

func TestARequestSumsToNothing(t *testing.T) {
	if got := sock.Checksum(0, request(nil, netip.MustParseAddr("192.0.2.1"), 1, 2, 3)); got != 0 {
		t.Errorf("a request with its checksum sums to %04x, want 0", got)
	}
}

func FuzzParse(f *testing.F) {
	to := netip.MustParseAddr("192.0.2.1")
	b := request(nil, to, 7, 99, 3)
	f.Add(b, false)
	b[0] = 0
	f.Add(b, false)
	f.Add([]byte{129, 0, 0, 0, 0, 7, 0, 3}, true)
	f.Add([]byte{}, true)
	f.Fuzz(func(t *testing.T, data []byte, six bool) {
		w := wire{to: to, cookie: 99, beats: 5, socket: &socket{id: 7, raw: true}}
		if six {
			w.to = netip.MustParseAddr("2001:db8::1")
		}
		if n, ok := w.parse(rxtime.Packet{Data: data, From: netip.AddrPortFrom(w.to, 0)}); ok && n >= 5 {
			t.Errorf("heartbeat %d was never sent", n)
		}
	})
}

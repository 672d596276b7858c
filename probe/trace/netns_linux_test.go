package trace

import (
	"errors"
	"fmt"
	"math"
	"net/netip"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
	"whydrop/probe/sock"
)

const ms = time.Millisecond

func TestMain(m *testing.M) {
	peertest.Parallel(10)
	os.Exit(m.Run())
}

// trace runs a trace in the namespace of a.
func trace(t *testing.T, l *pathtest.Line, c Config) Result {
	t.Helper()
	var res Result
	var err error
	l.Do("a", func() { res, err = Run(t.Context(), c) })
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// without calls f on a thread that may not use raw sockets, in the namespace of a.
func without(t *testing.T, l *pathtest.Line, f func()) {
	t.Helper()
	l.Do("a", func() {
		h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
		var d [2]unix.CapUserData
		if err := unix.Capset(&h, &d[0]); err != nil {
			t.Errorf("give up rights: %v", err)
			return
		}
		f()
	})
}

// names returns who answered at each hop.
func names(r Result) string {
	var out []string
	for _, h := range r.Hops {
		out = append(out, h.Name())
	}
	return strings.Join(out, " ")
}

func TestEveryMethodFindsTheHops(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trh", 2)
	for _, method := range []Method{UDP, ICMP, TCP} {
		for _, v6 := range []bool{false, true} {
			for _, raw := range []bool{true, false} {
				t.Run(fmt.Sprintf("%s, IPv6 %v, raw %v", method, v6, raw), func(t *testing.T) {
					t.Parallel()
					c := Config{To: l.Address("b", v6), Method: method, Rounds: 3, Interval: 200 * ms, Wait: 300 * ms}
					var res Result
					var err error
					do := func(f func()) { l.Do("a", f) }
					if !raw {
						do = func(f func()) { without(t, l, f) }
					}
					do(func() { res, err = Run(t.Context(), c) })
					if err != nil {
						t.Fatal(err)
					}
					want := strings.Join([]string{l.Address("r1", v6), l.Address("r2", v6), l.Address("b", v6)}, " ")
					if names(res) != want || !res.Reached || res.Guessed > 0 {
						t.Fatalf("%s, reached %v, %d guessed; want %s", names(res), res.Reached, res.Guessed, want)
					}
					for _, h := range res.Hops {
						if h.Sent != 3 || h.Answered != 3 || h.Best <= 0 || h.Worst > 300*ms || len(h.From) != 1 {
							t.Errorf("hop %d: %+v", h.TTL, h)
						}
					}
					if m := res.Meaning(); !strings.Contains(m, "3 hops away") || !strings.Contains(m, "lost none") {
						t.Errorf("meaning: %s", m)
					}
				})
			}
		}
	}
}

func TestAMiddleHopThatLimitsItsAnswersLosesNothing(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trl", 2)
	l.Nft("r2", "out icmp type time-exceeded limit rate over 1/second burst 1 packets drop")
	res := trace(t, l, Config{To: l.Address("b", false), Rounds: 15, Interval: 200 * ms, Wait: 300 * ms})
	if len(res.Hops) != 3 || res.Hops[1].Loss() < 0.4 || res.Hops[2].Loss() != 0 {
		t.Fatalf("%+v", res.Hops)
	}
	if h := res.Hops[1]; !h.CountedOK || h.Counted != 0 {
		t.Errorf("hop 2 lost %.2f, counted %v %.2f; want 0 counted", h.Loss(), h.CountedOK, h.Counted)
	}
	if m := res.Meaning(); !strings.Contains(m, "lost none") || !strings.Contains(m, "limit on answers, not loss") || !strings.Contains(m, "hop 2") {
		t.Errorf("meaning: %s", m)
	}
}

func TestLossThatReachesTheTargetBeginsWhereItDoes(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trb", 3)
	// Behind r2, a third of everything is lost; r1 answers for half of what it is asked.
	l.Nft("r2", "pass meta l4proto { udp, tcp } numgen inc mod 3 == 0 drop")
	l.Nft("r1", "out icmp type time-exceeded numgen inc mod 2 == 0 drop")
	res := trace(t, l, Config{To: l.Address("b", false), Rounds: 20, Interval: 200 * ms, Wait: 300 * ms})
	if len(res.Hops) != 4 || math.Abs(res.Hops[3].Loss()-0.33) > 0.25 {
		t.Fatalf("%+v", res.Hops)
	}
	if c := res.Hops[0].Counted; c != 0 {
		t.Errorf("%.2f counted at hop 1", c)
	}
	if m := res.Meaning(); !strings.Contains(m, "between hop 2 ("+l.Address("r2", false)+") and hop 3") {
		t.Errorf("meaning: %s", m)
	}
}

func TestWhatRefusesAndWhatIsDarkIsSaid(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trr", 2)
	c := Config{To: l.Address("b", false), Rounds: 2, Interval: 200 * ms, Wait: 200 * ms}
	l.Nft("r2", "pass udp dport 33434 reject with icmpx admin-prohibited")
	res := trace(t, l, c)
	if res.Reached || res.Refused != "administratively prohibited" || !strings.Contains(res.Meaning(), "hop 2 ("+l.Address("r2", false)+") says") {
		t.Errorf("refused: %s %+v", res.Meaning(), res)
	}
	l.Nft("r2", "pass udp dport 33434 drop")
	res = trace(t, l, c)
	if res.Reached || !strings.Contains(res.Meaning(), "the last that does is hop 1") && !strings.Contains(res.Meaning(), "the last that does is hop 2") {
		t.Errorf("dark: %s", res.Meaning())
	}
	l.Nft("r1", "pass drop")
	c.Method = TCP
	if res = trace(t, l, c); res.Reached || len(res.Hops) > 1 {
		t.Errorf("dark behind hop 1: %+v", res)
	}
}

func TestAPortThatAcceptsIsTheTarget(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trt", 1)
	var fd int
	l.Do("b", func() {
		s, err := sock.New(netip.MustParseAddr("127.0.0.1"), unix.SOCK_STREAM, 0)
		if err == nil {
			err = unix.Bind(s.FD, &unix.SockaddrInet4{Port: 80})
		}
		if err == nil {
			err = unix.Listen(s.FD, 100)
		}
		if err != nil {
			t.Error(err)
		}
		fd = s.FD
	})
	defer unix.Close(fd)
	for _, raw := range []bool{true, false} {
		c := Config{To: l.Address("b", false), Method: TCP, Port: 80, Rounds: 3, Interval: 200 * ms, Wait: 300 * ms}
		var res Result
		var err error
		if raw {
			l.Do("a", func() { res, err = Run(t.Context(), c) })
		} else {
			without(t, l, func() { res, err = Run(t.Context(), c) })
		}
		if err != nil || !res.Reached || len(res.Hops) != 2 || res.Hops[1].Answered != 3 {
			t.Errorf("raw %v: %v %+v", raw, err, res)
		}
		accepted := 0
		for ; ; accepted++ {
			a, _, err := unix.Accept(fd)
			if err != nil {
				break
			}
			unix.Close(a)
		}
		if raw && accepted > 0 {
			t.Errorf("the far program saw %d connections of a raw trace", accepted)
		}
	}
}

// All packets of a trace are one flow: a router that lets one source port through lets the whole trace through.
func TestOneFlow(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trf", 1)
	for _, method := range []Method{UDP, TCP} {
		l.Nft("r1", "pass meta iifname left th sport != 40123 drop", "in th sport != 40123 drop")
		c := Config{To: l.Address("b", false), Method: method, SrcPort: 40123, Rounds: 3, Interval: 200 * ms, Wait: 300 * ms}
		res := trace(t, l, c)
		if len(res.Hops) != 2 || res.Hops[1].Answered != 3 || res.SrcPort != 40123 {
			t.Errorf("%s, the port let through: %+v", method, res)
		}
		c.SrcPort++
		if res = trace(t, l, c); res.Reached {
			t.Errorf("%s, another port: %+v", method, res)
		}
	}
}

func TestLargePacketsAreNotCutUp(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trs", 2)
	l.MTU("r1", 1400, 1400)
	for _, method := range []Method{UDP, ICMP} {
		c := Config{To: l.Address("b", false), Method: method, Size: 1400, Rounds: 2, Interval: 200 * ms, Wait: 300 * ms}
		if res := trace(t, l, c); !res.Reached || len(res.Hops) != 3 {
			t.Errorf("%s, 1400 bytes: %+v", method, res)
		}
		c.Size = 1401
		res := trace(t, l, c)
		if res.Reached || res.Refused != "too big, the next link takes 1400 bytes" {
			t.Errorf("%s, 1401 bytes: %+v", method, res)
		}
		c.Size = 1501 // more than the own link takes
		l.Do("a", func() {
			if _, err := Run(t.Context(), c); err == nil {
				t.Errorf("%s, 1501 bytes: no error", method)
			}
		})
	}
}

// What macOS and the BSDs use works on Linux too, for root.
func TestWithoutAnErrorQueue(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-trp", 2)
	for _, method := range []Method{UDP, ICMP} {
		for _, v6 := range []bool{false, true} {
			c := Config{To: l.Address("b", v6), Method: method, Rounds: 2, Interval: 200 * ms, Wait: 300 * ms}.withDefaults()
			l.Do("a", func() {
				to := netip.MustParseAddr(c.To)
				w, err := openPortable(c, to)
				if err != nil {
					t.Error(err)
					return
				}
				defer w.close()
				e := newEngine(c, to, w)
				e.run(t.Context())
				res := e.summary()
				want := strings.Join([]string{l.Address("r1", v6), l.Address("r2", v6), l.Address("b", v6)}, " ")
				if names(res) != want || !res.Reached || res.Guessed > 0 || res.Hops[2].Answered != 2 || res.Hops[2].Said != "" {
					t.Errorf("%s, IPv6 %v: %s, want %s: %+v", method, v6, names(res), want, res)
				}
			})
		}
	}
	without(t, l, func() {
		if _, err := openPortable(Config{Method: UDP, Port: 33434}, netip.MustParseAddr("10.78.0.2")); !errors.Is(err, ErrPermission) {
			t.Errorf("without rights: %v", err)
		}
	})
	if _, err := openPortable(Config{Method: TCP}, netip.MustParseAddr("10.78.0.2")); !errors.Is(err, ErrUnsupported) {
		t.Errorf("TCP: %v", err)
	}
}

// Where ping sockets are not allowed, root takes a raw one, and nobody else has any.
func TestEchoByARawSocket(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-tre", 2)
	l.Exec("a", "sysctl", "-qw", "net.ipv4.ping_group_range=1 0")
	for _, v6 := range []bool{false, true} {
		c := Config{To: l.Address("b", v6), Method: ICMP, Rounds: 2, Interval: 200 * ms, Wait: 300 * ms}
		res := trace(t, l, c)
		want := strings.Join([]string{l.Address("r1", v6), l.Address("r2", v6), l.Address("b", v6)}, " ")
		if names(res) != want || !res.Reached || res.Hops[2].Answered != 2 {
			t.Errorf("IPv6 %v: %s, want %s: %+v", v6, names(res), want, res)
		}
		without(t, l, func() {
			if _, err := Run(t.Context(), c); !errors.Is(err, ErrPermission) || !strings.Contains(err.Error(), "ping_group_range") {
				t.Errorf("IPv6 %v, without rights: %v", v6, err)
			}
		})
	}
}

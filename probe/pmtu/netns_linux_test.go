package pmtu

import (
	"context"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
	"whydrop/probe/stamp"
)

func TestMain(m *testing.M) {
	peertest.Parallel(10)
	os.Exit(m.Run())
}

// reflect runs a STAMP reflector at b until the test ends; if key is not empty, one that answers what is signed with it.
func reflect(t *testing.T, l *pathtest.Line, key []byte) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	for _, network := range []string{"udp4", "udp6"} {
		var conn net.PacketConn
		l.Do("b", func() {
			var err error
			if conn, err = net.ListenPacket(network, ":862"); err != nil {
				t.Error(err)
			}
		})
		if conn != nil {
			wg.Go(func() { _ = (&stamp.Reflector{Key: key}).Serve(ctx, conn) })
		}
	}
	t.Cleanup(func() { cancel(); wg.Wait() })
}

func run(t *testing.T, l *pathtest.Line, c Config) Result {
	t.Helper()
	var r Result
	var err error
	l.Do("a", func() { r, err = Run(t.Context(), c) })
	if err != nil {
		t.Fatalf("%v, after %+v", err, r.Steps)
	}
	return r
}

func TestAHoleOf1400WithAndWithoutAWord(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmh", 2)
	reflect(t, l, nil)
	l.MTU("r1", 1400, 1400)
	for _, hole := range []bool{false, true} {
		if hole {
			l.Nft("r1", "out icmp type destination-unreachable icmp code frag-needed drop", "out icmpv6 type packet-too-big drop")
		}
		var wg sync.WaitGroup
		for _, v6 := range []bool{false, true} {
			for _, k := range []Means{STAMP, ICMP} {
				wg.Go(func() {
					var r Result
					var err error
					l.Do("a", func() { r, err = Run(t.Context(), Config{To: l.Address("b", v6), Means: k, STAMPPort: 862}) })
					name := fmt.Sprintf("%s, IPv6 %v, black hole %v", k, v6, hole)
					if err != nil {
						t.Errorf("%s: %v", name, err)
						return
					}
					checkHole(t, name, r, hole, l.Address("r1", v6), l.Address("r2", v6))
				})
			}
		}
		wg.Wait()
	}
}

// checkHole checks that 1400 bytes were found between two routers.
func checkHole(t *testing.T, name string, r Result, hole bool, r1, r2 string) {
	t.Logf("%s: %d packets, %.1f s: %s", name, r.Sent, r.Seconds, r.Meaning())
	if r.MTU != 1400 || r.OwnMTU != 1500 || r.Back != 1400 || r.BackEnds != OwnLink {
		t.Errorf("%s: MTU %d of %d, %d back, ends by %q: %+v", name, r.MTU, r.OwnMTU, r.Back, r.BackEnds, r.Steps)
	}
	switch {
	case !hole && (r.Ends != Router || r.Said.By.String() != r1 || r.Said.MTU != 1400):
		t.Errorf("%s: ends by %s, said %+v, want %s: %+v", name, r.Ends, r.Said, r1, r.Steps)
	case hole && (r.Ends != BlackHole || r.Behind.Addr.String() != r1 || r.Before.Addr.String() != r2):
		t.Errorf("%s: ends by %s between %+v and %+v, want %s and %s", name, r.Ends, r.Behind, r.Before, r1, r2)
	}
}

// A reflector with a key counts and answers what is signed with it, and nothing else: then it goes by other means.
func TestAFarEndWithAKey(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmk", 1)
	key := []byte("correct horse")
	reflect(t, l, key)
	l.MTU("r1", 1400, 1500)
	for _, v6 := range []bool{false, true} {
		to := l.Address("b", v6)
		r := run(t, l, Config{To: to, STAMPPort: 862, STAMPKey: key})
		if r.Means != STAMP || r.MTU != 1400 || r.Ends != Router || r.Back != 1400 || r.Steps[len(r.Steps)-1].Arrived < 0 {
			t.Errorf("IPv6 %v: %+v", v6, r)
		}
		if r := run(t, l, Config{To: to, STAMPPort: 862, STAMPKey: []byte("wrong horse"), Max: 1300}); r.Means != ICMP || r.MTU != 1300 {
			t.Errorf("with another key, IPv6 %v: %+v", v6, r)
		}
	}
}

func TestAWayBackThatIsNarrower(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmb", 1)
	reflect(t, l, nil)
	to := l.Address("b", false)
	// Silently: what comes from b and is longer vanishes.
	l.Nft("r1", "pass meta iifname right meta length > 1300 drop")
	r := run(t, l, Config{To: to, STAMPPort: 862})
	if r.Means != STAMP || r.MTU != 1500 || r.Ends != OwnLink || r.Back != 1300 || r.BackEnds != BlackHole {
		t.Errorf("silent: %+v", r)
	}
	t.Log(r.Meaning())
	// By a router that fragments.
	l.Nft("r1")
	l.Exec("r1", "ip", "route", "replace", "10.78.0.0/24", "dev", "left", "mtu", "1300")
	for _, k := range []Means{STAMP, ICMP} {
		r = run(t, l, Config{To: to, Means: k, STAMPPort: 862})
		if r.MTU != 1500 || r.Ends != OwnLink || r.Back < 1292 || r.Back > 1300 || r.BackEnds != Router {
			t.Errorf("%s, in fragments: %+v", k, r)
		}
		t.Log(r.Meaning())
	}
}

// A link whose ends differ: one sends what the other does not take, and knows nothing of it.
func TestALinkWhoseEndsDiffer(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pml", 2)
	l.MTU("r1", 1500, 1400)
	r := run(t, l, Config{To: l.Address("b", false)})
	// The Linux interface takes a VLAN tag more than its MTU (1404).
	if r.Means != ICMP || r.MTU < 1400 || r.MTU > 1404 || r.Ends != BlackHole || r.Behind.TTL != 1 || r.Before.TTL != 2 {
		t.Errorf("%+v", r)
	}
	if m := r.Meaning(); !strings.Contains(m, "between hop 1") || !strings.Contains(m, "MSS") {
		t.Error(m)
	}
}

func TestAWholePathAndAnOldEntry(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmw", 1)
	to := l.Address("b", false)
	l.Exec("a", "ip", "route", "replace", to+"/32", "via", "10.78.0.2", "mtu", "1200")
	r := run(t, l, Config{To: to})
	if r.MTU != 1500 || r.Ends != OwnLink || r.Back != 1500 || r.Believed != 1200 || !strings.Contains(r.Meaning(), "1200") {
		t.Errorf("%s %+v", r.Meaning(), r)
	}
	r = run(t, l, Config{To: to, Means: UDP})
	if r.MTU != 1500 || r.Ends != OwnLink || r.Back != 0 {
		t.Errorf("by refusals: %+v", r)
	}
	l.Nft("r1", "pass drop")
	l.Do("a", func() {
		began := time.Now()
		if _, err := Run(t.Context(), Config{To: to, Means: ICMP}); err == nil || time.Since(began) > 5*time.Second {
			t.Errorf("a dark path: %v after %s", err, time.Since(began))
		}
	})
}

func TestJumboFramesBothWays(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmj", 1)
	reflect(t, l, nil)
	l.MTU("a", 9000, 9000)
	l.MTU("r1", 9000, 9000)
	for _, v6 := range []bool{false, true} {
		if r := run(t, l, Config{To: l.Address("b", v6), STAMPPort: 862}); r.Means != STAMP || r.MTU != 9000 || r.Back != 9000 || r.BackEnds != OwnLink {
			t.Errorf("IPv6 %v: %+v", v6, r)
		}
	}
}

func TestLossIsNoHole(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pmr", 1)
	l.Nft("r1", "pass numgen random mod 100 < 15 drop")
	l.MTU("r1", 1452, 1500)
	r := run(t, l, Config{To: l.Address("b", false), Means: ICMP})
	if r.MTU != 1452 || r.Ends != Router {
		t.Errorf("with 15 %% of loss: %+v", r)
	}
}

// Where ping sockets are not allowed, root takes a raw one; others go by the refusals of a closed port.
func TestEchoByARawSocket(t *testing.T) {
	t.Parallel()
	l := pathtest.NewLine(t, "wdpath-pme", 1)
	l.Exec("a", "sysctl", "-qw", "net.ipv4.ping_group_range=1 0")
	l.MTU("r1", 1420, 1420)
	for _, v6 := range []bool{false, true} {
		r := run(t, l, Config{To: l.Address("b", v6), Means: ICMP})
		if r.MTU != 1420 || r.Ends != Router || r.Back != 1420 {
			t.Errorf("IPv6 %v: %+v", v6, r)
		}
	}
}

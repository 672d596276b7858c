package iperf3

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
)

// TestMain makes the test's program a client or a far end where a test wants one in a network namespace.
func TestMain(m *testing.M) {
	if text := os.Getenv("WHYDROP_TEST_CLIENT"); text != "" {
		os.Exit(helperClient(text))
	}
	if address := os.Getenv("WHYDROP_TEST_SERVER"); address != "" {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		if err := Serve(ctx, ServerConfig{Address: address}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	peertest.Parallel(6) // most of their time is waiting for tests of a second
	os.Exit(m.Run())
}

// helperClient runs one test and says in a line how it went.
func helperClient(text string) int {
	var t Test
	if err := json.Unmarshal([]byte(text), &t); err != nil {
		fmt.Println(err)
		return 2
	}
	r, err := Run(context.Background(), t, time.Second, Handler{})
	if err != nil || r.Far == nil {
		fmt.Println(err, r.FarProblem)
		return 1
	}
	for _, c := range r.Connections {
		if a, ok := c.Remote.(interface{ String() string }); !ok || !strings.Contains(a.String(), "%") {
			fmt.Println("the zone is gone:", c.Remote)
			return 1
		}
	}
	for _, d := range r.Directions() {
		fmt.Println(d.Sent.Bytes(), d.Received.Bytes())
	}
	return 0
}

// named returns nftables' own counts of packets, by the counter's name.
func (n *network) named() map[string]uint64 {
	n.t.Helper()
	out := n.Output("r1", "nft", "-j", "list", "counters", "table", "inet", "f")
	var doc struct {
		Nftables []struct {
			Counter *struct {
				Name    string
				Packets uint64
			}
		}
	}
	if err := json.Unmarshal(out, &doc); err != nil {
		n.t.Fatal(err)
	}
	counts := map[string]uint64{}
	for _, e := range doc.Nftables {
		if e.Counter != nil {
			counts[e.Counter.Name] = e.Counter.Packets
		}
	}
	return counts
}

// TestDatagramsAreCountedAsTheRouterDoes holds both ends' counts against nftables', on a clean path and with one
// datagram of a hundred dropped.
func TestDatagramsAreCountedAsTheRouterDoes(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	in := func(open func() (net.Conn, error)) (net.Conn, error) { return pathtest.In(n.Line, "b", open) }
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	cfg := ServerConfig{Listener: n.listen(), inside: in}
	go func() { done <- Serve(ctx, cfg) }()
	defer func() { cancel(); <-done }()
	for _, c := range []string{"passed", "dropped"} {
		n.Exec("r1", "nft", "add counter inet f "+c)
	}
	for _, drop := range []bool{false, true} {
		for _, reverse := range []bool{false, true} {
			t.Run(fmt.Sprintf("drop %v reverse %v", drop, reverse), func(t *testing.T) {
				n.open()
				n.Exec("r1", "nft", "reset counters table inet f")
				if drop {
					n.rule("udp length > 500 numgen random mod 100 < 1 counter name dropped drop")
				}
				n.rule("udp length > 500 counter name passed")
				r, err := Run(t.Context(), Test{Address: addrB + ":5201", UDP: true, Reverse: reverse, Time: time.Second, Rate: 40e6, Length: 1000, Dial: n.dial}, time.Second, Handler{})
				if err != nil || r.Far == nil {
					t.Fatal(err, r.FarProblem)
				}
				l, _ := r.Directions()[0].TotalLoss()
				counts := n.named()
				host := l.HostDropped.Or(0)
				if l.Sent != counts["passed"]+counts["dropped"] || l.Lost != counts["dropped"]+host || l.Received != counts["passed"]-host {
					t.Errorf("we say %+v, the router passed %d and dropped %d", l, counts["passed"], counts["dropped"])
				}
				if l.Sent < 2000 || drop && l.Lost == 0 || l.OutOfOrder.Or(0)+l.Duplicates.Or(0) > 0 {
					t.Errorf("%+v on this path", l)
				}
			})
		}
	}
	t.Run("datagrams that do not fit", func(t *testing.T) {
		n.open()
		_, err := Run(t.Context(), Test{Address: addrB + ":5201", UDP: true, Reverse: true, Time: 200 * time.Millisecond, Rate: 1e6, Length: 3000, DontFragment: true, Dial: n.dial}, time.Second, Handler{})
		if !errors.Is(err, errNothingSent) {
			t.Errorf("got %v, want that nothing was sent", err)
		}
	})
}

// TestLinkLocalZoneIsKept: every socket of a test knows on which link its peer is.
func TestLinkLocalZoneIsKept(t *testing.T) {
	t.Parallel()
	n := newNetwork(t)
	peertest.Need(t, "iperf3")
	n.Exec("a", "ip", "addr", "add", "fe80::a/64", "dev", "right", "nodad")
	n.Exec("r1", "ip", "addr", "add", "fe80::b/64", "dev", "left", "nodad")
	start := func(env string, name string, args ...string) {
		ctx, cancel := context.WithCancel(context.Background())
		cmd := exec.CommandContext(ctx, "ip", append([]string{"netns", "exec", n.NS("r1"), name}, args...)...)
		cmd.Env = append(os.Environ(), env)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { cancel(); _ = cmd.Wait() })
	}
	start("WHYDROP_TEST_SERVER=[fe80::b%left]:5201", os.Args[0])
	start("A=B", "iperf3", "-s", "-p", "5301")
	for _, port := range []string{"5201", "5301"} {
		peertest.Await(t, "port "+port+" listens", func() bool {
			out, _ := exec.Command("ip", "netns", "exec", n.NS("r1"), "ss", "-Hltn", "sport = :"+port).Output()
			return len(out) > 0
		})
		for _, udp := range []bool{false, true} {
			t.Run(fmt.Sprintf("port %s UDP %v", port, udp), func(t *testing.T) {
				test := fmt.Sprintf(`{"Address":"[fe80::b%%right]:%s","UDP":%v,"Bidirectional":true,"Time":300000000,"Rate":5e6,"Length":1000,"LocalAddress":"fe80::a%%right","TOS":16}`, port, udp)
				cmd := exec.Command("ip", "netns", "exec", n.NS("a"), os.Args[0])
				cmd.Env = append(os.Environ(), "WHYDROP_TEST_CLIENT="+test)
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Errorf("%v: %s", err, out)
				}
			})
		}
	}
}

package stream

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// pairOfHosts is two namespaces with a veth pair between them; b counts and drops what comes in.
type pairOfHosts struct {
	t    *testing.T
	a, b string
}

const hostA, hostB = "10.78.0.1", "10.78.0.2"

func newPairOfHosts(t *testing.T) *pairOfHosts {
	t.Helper()
	skip := t.Skip
	if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		skip = t.Fatal
	}
	if os.Geteuid() != 0 {
		skip("network namespaces need root")
	}
	for _, tool := range []string{"ip", "nft", "ethtool", "ping"} {
		if _, err := exec.LookPath(tool); err != nil {
			skip(err)
		}
	}
	id := fmt.Sprintf("wdstream-%d-%d-", os.Getpid(), time.Now().UnixNano()%1e6)
	p := &pairOfHosts{t, id + "a", id + "b"}
	t.Cleanup(func() {
		for _, ns := range []string{p.a, p.b} {
			_ = exec.Command("ip", "netns", "del", ns).Run()
		}
	})
	for _, line := range []string{
		"netns add " + p.a, "netns add " + p.b,
		"link add eth0 netns " + p.a + " type veth peer name eth0 netns " + p.b,
		"-n " + p.a + " addr add " + hostA + "/24 dev eth0", "-n " + p.b + " addr add " + hostB + "/24 dev eth0",
		"-n " + p.a + " link set eth0 up", "-n " + p.b + " link set eth0 up",
	} {
		p.run("ip", strings.Fields(line)...)
	}
	p.in(p.a, "ping", "-q", "-c", "1", "-w", "5", hostB) // the link is up, and the neighbour known
	return p
}

func (p *pairOfHosts) run(name string, args ...string) []byte {
	p.t.Helper()
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		p.t.Fatalf("%s %s: %v: %s", name, strings.Join(args, " "), err, out)
	}
	return out
}

func (p *pairOfHosts) in(ns, name string, args ...string) []byte {
	p.t.Helper()
	return p.run("ip", append([]string{"netns", "exec", ns, name}, args...)...)
}

// count counts what comes in for a UDP port at b, and drops the share of 10000 of it.
func (p *pairOfHosts) count(port, drop int) {
	p.t.Helper()
	rules := fmt.Sprintf("table ip t {\ncounter came { }\ncounter dropped { }\nchain in {\n"+
		"type filter hook prerouting priority 0\nudp dport %d counter name came\n", port)
	if drop > 0 {
		rules += fmt.Sprintf("udp dport %d numgen random mod 10000 < %d counter name dropped drop\n", port, drop)
	}
	rules += "}\n}\n"
	p.in(p.b, "nft", rules)
}

// counted returns how many packets nftables counted.
func (p *pairOfHosts) counted() (came, dropped uint64) {
	p.t.Helper()
	var list struct {
		NFTables []struct {
			Counter struct {
				Name    string
				Packets uint64
			}
		}
	}
	if err := json.Unmarshal(p.in(p.b, "nft", "-j", "list", "counters"), &list); err != nil {
		p.t.Fatal(err)
	}
	for _, l := range list.NFTables {
		switch l.Counter.Name {
		case "came":
			came = l.Counter.Packets
		case "dropped":
			dropped = l.Counter.Packets
		}
	}
	return came, dropped
}

// inside runs f on a thread that stands in the namespace.
func inside[T any](t *testing.T, ns string, f func() (T, error)) T {
	t.Helper()
	var v T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // and not unlocked: the thread ends with the goroutine
		var fd int
		if fd, err = unix.Open("/run/netns/"+ns, unix.O_RDONLY|unix.O_CLOEXEC, 0); err != nil {
			return
		}
		defer unix.Close(fd)
		if err = unix.Setns(fd, unix.CLONE_NEWNET); err == nil {
			v, err = f()
		}
	}()
	<-done
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestDatagramCountsAreThoseOfTheFirewall(t *testing.T) {
	tests := []struct {
		name  string
		rate  float64
		n     uint64 // datagrams
		drop  int    // of 10000
		room  int    // receive buffer
		whole bool
	}{
		{"a clean path", 200e6, 8_000, 0, 16 << 20, false},
		{"a clean path, as fast as it goes", 0, 100_000, 0, 64 << 20, false},
		{"1 % lost", 400e6, 30_000, 100, 16 << 20, false},
		{"1 % lost, as fast as it goes", 0, 150_000, 100, 64 << 20, false},
		{"1 % lost and a host without room", 0, 100_000, 100, 100 << 10, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := newPairOfHosts(t)
			// The firewall counts datagrams, not the pieces that the kernel moves.
			p.in(p.a, "ethtool", "-K", "eth0", "tx-udp-segmentation", "off")
			server := inside(t, p.b, func() (*net.UDPConn, error) { return net.ListenUDP("udp4", &net.UDPAddr{}) })
			defer server.Close()
			port := server.LocalAddr().(*net.UDPAddr).Port
			p.count(port, tt.drop)
			client := inside(t, p.a, func() (net.Conn, error) { return net.Dial("udp4", net.JoinHostPort(hostB, strconv.Itoa(port))) })
			defer client.Close()
			GrowReceiveBuffer(server, tt.room)
			rec := &Reception{Start: 1}
			ctx, cancel := context.WithCancel(t.Context())
			var wg sync.WaitGroup
			wg.Go(func() {
				if err := (&DatagramReceiver{Parse: testParse, Whole: tt.whole, Count: rec}).Run(ctx, server); err != nil {
					t.Error(err)
				}
			})
			var sent DatagramCount
			s := DatagramSender{Rate: tt.rate, Length: 1470, First: 1, Fill: testFill, Budget: NewBudget(tt.n * 1470), Count: &sent}
			if err := s.Run(t.Context(), client); err != nil {
				t.Error(err)
			}
			came, dropped := p.counted()
			until(t, "what came is read", func() bool {
				return time.Since(rec.Counts().Read) > 200*time.Millisecond
			})
			cancel()
			wg.Wait()
			c := rec.Counts()
			rec.Finish(c.Dropped, c.Known, sent.Sent().Datagrams)
			c = rec.Counts()
			t.Logf("sent %d (%s), %+v, firewall %d dropped", sent.Sent().Datagrams, sent.Sent().Path, c, dropped)
			if n := sent.Sent().Datagrams; n != tt.n || n != came {
				t.Errorf("counted %d sent, the firewall %d, want %d", n, came, tt.n)
			}
			if c.Expected != tt.n || c.Datagrams+c.Lost != tt.n || c.Reordered+c.Duplicates+c.Foreign != 0 {
				t.Errorf("of %d: %+v", tt.n, c)
			}
			if c.Lost != dropped+c.HostDropped {
				t.Errorf("lost %d, of which %d by the host; the firewall dropped %d", c.Lost, c.HostDropped, dropped)
			}
			if net, want := float64(c.Lost-c.HostDropped)/float64(tt.n), float64(tt.drop)/1e4; net < want-0.003 || net > want+0.003 {
				t.Errorf("the network lost %.3f %%, want %.1f %%", net*100, want*100)
			}
		})
	}
}

func TestAFastTransferOutlivesAnOutage(t *testing.T) {
	p := newPairOfHosts(t)
	l := inside(t, p.b, func() (net.Listener, error) { return Socket{}.Listen(t.Context(), "tcp", hostB+":0") })
	defer l.Close()
	client := inside(t, p.a, func() (net.Conn, error) {
		return Socket{}.Dialer(5*time.Second).DialContext(t.Context(), "tcp", l.Addr().String())
	})
	defer client.Close()
	server, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var sent, got Count
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := (&Receiver{Count: &got}).Run(t.Context(), server); err != nil {
			t.Error(err)
		}
	})
	ended := make(chan error, 1)
	go func() { ended <- (&Sender{Count: &sent}).Run(ctx, client) }()

	flows := func(what string) {
		t.Helper()
		n := got.Bytes()
		until(t, what, func() bool { return got.Bytes() > n+1<<20 })
	}
	dark := func() {
		t.Helper()
		p.in(p.b, "nft", "add table ip d; add chain ip d in { type filter hook prerouting priority 0; policy drop; }")
		until(t, "it stands still", func() bool {
			return sent.Blocked() > 200*time.Millisecond && got.Blocked() > 200*time.Millisecond
		})
	}
	flows("data flows")
	dark()
	p.in(p.b, "nft", "delete table ip d")
	flows("data flows again")
	dark()
	start := time.Now()
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	if d := time.Since(start); d > time.Second {
		t.Errorf("it ends %v after it should", d)
	}
	p.in(p.b, "nft", "delete table ip d")
	client.Close()
	wg.Wait()
	if sent.Bytes() != got.Bytes() || sent.Path() != PathSplice || got.Path() != PathDiscard {
		t.Errorf("sent %d by %q, received %d by %q", sent.Bytes(), sent.Path(), got.Bytes(), got.Path())
	}
}

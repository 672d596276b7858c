package host

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// The tests in this file give the sampler a network of its own: a namespace whose card is one end of a veth and whose
// peer is in another one.
const (
	inNamespace = "WHYDROP_HOST_TEST_NAMESPACE" // set in the process that runs inside
	ownAddress  = "10.78.1.1"
	farAddress  = "10.78.1.2"
)

// namespaces counts those that were made, so that tests may run beside each other.
var namespaces atomic.Int32

// inside runs the calling test again in a namespace of its own and says whether it is there now.
func inside(t *testing.T) bool {
	t.Helper()
	if os.Getenv(inNamespace) != "" {
		return true
	}
	t.Parallel()
	need := func(reason string) {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(reason)
		}
		t.Skip(reason)
	}
	if os.Getuid() != 0 {
		need("namespaces need root")
	}
	for _, p := range []string{"ip", "tc"} {
		if _, err := exec.LookPath(p); err != nil {
			need(err.Error())
		}
	}
	n := namespaces.Add(1)
	near, far := fmt.Sprintf("wdhost-a%d-%d", os.Getpid(), n), fmt.Sprintf("wdhost-b%d-%d", os.Getpid(), n)
	for _, ns := range []string{near, far} {
		if err := exec.Command("ip", "netns", "add", ns).Run(); err != nil {
			need("ip netns add: " + err.Error())
		}
		t.Cleanup(func() { _ = exec.Command("ip", "netns", "del", ns).Run() })
		command(t, "ip", "-n", ns, "link", "set", "lo", "up")
	}
	command(t, "ip", "-n", near, "link", "add", "card", "type", "veth", "peer", "name", "card", "netns", far)
	for ns, a := range map[string]string{near: ownAddress, far: farAddress} {
		command(t, "ip", "-n", ns, "addr", "add", a+"/24", "dev", "card")
		command(t, "ip", "-n", ns, "link", "set", "card", "up")
	}
	cmd := exec.Command("ip", "netns", "exec", near, os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), inNamespace+"="+far)
	out, err := cmd.CombinedOutput()
	t.Logf("inside:\n%s", out)
	if err != nil {
		t.Error(err)
	}
	return false
}

func command(t *testing.T, name string, args ...string) {
	t.Helper()
	if out, err := exec.Command(name, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// sampling runs a sampler beside the test and returns what takes its end. It waits until the card is watched.
func sampling(t *testing.T) (end func() timeline.Snapshot) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	store := &timeline.Store{}
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := (&Sampler{Name: "a-b", To: []string{farAddress}}).Probe(ctx, store); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	for end := time.Now().Add(3 * time.Second); len(store.Snapshot().EventsOf(local, timeline.EventNIC)) == 0 && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	return func() timeline.Snapshot {
		cancel()
		wg.Wait()
		return store.Snapshot()
	}
}

func total(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) float64 {
	sum := 0.0
	for _, x := range s.Series(sub, m) {
		sum += x.Value * x.Span.Width().Seconds()
	}
	return sum
}

func TestCarrierOfTheOwnLink(t *testing.T) {
	if !inside(t) {
		return
	}
	far := os.Getenv(inNamespace)
	end := sampling(t)
	type moment struct {
		from, until time.Time // the command's own time
		to          string
	}
	var want []moment
	for _, to := range []string{"down", "up", "down", "up"} {
		from := time.Now()
		command(t, "ip", "-n", far, "link", "set", "card", to)
		want = append(want, moment{from, time.Now(), to})
		time.Sleep(300 * time.Millisecond)
	}
	s := end()
	card := timeline.Port(timeline.LocalHost, "card")
	got := s.EventsOf(card, timeline.EventOper)
	if len(got) != len(want) {
		t.Fatalf("got %d events, want %d: %+v", len(got), len(want), got)
	}
	for i, w := range want {
		e := got[i]
		t.Logf("%s: a command of %.1f ms, found %.1f to %.1f ms after it began", w.to, w.until.Sub(w.from).Seconds()*1e3,
			e.Span.From.Sub(w.from).Seconds()*1e3, e.Span.To.Sub(w.from).Seconds()*1e3)
		// The commands are further apart than that.
		if e.Attrs["to"] != w.to || !e.Span.Overlaps(timeline.Span{From: w.from, To: w.until.Add(100 * time.Millisecond)}) {
			t.Errorf("got %s from %s to %s, want %s between %s and %s", e.Attrs["to"], e.Span.From, e.Span.To, w.to, w.from, w.until)
		}
	}
}

func TestDropsOfATinyReceiveBufferAreCountedExactly(t *testing.T) {
	if !inside(t) {
		return
	}
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := conn.SetReadBuffer(4096); err != nil {
		t.Fatal(err)
	}
	before, err := ReadUDP()
	if err != nil {
		t.Fatal(err)
	}
	end := sampling(t)
	time.Sleep(1100 * time.Millisecond) // the first second is over
	out, err := net.DialUDP("udp4", nil, conn.LocalAddr().(*net.UDPAddr))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	const sent = 1000
	for range sent {
		if _, err := out.Write(make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	time.Sleep(1500 * time.Millisecond)
	s := end()
	after, err := ReadUDP()
	if err != nil {
		t.Fatal(err)
	}
	got, drops := 0, uint64(after.Full-before.Full)
	_ = conn.SetReadDeadline(time.Now().Add(50 * time.Millisecond))
	for buf := make([]byte, 2000); ; got++ {
		if _, err := conn.Read(buf); err != nil {
			break
		}
	}
	t.Logf("%d sent, %d read, %d dropped", sent, got, drops)
	if drops == 0 || int(drops)+got != sent {
		t.Errorf("%d read and %d dropped of %d", got, drops, sent)
	}
	if v := total(s, local, timeline.HostUDPDrops); int(v+0.5) != int(drops) {
		t.Errorf("the samples come to %v, the kernel counted %d", v, drops)
	}
	if n, ok := SocketDrops(conn); !ok || uint64(n) != drops {
		t.Errorf("the socket says %d, %v", n, ok)
	}
}

func TestDropsOfAShaperAreCounted(t *testing.T) {
	if !inside(t) {
		return
	}
	command(t, "tc", "qdisc", "add", "dev", "card", "root", "tbf", "rate", "1mbit", "burst", "3000", "limit", "5000")
	end := sampling(t)
	time.Sleep(1100 * time.Millisecond)
	out, err := net.Dial("udp4", farAddress+":9")
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	for range 200 {
		_, _ = out.Write(make([]byte, 1000)) // the far host may refuse some
	}
	time.Sleep(1500 * time.Millisecond)
	s := end()
	got := total(s, local, timeline.HostQueueDrops)
	text, err := exec.Command("tc", "-s", "qdisc", "show", "dev", "card").CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var drops int
	if _, after, ok := strings.Cut(string(text), "dropped "); !ok {
		t.Fatalf("no drops in %s", text)
	} else if _, err := fmt.Sscanf(after, "%d", &drops); err != nil {
		t.Fatal(err)
	}
	t.Logf("tc counts %d drops, the samples %.1f", drops, got)
	if drops < 100 || int(got+0.5) != drops {
		t.Errorf("the samples come to %v, tc counted %d", got, drops)
	}
	if e := s.EventsOf(local, timeline.EventNIC); len(e) == 0 || e[0].Attrs["queue"] != "tbf" || e[0].Attrs["driver"] != "veth" || e[0].Attrs["leads_to"] != farAddress {
		t.Errorf("set-up: %v", e)
	} else {
		t.Log(e[0].Text)
	}
	busy := 0.0
	for _, x := range s.Series(local, timeline.HostQueue) {
		busy = max(busy, x.Value)
	}
	t.Logf("up to %.0f bytes waited", busy)
}

func TestTheKernelsRouteAndTheOneByAddressAgree(t *testing.T) {
	if !inside(t) {
		return
	}
	n, err := openNetlink()
	if err != nil {
		t.Fatal(err)
	}
	defer n.close()
	for _, to := range []string{farAddress, "127.0.0.1"} {
		a, err := n.route(netip.MustParseAddr(to))
		if err != nil {
			t.Fatal(err)
		}
		b, err := routeByAddress(t.Context(), netip.MustParseAddr(to))
		if err != nil || a != b {
			t.Errorf("%s: by the kernel %d, by address %d, %v", to, a, b, err)
		}
	}
	if i, err := n.route(netip.MustParseAddr("192.0.2.1")); err == nil {
		t.Errorf("an address without a route leads to %d", i)
	}
}

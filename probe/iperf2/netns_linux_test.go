package iperf2

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

var netCount atomic.Int32

// twoHosts makes two namespaces with a link between them, 10.78.0.1 and 10.78.0.2, and returns their names.
func twoHosts(t *testing.T) (a, b string) {
	t.Helper()
	missing := ""
	if _, err := exec.LookPath("ip"); err != nil {
		missing = "ip is not installed"
	}
	if os.Geteuid() != 0 {
		missing = "not root"
	}
	if missing != "" {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(missing)
		}
		t.Skip(missing)
	}
	sh := func(args ...string) {
		t.Helper()
		if out, err := exec.Command("ip", args...).CombinedOutput(); err != nil {
			t.Fatalf("ip %s: %v: %s", strings.Join(args, " "), err, out)
		}
	}
	id := fmt.Sprintf("wdi2-%d-%d", os.Getpid(), netCount.Add(1))
	a, b = id+"a", id+"b"
	t.Cleanup(func() {
		for _, ns := range []string{a, b} {
			_ = exec.Command("ip", "netns", "del", ns).Run()
		}
	})
	sh("netns", "add", a)
	sh("netns", "add", b)
	sh("-n", a, "link", "add", "v0", "type", "veth", "peer", "name", "v0", "netns", b)
	for i, ns := range []string{a, b} {
		sh("-n", ns, "addr", "add", fmt.Sprintf("10.78.0.%d/24", i+1), "dev", "v0")
		sh("-n", ns, "link", "set", "v0", "up")
		sh("-n", ns, "link", "set", "lo", "up")
	}
	return a, b
}

// inside runs f on a thread that stands in the namespace.
func inside[T any](t *testing.T, ns string, f func() (T, error)) T {
	t.Helper()
	var v T
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
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

// clientIn runs a client in a namespace.
func clientIn(t *testing.T, ns string, test Test) Result {
	t.Helper()
	spec, err := json.Marshal(test)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "ip", "netns", "exec", ns, os.Args[0])
	cmd.Env = append(os.Environ(), "IPERF2_TEST_CLIENT="+string(spec))
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	var res Result
	if jerr := json.Unmarshal(out, &res); err != nil || jerr != nil {
		t.Fatalf("client: %v, %v: %s", err, jerr, out)
	}
	return res
}

func TestUDPIsSentOnlyToAddressesThatWereSeenByTCP(t *testing.T) {
	t.Parallel()
	a, b := twoHosts(t)
	l := &log{}
	s := inside(t, b, func() (*Server, error) {
		return ServerConfig{Address: "10.78.0.2:5001", Handler: l.handler()}.Listen(context.Background())
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	defer func() { cancel(); <-done }()

	// Only datagrams: they ask for two seconds, and nothing comes.
	u := inside(t, a, func() (net.Conn, error) { return net.Dial("udp", "10.78.0.2:5001") })
	defer u.Close()
	ask := append(wire(t, udpRev218), make([]byte, 1000)...)
	for range 5 {
		_, _ = u.Write(ask)
		_ = u.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
		if n, err := u.Read(make([]byte, 2048)); err == nil {
			t.Fatalf("%d bytes came to an address that only datagrams named", n)
		}
	}
	if !l.told("it may be forged") {
		t.Error("the server does not say why")
	}
	// Our own client is refused first, shows its address, and gets what it asks for.
	res := clientIn(t, a, Test{Host: "10.78.0.2", UDP: true, Mode: Reverse, Rate: 10e6, Time: 300 * time.Millisecond})
	if len(res.Received) != 1 || res.Received[0].Datagrams < 100 || res.Received[0].Lost != 0 || res.Received[0].Problem != "" {
		t.Errorf("received %+v", res.Received)
	}
}

func TestStockServersConnectBackToTheUsualPort(t *testing.T) {
	t.Parallel()
	needStock(t)
	a, b := twoHosts(t)
	for _, args := range [][]string{{"-s"}, {"-s", "-u"}} {
		cmd := exec.CommandContext(t.Context(), "ip", append([]string{"netns", "exec", b, "iperf"}, args...)...)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		defer func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }()
	}
	time.Sleep(300 * time.Millisecond) // for both to listen; a client that connects too early is tried again below
	for _, test := range []Test{
		{Host: "10.78.0.2", Mode: Dual, Rate: 20e6, Time: 300 * time.Millisecond},
		{Host: "10.78.0.2", Mode: Tradeoff, UDP: true, Rate: 10e6, Time: 300 * time.Millisecond},
	} {
		var res Result
		for range 10 {
			if res = clientIn(t, a, test); len(res.Sent) > 0 {
				break
			}
			time.Sleep(200 * time.Millisecond)
		}
		if len(res.Sent) != 1 || len(res.Received) != 1 || res.Received[0].Bytes == 0 {
			t.Fatalf("%+v: %+v", test, res)
		}
		if p := res.Received[0].Stream.Local.Port(); p != DefaultPort {
			t.Errorf("the server sent back to port %d, want %d", p, DefaultPort)
		}
	}
}

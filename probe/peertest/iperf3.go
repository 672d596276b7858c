package peertest

import (
	"bytes"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Need skips the test if one of the programs is not installed, or fails it where WHYDROP_REQUIRE_PEERS is 1.
func Need(t testing.TB, programs ...string) {
	t.Helper()
	for _, p := range programs {
		if _, err := exec.LookPath(p); err == nil {
			continue
		}
		Missing(t, p)
	}
}

// Missing skips the test for want of something, or fails it where WHYDROP_REQUIRE_PEERS is 1.
func Missing(t testing.TB, what string) {
	t.Helper()
	if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
		t.Fatalf("this test needs %s", what)
	}
	t.Skipf("this test needs %s", what)
}

// Iperf3 starts a stock iperf3 -s on a free port of host, an IP address, with args beside, and returns its address as
// soon as it says that it listens. It ends with the test. A host that the system does not have is missing like a program.
func Iperf3(t testing.TB, host string, args ...string) string {
	t.Helper()
	Need(t, "iperf3")
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		Missing(t, "the address "+host)
	}
	l.Close()
	port := strconv.Itoa(int(Port(t, host)))
	said := &Words{}
	cmd := exec.Command("iperf3", append([]string{"-s", "-p", port, "-B", host, "--forceflush"}, args...)...)
	cmd.Stdout, cmd.Stderr = said, said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	over := make(chan struct{})
	go func() { _ = cmd.Wait(); close(over) }()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-over })
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if strings.Contains(said.String(), "Server listening on") {
			return net.JoinHostPort(host, port)
		}
		select {
		case <-over:
			t.Fatalf("iperf3 ended at once: %s", said)
		default:
		}
	}
	t.Fatalf("iperf3 does not say within 20 s that it listens: %s", said)
	return ""
}

// Words is what a program has said so far: its standard output, while it runs.
type Words struct {
	mu sync.Mutex
	b  bytes.Buffer
}

// Write adds to what it said.
func (w *Words) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.Write(p)
}

// String returns all of it.
func (w *Words) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.b.String()
}

package iperf2

import (
	"bytes"
	"context"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

// becomeClient makes this process a client, if [clientIn] started it; it does not return then.
var becomeClient = func() {}

// TestMain runs a client instead of the tests if it is told to: a client in a network namespace is a process.
func TestMain(m *testing.M) {
	becomeClient()
	closeWait = time.Second
	peertest.Parallel(8)
	os.Exit(m.Run())
}

// needStock skips a test that needs stock iperf 2.1, or fails it where peers must be there.
func needStock(t *testing.T) {
	t.Helper()
	peertest.Need(t, "iperf")
	if out, _ := exec.Command("iperf", "-v").CombinedOutput(); !bytes.Contains(out, []byte("iperf version 2.")) {
		peertest.Missing(t, "version 2 of iperf, not "+string(out))
	}
}

// log collects what a handler is told.
type log struct {
	mu      sync.Mutex
	opened  []Opening
	streams []Stream
	figures []Figures
	notices []string
}

func (l *log) handler() Handler {
	return Handler{
		Opening:   func(o Opening) { l.with(func() { l.opened = append(l.opened, o) }) },
		Connected: func(s Stream) { l.with(func() { l.streams = append(l.streams, s) }) },
		Figures:   func(f Figures) { l.with(func() { l.figures = append(l.figures, f) }) },
		Notice:    func(s string) { l.with(func() { l.notices = append(l.notices, s) }) },
	}
}

func (l *log) with(f func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f()
}

// finals returns the final figures of single streams.
func (l *log) finals() (got []Figures) {
	l.with(func() {
		for _, f := range l.figures {
			if f.Final && f.Sum == 0 {
				got = append(got, f)
			}
		}
	})
	return got
}

func (l *log) told(part string) (yes bool) {
	l.with(func() {
		for _, n := range l.notices {
			yes = yes || strings.Contains(n, part)
		}
	})
	return yes
}

// serve starts a far end on loopback and returns its port. It has ended when the test has.
func serve(t *testing.T, cfg ServerConfig) (uint16, *log) {
	t.Helper()
	l := &log{}
	if cfg.Address == "" {
		cfg.Address = "127.0.0.1"
	}
	cfg.Handler = l.handler()
	s := peertest.On(t, cfg.Address, func(address string) (*Server, error) {
		cfg.Address = address
		return cfg.Listen(t.Context())
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("Serve: %v", err)
			}
		case <-time.After(5 * time.Second):
			t.Error("Serve did not return within 5 s of its context's end")
		}
		for _, n := range l.notices {
			t.Log("server: " + n)
		}
	})
	return s.Addr().Port(), l
}

// stockResult is a line of iperf -y C.
type stockResult struct {
	local, remote           string // ports
	bytes                   uint64
	rate                    float64
	udp                     bool
	jitter                  float64 // ms
	lost, total, outOfOrder int64
}

func parseCSV(t *testing.T, out string) (got []stockResult) {
	t.Helper()
	for line := range strings.Lines(out) {
		f := strings.Split(strings.TrimSpace(line), ",")
		if len(f) < 9 {
			continue
		}
		num := func(i int) float64 {
			v, err := strconv.ParseFloat(f[i], 64)
			if err != nil && i != 12 {
				t.Errorf("field %d of %q: %v", i, line, err)
			}
			return v
		}
		r := stockResult{local: f[2], remote: f[4], bytes: uint64(num(7)), rate: num(8)}
		if len(f) >= 14 {
			r.udp, r.jitter, r.lost, r.total, r.outOfOrder = true, num(9), int64(num(10)), int64(num(11)), int64(num(13))
		}
		got = append(got, r)
	}
	return got
}

// stockServer starts iperf -s on a free port of host.
func stockServer(t *testing.T, host string, args ...string) (uint16, *peertest.Words) {
	t.Helper()
	needStock(t)
	port := peertest.Port(t, host)
	out := &peertest.Words{}
	args = append([]string{"-s", "-p", strconv.Itoa(int(port)), "-B", host, "-y", "C"}, args...)
	cmd := exec.Command("iperf", args...)
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if t.Failed() {
			t.Logf("stock server: %s", out)
		}
	})
	at := net.JoinHostPort(host, strconv.Itoa(int(port)))
	peertest.Await(t, "iperf -s listens", func() bool {
		if strings.Contains(strings.Join(args, " "), "-u") {
			c, err := net.ListenPacket("udp", at)
			if err == nil {
				c.Close()
			}
			return err != nil
		}
		l, err := net.Listen("tcp", at)
		if err == nil {
			l.Close()
		}
		return err != nil
	})
	return port, out
}

// stockClient runs iperf -c to its end and returns what it printed.
func stockClient(t *testing.T, host string, port uint16, args ...string) string {
	t.Helper()
	needStock(t)
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Second)
	defer cancel()
	args = append([]string{"-c", host, "-p", strconv.Itoa(int(port)), "-y", "C"}, args...)
	out, err := exec.CommandContext(ctx, "iperf", args...).CombinedOutput()
	if err != nil {
		t.Errorf("iperf %s: %v", strings.Join(args, " "), err)
	}
	return string(out)
}

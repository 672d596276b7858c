package iperf2

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
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

// TestMain runs a client instead of the tests if it is told to: a client in a network namespace is a process.
func TestMain(m *testing.M) {
	if s := os.Getenv("IPERF2_TEST_CLIENT"); s != "" {
		var t Test
		if err := json.Unmarshal([]byte(s), &t); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(2)
		}
		res, err := Run(context.Background(), t, Handler{})
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		_ = json.NewEncoder(os.Stdout).Encode(res)
		os.Exit(0)
	}
	closeWait = time.Second
	os.Exit(m.Run())
}

// needStock skips a test that needs stock iperf 2.1, or fails it where peers must be there.
func needStock(t *testing.T) {
	t.Helper()
	missing := ""
	if _, err := exec.LookPath("iperf"); err != nil {
		missing = "iperf is not installed"
	} else if out, _ := exec.Command("iperf", "-v").CombinedOutput(); !bytes.Contains(out, []byte("iperf version 2.")) {
		missing = "iperf is not version 2: " + string(out)
	}
	switch {
	case missing == "":
	case os.Getenv("WHYDROP_REQUIRE_PEERS") == "1":
		t.Fatal(missing)
	default:
		t.Skip(missing)
	}
}

// await waits until the condition holds.
func await(t *testing.T, d time.Duration, what string, ok func() bool) {
	t.Helper()
	for end := time.Now().Add(d); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if ok() {
			return
		}
	}
	t.Fatalf("not within %v: %s", d, what)
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
		cfg.Address = "127.0.0.1:0"
	}
	cfg.Handler = l.handler()
	s, err := cfg.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
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

// output is what a program has printed so far.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}

// stockServer starts iperf -s on a free port of host.
func stockServer(t *testing.T, host string, args ...string) (uint16, *output) {
	t.Helper()
	needStock(t)
	port := peertest.Port(t, host)
	out := &output{}
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
	await(t, 5*time.Second, "iperf -s listens", func() bool {
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

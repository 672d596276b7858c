package iperf3

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

// cell is one place of the matrix of what both programs must do with each other.
type cell struct {
	udp, reverse, bidir, six bool
	streams                  int
}

func (c cell) String() string {
	name := "TCP"
	if c.udp {
		name = "UDP"
	}
	if c.reverse {
		name += " reverse"
	}
	if c.bidir {
		name += " both ways"
	}
	if c.six {
		name += " IPv6"
	}
	return fmt.Sprintf("%s %d streams", name, c.streams)
}

// matrix returns all its cells; without WHYDROP_REQUIRE_PEERS=1 those of one stream over IPv4.
func matrix() (out []cell) {
	heavy := os.Getenv("WHYDROP_REQUIRE_PEERS") == "1"
	for _, udp := range []bool{false, true} {
		for _, way := range []string{"", "reverse", "both"} {
			for _, six := range []bool{false, true} {
				for _, n := range []int{1, 8} {
					if heavy || !six && n == 1 {
						out = append(out, cell{udp, way == "reverse", way == "both", six, n})
					}
				}
			}
		}
	}
	return out
}

// rate is low enough for a machine that other tests keep busy, and high enough for the figures to have digits.
func (c cell) rate() float64 { return 20e6 / float64(c.streams) }

// same says whether two ends say the same within 0.5 %.
func same(a, b uint64) bool {
	return math.Abs(float64(a)-float64(b)) <= 0.005*math.Max(float64(a), float64(b))
}

// stockJSON is what is compared of iperf3 -J.
type stockJSON struct {
	Error string
	End   struct {
		Streams []struct {
			Sender, Receiver struct {
				Bytes  uint64
				Sender bool
			}
			UDP struct {
				Bytes, Packets uint64
				Lost           int64 `json:"lost_packets"`
				Sender         bool
			}
		}
		SumSent, SumReceived stockSum
	}
	Server json.RawMessage `json:"server_output_json"`
}

type stockSum struct{ Bytes, Packets uint64 }

func runStock(t *testing.T, c cell, address string, args ...string) (out stockJSON) {
	t.Helper()
	host, port, _ := net.SplitHostPort(address)
	args = append([]string{"-c", host, "-p", port, "-J", "-t", "1", "-P", fmt.Sprint(c.streams), "-b", fmt.Sprint(int(c.rate()))}, args...)
	if c.udp {
		args = append(args, "-u", "-l", "1000")
	} else {
		args = append(args, "-l", "5000")
	}
	if c.reverse {
		args = append(args, "-R")
	}
	if c.bidir {
		args = append(args, "--bidir")
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "iperf3", args...)
	cmd.Stderr = &stderr
	text, err := cmd.Output()
	if jerr := json.Unmarshal(text, &out); jerr != nil {
		t.Fatalf("iperf3 %v: %v, %v: %s%s", args, err, jerr, text, stderr.String())
	}
	if out.Error != "" {
		t.Fatalf("iperf3 %v: %s", args, out.Error)
	}
	return out
}

// TestMatrixStockClient lets stock clients test our far end, as many at once as it takes.
func TestMatrixStockClient(t *testing.T) {
	t.Parallel()
	peertest.Need(t, "iperf3")
	address := map[bool]string{}
	address[false], _ = tryServe(t, "127.0.0.1")
	if a, ok := tryServe(t, "::1"); ok {
		address[true] = a
	}
	inParallel(t, 6, matrix(), func(t *testing.T, c cell) {
		if address[c.six] == "" {
			t.Skip("no IPv6 here")
		}
		r := runStock(t, c, address[c.six])
		if n := len(r.End.Streams); n != c.streams && n != 2*c.streams {
			t.Errorf("%d streams in the result", n)
		}
		for i, s := range r.End.Streams {
			switch {
			case c.udp && (s.UDP.Packets < 50 || s.UDP.Lost < 0 || s.UDP.Bytes == 0):
				t.Errorf("stream %d: %+v", i, s.UDP)
			case c.udp && s.UDP.Lost >= int64(s.UDP.Packets): // a busy host overruns a stock receiver's small buffer
				t.Errorf("stream %d: %d of %d lost", i, s.UDP.Lost, s.UDP.Packets)
			case !c.udp && s.Sender.Sender && !same(s.Sender.Bytes, s.Receiver.Bytes):
				// In reverse a stock client does not count what arrives after its time is over.
				t.Errorf("stream %d: %d sent, we say %d received", i, s.Sender.Bytes, s.Receiver.Bytes)
			case !c.udp && (s.Receiver.Bytes == 0 || s.Receiver.Bytes > s.Sender.Bytes || 10*s.Receiver.Bytes < 6*s.Sender.Bytes):
				t.Errorf("stream %d: %d sent, %d received", i, s.Sender.Bytes, s.Receiver.Bytes)
			}
		}
	})
}

// TestMatrixStockServer lets our client test stock servers, which serve one test at a time.
func TestMatrixStockServer(t *testing.T) {
	t.Parallel()
	peertest.Need(t, "iperf3")
	inParallel(t, 6, matrix(), func(t *testing.T, c cell) {
		address := peertest.Iperf3(t, map[bool]string{false: "127.0.0.1", true: "::1"}[c.six], "-1")
		test := Test{Address: address, Time: 700 * time.Millisecond, Streams: c.streams, UDP: c.udp, Reverse: c.reverse, Bidirectional: c.bidir, Rate: c.rate(), Length: 5000}
		if c.udp {
			test.Length = 1000
		}
		r, err := Run(t.Context(), test, 100*time.Millisecond, Handler{})
		if err != nil {
			t.Fatal(err)
		}
		if r.Far == nil {
			t.Fatalf("no result of the far end: %v", r.FarProblem)
		}
		for _, d := range r.Directions() {
			checkDirection(t, c, d)
		}
	})
}

// checkDirection checks what both ends say of one direction.
func checkDirection(t *testing.T, c cell, d Direction) {
	t.Helper()
	if n := len(d.Sent.Streams); n != c.streams || len(d.Received.Streams) != n {
		t.Fatalf("%d streams sent and %d received, want %d", n, len(d.Received.Streams), c.streams)
	}
	for i, s := range d.Sent.Streams {
		got := d.Received.Streams[i]
		if s.Bytes == 0 || s.Seconds < 0.6 || s.ID != got.ID {
			t.Errorf("stream %d: %+v", s.ID, s)
		}
		if !c.udp && !same(s.Bytes, got.Bytes) {
			t.Errorf("stream %d: %d bytes sent, %d received", s.ID, s.Bytes, got.Bytes)
		}
		if !c.udp {
			continue
		}
		l, ok := d.Loss(i)
		if !ok || l.Received+l.Lost != l.Sent || l.Sent != s.Packets || l.Sent == 0 {
			t.Errorf("stream %d: %+v of %d datagrams", s.ID, l, s.Packets)
		}
		if l.Lost == 0 && s.Bytes != got.Bytes || got.Lost.Or(0) > l.Lost {
			t.Errorf("stream %d: %d bytes sent, %d received, its receiver lost %v; we say %+v", s.ID, s.Bytes, got.Bytes, got.Lost, l)
		}
		if !l.Jitter.OK || l.Jitter.Value > time.Second {
			t.Errorf("stream %d: jitter %v", s.ID, l.Jitter)
		}
	}
}

// inParallel runs the cells, so many at once.
func inParallel(t *testing.T, n int, cells []cell, f func(*testing.T, cell)) {
	places := make(chan struct{}, n)
	var all sync.WaitGroup
	defer all.Wait()
	for _, c := range cells {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			t.Run(c.String(), func(t *testing.T) { f(t, c) })
		})
	}
}

// tryServe serves on a host, if the system has it.
func tryServe(t *testing.T, host string) (string, bool) {
	t.Helper()
	l, err := net.Listen("tcp", net.JoinHostPort(host, "0"))
	if err != nil {
		return "", false
	}
	l.Close()
	return serve(t, ServerConfig{Address: host, MaxTests: 16, Log: func(line string) {
		if strings.Contains(line, "not served") {
			t.Error(line)
		}
	}}), true
}

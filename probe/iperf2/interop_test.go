package iperf2

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"whydrop/probe/peertest"
)

// near says whether two counts differ by at most half a per cent.
func near(a, b uint64) bool {
	return math.Abs(float64(a)-float64(b)) <= 0.005*math.Max(float64(a), float64(b))
}

// testing on one host: what both ends count is compared stream by stream, by the client's port.
type pair struct {
	name         string
	ours, theirs uint64
}

func (p pair) check(t *testing.T) {
	t.Helper()
	if p.ours == 0 || !near(p.ours, p.theirs) {
		t.Errorf("%s: ours %d bytes, theirs %d", p.name, p.ours, p.theirs)
	}
}

// cell is one place of the matrix.
type cell struct {
	name  string
	host  string
	udp   bool
	mode  Mode
	par   int
	rate  float64
	bytes uint64
}

// cells returns the matrix; with WHYDROP_INTEROP=full there is every combination of protocol, direction, one stream and
// eight, IPv4 and IPv6. That is for a quiet host: on a busy one stock 2.1.8 itself aborts with eight streams of UDP.
func cells() []cell {
	out := slices.Clone(matrix)
	if os.Getenv("WHYDROP_INTEROP") != "full" {
		return out
	}
	for _, udp := range []bool{false, true} {
		for _, mode := range []Mode{Forward, Reverse, Dual, Tradeoff} {
			for _, par := range []int{1, 8} {
				for _, host := range []string{"127.0.0.1", "::1"} {
					if udp && par > 1 && (mode == Dual || mode == Tradeoff) {
						continue // a stock server of 2.1.8 does not survive that from a stock client either: it aborts
					}
					c := cell{host: host, udp: udp, mode: mode, par: par, rate: 20e6 / float64(par)}
					if udp {
						c.rate = 2e6 / float64(par)
					}
					c.name = fmt.Sprintf("UDP %v, mode %d, %d streams to %s", udp, mode, par, host)
					if !slices.ContainsFunc(matrix, func(m cell) bool {
						return m.host == c.host && m.udp == c.udp && m.mode == c.mode && m.par == c.par
					}) {
						out = append(out, c)
					}
				}
			}
		}
	}
	return out
}

// matrix is what is tested with stock iperf at either end. Over UDP no more is sent than fits into the receive buffer
// of a stock iperf (212992 bytes, 92 datagrams), which may not be scheduled on a busy host.
var matrix = []cell{
	{name: "TCP", host: "127.0.0.1", par: 1},
	{name: "TCP at a rate", host: "127.0.0.1", par: 1, rate: 20e6},
	{name: "TCP a number of bytes", host: "127.0.0.1", par: 1, bytes: 3 << 20},
	{name: "TCP -P 8", host: "127.0.0.1", par: 8, rate: 10e6},
	{name: "TCP -R", host: "127.0.0.1", par: 1, mode: Reverse, rate: 20e6},
	{name: "TCP -R -P 8", host: "127.0.0.1", par: 8, mode: Reverse, rate: 5e6},
	{name: "TCP -d", host: "127.0.0.1", par: 1, mode: Dual, rate: 20e6},
	{name: "TCP -r", host: "127.0.0.1", par: 1, mode: Tradeoff, rate: 20e6},
	{name: "TCP -V", host: "::1", par: 1},
	{name: "TCP -V -R", host: "::1", par: 1, mode: Reverse, rate: 20e6},
	{name: "UDP", host: "127.0.0.1", udp: true, par: 1, rate: 2e6},
	{name: "UDP -P 8", host: "127.0.0.1", udp: true, par: 8, rate: 1e6},
	{name: "UDP -R", host: "127.0.0.1", udp: true, par: 1, mode: Reverse, rate: 2e6},
	{name: "UDP -d", host: "127.0.0.1", udp: true, par: 1, mode: Dual, rate: 2e6},
	{name: "UDP -r", host: "127.0.0.1", udp: true, par: 1, mode: Tradeoff, rate: 2e6},
	{name: "UDP -V", host: "::1", udp: true, par: 1, rate: 2e6},
	{name: "UDP -V -R", host: "::1", udp: true, par: 1, mode: Reverse, rate: 2e6},
}

// manyToStock sends several streams of datagrams. While 2.1.8 sets up a stream it takes other streams' datagrams for it, so
// only the sums are right; and on a busy host it may lose some altogether, so it is asked again.
func manyToStock(t *testing.T, test Test, args []string) {
	said := ""
	for range 5 {
		port, out := stockServer(t, test.Host, args...)
		test.Port = port
		res, err := Run(t.Context(), test, Handler{})
		if err != nil || len(res.Sent) != test.Streams {
			t.Fatalf("%v, %d streams; server: %s", err, len(res.Sent), out)
		}
		var theirs []stockResult
		for end := time.Now().Add(2 * time.Second); len(theirs) < test.Streams && time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
			theirs = parseCSV(t, out.String())
		}
		total := uint64(0)
		for _, r := range theirs {
			total += r.bytes
		}
		ours := sum(res.Sent).Bytes
		if ours > 0 && near(ours, total) {
			return
		}
		said += fmt.Sprintf("ours %d bytes, theirs %d; ", ours, total)
	}
	t.Error(said)
}

// withStock runs one test with a stock server, and with another one if the server itself could not listen: 2.1.8 binds its port anew
// in the midst of some tests.
func withStock(t *testing.T, test Test, args []string) (Result, *peertest.Words) {
	t.Helper()
	for try := 1; ; try++ {
		port, out := stockServer(t, test.Host, args...)
		test.Port = port
		res, err := Run(t.Context(), test, Handler{})
		switch {
		case err == nil:
			return res, out
		case try == 3 || !strings.Contains(out.String(), "bind failed"):
			t.Fatalf("%v; server: %s", err, out)
		}
	}
}

func TestOurClientAndAStockServer(t *testing.T) {
	t.Parallel()
	needStock(t)
	for _, m := range cells() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			var args []string
			if m.udp {
				args = append(args, "-u")
			}
			if m.host == "::1" {
				args = append(args, "-V")
			}
			test := Test{
				Host: m.host, UDP: m.udp, V6: m.host == "::1", Mode: m.mode, Streams: m.par, Rate: m.rate,
				Time: 200 * time.Millisecond,
			}
			if m.udp && m.par > 1 {
				manyToStock(t, test, args)
				return
			}
			if m.bytes > 0 {
				test.Time, test.Bytes = 0, m.bytes
			}
			res, out := withStock(t, test, args)
			for _, f := range append(res.Sent, res.Received...) {
				if f.Problem != "" && !strings.Contains(f.Problem, "this host could not keep the rate") {
					t.Errorf("problem: %s", f.Problem)
				}
			}
			wantLines := len(res.Sent) + len(res.Received)
			peertest.Await(t, "the server's lines", func() bool { return len(parseCSV(t, out.String())) >= wantLines })
			theirs := parseCSV(t, out.String())
			wantSent, wantReceived := m.par, m.par
			if m.mode == Reverse {
				wantSent = 0
			} else if m.mode == Forward {
				wantReceived = 0
			}
			if len(res.Sent) != wantSent || len(res.Received) != wantReceived {
				t.Fatalf("%d streams sent, %d received, want %d and %d", len(res.Sent), len(res.Received), wantSent, wantReceived)
			}
			compare(t, append(res.Sent, res.Received...), theirs)
			for _, f := range res.Sent {
				if m.udp && (f.Report == nil || f.Report.Total != f.Datagrams || f.Report.Lost != 0 || f.Report.Bytes != f.Bytes) {
					t.Errorf("sent %d datagrams, %d bytes; the report: %+v", f.Datagrams, f.Bytes, f.Report)
				}
			}
			for _, f := range res.Received {
				if m.udp && (f.Lost != 0 || f.OutOfOrder != 0 || f.Total != f.Datagrams) {
					t.Errorf("on a clean path: %+v", f.Counts)
				}
			}
		})
	}
}

// compare holds our streams against their lines by the ports.
func compare(t *testing.T, ours []Figures, theirs []stockResult) {
	t.Helper()
	for _, f := range ours {
		i := slices.IndexFunc(theirs, func(r stockResult) bool {
			return r.remote == strconv.Itoa(int(f.Stream.Local.Port())) && r.local == strconv.Itoa(int(f.Stream.Remote.Port())) ||
				r.local == strconv.Itoa(int(f.Stream.Local.Port())) && r.remote == strconv.Itoa(int(f.Stream.Remote.Port()))
		})
		if i < 0 {
			t.Errorf("they have no line for %v - %v: %+v", f.Stream.Local, f.Stream.Remote, theirs)
			continue
		}
		pair{f.Stream.Local.String(), f.Bytes, theirs[i].bytes}.check(t)
		if theirs[i].udp && f.Stream.Sends && (theirs[i].lost != 0 || theirs[i].total != int64(f.Datagrams)) {
			t.Errorf("%d datagrams sent; they say %d of %d lost", f.Datagrams, theirs[i].lost, theirs[i].total)
		}
	}
}

func TestAStockClientAndOurServer(t *testing.T) {
	t.Parallel()
	needStock(t)
	for _, m := range cells() {
		t.Run(m.name, func(t *testing.T) {
			t.Parallel()
			port, l := serve(t, ServerConfig{Address: m.host})
			args := []string{"-t", "0.2", "-P", strconv.Itoa(m.par)}
			if m.bytes > 0 {
				args[0], args[1] = "-n", strconv.FormatUint(m.bytes, 10)
			}
			add := func(yes bool, more ...string) {
				if yes {
					args = append(args, more...)
				}
			}
			add(m.udp, "-u")
			add(m.host == "::1", "-V")
			add(m.rate > 0, "-b", strconv.Itoa(int(m.rate)))
			add(m.rate > 0 && !m.udp, "-l", "8000")
			add(m.mode == Reverse, "-R")
			add(m.mode == Dual, "-d", "-L", strconv.Itoa(int(peertest.Port(t, m.host))))
			add(m.mode == Tradeoff, "-r", "-L", strconv.Itoa(int(peertest.Port(t, m.host))))
			out := stockClient(t, m.host, port, args...)
			want := m.par
			if m.mode == Dual || m.mode == Tradeoff {
				want *= 2
			}
			peertest.Await(t, "our figures", func() bool { return len(l.finals()) >= want })
			ours := l.finals()
			for _, f := range ours {
				if f.Problem != "" && !strings.Contains(f.Problem, "this host could not keep the rate") {
					t.Errorf("problem: %s", f.Problem)
				}
				if f.Received && (f.Lost != 0 || f.OutOfOrder != 0 || f.Duplicates != 0) {
					t.Errorf("on a clean path: %+v", f.Counts)
				}
			}
			compare(t, ours, parseCSV(t, out))
			if t.Failed() {
				t.Logf("iperf %s\n%s", strings.Join(args, " "), out)
			}
		})
	}
}

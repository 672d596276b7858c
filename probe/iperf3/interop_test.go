package iperf3

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

// serve starts a far end on a host, the loopback where cfg.Address names none, and returns its address. It has ended when the test has.
func serve(t *testing.T, cfg ServerConfig) string {
	t.Helper()
	if cfg.Address == "" {
		cfg.Address = "127.0.0.1"
	}
	l := peertest.On(t, cfg.Address, func(address string) (net.Listener, error) {
		return ServerConfig{Address: address, ReadBuffer: cfg.ReadBuffer}.Listen(t.Context())
	})
	cfg.Listener = l
	if cfg.Log == nil {
		cfg.Log = func(line string) { t.Log("server: " + line) }
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, cfg) }()
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
	})
	return l.Addr().String()
}

// stockResult is what is compared of iperf3 -J.
type stockResult struct {
	Error string
	Start struct{ Connected []struct{ LocalPort int } }
	End   struct {
		Streams []struct{ Sender, Receiver struct{ Bytes uint64 } }
		SumSent struct {
			Bytes uint64
		} `json:"sum_sent"`
		SumReceived struct {
			Bytes uint64
		} `json:"sum_received"`
	}
}

func stockClient(t *testing.T, address string, args ...string) stockResult {
	peertest.Need(t, "iperf3")
	host, port, _ := net.SplitHostPort(address)
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	var stderr bytes.Buffer
	cmd := exec.CommandContext(ctx, "iperf3", append([]string{"-c", host, "-p", port, "-J"}, args...)...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	var r stockResult
	if jerr := json.Unmarshal(out, &r); jerr != nil {
		t.Errorf("iperf3 %v: %v, %v: %s%s", args, err, jerr, out, stderr.String())
	}
	return r
}

func TestStockClientToOurServer(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{MaxTests: 8})
	tests := []struct {
		name string
		args []string
	}{
		{"forward", []string{"-t", "1"}},
		{"reverse", []string{"-t", "1", "-R"}},
		{"four streams", []string{"-t", "1", "-P", "4"}},
		{"four streams in reverse", []string{"-t", "1", "-P", "4", "-R"}},
		{"at 50 Mbit/s", []string{"-t", "1", "-b", "50M", "-P", "2"}},
		{"ten megabytes", []string{"-n", "10M"}},
		{"ten megabytes in reverse", []string{"-n", "10M", "-R"}},
		{"a hundred blocks", []string{"-k", "100", "-l", "10000"}},
		{"small window, segments and blocks", []string{"-t", "1", "-w", "32K", "-M", "700", "-l", "5000"}},
		{"the first second omitted", []string{"-t", "1", "-O", "1"}},
		{"no delay and a title", []string{"-t", "1", "-N", "-T", "title", "--extra-data", "x"}},
		{"the server's output asked for", []string{"-t", "1", "--get-server-output"}},
		{"marked, from a port of its own, in bursts", []string{"-t", "1", "-S", "0x10", "--cport", fmt.Sprint(peertest.Port(t, "127.0.0.1")), "-b", "50M/5", "-C", "cubic", "-Z"}},
	}
	var all sync.WaitGroup
	defer all.Wait()
	for _, tt := range tests {
		all.Go(func() {
			t.Run(tt.name, func(t *testing.T) {
				r := stockClient(t, address, tt.args...)
				if r.Error != "" {
					t.Fatal(r.Error)
				}
				sent, got := r.End.SumSent.Bytes, r.End.SumReceived.Bytes
				// In reverse a stock client does not count what arrives after its time is over.
				reverse := slices.Contains(tt.args, "-R")
				if sent == 0 || got == 0 && !reverse {
					t.Fatalf("sent %d, received %d", sent, got)
				}
				omitted := slices.Contains(tt.args, "-O")
				exact := !omitted && (!reverse || slices.Contains(tt.args, "-n"))
				if exact && sent != got || got > sent && !omitted {
					t.Errorf("the client counts %d sent and %d received", sent, got)
				}
				if most := uint64(len(r.End.Streams) * 12 << 20); reverse && sent-got > most {
					t.Errorf("only %d of %d bytes arrived: more is missing than two kernels hold", got, sent)
				}
				for i, s := range r.End.Streams {
					if !reverse && !omitted && s.Sender.Bytes != s.Receiver.Bytes {
						t.Errorf("stream %d: %d sent, %d received", i, s.Sender.Bytes, s.Receiver.Bytes)
					}
				}
			})
		})
	}
}

func TestStockClientIsToldOfLimits(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{})
	tests := []struct {
		name, want string
		args       []string
	}{
		{"too long", "duration", []string{"-t", "61"}},
		{"for ever", "duration", []string{"-t", "0"}},
		{"too many streams", "streams", []string{"-t", "1", "-P", "17"}},
		{"too fast", "bandwidth", []string{"-t", "1", "-P", "2", "-b", "600M"}},
		{"too fast with UDP", "bandwidth", []string{"-t", "1", "-u", "-b", "1100M"}},
		{"too many streams both ways", "streams", []string{"-t", "1", "-P", "9", "--bidir"}},
		{"SCTP", "not implemented", []string{"-t", "1", "--sctp"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if r := stockClient(t, address, tt.args...); !strings.Contains(r.Error, tt.want) {
				t.Errorf("the client says %q, want %q in it", r.Error, tt.want)
			}
		})
	}
}

func TestStockClientIsHeldToItsTimeAndRate(t *testing.T) {
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	t.Parallel()
	address := serve(t, ServerConfig{MaxTime: time.Second, MaxRate: 100e6, MaxTests: 3})
	var all sync.WaitGroup
	defer all.Wait()
	all.Go(func() {
		began := time.Now()
		r := stockClient(t, address, "-n", "1G") // would take 80 s
		if took := time.Since(began); took > 10*time.Second || !strings.Contains(r.Error, "terminated") {
			t.Errorf("ended after %v with %q, want the server's end after 4 s", took, r.Error)
		}
	})
	for _, direction := range []string{"-R", "--forceflush"} { // the second means nothing here
		all.Go(func() {
			r := stockClient(t, address, "-t", "1", "-P", "2", direction)
			// Beyond the limit there is what the buffers of both kernels take.
			if rate := float64(r.End.SumReceived.Bytes) * 8; rate > 300e6 || rate == 0 {
				t.Errorf("%s: %.1f Mbit in a second, 100 Mbit/s are allowed", direction, rate/1e6)
			}
		})
	}
}

func TestOurClient(t *testing.T) {
	t.Parallel()
	ours, stock := serve(t, ServerConfig{MaxTests: 8}), peertest.Iperf3(t, "127.0.0.1")
	tests := []struct {
		name string
		test Test
	}{
		{"forward", Test{Time: time.Second / 3}},
		{"reverse", Test{Time: time.Second / 3, Reverse: true}},
		{"four streams", Test{Time: time.Second / 3, Streams: 4}},
		{"four streams in reverse", Test{Time: time.Second / 3, Streams: 4, Reverse: true}},
		{"at 50 Mbit/s", Test{Time: time.Second / 3, Streams: 2, Rate: 50e6}},
		{"at 50 Mbit/s in reverse", Test{Time: time.Second / 3, Streams: 2, Rate: 50e6, Reverse: true}},
		{"ten megabytes over three streams", Test{Bytes: 10 << 20, Streams: 3}},
		{"ten megabytes in reverse", Test{Bytes: 10 << 20, Reverse: true}},
		{"small window and segments", Test{Time: time.Second / 3, Window: 64 << 10, MSS: 1000, Length: 9000}},
	}
	for _, far := range []struct{ name, address string }{{"to our server", ours}, {"to stock iperf3", stock}} {
		t.Run(far.name, func(t *testing.T) {
			t.Parallel()
			for _, tt := range tests {
				t.Run(tt.name, func(t *testing.T) {
					test := tt.test
					test.Address = far.address
					var inIntervals uint64
					var r Result
					// A stock server that is kept from the processor throws away what it has not read when the test
					// ends: then its count, not ours, is short, and the test is made again.
					for range 3 {
						var err error
						inIntervals = 0
						if r, err = Run(t.Context(), test, 100*time.Millisecond, Handler{Interval: func(i Interval) { inIntervals += i.Bytes() }}); err != nil {
							t.Fatal(err)
						}
						if r.OursFar || r.Far == nil || r.Far.Bytes() >= r.Local.Bytes() {
							break
						}
					}
					if r.Far == nil {
						t.Fatalf("no result of the far end: %v", r.FarProblem)
					}
					for i, s := range r.Local.Streams {
						if f := r.Far.Streams[i]; s.Bytes != f.Bytes || s.ID != f.ID || s.Bytes == 0 && test.Bytes == 0 {
							t.Errorf("stream %d: %d bytes here, %d there", s.ID, s.Bytes, f.Bytes)
						}
					}
					checkRate(t, test, r)
					// What is on its way when the time is over is in no interval of a receiver.
					if inIntervals > r.Local.Bytes() || !test.Reverse && inIntervals != r.Local.Bytes() {
						t.Errorf("intervals hold %d bytes, the total is %d", inIntervals, r.Local.Bytes())
					}
					if len(r.Stalls) > 0 {
						t.Errorf("stalls on a healthy path: %v", r.Stalls)
					}
				})
			}
		})
	}
}

func checkRate(t *testing.T, test Test, r Result) {
	t.Helper()
	switch {
	case test.Bytes > 0 && !test.Reverse:
		if r.Local.Bytes() != test.Bytes {
			t.Errorf("%d bytes sent, %d asked for", r.Local.Bytes(), test.Bytes)
		}
	case test.Rate > 0:
		rate := float64(r.Local.Bytes()) * 8 / r.Duration.Seconds()
		if want := test.Rate * float64(test.withDefaults().Streams); rate < want/2 || rate > 1.07*want {
			// How exact it is, virtual time shows; here other tests may keep the processor busy.
			t.Errorf("%.1f Mbit/s, want %.1f", rate/1e6, want/1e6)
		}
	}
}

func TestWatchGoesFromTestToTest(t *testing.T) {
	t.Parallel()
	for _, stock := range []bool{false, true} {
		t.Run("stock "+strconv.FormatBool(stock), func(t *testing.T) {
			t.Parallel()
			c := &Client{Name: "a-b", FarName: "far", Rate: 20e6}
			if stock {
				c.Address, c.TestTime = peertest.Iperf3(t, "127.0.0.1"), 1100*time.Millisecond
			} else {
				c.Address = serve(t, ServerConfig{MaxTime: 1100 * time.Millisecond})
			}
			h := peertest.Run(t, c)
			h.Await("samples of three tests", func(s timeline.Snapshot) bool { return len(testsIn(s, c)) >= 3 })
			s := h.Stop()
			if o := s.EventsOf(c.Path(), timeline.EventOutage, timeline.EventProbeProblem); len(o) > 0 {
				t.Errorf("events on a healthy path: %s, %v, %v after the start", o[0].Text, o[0].Attrs, o[0].Span.From.Sub(s.Span().From))
			}
			checkSamples(t, s, c, !stock)
		})
	}
}

// testsIn returns the tests whose goodput was sampled.
func testsIn(s timeline.Snapshot, c *Client) map[uint64]bool {
	tests := map[uint64]bool{}
	for _, v := range s.Series(c.Path(), timeline.GoodputForward) {
		tests[v.Origin.Exchange] = true
	}
	return tests
}

// checkSamples checks what a watch of several tests wrote.
func checkSamples(t *testing.T, s timeline.Snapshot, c *Client, ours bool) {
	t.Helper()
	goodput := s.Series(c.Path(), timeline.GoodputForward)
	var mean float64
	for i, v := range goodput {
		mean += v.Value / float64(len(goodput))
		if i > 0 && v.Span.From.Before(goodput[i-1].Span.To) {
			t.Errorf("a sample of test %d begins %v before the one before it ends: it spans two tests", v.Origin.Exchange, goodput[i-1].Span.To.Sub(v.Span.From))
		}
		if v.Origin.Collector != "iperf3:a-b" {
			t.Errorf("origin %v", v.Origin)
		}
	}
	if mean < 0.5*c.Rate || mean > 1.2*c.Rate {
		t.Errorf("%d samples, mean %.2f Mbit/s", len(goodput), mean/1e6)
	}
	var want []timeline.Key
	if _, known := s.Last(c.Path(), timeline.TCPRTT); known {
		for _, m := range []timeline.Metric{timeline.TCPRetransmits, timeline.TCPCwnd, timeline.TCPSendWindow, timeline.TCPDeliveryRate, timeline.TCPBusy, timeline.TCPRwndLimited, timeline.TCPSndbufLimited} {
			want = append(want, timeline.Key{Subject: c.Path(), Metric: m})
		}
	}
	if ours {
		want = append(want, timeline.Key{Subject: timeline.Host("far"), Metric: timeline.HostReadStall}, timeline.Key{Subject: timeline.Host("far"), Metric: timeline.HostProcessCPU})
	}
	for _, k := range want {
		if len(s.Series(k.Subject, k.Metric)) == 0 {
			t.Errorf("no samples of %v", k)
		}
	}
	for _, k := range s.Keys() {
		if _, ok := timeline.Describe(k.Metric); !ok {
			t.Errorf("metric %q is not in the table", k.Metric)
		}
	}
}

func TestStockClientByUDPToOurServer(t *testing.T) {
	t.Parallel()
	peertest.Need(t, "iperf3")
	address := serve(t, ServerConfig{MaxTests: 16, MaxRate: 100e9})
	host, port, _ := net.SplitHostPort(address)
	tests := map[string][]string{
		"a thousand datagrams":         {"-n", "1000000", "-b", "20M"},
		"fifty blocks in reverse":      {"-k", "50", "-b", "20M", "-R"},
		"the first second omitted":     {"-t", "1", "-O", "1"},
		"omitted in reverse":           {"-t", "1", "-O", "1", "-R"},
		"numbers of 64 bits, no parts": {"-t", "1", "--udp-counters-64bit", "--dont-fragment", "--bidir"},
		"the server's output":          {"-t", "1", "--get-server-output", "-P", "2"},
		"as fast as it goes":           {"-t", "1", "-b", "0"},
		"bursts, marked, ports":        {"-t", "1", "-b", "10M/20", "-S", "0x88", "--cport", fmt.Sprint(peertest.Port(t, "127.0.0.1")), "-P", "2"},
	}
	var all sync.WaitGroup
	defer all.Wait()
	for name, args := range tests {
		all.Go(func() {
			t.Run(name, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				out, err := exec.CommandContext(ctx, "iperf3", append([]string{"-c", host, "-p", port, "-J", "-u", "-l", "1000"}, args...)...).Output()
				var r struct {
					Error string
					End   struct {
						Sum struct {
							Packets, Bytes int64
							Lost           int64 `json:"lost_packets"`
						}
						SumReceived struct{ Bytes int64 } `json:"sum_received"`
					}
					Output string `json:"server_output_text"`
				}
				if jerr := json.Unmarshal(out, &r); jerr != nil || r.Error != "" {
					t.Fatalf("%v, %v, %s: %s", err, jerr, r.Error, out)
				}
				s := r.End.Sum
				if s.Packets < 1 || s.Lost < 0 || s.Lost >= s.Packets || r.End.SumReceived.Bytes == 0 {
					t.Errorf("%+v, %d bytes received", s, r.End.SumReceived.Bytes)
				}
				if slices.Contains(args, "--get-server-output") != strings.Contains(r.Output, "receiver") {
					t.Errorf("the server's output: %q", r.Output)
				}
			})
		})
	}
}

// TestAStrangersDatagramsAreHeldToTheRate: in reverse the far end sends no faster than it allows, whatever is asked for.
func TestAStrangersDatagramsAreHeldToTheRate(t *testing.T) {
	t.Parallel()
	address := serve(t, ServerConfig{MaxRate: 20e6, MaxTests: 2})
	for _, reverse := range []bool{false, true} {
		t.Run("reverse "+strconv.FormatBool(reverse), func(t *testing.T) {
			t.Parallel()
			r, err := Run(t.Context(), Test{Address: address, UDP: true, Reverse: reverse, Time: time.Second, Length: 1000, Streams: 2}, time.Second, Handler{})
			if err != nil || r.Far == nil {
				t.Fatal(err, r.FarProblem)
			}
			if bits := float64(r.Sender().Bytes()) * 8; bits > 25e6 || bits < 5e6 {
				t.Errorf("%.3g bit in a second, 20 Mbit/s are allowed", bits)
			}
		})
	}
}

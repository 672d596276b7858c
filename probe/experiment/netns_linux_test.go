package experiment

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/iperf3"
	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
	"whydrop/probe/stamp"
)

// job is what a process in a namespace is to do: to be a far end, or to run an experiment.
type job struct {
	Serve    bool
	Kind     Kind
	To       string
	Window   int
	Values   []float64
	Rate     float64
	StepTime time.Duration
}

// outcome is what an experiment in a namespace showed.
type outcome struct {
	Rows    []view
	Meaning string
}

type view struct {
	Name, Reason             string
	Value, Sent, Arrived     float64
	Loss, Limit              float64 // Loss -1: not known
	IdleRTT, LoadedRTT, TCPs time.Duration
}

func TestMain(m *testing.M) {
	pathtest.Main(func(arg []byte) (any, error) {
		var j job
		if err := json.Unmarshal(arg, &j); err != nil {
			return nil, err
		}
		if j.Serve {
			return nil, farEnd(context.Background())
		}
		return j.run(context.Background())
	})
	peertest.Parallel(16) // experiments wait far more than they compute
	os.Exit(m.Run())
}

// farEnd serves tests and heartbeats until ctx ends.
func farEnd(ctx context.Context) error {
	conn, err := stamp.Listen(ctx, ":5202")
	if err != nil {
		return err
	}
	defer conn.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { _ = new(stamp.Reflector).Serve(ctx, conn) })
	return iperf3.Serve(ctx, iperf3.ServerConfig{Address: ":5201", MaxRate: 10e9, MaxTime: time.Hour})
}

func (j job) run(ctx context.Context) (o outcome, err error) {
	p, err := New(j.Kind, Options{Test: iperf3.Test{Address: net.JoinHostPort(j.To, "5201"), Window: j.Window, Congestion: tcpOnly(j.Kind)}, Values: j.Values, Rate: j.Rate, StepTime: j.StepTime})
	if err != nil {
		return o, err
	}
	rows, err := Run(ctx, p, nil)
	for _, r := range rows {
		v := view{Name: r.Step.Name, Reason: r.Reason, Value: r.Step.Value, Sent: r.Sent, Arrived: r.Arrived, Loss: -1, Limit: r.WindowLimit(), IdleRTT: r.IdleRTT, LoadedRTT: r.LoadedRTT, TCPs: r.TCPRTT}
		if r.Loss.OK {
			v.Loss = r.Loss.Value
		}
		o.Rows = append(o.Rows, v)
	}
	o.Meaning = Meaning(p, rows)
	return o, err
}

// tcpOnly returns an algorithm that every kernel has, for the kinds that are of TCP.
func tcpOnly(k Kind) string {
	if k == Window || k == Streams {
		return "reno"
	}
	return ""
}

// carryOut runs an experiment from a at a far end in b and compares what it means. Other work on this machine may
// disturb it: one undisturbed run of three is enough.
func carryOut(t *testing.T, l *pathtest.Line, j job, want []string) (o outcome) {
	t.Helper()
	l.Start("b", job{Serve: true})
	waitFor(t, l, j.To)
	for try := 1; ; try++ {
		o = outcome{}
		if err := l.Run("a", j, &o); err != nil {
			t.Fatal(err)
		}
		missing := slices.DeleteFunc(slices.Clone(want), func(w string) bool { return strings.Contains(o.Meaning, w) })
		if len(missing) == 0 {
			return o
		}
		for _, r := range o.Rows {
			t.Logf("%-12s sent %6.2f arrived %6.2f Mbit/s loss %.4f rtt %v %v %s", r.Name, r.Sent/1e6, r.Arrived/1e6, r.Loss, r.IdleRTT, r.LoadedRTT, r.Reason)
		}
		t.Logf("meaning: %s\nmissing: %q", o.Meaning, missing)
		if try == 3 {
			t.Fatal("it does not say what the path is like")
		}
	}
}

// waitFor waits until the far end takes connections.
func waitFor(t *testing.T, l *pathtest.Line, to string) {
	t.Helper()
	for end := time.Now().Add(20 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		up := false
		l.Do("a", func() {
			c, err := net.DialTimeout("tcp", net.JoinHostPort(to, "5201"), time.Second)
			if up = err == nil; up {
				c.Close()
			}
		})
		if up {
			return
		}
	}
	t.Fatal("the far end does not come up")
}

const farOfLong = "10.79.0.2"

func TestExperimentsSayWhatThePathIsLike(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	peertest.Need(t, "tc", "ethtool")
	rates := []float64{4e6, 8e6, 16e6, 40e6}
	sizes := []float64{100, 700, 1372, 1373, 1472}
	shape := func(way, limit, rate string) func(*testing.T, *pathtest.Line) {
		return func(_ *testing.T, l *pathtest.Line) {
			l.Exec("r1", "tc", "qdisc", "add", "dev", way, "root", "tbf", "rate", rate, "burst", "10k", "limit", limit)
		}
	}
	rules := func(rules ...string) func(*testing.T, *pathtest.Line) {
		return func(_ *testing.T, l *pathtest.Line) { l.Nft("r1", rules...) }
	}
	narrow := func(rules ...string) func(*testing.T, *pathtest.Line) {
		return func(_ *testing.T, l *pathtest.Line) {
			l.MTU("r1", 1400, 1400)
			l.Nft("r1", rules...)
		}
	}
	tunnel := func(t *testing.T, l *pathtest.Line) { long(t, l, 20*time.Millisecond) }
	tests := []struct {
		name string
		path func(*testing.T, *pathtest.Line)
		job  job
		want []string
	}{
		{"rates at a queue", shape("right", "100k", "20mbit"), job{Kind: Rate, Values: rates},
			[]string{"Loss begins above ", "The round trip rose", "a queue fills before it drops"}},
		{"rates at a policer", rules("pass udp dport 5201 limit rate over 1700/second burst 120 packets drop"), job{Kind: Rate, Values: rates},
			[]string{"Loss begins above ", "The round trip did not rise", "a policer drops without a queue"}},
		{"rates where bits are damaged", rules("pass udp dport 5201 numgen random mod 100 < 5 drop"), job{Kind: Rate, Values: rates},
			[]string{"whatever the load", "not congestion"}},
		{"sizes at a router that says what fits", narrow(), job{Kind: Size, Values: sizes},
			[]string{"Everything above 1372 bytes fails", "an MTU on the path, between 1400 and 1400 with headers"}},
		{"sizes at a black hole", narrow("out icmp type destination-unreachable drop"), job{Kind: Size, Values: sizes},
			[]string{"Everything above 1372 bytes fails", "an MTU on the path, between 1400 and 1400 with headers"}},
		{"bursts at a shallow buffer", shape("right", "40k", "40mbit"), job{Kind: Pacing, Rate: 8e6, Values: []float64{1, 8, 100}},
			[]string{"Paced it loses nothing", "a shallow buffer on the path"}},
		{"directions, one of them slow", shape("left", "60k", "5mbit"), job{Kind: Direction, Rate: 20e6},
			[]string{"look for the cause in the way back"}},
		{"windows on a long path", tunnel, job{Kind: Window, To: farOfLong, Rate: 30e6, Values: []float64{4 << 10, 16 << 10, 32 << 10, 256 << 10, 512 << 10}},
			[]string{"The rate follows the window up to 256 KiB", "in flight", "the rate that was allowed (30 Mbit/s) is the limit"}},
		{"streams with a small window on a long path", tunnel, job{Kind: Streams, To: farOfLong, Window: 32 << 10, Values: []float64{1, 2, 4}},
			[]string{"4 streams carry", "each flow has a limit of its own"}},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			l := pathtest.NewLine(t, fmt.Sprintf("wdexp-%d-", i), 1)
			// The path's limits count packets, not the pieces that a kernel moves.
			l.Exec("a", "ethtool", "-K", "right", "tx-udp-segmentation", "off")
			tt.path(t, l)
			if tt.job.To == "" {
				tt.job.To = l.Address("b", false)
			}
			tt.job.StepTime = minStep
			for _, r := range carryOut(t, l, tt.job, tt.want).Rows {
				if tt.job.Kind == Window && r.Arrived > 1.1*r.Limit {
					t.Errorf("%s: %.2f Mbit/s arrived, the window allows %.2f", r.Name, r.Arrived/1e6, r.Limit/1e6)
				}
			}
		})
	}
}

// long makes a second path between a and b, whose round trip takes so long: two tunnel devices, and this process
// carries the packets from one to the other.
func long(t *testing.T, l *pathtest.Line, rtt time.Duration) {
	t.Helper()
	var ends [2]*os.File
	for i, node := range []string{"a", "b"} {
		l.Do(node, func() {
			fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC|unix.O_NONBLOCK, 0)
			if err != nil {
				t.Skipf("this test needs tunnel devices: %v", err)
			}
			req, err := unix.NewIfreq("wd0")
			if err != nil {
				t.Fatal(err)
			}
			req.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
			if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, req); err != nil {
				t.Fatal(err)
			}
			ends[i] = os.NewFile(uintptr(fd), "tun")
		})
		l.Exec(node, "ip", "addr", "add", fmt.Sprintf("10.79.0.%d/30", i+1), "dev", "wd0")
		l.Exec(node, "ip", "link", "set", "wd0", "up", "mtu", "1500", "txqueuelen", "2000")
	}
	var wg sync.WaitGroup
	for i := range ends {
		carry(&wg, ends[i], ends[1-i], rtt/2)
	}
	t.Cleanup(func() {
		for _, e := range ends {
			e.Close()
		}
		wg.Wait()
	})
}

// carry hands on packets so long after they came.
func carry(wg *sync.WaitGroup, from, to *os.File, delay time.Duration) {
	type packet struct {
		due  time.Time
		data []byte
	}
	line := make(chan packet, 10000)
	wg.Go(func() {
		defer close(line)
		for buf := make([]byte, 2000); ; {
			n, err := from.Read(buf)
			if err != nil {
				return
			}
			select {
			case line <- packet{time.Now().Add(delay), append([]byte(nil), buf[:n]...)}:
			default: // no queue is endless
			}
		}
	})
	wg.Go(func() {
		for p := range line {
			time.Sleep(time.Until(p.due))
			_, _ = to.Write(p.data)
		}
	})
}

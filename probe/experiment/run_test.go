package experiment

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/iperf3"
	"whydrop/probe/peertest"
	"whydrop/probe/stamp"
	"whydrop/probe/tcpinfo"
)

// serve runs a far end of ours on loopback until the test ends.
func serve(t *testing.T) string { return serveWith(t, iperf3.ServerConfig{}) }

func serveWith(t *testing.T, cfg iperf3.ServerConfig) string {
	t.Helper()
	cfg.Address = "127.0.0.1:0"
	l, err := cfg.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	cfg.Listener = l
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	wg.Go(func() { _ = iperf3.Serve(ctx, cfg) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	return l.Addr().String()
}

func stock(t *testing.T) string { return peertest.Iperf3(t, "127.0.0.1") }

// book keeps records.
type book struct {
	mu      sync.Mutex
	results []timeline.Event
}

func (b *book) Put(r timeline.Record) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventResult {
		b.results = append(b.results, e)
	}
}

func TestEveryStepIsARowAndAnEvent(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name  string
		far   func(*testing.T) string
		kind  Kind
		edit  func(*Options)
		rows  int
		attrs []string // of the last event
	}{
		{"windows, ours", serve, Window, func(o *Options) { o.Values = []float64{64 << 10, 1 << 30, 256 << 10} }, 3, []string{"window_bytes", "granted_bytes", "rate_bps", "retransmits"}},
		{"datagrams, stock", stock, Size, func(o *Options) { o.Values = []float64{100, 1000} }, 2, []string{"size_bytes", "loss_ratio", "total", "df", "jitter_ms"}},
		{"bursts, stock", stock, Pacing, func(o *Options) { o.Values = []float64{1, 8} }, 3, []string{"burst_bytes", "loss_ratio"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := Options{Test: iperf3.Test{Address: tt.far(t)}, Rate: 20e6, StepTime: minStep, Path: "a-b"}
			tt.edit(&o)
			p, err := New(tt.kind, o)
			if err != nil {
				t.Fatal(err)
			}
			var b book
			rows, err := Run(t.Context(), p, &b)
			if err != nil || len(rows) != tt.rows || len(b.results) != tt.rows {
				t.Fatalf("%d rows and %d events, want %d: %v", len(rows), len(b.results), tt.rows, err)
			}
			for i, r := range rows {
				if failed := r.Step.Test.Window > 512<<20; failed != (r.Reason != "") {
					t.Errorf("%s: %q", r.Step.Name, r.Reason)
				} else if !failed && (r.Arrived <= 0 || r.Arrived > 21e6) {
					t.Errorf("%s: %v bit/s arrived, 20 Mbit/s are allowed", r.Step.Name, r.Arrived)
				}
				e := b.results[i]
				if e.Subject != timeline.Path("a-b") || e.Attrs["experiment"] != string(tt.kind) || e.Span.To.Before(e.Span.From) || e.Text == "" {
					t.Errorf("event %+v", e)
				}
			}
			last := b.results[len(b.results)-1].Attrs
			for _, key := range tt.attrs {
				if last[key] == "" {
					t.Errorf("%s is missing in %v", key, last)
				}
			}
		})
	}
}

func TestAFarEndWithATokenAndAKey(t *testing.T) {
	t.Parallel()
	key := []byte("correct horse")
	address := serveWith(t, iperf3.ServerConfig{Token: "battery staple", MaxRate: 1e6})
	conn, err := stamp.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	r := &stamp.Reflector{Key: key}
	var wg sync.WaitGroup
	wg.Go(func() { _ = r.Serve(ctx, conn) })
	t.Cleanup(func() { cancel(); wg.Wait() })
	o := Options{Test: iperf3.Test{Address: address, Token: "battery staple"}, STAMPPort: conn.LocalAddr().(*net.UDPAddr).AddrPort().Port(),
		Values: []float64{2}, Rate: 20e6, StepTime: minStep, Path: "a-b"}
	t.Run("who has both is let in, and heartbeats go by STAMP", func(t *testing.T) {
		o := o
		o.STAMPKey = key
		p, err := New(Streams, o)
		if err != nil {
			t.Fatal(err)
		}
		var signed atomic.Int64
		rows, err := Run(t.Context(), p, timeline.SinkFunc(func(r timeline.Record) {
			if s, ok := r.(timeline.Sample); ok && s.Metric == timeline.RTT && s.Origin.Collector == "stamp:a-b" {
				signed.Add(1)
			}
		}))
		if err != nil || rows[0].LoadedRTT <= 0 || signed.Load() == 0 {
			t.Errorf("%d round trips by STAMP, %+v: %v", signed.Load(), rows, err)
		}
	})
	for name, wrong := range map[string][]byte{"no key": nil, "another key": []byte("wrong horse")} {
		t.Run(name+" is not answered by STAMP", func(t *testing.T) {
			o := o
			o.STAMPKey = wrong
			before := r.Stats().Unsigned
			h := startHeartbeat(t.Context(), "a-b", o, &book{})
			h.end()
			if after := r.Stats().Unsigned; h.kind == "stamp" || after == before {
				t.Errorf("the heartbeat goes by %q, %d were refused for want of a signature", h.kind, after-before)
			}
		})
	}
}

func TestAnExperimentThatIsInterruptedKeepsItsRows(t *testing.T) {
	t.Parallel()
	p, err := New(Streams, Options{Test: iperf3.Test{Address: serve(t)}, Rate: 10e6, StepTime: minStep})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	// The first event comes when the second step has ended.
	rows, err := Run(ctx, p, timeline.SinkFunc(func(r timeline.Record) {
		if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventResult {
			cancel()
		}
	}))
	if err != nil || len(rows) < 1 || len(rows) == len(p.Steps) || rows[0].Arrived <= 0 {
		t.Errorf("%d rows: %v", len(rows), err)
	}
}

func TestNothingThereIsAnErrorWithAReason(t *testing.T) {
	t.Parallel()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := l.Addr().String()
	l.Close()
	p, err := New(Streams, Options{Test: iperf3.Test{Address: address}, Values: []float64{1}, StepTime: minStep})
	if err != nil {
		t.Fatal(err)
	}
	rows, err := Run(t.Context(), p, nil)
	if !errors.Is(err, ErrNothing) || len(rows) != 1 || !strings.Contains(rows[0].Reason, "refuse") || Meaning(p, rows) != "" {
		t.Errorf("%+v: %v", rows, err)
	}
}

func TestTheDiskIsHeldAgainstMemory(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds")
	}
	t.Parallel()
	for name, reverse := range map[string]bool{"read": false, "written": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := someFile(t)
			p, err := New(Disk, Options{Test: iperf3.Test{Address: serve(t), Reverse: reverse, Overwrite: reverse}, File: path, Rate: 40e6, StepTime: minStep, Most: 20 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			var b book
			rows, err := Run(t.Context(), p, &b)
			if err != nil || len(rows) != 4 {
				t.Fatalf("%d rows: %v", len(rows), err)
			}
			for i, disk := range []string{"true", "", "true", ""} {
				if r := rows[i]; r.Reason != "" || r.Arrived <= 0 || b.results[i].Attrs["disk"] != disk {
					t.Errorf("%s: %v bit/s, %q, %v", r.Step.Name, r.Arrived, r.Reason, b.results[i].Attrs)
				}
			}
			if !rows[2].FileTime.OK || rows[1].FileTime.OK {
				t.Errorf("time on the file: %v with it, %v without", rows[2].FileTime, rows[1].FileTime)
			}
			if m := Meaning(p, rows); !strings.Contains(m, "The disk alone") || !strings.Contains(m, "from memory") {
				t.Error(m)
			}
			if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".whydrop-*")); len(left) > 0 {
				t.Errorf("left behind: %v", left)
			}
			if rows[0].Step.Test.Address != "" || p.Load().Peak != 40e6 {
				t.Errorf("%+v", p.Load())
			}
		})
	}
}

func someFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, make([]byte, 4<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRowsTellWhatTheReceivingHostDropped(t *testing.T) {
	r := Row{Step: Step{Name: "50.0 Mbit/s"}, Arrived: 49.5e6, Loss: tcpinfo.Opt[float64]{OK: true}}
	if got := r.text(Rate); strings.Contains(got, "dropped") {
		t.Errorf("nothing was dropped: %q", got)
	}
	r.HostDrops = tcpinfo.Opt[uint64]{Value: 317, OK: true}
	if got, want := r.text(Rate), "rate sweep, 50.0 Mbit/s: 49.5 Mbit/s, 0 % lost, 317 dropped by the receiving host"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

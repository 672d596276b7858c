package app

import (
	"bytes"
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/iperf3"
)

func TestWhatTheTesterSaysOfItself(t *testing.T) {
	at := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	sample := func(m timeline.Metric, v float64) timeline.Record {
		return timeline.Sample{Subject: timeline.Host(timeline.LocalHost), Metric: m, Span: timeline.Span{From: at, To: at.Add(time.Second)}, Value: v}
	}
	down := timeline.Event{Subject: timeline.Port(timeline.LocalHost, "eth0"), Type: timeline.EventOper, Span: timeline.At(at), Attrs: map[string]string{"from": "up", "to": "down"}}
	stalled := iperf3.Result{Stalls: make([]iperf3.Stall, 1)}
	for _, c := range []struct {
		name string
		test iperf3.Test
		res  iperf3.Result
		put  []timeline.Record
		want []string // a part of each note
	}{
		{"nothing happened", iperf3.Test{UDP: true}, iperf3.Result{}, []timeline.Record{sample(timeline.HostUDPDrops, 0), sample(timeline.HostSchedGap, 0.004), sample(timeline.HostSteal, 0.01)}, nil},
		{"datagrams of a test of datagrams", iperf3.Test{UDP: true}, iperf3.Result{}, []timeline.Record{sample(timeline.HostUDPDrops, 7), sample(timeline.HostUDPDrops, 5)}, []string{"discarded 12 datagrams"}},
		{"datagrams of others in a test of TCP", iperf3.Test{}, iperf3.Result{}, []timeline.Record{sample(timeline.HostUDPDrops, 7)}, nil},
		{"frames", iperf3.Test{}, iperf3.Result{}, []timeline.Record{sample(timeline.HostNICDrops, 3), sample(timeline.HostQueueDrops, 2)}, []string{"no room for 3 frames", "dropped 2 packets"}},
		{"a busy host that did no harm", iperf3.Test{}, iperf3.Result{}, []timeline.Record{sample(timeline.HostSchedGap, 0.2)}, nil},
		{"a busy host and a stall", iperf3.Test{}, stalled, []timeline.Record{sample(timeline.HostSchedGap, 0.2), sample(timeline.HostSoftirq, 0.95), sample(timeline.HostSteal, 0.3)}, []string{"up to 200 ms", "95 %", "30 %"}},
		{"the own link went down", iperf3.Test{}, iperf3.Result{}, []timeline.Record{down}, []string{"link up to down"}},
	} {
		own := &tester{opt: ProbeOptions{Test: c.test}, total: map[timeline.Metric]float64{}, most: map[timeline.Metric]float64{}}
		for _, r := range c.put {
			own.Put(r)
		}
		got := own.says(c.res)
		ok := len(got) == len(c.want)
		for i := range min(len(got), len(c.want)) {
			ok = ok && strings.Contains(got[i], c.want[i])
		}
		if !ok {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// servePlain runs a far end of ours on loopback until the test ends and returns its address.
func servePlain(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	var wg sync.WaitGroup
	wg.Go(func() {
		if err := iperf3.Serve(ctx, iperf3.ServerConfig{Listener: l}); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(func() { cancel(); wg.Wait() })
	return l.Addr().String()
}

func TestATestIsCaptured(t *testing.T) {
	address := servePlain(t)
	file := filepath.Join(t.TempDir(), "test.pcap")
	var out, progress bytes.Buffer
	err := Probe(t.Context(), ProbeOptions{Test: iperf3.Test{Address: address, Time: 300 * time.Millisecond, Rate: 5e6}, Format: "text", Pcap: file, Out: &out, Progress: &progress})
	if err != nil && strings.Contains(err.Error(), "capture") {
		if os.Getenv("WHYDROP_REQUIRE_PEERS") == "1" {
			t.Fatal(err)
		}
		t.Skip(err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, progress.String())
	}
	b, err := os.ReadFile(file)
	if err != nil || len(b) < 24+20*(16+52) {
		t.Errorf("%d octets captured, %v", len(b), err)
	}
	if got := progress.String(); !strings.Contains(got, "packets captured") || !strings.Contains(got, " to "+file) {
		t.Errorf("got %q", progress.String())
	}
	if s, err := os.Stat(file); err != nil || s.Mode().Perm() != 0o600 {
		t.Errorf("others may read it: %v, %v", s.Mode(), err)
	}
}

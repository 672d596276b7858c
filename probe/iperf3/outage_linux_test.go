package iperf3

import (
	"context"
	"os/exec"
	"strconv"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// TestOutageAgreesWithACapture cuts a real path and compares the outage with the longest gap between data
// segments in a capture at the receiver.
func TestOutageAgreesWithACapture(t *testing.T) {
	if testing.Short() {
		t.Skip("takes five seconds")
	}
	t.Parallel()
	tests := []struct {
		name    string
		stock   bool
		reverse bool
		streams int
		dark    time.Duration
	}{
		{"1 s to our own far end", false, false, 1, time.Second},
		{"3 s to our own far end", false, false, 1, 3 * time.Second},
		{"2 s to stock iperf3", true, false, 1, 2 * time.Second},
		{"2 s over four streams", false, false, 4, 2 * time.Second},
		{"1.5 s from our own far end", false, true, 1, 1500 * time.Millisecond},
		{"1.5 s from stock iperf3", true, true, 1, 1500 * time.Millisecond},
	}
	var all sync.WaitGroup // the tests wait most of the time, so they run all at once
	defer all.Wait()
	for _, tt := range tests {
		run := func(t *testing.T) {
			n := newNetwork(t)
			ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
			defer cancel()
			var wg sync.WaitGroup
			defer wg.Wait()
			defer cancel()
			if tt.stock {
				n.stock(ctx, &wg)
			} else {
				l := n.listen(n.b, addrB+":5201")
				wg.Go(func() { _ = Serve(ctx, ServerConfig{Listener: l}) })
			}
			receiver := n.b
			if tt.reverse {
				receiver = n.a
			}
			stop := n.capture(receiver)
			var store timeline.Store
			c := &Client{Name: "a-b", Address: addrB + ":5201", Rate: DefaultRate, Streams: tt.streams, Reverse: tt.reverse, Dial: n.dial}
			wg.Go(func() { _ = c.Probe(ctx, &store) })
			await(t, 5*time.Second, "data flows", func() bool { return goodputAbove(&store, c, 5e6) })
			pause(ctx, time.Second)
			n.rule("drop")
			pause(ctx, tt.dark)
			n.open()
			await(t, 15*time.Second, "the outage is reported", func() bool {
				return len(store.Snapshot().EventsOf(c.Path(), timeline.EventOutage)) > 0
			})
			pause(ctx, 500*time.Millisecond)
			cancel()
			wg.Wait()
			compare(t, &store, c, segments(t, stop()))
		}
		all.Go(func() { t.Run(tt.name, run) })
	}
}

// stock runs iperf3 -s on host b until ctx ends.
func (n *network) stock(ctx context.Context, wg *sync.WaitGroup) {
	n.t.Helper()
	needPeers(n.t, true, "iperf3")
	cmd := exec.CommandContext(ctx, "ip", "netns", "exec", n.b, "iperf3", "-s", "-p", "5201")
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	wg.Go(func() { _ = cmd.Wait() })
	await(n.t, 5*time.Second, "iperf3 listens", func() bool {
		c, err := exec.Command("ip", "netns", "exec", n.b, "ss", "-Hltn", "sport", "=", ":5201").Output()
		return err == nil && len(c) > 0
	})
}

func compare(t *testing.T, store *timeline.Store, c *Client, segs []segment) {
	t.Helper()
	s := store.Snapshot()
	outages := s.EventsOf(c.Path(), timeline.EventOutage)
	if len(outages) == 0 || len(outages) > 3 {
		t.Fatalf("%d outages, want one, or one more where a busy host stood still: %v", len(outages), outages)
	}
	o := outages[0]
	for _, other := range outages {
		if other.Span.Width() > o.Span.Width() {
			o = other
		}
	}
	sender := func(s segment) uint16 {
		if c.Reverse {
			return s.to
		}
		return s.from
	}
	from, to := longestGap(segs, sender)
	t.Logf("capture %v, outage %v, begins %v later, ends %v later; %v", to.Sub(from), o.Span.Width(), o.Span.From.Sub(from), o.Span.To.Sub(to), o.Attrs)
	// A reading that a busy host was late for is off by as much as the outage says itself.
	slack := 100 * time.Millisecond
	if ms, err := strconv.ParseFloat(o.Attrs["error_ms"], 64); err == nil && ms > 50 {
		slack += time.Duration(2 * ms * float64(time.Millisecond))
	}
	if d := (o.Span.Width() - to.Sub(from)).Abs(); d > slack {
		t.Errorf("the outage lasted %v, the capture's longest gap is %v", o.Span.Width(), to.Sub(from))
	}
	if d := o.Span.From.Sub(from).Abs(); d > slack {
		t.Errorf("the outage begins %v beside the gap", d)
	}
	want := timeline.Forward
	if c.Reverse {
		want = timeline.Reverse
	}
	if _, ok := o.Attrs["rto"]; ok == c.Reverse {
		t.Errorf("attributes %v: time-outs are known of the own sender alone", o.Attrs)
	}
	if o.Attrs["direction"] != want || o.Attrs["seen_by"] != timeline.SeenByTCP || o.Attrs["open"] != "" || o.Attrs["reconnected"] != "" {
		t.Errorf("attributes %v", o.Attrs)
	}
	zeros := 0
	metric := timeline.GoodputForward
	if c.Reverse {
		metric = timeline.GoodputReverse
	}
	for _, v := range s.Between(c.Path(), metric, o.Span) {
		if v.Value == 0 {
			zeros++
		}
	}
	if least := int(o.Span.Width()/goodputEvery) / 4; zeros < least {
		t.Errorf("%d goodput samples of 0 within %v, want at least %d", zeros, o.Span.Width(), least)
	}
}

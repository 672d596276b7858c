package iperf3

import (
	"context"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

// TestOutageAgreesWithACapture cuts a real path and compares the outage with the gap between data segments in a capture at the
// receiver.
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
				l := n.listen()
				wg.Go(func() { _ = Serve(ctx, ServerConfig{Listener: l}) })
			}
			sender, receiver := "a", "b"
			if tt.reverse {
				sender, receiver = "b", "a"
			}
			sent, arrived := n.capture(sender), n.capture(receiver)
			var store timeline.Store
			c := &Client{Name: "a-b", Address: addrB + ":5201", Rate: DefaultRate, Streams: tt.streams, Reverse: tt.reverse, Dial: n.dial}
			wg.Go(func() { _ = c.Probe(ctx, &store) })
			peertest.Await(t, "data flows", func() bool { return goodputAbove(&store, c, 5e6) })
			pause(ctx, time.Second)
			n.rule("drop")
			middle := time.Now().Add(tt.dark / 2)
			pause(ctx, tt.dark)
			n.open()
			peertest.Await(t, "the outage is reported", func() bool {
				_, ok := outageAt(store.Snapshot(), c, middle)
				return ok
			})
			cancel()
			wg.Wait()
			compare(t, store.Snapshot(), c, middle, segments(t, sent()), segments(t, arrived()))
		}
		all.Go(func() { t.Run(tt.name, run) })
	}
}

// stock runs iperf3 -s on host b until ctx ends.
func (n *network) stock(ctx context.Context, wg *sync.WaitGroup) {
	n.t.Helper()
	peertest.Need(n.t, "iperf3")
	cmd := exec.CommandContext(ctx, "ip", "netns", "exec", n.NS("b"), "iperf3", "-s", "-p", "5201")
	if err := cmd.Start(); err != nil {
		n.t.Fatal(err)
	}
	wg.Go(func() { _ = cmd.Wait() })
	peertest.Await(n.t, "iperf3 listens", func() bool {
		c, err := exec.Command("ip", "netns", "exec", n.NS("b"), "ss", "-Hltn", "sport", "=", ":5201").Output()
		return err == nil && len(c) > 0
	})
}

// outageAt returns the outage that there was at a moment, if it has ended.
func outageAt(s timeline.Snapshot, c *Client, at time.Time) (timeline.Event, bool) {
	for _, e := range s.EventsOf(c.Path(), timeline.EventOutage) {
		if e.Span.From.Before(at) && e.Span.To.After(at) && e.Attrs["open"] == "" {
			return e, true
		}
	}
	return timeline.Event{}, false
}

// compare holds the outage that there was at a moment against the gap in what arrived: it begins between the last segment
// that did and the first that was sent then, which a busy host may do late, and ends with the next that arrives.
func compare(t *testing.T, s timeline.Snapshot, c *Client, at time.Time, sent, arrived []segment) {
	t.Helper()
	o, _ := outageAt(s, c, at)
	sender := func(s segment) uint16 {
		if c.Reverse {
			return s.to
		}
		return s.from
	}
	from, to := gapAt(arrived, at, sender)
	if to.IsZero() {
		t.Fatalf("nothing arrived after %v, %d segments in all", at, len(arrived))
	}
	latest := from
	if i := slices.IndexFunc(sent, func(s segment) bool { return s.at.After(from) && s.payload > 100 }); i >= 0 {
		latest = sent[i].at
	}
	t.Logf("capture %v, outage %v, begins %v later, ends %v later; %v", to.Sub(from), o.Span.Width(), o.Span.From.Sub(from), o.Span.To.Sub(to), o.Attrs)
	// A reading that a busy host was late for is off by as much as the outage says itself.
	slack := 100 * time.Millisecond
	if ms, err := strconv.ParseFloat(o.Attrs["error_ms"], 64); err == nil {
		slack += time.Duration(2 * ms * float64(time.Millisecond))
	}
	if o.Span.From.Before(from.Add(-slack)) || o.Span.From.After(latest.Add(slack)) {
		t.Errorf("the outage begins %v after the last segment that arrived, the next was sent %v after it", o.Span.From.Sub(from), latest.Sub(from))
	}
	if d := o.Span.To.Sub(to); d.Abs() > slack {
		t.Errorf("the outage ends %v beside the gap", d)
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

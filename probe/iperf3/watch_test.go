package iperf3

import (
	"context"
	"io"
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/peertest"
)

// TestWatch runs a watch in virtual time through what can happen to a path and its far end.
func TestWatch(t *testing.T) {
	type outage struct {
		length      time.Duration // to 350 ms: attempts to reconnect come that far apart at first
		open, fresh bool          // it goes on; the flow had to be opened anew
	}
	second := time.Second
	tests := []struct {
		name    string
		cfg     ServerConfig
		act     func(p *pipeNet, stop func(), start func())
		outages []outage
		problem string // in a probe.problem event; "": there is none
		gap     bool   // a time without measurement is told of
	}{
		{"a healthy path", ServerConfig{MaxTime: 2 * second}, func(*pipeNet, func(), func()) { time.Sleep(7 * second) }, nil, "", false},
		{"the path goes dark and comes back", ServerConfig{}, func(p *pipeNet, _, _ func()) {
			time.Sleep(2 * second)
			p.setDark(true)
			time.Sleep(3 * second)
			p.setDark(false)
			time.Sleep(2 * second)
		}, []outage{{length: 3 * second}}, "", false},
		{"dark when the watch ends", ServerConfig{}, func(p *pipeNet, _, _ func()) {
			time.Sleep(2 * second)
			p.setDark(true)
			time.Sleep(3 * second)
		}, []outage{{length: 3 * second, open: true}}, "", false},
		{"a device resets all flows", ServerConfig{}, func(p *pipeNet, _, _ func()) {
			time.Sleep(2 * second)
			p.reset()
			time.Sleep(2 * second)
		}, []outage{{length: 200 * time.Millisecond, fresh: true}}, "", false},
		{"the flow dies while the path is dark", ServerConfig{}, func(p *pipeNet, _, _ func()) {
			time.Sleep(2 * second)
			p.setDark(true)
			time.Sleep(2 * second)
			p.reset()
			time.Sleep(2500 * time.Millisecond)
			p.setDark(false)
			time.Sleep(8 * second)
		}, []outage{{length: 5500 * time.Millisecond, fresh: true}}, "no answer", false},
		{"the old flow is never let through again", ServerConfig{}, func(p *pipeNet, _, _ func()) {
			time.Sleep(2 * second)
			p.blackhole()
			time.Sleep(14 * second)
		}, []outage{{length: 10200 * time.Millisecond, fresh: true}}, "", false},
		{"no far end at first", ServerConfig{}, func(p *pipeNet, stop, start func()) {
			stop()
			p.reset()
			time.Sleep(4 * second)
			start()
			time.Sleep(4 * second)
		}, nil, "refused", true},
		{"the far end's program is away for a while", ServerConfig{}, func(p *pipeNet, stop, start func()) {
			time.Sleep(2 * second)
			stop()
			time.Sleep(4 * second)
			start()
			time.Sleep(4 * second)
		}, nil, "refused", true},
		{"dark from the end of one test to the next", ServerConfig{MaxTime: 2 * second}, func(p *pipeNet, _, _ func()) {
			time.Sleep(1990 * time.Millisecond)
			p.setDark(true)
			time.Sleep(6 * second)
			p.setDark(false)
			time.Sleep(10 * second)
		}, []outage{{length: 6 * second, fresh: true}}, "", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pipeNet
				stop := p.farEnd(t, tt.cfg)
				start := func() { stop = p.farEnd(t, tt.cfg) }
				var store timeline.Store
				c := &Client{Name: "a-b", Address: "192.0.2.1:5201", Rate: DefaultRate, Dial: p.dial}
				ctx, cancel := context.WithCancel(t.Context())
				done := make(chan error, 1)
				go func() { done <- c.Probe(ctx, &store) }()
				tt.act(&p, func() { stop() }, start)
				cancel()
				ended := time.Now()
				if err := <-done; err != nil {
					t.Error(err)
				}
				if d := time.Since(ended); d > time.Second {
					t.Errorf("Probe returned %v after its context's end", d)
				}
				p.setDark(false)
				p.reset()
				stop()
				time.Sleep(time.Minute) // what the test's own network left behind ends

				s := store.Snapshot()
				got := s.EventsOf(c.Path(), timeline.EventOutage)
				if len(got) != len(tt.outages) {
					t.Fatalf("%d outages, want %d: %v", len(got), len(tt.outages), got)
				}
				for i, want := range tt.outages {
					checkOutage(t, s, c, got[i], want.length, want.open, want.fresh)
				}
				var problems []string
				for _, e := range s.EventsOf(c.Path(), timeline.EventProbeProblem) {
					problems = append(problems, e.Text)
				}
				if all := strings.Join(problems, "; "); (tt.problem == "") != (all == "") || !strings.Contains(all, tt.problem) || len(problems) > 2 {
					t.Errorf("problems %q, want one with %q", problems, tt.problem)
				}
				if v, ok := s.Last(c.Path(), timeline.GoodputForward); !ok || len(tt.outages) > 0 && tt.outages[0].open == false && v.Value < 5e6 {
					t.Errorf("the last goodput is %v, %v", v.Value, ok)
				}
				if gaps := s.GapsOf(c.Path(), timeline.GoodputForward); tt.gap && tt.name != "no far end at first" && len(gaps) == 0 {
					t.Error("the time without measurement is not told of")
				}
			})
		})
	}
}

func checkOutage(t *testing.T, s timeline.Snapshot, c *Client, o timeline.Event, length time.Duration, open, fresh bool) {
	t.Helper()
	slack := 50 * time.Millisecond
	if fresh {
		slack = 2500 * time.Millisecond
	}
	if d := o.Span.Width() - length; d < -50*time.Millisecond || d > slack {
		t.Errorf("an outage of %v, want %v", o.Span.Width(), length)
	}
	if (o.Attrs["open"] == "true") != open || (o.Attrs["reconnected"] == "true") != fresh || o.Attrs["direction"] != timeline.Forward || o.Attrs["seen_by"] != timeline.SeenByTCP {
		t.Errorf("attributes %v", o.Attrs)
	}
	zeros := 0
	for _, v := range s.Between(c.Path(), timeline.GoodputForward, o.Span) {
		if v.Value == 0 {
			zeros++
		}
	}
	if length > time.Second && zeros < 5 {
		t.Errorf("%d samples of 0 in an outage of %v", zeros, length)
	}
}

// TestSlowFarEndIsNoOutage lets the far end's program stop for long: its report acquits the path.
func TestSlowFarEndIsNoOutage(t *testing.T) {
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	t.Parallel()
	address := serve(t, ServerConfig{ReadBuffer: 16 << 10, Slow: func(int) { time.Sleep(700 * time.Millisecond) }})
	c := &Client{Name: "a-b", FarName: "far", Address: address, Rate: 50e6, Window: 32 << 10}
	h := peertest.Run(t, c)
	h.Await("the far end says several times that it does not read", func(s timeline.Snapshot) bool {
		v, ok := s.Last(timeline.Host("far"), timeline.HostReadStall)
		return ok && v.Value > 0.8 && len(s.Series(timeline.Host("far"), timeline.HostReadStall)) >= 3
	})
	s := h.Stop()
	if _, tells := s.Last(c.Path(), timeline.TCPRTT); !tells {
		t.Skip("this system does not tell what is in flight")
	}
	if o := s.EventsOf(c.Path(), timeline.EventOutage); len(o) > 0 {
		t.Errorf("the path is blamed: %s, %v", o[0].Text, o[0].Attrs)
	}
}

// TestStalledRelay lets something between the ends acknowledge data and pass nothing on for a while.
func TestStalledRelay(t *testing.T) {
	t.Parallel()
	far := serve(t, ServerConfig{})
	l, err := ServerConfig{Address: "127.0.0.1:0", ReadBuffer: 16 << 10}.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var still atomic.Bool // the relay stands still
	var wg sync.WaitGroup
	wg.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", far)
			if err != nil {
				near.Close()
				continue
			}
			for _, way := range [][2]net.Conn{{near, there}, {there, near}} {
				wg.Go(func() { relay(&still, way[0], way[1]) })
			}
		}
	})
	c := &Client{Name: "a-b", Address: l.Addr().String(), Rate: 20e6}
	var store timeline.Store
	ctx, cancel := context.WithCancel(t.Context())
	wg.Go(func() { _ = c.Probe(ctx, &store) })
	peertest.Await(t, "data flows", func() bool { return goodputAbove(&store, c, 15e6) })
	still.Store(true)
	from := time.Now()
	pause(ctx, 1500*time.Millisecond)
	to := time.Now()
	still.Store(false)
	peertest.Await(t, "the outage is reported", func() bool {
		return len(store.Snapshot().EventsOf(c.Path(), timeline.EventOutage)) > 0
	})
	cancel()
	l.Close()
	wg.Wait()
	// A busy host fills the relay's buffers later, and sees later that they empty.
	const slack = 150 * time.Millisecond
	longest := time.Duration(0)
	for _, o := range store.Snapshot().EventsOf(c.Path(), timeline.EventOutage) {
		longest = max(longest, o.Span.Width())
		if d, e := o.Span.From.Sub(from), o.Span.To.Sub(to); d < -slack || o.Span.From.After(to) || e > time.Second {
			t.Errorf("the outage begins %v and ends %v beside the stall: %v", d, e, o.Attrs)
		}
	}
	if longest < to.Sub(from)/2 {
		t.Errorf("the longest outage is one of %v", longest)
	}
}

func relay(still *atomic.Bool, from, to net.Conn) {
	defer from.Close()
	defer to.Close()
	buf := make([]byte, 4<<10)
	for {
		n, err := from.Read(buf)
		for still.Load() {
			time.Sleep(time.Millisecond)
		}
		if n > 0 {
			if _, err := to.Write(buf[:n]); err != nil {
				return
			}
		}
		if err == io.EOF {
			if hc, ok := to.(*net.TCPConn); ok {
				_ = hc.CloseWrite()
			}
		}
		if err != nil {
			return
		}
	}
}

func goodputAbove(store *timeline.Store, c *Client, rate float64) bool {
	s := store.Snapshot()
	for _, m := range []timeline.Metric{timeline.GoodputForward, timeline.GoodputReverse} {
		if v, ok := s.Last(c.Path(), m); ok && v.Value > rate {
			return true
		}
	}
	return false
}

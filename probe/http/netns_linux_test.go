package http

import (
	"context"
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage/outagetest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats, although the connection that
// was open waits for its retransmission timer.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	t.Parallel()
	p := outagetest.NewPath(t, "wdpath-h")
	var l net.Listener
	p.Do("b", func() {
		var err error
		if l, err = net.Listen("tcp", ":80"); err != nil {
			t.Fatal(err)
		}
	})
	server := http.Server{Handler: http.HandlerFunc(func(http.ResponseWriter, *http.Request) {})}
	var running sync.WaitGroup
	running.Go(func() { _ = server.Serve(l) })
	back := p.Capture("a", "in", "tcp src port 80")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var store timeline.Store
	dial := func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		p.Do("a", func() { conn, err = new(net.Dialer).DialContext(ctx, network, address) })
		return conn, err
	}
	running.Go(func() {
		r := Requester{Name: "a-b", To: outagetest.B, Heartbeat: MinHeartbeat, Dial: dial}
		if err := r.Probe(ctx, &store); err != nil {
			t.Errorf("Probe: %v", err)
		}
	})
	time.Sleep(1200 * ms)
	p.Drop("b", 1500*ms)
	time.Sleep(3000 * ms)
	cancel()
	_ = server.Close()
	running.Wait()
	es := store.Snapshot().EventsOf(path, timeline.EventOutage)
	gaps := outagetest.Gaps(back(), 900*ms)
	if len(es) != 1 || len(gaps) != 1 {
		t.Fatalf("%d outages, captured %v; want one of either", len(es), gaps)
	}
	e, g := es[0], gaps[0]
	if e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(g.From).Abs() > 2*MinHeartbeat || e.Span.To.Sub(g.To).Abs() > 2*MinHeartbeat {
		t.Errorf("outage %s to %s, %v; captured %v", e.Span.From, e.Span.To, e.Attrs, g)
	}
	t.Logf("%s, captured %s: %s", e.Span.Width(), g.To.Sub(g.From), e.Text)
}

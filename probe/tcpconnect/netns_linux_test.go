package tcpconnect

import (
	"context"
	"net"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage/outagetest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats. The far host refuses.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	p := outagetest.NewPath(t, "wdstampt-")
	back := p.Capture("a", "in", "tcp src port 9")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	var store timeline.Store
	dial := func(ctx context.Context, network, address string) (conn net.Conn, err error) {
		p.Do("a", func() { conn, err = new(net.Dialer).DialContext(ctx, network, address) })
		return conn, err
	}
	running.Go(func() {
		if err := (&Connector{Name: "a-b", To: outagetest.B, Port: 9, Dial: dial}).Probe(ctx, &store); err != nil {
			t.Errorf("Probe: %v", err)
		}
	})
	time.Sleep(500 * ms)
	p.Drop("b", 1200*ms)
	time.Sleep(2500 * ms)
	cancel()
	running.Wait()
	es := store.Snapshot().EventsOf(timeline.Path("a-b"), timeline.EventOutage)
	gaps := outagetest.Gaps(back(), 700*ms)
	if len(es) != 1 || len(gaps) != 1 {
		t.Fatalf("%d outages, captured %v; want one of either", len(es), gaps)
	}
	e, g := es[0], gaps[0]
	if e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(g.From).Abs() > 2*DefaultHeartbeat || e.Span.To.Sub(g.To).Abs() > 2*DefaultHeartbeat {
		t.Errorf("outage %s to %s, %v; captured %v", e.Span.From, e.Span.To, e.Attrs, g)
	}
}

package dns

import (
	"context"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage/outagetest"
)

// An outage of a real path is what a capture of the answers shows, within two heartbeats.
func TestAnOutageAgreesWithACapture(t *testing.T) {
	t.Parallel()
	p := outagetest.NewPath(t, "wdpath-d")
	var s *server
	p.Do("b", func() { s = newServer(t, ":53") })
	defer s.stop()
	back := p.Capture("a", "in", "udp src port 53")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	var store timeline.Store
	running.Go(func() {
		p.Do("a", func() {
			if err := (&Asker{Name: "a-b", To: outagetest.B, Heartbeat: MinHeartbeat}).Probe(ctx, &store); err != nil {
				t.Errorf("Probe: %v", err)
			}
		})
	})
	time.Sleep(700 * ms)
	p.Drop("a", 600*ms)
	time.Sleep(2000 * ms)
	cancel()
	running.Wait()
	es := store.Snapshot().EventsOf(path, timeline.EventOutage)
	gaps := outagetest.Gaps(back(), 350*ms)
	if len(es) != 1 || len(gaps) != 1 {
		t.Fatalf("%d outages, captured %v; want one of either", len(es), gaps)
	}
	e, g := es[0], gaps[0]
	if e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(g.From).Abs() > 2*MinHeartbeat || e.Span.To.Sub(g.To).Abs() > 2*MinHeartbeat {
		t.Errorf("outage %s to %s, %v; captured %v", e.Span.From, e.Span.To, e.Attrs, g)
	}
	t.Logf("%s, captured %s: %s", e.Span.Width(), g.To.Sub(g.From), e.Text)
}

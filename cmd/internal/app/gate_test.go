package app

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/iperf3"
)

// runsCounter is a prober that counts how many of it run.
type runsCounter struct{ runs, begun atomic.Int32 }

func (*runsCounter) Path() timeline.Subject { return timeline.Path("a-b") }

func (c *runsCounter) Probe(ctx context.Context, _ timeline.Sink) error {
	c.begun.Add(1)
	c.runs.Add(1)
	<-ctx.Done()
	time.Sleep(300 * time.Millisecond) // a real test takes its time to end
	c.runs.Add(-1)
	return nil
}

func TestATestIsHeldAndGoesOn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, store := &runsCounter{}, &timeline.Store{}
		g := newGate(p)
		ctx, cancel := context.WithCancel(t.Context())
		var wg sync.WaitGroup
		wg.Go(func() {
			if err := g.Probe(ctx, store); err != nil {
				t.Error(err)
			}
		})
		time.Sleep(time.Second)
		if p.runs.Load() != 1 {
			t.Fatal("the test does not run")
		}
		release := g.hold()
		if p.runs.Load() != 0 {
			t.Error("the test runs beside what holds it")
		}
		time.Sleep(10 * time.Second)
		if n := p.begun.Load(); n != 1 {
			t.Errorf("the test was begun %d times while it was held", n)
		}
		release()
		time.Sleep(time.Second)
		if p.runs.Load() != 1 || p.begun.Load() != 2 {
			t.Error("the test did not go on")
		}
		gaps := store.Snapshot().Gaps()
		if len(gaps) != 1 || gaps[0].Span.Width() < 9*time.Second || gaps[0].Reason != timeline.ReasonStopped {
			t.Errorf("gaps %+v, want one of the time it was held", gaps)
		}
		release = g.hold()
		cancel() // while it is held
		wg.Wait()
		release()
	})
}

func TestOnlyThroughputTestsAreHeld(t *testing.T) {
	heart := &runsCounter{}
	out, gates := gated([]probe.Prober{&iperf3.Client{Name: "a-b"}, heart})
	if len(out) != 2 || out[1] != probe.Prober(heart) || len(gates) != 1 || out[0].Path() != timeline.Path("a-b") {
		t.Errorf("%v, gates %v", out, gates)
	}
}

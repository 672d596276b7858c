package app

import (
	"context"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/iperf3"
)

// gate lets a path's own throughput test be held while an experiment runs: a stock far end takes one test at a time, and
// two tests at once share what the path carries.
type gate struct {
	probe.Prober

	mu      sync.Mutex
	changed *sync.Cond // of what follows; on mu
	held    int        // holds that last or wait for the test to end
	stop    context.CancelFunc
	runs    bool
}

var _ probe.Prober = (*gate)(nil)

func newGate(p probe.Prober) *gate {
	g := &gate{Prober: p}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// gated puts a gate before every throughput test among the probers.
func gated(probers []probe.Prober) (out []probe.Prober, gates []*gate) {
	for _, p := range probers {
		if _, ok := p.(*iperf3.Client); ok {
			g := newGate(p)
			gates = append(gates, g)
			p = g
		}
		out = append(out, p)
	}
	return out, gates
}

// Probe runs the test, and again after each hold. It returns when the test ends by itself or ctx does.
func (g *gate) Probe(ctx context.Context, out timeline.Sink) error {
	defer context.AfterFunc(ctx, g.changed.Broadcast)()
	for {
		inner, ok := g.begin(ctx, out)
		if !ok {
			return nil
		}
		err := g.Prober.Probe(inner, out)
		cut := inner.Err() != nil
		g.mu.Lock()
		g.stop()
		g.runs = false
		g.changed.Broadcast()
		g.mu.Unlock()
		if !cut || ctx.Err() != nil {
			return err
		}
	}
}

// begin waits until nobody holds the gate, and writes why nothing was measured meanwhile. ok is false when ctx ended.
func (g *gate) begin(ctx context.Context, out timeline.Sink) (inner context.Context, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	from := time.Now().UTC()
	waited := false
	for ; g.held > 0 && ctx.Err() == nil; waited = true {
		g.changed.Wait()
	}
	if waited {
		out.Put(timeline.Gap{Subject: g.Path(), Metric: timeline.GoodputForward, Span: timeline.Span{From: from, To: time.Now().UTC()},
			Reason: timeline.ReasonStopped, Text: "the watch's own test paused for an experiment"})
	}
	if ctx.Err() != nil {
		return nil, false
	}
	inner, g.stop = context.WithCancel(ctx)
	g.runs = true
	return inner, true
}

// hold ends the test that runs, waits until it has ended and lets none begin until release is called, once.
func (g *gate) hold() (release func()) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held++
	if g.runs {
		g.stop()
	}
	for g.runs {
		g.changed.Wait()
	}
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held--
		g.changed.Broadcast()
	}
}

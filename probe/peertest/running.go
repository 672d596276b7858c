package peertest

import (
	"context"
	"flag"
	"strconv"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
)

// patience is how long something that is certain to happen is waited for: on a busy host all takes longer.
const patience = 30 * time.Second

// Await waits until something holds, and fails the test if it never does.
func Await(t testing.TB, what string, holds func() bool) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		if holds() {
			return
		}
	}
	t.Fatalf("not within %v: %s", patience, what)
}

// Running is a prober that runs, and what it has recorded.
type Running struct {
	Store timeline.Store

	t    testing.TB
	path timeline.Subject
	stop func()
}

// Run starts a prober. It runs until Stop is called or the test ends.
func Run(t testing.TB, p probe.Prober) *Running {
	t.Helper()
	return RunIn(t, func(f func()) { f() }, p)
}

// RunIn is Run for a prober whose Probe is to be called by a function: one that enters a namespace for it, say.
func RunIn(t testing.TB, by func(func()), p probe.Prober) *Running {
	t.Helper()
	r := &Running{t: t, path: p.Path()}
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() {
		by(func() {
			if err := p.Probe(ctx, &r.Store); err != nil {
				t.Errorf("Probe: %v", err)
			}
		})
	})
	r.stop = func() { cancel(); running.Wait() }
	t.Cleanup(r.stop)
	return r
}

// Await waits until what was recorded is as it is to be.
func (r *Running) Await(what string, holds func(timeline.Snapshot) bool) {
	r.t.Helper()
	Await(r.t, what, func() bool { return holds(r.Store.Snapshot()) })
}

// Measures waits until n more samples of the round trip are recorded.
func (r *Running) Measures(n int) {
	r.t.Helper()
	n += len(r.Store.Snapshot().Series(r.path, timeline.RTT))
	r.Await("more round trips", func(s timeline.Snapshot) bool { return len(s.Series(r.path, timeline.RTT)) >= n })
}

// Tells waits until an event of a type is recorded, and returns the first one.
func (r *Running) Tells(kind timeline.EventType) timeline.Event {
	r.t.Helper()
	var first timeline.Event
	r.Await("an event "+string(kind), func(s timeline.Snapshot) bool {
		es := s.EventsOf(r.path, kind)
		if len(es) > 0 {
			first = es[0]
		}
		return len(es) > 0
	})
	return first
}

// Stop ends the prober and returns what it recorded.
func (r *Running) Stop() timeline.Snapshot {
	r.stop()
	return r.Store.Snapshot()
}

// Parallel lets n tests run at the same time unless the flag -parallel says how many: tests that wait for a clock or a
// peer need no processor each. TestMain calls it before m.Run.
func Parallel(n int) {
	flag.Parse()
	told := false
	flag.Visit(func(f *flag.Flag) { told = told || f.Name == "test.parallel" })
	if !told {
		_ = flag.Set("test.parallel", strconv.Itoa(n))
	}
}

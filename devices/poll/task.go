package poll

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// task asks one device by one source, over and over.
type task struct {
	*watch
	source    Source
	collector devices.Collector
	every     time.Duration // as wanted

	interval time.Duration // as the device bears; under watch.mu
	answered time.Time     // the last answer; under watch.mu

	polls    int
	quick    int       // quick polls in a row
	tired    int       // slow polls in a row
	failures int       // in a row
	refused  int       // refused logins in a row
	until    time.Time // gaps reach until then
	said     string    // the text of the last partial answer
	saidAt   time.Time

	reason timeline.Reason // of the last failure; "" after an answer
	words  string          // the same
}

func newTask(w *watch, s Source, c devices.Collector, every time.Duration) *task {
	return &task{watch: w, source: s, collector: c, every: every, interval: every}
}

// Limits of the cadence.
const (
	slowest     = 30 * time.Second // the longest interval between polls of a slow device
	breakAfter  = 3                // failures in a row
	firstPause  = 2 * time.Second  // then, doubling
	longestWait = 10 * time.Second
	loginTries  = 2               // refused logins in a row
	loginPause  = 5 * time.Minute // then
	gapEvery    = 10 * time.Second
)

// run polls on an absolute schedule, so that the time a poll takes adds up to nothing; moments that
// are close are moved to the same beat. The first poll comes nearly at once, those after it at the device's own
// moment within the interval. It returns when ctx ends.
func (t *task) run(ctx context.Context) {
	start := time.Now()
	t.until = start.UTC()
	next := start.Add(t.after + jitter(100*time.Millisecond))
	if t.source.Name != SNMP.Name && !t.naming.wait(ctx) {
		t.stopped(time.Now())
		return
	}
	for wait(ctx, time.Until(next)) {
		began := time.Now()
		pause := t.poll(ctx)
		now := time.Now()
		if pause > 0 {
			next = now.Add(pause)
			continue
		}
		interval := t.pace()
		// The first point of the schedule that is not past; points that a slow poll missed are left out.
		first := start.Add(time.Duration(t.phase * float64(interval)))
		next = first
		if late := now.Sub(first); late >= 0 {
			next = first.Add((late/interval + 1) * interval)
		}
		next = t.beat.at(next)
		if next.Sub(began) < interval/2 {
			next = next.Add(interval)
		}
	}
	t.stopped(time.Now())
}

// stopped writes what was not known at the end: for the reason that was known last, if there was one.
func (t *task) stopped(now time.Time) {
	const missed = 3
	if t.failures == 0 && t.polls > 0 && now.Sub(t.until) < missed*t.pace()+time.Second {
		return
	}
	reason, text := t.reason, t.words
	if reason == "" {
		reason, text = timeline.ReasonStopped, "stopped while the device gave no answer"
		if t.words != "" {
			text += ": " + t.words
		}
	}
	t.gaps(timeline.Span{From: t.until, To: now.UTC()}, reason, text)
}

// origin is of what is not read from an answer.
func (t *task) origin() timeline.Origin {
	return timeline.Origin{Collector: t.source.way() + ":" + t.device.Name}
}

func jitter(most time.Duration) time.Duration {
	if most <= 0 {
		return 0
	}
	return rand.N(most)
}

// wait returns false when ctx ended.
func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(max(0, d))
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return ctx.Err() == nil
	}
}

// pace returns the interval that the device bears.
func (t *task) pace() time.Duration {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.interval
}

// poll asks once and writes what came of it. It returns how long to leave the device alone beyond its schedule; 0
// is not at all.
func (t *task) poll(ctx context.Context) time.Duration {
	began := time.Now()
	r, err := t.collect(ctx)
	now := time.Now()
	if err != nil && ended(ctx) {
		if t.reason == "" {
			t.words = err.Error()
		}
		return 0
	}
	if err == nil || errors.Is(err, devices.ErrPartial) && useful(r) {
		t.succeed(r, err, now)
		t.govern(now.Sub(began))
		return 0
	}
	return t.fail(err, began, now)
}

// ended says whether ctx is over, or so nearly that an error may be for that reason alone.
func ended(ctx context.Context) bool {
	d, ok := ctx.Deadline()
	return ctx.Err() != nil || ok && time.Until(d) < 20*time.Millisecond
}

// useful says whether anything at all is in a reading that was cut short.
func useful(r devices.Reading) bool {
	return !r.Span.IsZero() && (r.Clock.OK || r.LocalClock.OK || r.CPU.OK || r.Bridge != nil ||
		len(r.Interfaces)+len(r.Log)+len(r.Trees)+len(r.Redundancy)+len(r.Neighbours)+len(r.Sensors)+len(r.Aggregates) > 0)
}

// collect asks the collector. A fault of ours in reading what a device said is an error like any other, and
// stops neither this device's polling nor another's.
func (t *task) collect(ctx context.Context) (r devices.Reading, err error) {
	ctx, cancel := context.WithTimeout(ctx, t.source.Limit)
	defer cancel()
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%s: %s: fault while reading the answer: %v", t.source.Name, t.device.Name, p)
		}
	}()
	if t.source.Name == SNMP.Name {
		defer func() { t.naming.hear(r) }()
		return t.collector.Collect(ctx, t.device)
	}
	return t.collector.Collect(ctx, t.naming.settle(t.device))
}

// recycler is a collector that uses a reading's memory again once it is done with.
type recycler interface{ Done(devices.Reading) }

func (t *task) succeed(r devices.Reading, err error, now time.Time) {
	t.mu.Lock()
	t.answered = now
	t.load.note(r, now)
	t.mu.Unlock()
	t.failures, t.refused, t.until = 0, 0, now.UTC()
	t.reason, t.words = "", ""
	t.polls++
	t.records(r)
	if c, ok := t.collector.(recycler); ok {
		defer c.Done(r)
	}
	if err == nil {
		t.said = ""
		return
	}
	// The same complaint again and again is written now and then only.
	if err.Error() == t.said && now.Sub(t.saidAt) < gapEvery {
		return
	}
	sp := r.Span
	if err.Error() == t.said {
		sp.From = t.saidAt.UTC()
	}
	t.said, t.saidAt = err.Error(), now
	gap := timeline.Gap{Subject: timeline.Device(t.device.Name), Span: sp, Reason: timeline.ReasonPartial, Text: err.Error(), Origin: r.Origin}
	if gap.Origin.Collector == "" {
		gap.Origin = t.origin()
	}
	t.out.Put(gap)
	if t.source.Name == Log.Name || t.source.Name == Slow.Name {
		return
	}
	have := map[string]bool{}
	for _, i := range r.Interfaces {
		have[i.Name] = true
	}
	for _, p := range t.device.Watched() {
		if gap.Subject = timeline.Port(t.device.Name, p); !have[p] {
			t.out.Put(gap)
		}
	}
}

// fail writes that the device gave no answer.
func (t *task) fail(err error, began, now time.Time) time.Duration {
	t.failures++
	reason := devices.ReasonOf(err)
	text := err.Error()
	if reason != timeline.ReasonAuth {
		t.refused = 0
	} else if t.refused++; t.refused >= loginTries && !strings.Contains(text, " again") {
		text += "; refused twice, not asked again for " + loginPause.String() // unless the collector says so itself
	}
	t.reason, t.words = reason, text
	t.gaps(timeline.Span{From: t.until, To: now.UTC()}, reason, text)
	if !t.answers(t, now) {
		t.out.Put(timeline.Sample{
			Subject: timeline.Device(t.device.Name), Metric: timeline.Reachable,
			Span: timeline.Span{From: began.UTC(), To: now.UTC()}, Origin: t.origin(),
		})
	}
	t.until = now.UTC()
	switch {
	case t.refused >= loginTries:
		return loginPause
	case t.failures < breakAfter:
		return 0
	}
	return min(longestWait, firstPause<<min(t.failures-breakAfter, 8))
}

// gaps writes that nothing is known of the device and its ports. While another source of the device answers, only
// what this one alone gives is missing.
func (t *task) gaps(sp timeline.Span, reason timeline.Reason, text string) {
	gap := timeline.Gap{Subject: timeline.Device(t.device.Name), Span: sp, Reason: reason, Text: text, Origin: t.origin()}
	others := t.answers(t, sp.To)
	switch {
	case others && t.source.Name == Log.Name:
		gap.Metric = timeline.ClockOffset
	case others && t.source.Name == Slow.Name:
		gap.Metric = timeline.DeviceCPU
	}
	t.out.Put(gap)
	if others {
		return
	}
	for _, p := range t.device.Watched() {
		gap.Subject = timeline.Port(t.device.Name, p)
		t.out.Put(gap)
	}
}

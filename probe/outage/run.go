package outage

import (
	"context"
	"fmt"
	"time"

	"whydrop/correlate/timeline"
)

const (
	// silentTime is how long a far end may say nothing from the start before that is a problem of the probe's.
	silentTime = 2 * time.Second
	// refusedTime is how long a far end must refuse before it is a problem of the probe's: a restart is shorter.
	refusedTime = time.Second
	// givenUp is how long nothing may answer from the start before the heartbeat slows down.
	givenUp = 10 * time.Second
	// slowBeat is the time between heartbeats to a far end that is not there.
	slowBeat = time.Second
)

// Wire carries heartbeats. Its methods are called from one goroutine.
type Wire interface {
	// Send sends heartbeat n. It does not wait for the answer. An error means that it could not be sent.
	Send(n uint64, now time.Time) error
	// Receive enters in the book, without waiting, what has arrived since the last call.
	Receive(b *Book)
}

// Run keeps up a heartbeat on w and its books until ctx ends. It writes probe.start and probe.stop, and
// probe.problem when the far end does not answer from the start or refuses for more than a second; then it goes on
// slowly until it answers.
func Run(ctx context.Context, c Config, w Wire) {
	start := time.Now()
	r := run{cfg: c, book: New(c, start), start: start}
	c.event(timeline.EventProbeStart, start, fmt.Sprintf("%s heartbeat every %s to %s", c.Kind, c.Heartbeat, c.To),
		map[string]string{"kind": c.Kind, "to": c.To})
	links := watchLinks(ctx, c.Far)
	defer links.wait()
	Every(ctx, c.Heartbeat, func(now, missed time.Time) {
		w.Receive(r.book)
		links.enter(r.book)
		if !missed.IsZero() {
			r.book.Stalled(missed, now)
		}
		r.judge(now)
		if !r.slow || now.Sub(r.sent) >= slowBeat {
			r.sent = now
			at := time.Now() // what is done before takes time, now more, now less: that would be jitter
			n := r.book.Sent(at)
			if err := w.Send(n, at); err != nil {
				r.book.Failed(err)
			}
		}
		r.book.Advance(now)
	})
	w.Receive(r.book)
	links.enter(r.book)
	end := time.Now()
	r.book.Close(end)
	c.event(timeline.EventProbeStop, end, c.Kind+" heartbeat stopped", map[string]string{"reason": "stopped"})
}

// run is the state of Run.
type run struct {
	cfg      Config
	book     *Book
	start    time.Time
	sent     time.Time
	slow     bool // the far end is not there: beat slowly
	told     bool // and that was said
	answered uint64
	refusals int
	since    time.Time // of the first refusal after the newest answer; zero if there was none
}

// judge looks whether there is a far end at all.
func (r *run) judge(now time.Time) {
	if n := r.book.Answered(); n != r.answered {
		r.answered, r.refusals, r.since = n, r.book.refusals, time.Time{}
		r.slow, r.told = false, false
		return
	}
	if r.since.IsZero() && r.book.refusals > r.refusals {
		r.since = now
	}
	switch {
	case !r.since.IsZero() && now.Sub(r.since) > refusedTime && r.book.refusals > r.refusals+1:
		r.slow = true
		r.problem(now, "refused", "refused: its host is there, but nothing listens")
	case r.answered == 0 && now.Sub(r.start) > silentTime:
		r.slow = now.Sub(r.start) > givenUp
		text := fmt.Sprintf("no answer in the first %s", silentTime)
		if r.cfg.Hint != "" {
			text += "; " + r.cfg.Hint
		}
		r.problem(now, "silent", text)
	}
}

// problem says once that the far end is not there.
func (r *run) problem(now time.Time, reason, text string) {
	if r.told {
		return
	}
	r.told = true
	text = fmt.Sprintf("%s heartbeat to %s: %s", r.cfg.Kind, r.cfg.To, text)
	if err := r.book.failure; err != nil {
		text += fmt.Sprintf(" (this host could not send: %v)", err)
	}
	if s := r.book.reports; s.n > 0 {
		text += fmt.Sprintf(" (%s said %q)", s.by, s.what)
	}
	r.cfg.event(timeline.EventProbeProblem, now, text, map[string]string{"kind": r.cfg.Kind, "reason": reason})
}

func (c Config) event(t timeline.EventType, at time.Time, text string, attrs map[string]string) {
	c.Out.Put(timeline.Event{Subject: c.Path, Type: t, Span: timeline.At(at.Round(0).UTC()), Text: text, Attrs: attrs,
		Origin: timeline.Origin{Collector: c.Collector}})
}

// Try sends five heartbeats on w, 100 ms apart, and says whether one was answered and whether more than one was
// refused. It returns when it knows, when ctx ends, or after a second.
func Try(ctx context.Context, w Wire) (answered, refused bool) {
	const beats, apart = 5, 100 * time.Millisecond
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	start := time.Now()
	nowhere := timeline.SinkFunc(func(timeline.Record) {})
	book := New(Config{Heartbeat: apart, Out: nowhere}, start)
	Every(ctx, apart/5, func(now, _ time.Time) {
		w.Receive(book)
		if book.Answered() > 0 || book.refusals > 1 {
			cancel()
			return
		}
		if book.sent < beats && now.Sub(start) >= time.Duration(book.sent)*apart {
			_ = w.Send(book.Sent(now), now) // no answer will follow
		}
	})
	return book.Answered() > 0, book.refusals > 1
}

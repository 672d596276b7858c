package tui

import (
	"context"
	"slices"
	"sync"
	"time"

	"whydrop/cmd/internal/report"
)

// course is how an investigation stands. Every text in it is clean. The zero value is one that has not begun.
type course struct {
	Path     string // its name
	Began    time.Time
	Ended    time.Time // zero while it goes on
	Said     []string  // what it told, oldest first
	Asks     string    // the question that waits for an answer; "" if none does
	Stopping bool      // the user ended it
	Failure  string    // why it ended early; "" if it did not
}

// running says whether it goes on.
func (c course) running() bool { return !c.Began.IsZero() && c.Ended.IsZero() }

// inquiry is an investigation that the screen shows and answers. Its methods may be called from any goroutine; the zero
// value is one that has not begun.
type inquiry struct {
	mu     sync.Mutex
	course course
	answer chan bool // of the question that waits; nil if none does
	cancel context.CancelFunc
}

// now returns how it stands.
func (q *inquiry) now() course {
	q.mu.Lock()
	defer q.mu.Unlock()
	c := q.course
	c.Said = slices.Clone(c.Said)
	return c
}

// run carries out an investigation of a path and returns when it is over.
func (q *inquiry) run(ctx context.Context, cfg Config, path string, clock func() time.Time) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q.mu.Lock()
	if q.course.running() {
		q.mu.Unlock()
		return
	}
	q.course = course{Path: report.Clean(path), Began: clock()}
	q.cancel = cancel
	q.mu.Unlock()
	err := cfg.Investigate(ctx, path, func(question string) bool { return q.ask(ctx, question) }, q.say)
	q.mu.Lock()
	defer q.mu.Unlock()
	q.course.Ended, q.course.Asks, q.answer = clock(), "", nil
	if err != nil {
		q.course.Failure = report.Clean(err.Error())
	}
}

// mostSaid is how many lines are kept: the newest.
const mostSaid = 1000

// say takes a line.
func (q *inquiry) say(line string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.course.Said = append(q.course.Said, report.Clean(line))
	q.course.Said = q.course.Said[max(0, len(q.course.Said)-mostSaid):]
}

// ask waits for the user's answer; it is no if ctx ends.
func (q *inquiry) ask(ctx context.Context, question string) bool {
	answer := make(chan bool, 1)
	q.mu.Lock()
	q.course.Asks, q.answer = report.Clean(question), answer
	q.mu.Unlock()
	select {
	case yes := <-answer:
		return yes
	case <-ctx.Done():
		return false
	}
}

// reply answers the question that waits, if one does.
func (q *inquiry) reply(yes bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.answer == nil {
		return
	}
	word := "no"
	if yes {
		word = "yes"
	}
	q.course.Said = append(q.course.Said, "You said "+word+".")
	q.answer <- yes
	q.course.Asks, q.answer = "", nil
}

// stop ends it, if it goes on.
func (q *inquiry) stop() {
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.course.running() {
		q.course.Stopping = true
		q.cancel()
	}
}

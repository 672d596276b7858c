package heartbeat

import (
	"context"
	"sync"
	"time"

	"whydrop/probe/outage"
)

// Pending are questions that wait for their answers at the same time, each in a goroutine of its own. R is what becomes
// of one.
type Pending[R any] struct {
	ctx     context.Context // ends when it is closed
	cancel  context.CancelFunc
	wg      sync.WaitGroup
	results chan R
}

// NewPending returns Pending that end when they are closed, and not when ctx does. Close must follow.
func NewPending[R any](ctx context.Context) *Pending[R] {
	p := &Pending[R]{results: make(chan R, 64)}
	p.ctx, p.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return p
}

// Context ends when the questions are given up.
func (p *Pending[R]) Context() context.Context { return p.ctx }

// Go asks: wait returns what became of the question, or false if that is nothing. Its context ends after the time
// within, and when the questions are given up.
func (p *Pending[R]) Go(within time.Duration, wait func(ctx context.Context) (R, bool)) {
	p.wg.Go(func() {
		ctx, cancel := context.WithTimeout(p.ctx, within)
		defer cancel()
		r, ok := wait(ctx)
		if !ok {
			return
		}
		select {
		case p.results <- r:
		case <-p.ctx.Done():
		}
	})
}

// Each calls f, without waiting, with what has become of questions since the last call.
func (p *Pending[R]) Each(f func(R)) {
	for {
		select {
		case r := <-p.results:
			f(r)
		default:
			return
		}
	}
}

// Close gives up the questions that wait and returns when they are gone.
func (p *Pending[R]) Close() {
	p.cancel()
	p.wg.Wait()
}

// Result is what became of a heartbeat: an answer, or an error of this host's.
type Result struct {
	outage.Answer
	Err error
}

// Enter enters a result in the book.
func (r Result) Enter(b *outage.Book) {
	if r.Err != nil {
		b.Failed(r.Err)
	} else {
		b.Answer(r.Answer)
	}
}

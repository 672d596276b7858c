package admission

import (
	"errors"
	"slices"
	"sync"
)

// MaxWaiting is how many may wait in a [Queue].
const MaxWaiting = 64

// ErrFull says that as many wait in a queue as may.
var ErrFull = errors.New("too many tests wait already")

// Queue lets a number of tests run at once, first come first served.
type Queue struct {
	mu      sync.Mutex
	free    int
	waiting []*Place
}

// NewQueue returns a queue for tests of which n may run at once.
func NewQueue(n int) *Queue { return &Queue{free: n} }

// Place is a test's place in a queue, and then its turn.
type Place struct {
	q    *Queue
	turn chan struct{}
	left bool
}

// Join takes the last place in the queue, or returns ErrFull. [Place.Leave] must follow.
func (q *Queue) Join() (*Place, error) {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := &Place{q: q, turn: make(chan struct{})}
	switch {
	case q.free > 0:
		q.free--
		close(p.turn)
	case len(q.waiting) >= MaxWaiting:
		return nil, ErrFull
	default:
		q.waiting = append(q.waiting, p)
	}
	return p, nil
}

// Waiting returns how many wait for their turn.
func (q *Queue) Waiting() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.waiting)
}

// Turn is closed when it is the place's turn.
func (p *Place) Turn() <-chan struct{} { return p.turn }

// Leave gives the place or the turn to those behind. It may be called several times.
func (p *Place) Leave() {
	q := p.q
	q.mu.Lock()
	defer q.mu.Unlock()
	if p.left {
		return
	}
	p.left = true
	if i := slices.Index(q.waiting, p); i >= 0 {
		q.waiting = slices.Delete(q.waiting, i, i+1)
		return
	}
	if len(q.waiting) == 0 {
		q.free++
		return
	}
	close(q.waiting[0].turn)
	q.waiting = slices.Delete(q.waiting, 0, 1)
}

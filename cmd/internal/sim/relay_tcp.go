package sim

import (
	"context"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// maxFlight bounds what one way of a flow has in flight inside the relay, in bytes.
const maxFlight = 1 << 20

// chunk is how much is read from a socket at once, in bytes: a few segments, as one interrupt would bring.
const chunk = 16 << 10

// accept takes connections and pairs each with one to the far end, in the order in which they came: a test that goes both
// ways tells its streams apart by it.
func (r *relay) accept() {
	turn := make(chan struct{})
	close(turn)
	for {
		c, err := r.tcp.AcceptTCP()
		if err != nil {
			return
		}
		mine, next := turn, make(chan struct{})
		turn = next
		r.wg.Add(1)
		go func() {
			defer r.wg.Done()
			r.pair(c, mine, sync.OnceFunc(func() { close(next) }))
		}()
	}
}

// pair carries one TCP connection until both ways have ended. It connects in its turn, and says when the next one may.
func (r *relay) pair(near *net.TCPConn, turn <-chan struct{}, connected func()) {
	defer near.Close()
	defer connected()
	f := &tcpFlow{relay: r, opened: r.now()}
	if !f.passable(forward) {
		return
	}
	select {
	case <-turn:
	case <-time.After(50 * time.Millisecond): // one that waits for the path keeps nobody
	case <-r.ctx.Done():
		return
	}
	dialer := net.Dialer{Control: smallBuffers(r.rcv)}
	c, err := dialer.DialContext(r.ctx, "tcp4", r.farTCP.String())
	connected()
	if err != nil {
		_ = near.SetLinger(0) // the far end refused: so does the path
		return
	}
	far := c.(*net.TCPConn)
	defer far.Close()
	defer onEnd(r, near, far)()
	var wg sync.WaitGroup
	for w, ends := range [2][2]*net.TCPConn{{near, far}, {far, near}} {
		wg.Add(1)
		go func() {
			defer wg.Done()
			f.carry(way(w), ends[0], ends[1])
		}()
	}
	wg.Wait()
}

// onEnd closes both connections when the relay ends; the caller calls what it returns when they are done with.
func onEnd(r *relay, conns ...*net.TCPConn) func() {
	done := make(chan struct{})
	r.wg.Add(1)
	go func() {
		defer r.wg.Done()
		select {
		case <-r.ctx.Done():
			for _, c := range conns {
				c.Close()
			}
		case <-done:
		}
	}()
	return func() { close(done) }
}

// tcpFlow is one connection through the relay.
type tcpFlow struct {
	*relay
	opened time.Duration
}

// passable waits until the flow may pass one way, and returns false if the relay ends before.
func (f *tcpFlow) passable(w way) bool {
	for {
		now := f.now()
		if f.passes(w, now) {
			return f.ctx.Err() == nil
		}
		if !f.sleep(f.path.next(now)) {
			return false
		}
	}
}

func (f *tcpFlow) passes(w way, at time.Duration) bool {
	c := f.path.at(at)
	return !c.dark[w] && (c.stalled == 0 || f.opened >= c.stalled)
}

// settling is how long it takes until all that a sender had under way when its flow stalled is acknowledged, and
// pushing how often the system is told not to wait with that.
const (
	settling = 100 * time.Millisecond
	pushing  = 4 * time.Millisecond
)

// shut makes the end of a flow's progress sharp when it can't pass: the system would acknowledge what fills its
// buffer bit by bit, each bit 40 ms late because the program does not read.
func (f *tcpFlow) shut(w way, src *net.TCPConn) {
	for end := f.now() + settling; f.now() < end && !f.passes(w, f.now()); {
		ackNow(src)
		if !f.sleep(f.now() + pushing) {
			return
		}
	}
}

// piece is payload on its way through the relay.
type piece struct {
	read time.Duration // when, as the story counts
	data []byte
}

// carry takes what src sends to dst until src ends, and then ends dst's stream.
func (f *tcpFlow) carry(w way, src, dst *net.TCPConn) {
	flight := &flight{freed: make(chan struct{}, 1)}
	pieces := make(chan piece, maxPieces)
	var wg sync.WaitGroup
	wg.Add(1)
	go func() {
		defer wg.Done()
		defer dst.CloseWrite()
		if !f.deliver(w, dst, pieces, flight) {
			src.Close() // what can't be delivered need not be read
			for range pieces {
			}
		}
	}()
	if window := f.path.base.window; window > 0 && w == forward {
		f.gulp(src, pieces, flight, window)
	} else {
		f.sip(w, src, pieces, flight)
	}
	close(pieces)
	wg.Wait()
}

// maxPieces is more pieces than can be in flight.
const maxPieces = maxFlight / 256

// sip reads what comes as it comes, as long as it may pass and no more than maxFlight is under way.
func (f *tcpFlow) sip(w way, src *net.TCPConn, pieces chan<- piece, fl *flight) {
	for {
		if !f.passes(w, f.now()) {
			f.shut(w, src)
		}
		if !f.passable(w) || !fl.room(f.ctx) {
			return
		}
		buf := make([]byte, chunk)
		n, err := src.Read(buf)
		if n > 0 {
			fl.add(n)
			pieces <- piece{f.now(), buf[:n]}
		}
		if err != nil {
			return
		}
	}
}

// gulp reads one window per round trip of the path, all at once. The system acknowledges at that moment only, as
// it does where a program reads before the delayed acknowledgement is due (Linux: 40 ms): the sender has a whole
// window in flight for a whole round trip, as over a long path.
func (f *tcpFlow) gulp(src *net.TCPConn, pieces chan<- piece, fl *flight, window int) {
	next := f.now()
	buf := make([]byte, 4*window) // all there is
	for f.passable(forward) && fl.room(f.ctx) {
		c := f.path.at(f.now())
		trip := c.delay[forward] + c.delay[reverse]
		next = max(next+trip, f.now()-trip)
		if !f.sleep(next) || !f.passable(forward) {
			return
		}
		n, err := src.Read(buf)
		delayAcks(src)
		if n > 0 {
			fl.add(n)
			pieces <- piece{f.now() - trip, slices.Clone(buf[:n])}
		}
		if err != nil {
			return
		}
	}
}

// deliver writes pieces to dst when they are due, and returns false if dst can't be written to.
func (f *tcpFlow) deliver(w way, dst *net.TCPConn, pieces <-chan piece, fl *flight) bool {
	for p := range pieces {
		c := f.path.at(f.now())
		if !f.sleep(p.read+c.delay[w]+c.queue[w]) || !f.passable(w) {
			return false
		}
		c = f.path.at(f.now())
		if at, _ := f.reserve(w, len(p.data), c.rate, 0); c.rate > 0 && !f.sleep(at.Sub(f.begun)) {
			return false
		}
		if _, err := dst.Write(p.data); err != nil {
			return false
		}
		f.path.segments(w, c, len(p.data))
		fl.done(len(p.data))
	}
	return true
}

// flight is what one way of a flow has read and not yet written, in bytes.
type flight struct {
	bytes atomic.Int64
	freed chan struct{}
}

func (f *flight) add(n int) { f.bytes.Add(int64(n)) }

func (f *flight) done(n int) {
	f.bytes.Add(-int64(n))
	select {
	case f.freed <- struct{}{}:
	default:
	}
}

// room waits until less than maxFlight is under way, and returns false if ctx ends before.
func (f *flight) room(ctx context.Context) bool {
	for f.bytes.Load() >= maxFlight {
		select {
		case <-f.freed:
		case <-ctx.Done():
			return false
		}
	}
	return true
}

package sim

import (
	"net"
	"sync"
	"time"
)

// defaultWindow bounds what one flow has in flight inside the relay, in bytes, where the story sets no window.
const defaultWindow = 1 << 20

// chunk is how much is read from a socket at once, in bytes: a few segments, as one interrupt would bring.
const chunk = 16 << 10

// accept takes connections and pairs each with one to the far end.
func (r *relay) accept() {
	for {
		c, err := r.tcp.AcceptTCP()
		if err != nil {
			return
		}
		r.wg.Add(1)
		go func() {
			defer r.wg.Done()
			r.pair(c)
		}()
	}
}

// pair carries one TCP connection until both ways have ended.
func (r *relay) pair(near *net.TCPConn) {
	defer near.Close()
	f := &tcpFlow{relay: r, opened: r.now()}
	if !f.passable(forward) {
		return
	}
	dialer := net.Dialer{Control: smallBuffers(r.rcv)}
	c, err := dialer.DialContext(r.ctx, "tcp4", r.farTCP.String())
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
		c := f.path.at(now)
		if !c.dark[w] && (c.stalled == 0 || f.opened >= c.stalled) {
			return f.ctx.Err() == nil
		}
		if !f.sleep(f.path.next(now)) {
			return false
		}
	}
}

// piece is payload on its way through the relay.
type piece struct {
	read time.Time
	data []byte
}

// carry takes what src sends to dst until src ends, and then ends dst's stream.
func (f *tcpFlow) carry(w way, src, dst *net.TCPConn) {
	flight := &flight{freed: make(chan struct{}, 1)}
	pieces := make(chan piece, defaultWindow/1024)
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
	for f.passable(w) && f.room(w, flight) {
		buf := make([]byte, min(chunk, flight.left(f.window(), time.Now())))
		n, err := src.Read(buf)
		if n > 0 {
			now := time.Now()
			flight.add(n, now)
			pieces <- piece{now, buf[:n]}
		}
		if err != nil {
			break
		}
	}
	close(pieces)
	wg.Wait()
}

func (f *tcpFlow) window() int {
	if w := f.path.base.window; w > 0 {
		return w
	}
	return defaultWindow
}

// room waits until the flow's window has room.
func (f *tcpFlow) room(w way, fl *flight) bool {
	for fl.left(f.window(), time.Now()) <= 0 {
		t := time.NewTimer(fl.wait(time.Now()))
		select {
		case <-f.ctx.Done():
			t.Stop()
			return false
		case <-fl.freed:
		case <-t.C:
		}
		t.Stop()
	}
	return true
}

// deliver writes pieces to dst when they are due, and returns false if dst can't be written to.
func (f *tcpFlow) deliver(w way, dst *net.TCPConn, pieces <-chan piece, fl *flight) bool {
	for p := range pieces {
		c := f.path.at(f.now())
		if !f.sleep(p.read.Sub(f.begun) + c.delay[w] + c.queue[w]) {
			return false
		}
		if !f.passable(w) {
			return false
		}
		c = f.path.at(f.now())
		if c.rate > 0 && !f.sleep(f.reserve(w, len(p.data), c.rate).Sub(f.begun)) {
			return false
		}
		if _, err := dst.Write(p.data); err != nil {
			return false
		}
		f.path.segments(w, c, len(p.data))
		// With a window set, its room is back when the acknowledgement would be: one way back later.
		var back time.Duration
		if f.path.base.window > 0 {
			back = c.delay[1-w] + c.queue[1-w]
		}
		fl.done(len(p.data), time.Now().Add(back))
	}
	return true
}

// flight is what a flow has sent and not yet got acknowledged, in bytes.
type flight struct {
	mu    sync.Mutex
	bytes int
	acks  []ack // in order of time
	freed chan struct{}
}

type ack struct {
	at time.Time
	n  int
}

func (f *flight) add(n int, _ time.Time) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.bytes += n
}

// done says that n bytes will be acknowledged at a moment.
func (f *flight) done(n int, at time.Time) {
	f.mu.Lock()
	f.acks = append(f.acks, ack{at, n})
	f.mu.Unlock()
	select {
	case f.freed <- struct{}{}:
	default:
	}
}

// left returns how much room a window of the given size has now.
func (f *flight) left(window int, now time.Time) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	for len(f.acks) > 0 && !f.acks[0].at.After(now) {
		f.bytes -= f.acks[0].n
		f.acks = f.acks[1:]
	}
	return window - f.bytes
}

// wait returns how long to wait for the next acknowledgement that is on its way, or a while if none is.
func (f *flight) wait(now time.Time) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.acks) == 0 {
		return time.Second
	}
	return max(f.acks[0].at.Sub(now), 0)
}

package sim

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"
)

// relay is the path as sockets: TCP connections and datagrams that arrive at its ports go on to the far end, late,
// shaped, lost or held up as the path's condition says.
type relay struct {
	path  *path
	begun time.Time
	rcv   int // receive buffer of its sockets in bytes: small, so that a sender feels a stall soon

	tcp    *net.TCPListener
	udp    *net.UDPConn   // heartbeats
	tests  *net.UDPConn   // datagrams of throughput tests, on the number of the TCP port
	farTCP netip.AddrPort // of throughput tests, datagrams too
	farUDP netip.AddrPort // of heartbeats

	ctx  context.Context
	stop context.CancelFunc
	wg   sync.WaitGroup

	mu     sync.Mutex
	dice   *rand.Rand
	shaped [2]time.Time // when the next payload may leave, by way
}

// newRelay opens a TCP and a UDP port on loopback for a path that carries a flow of the given least rate, in bit/s;
// the caller sets the far ends and calls run.
func newRelay(p *path, seed uint64, rate float64) (*relay, error) {
	r := &relay{path: p, dice: rand.New(rand.NewPCG(seed, 0x72656c6179))}
	// What the sender can still get rid of when the relay stops reading: some 30 ms of the rate. Less would make a
	// window out of it that slows the sender down, more would let it send in bursts with silence between them.
	r.rcv = min(max(int(rate/8*0.020), 16<<10), 512<<10)
	if p.base.window > 0 {
		r.rcv = p.base.window
	}
	lc := net.ListenConfig{Control: smallBuffers(r.rcv)}
	var err error
	if r.tcp, r.tests, err = listenBoth(lc); err != nil {
		return nil, fmt.Errorf("relay: %w", err)
	}
	if r.udp, err = net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)}); err != nil {
		return nil, errors.Join(fmt.Errorf("relay: %w", err), r.tcp.Close(), r.tests.Close())
	}
	r.ctx, r.stop = context.WithCancel(context.Background())
	return r, nil
}

// listenBoth opens one port of loopback for TCP and UDP.
func listenBoth(lc net.ListenConfig) (*net.TCPListener, *net.UDPConn, error) {
	const tries = 20 // the number of a free TCP port may be taken in UDP
	for n := 1; ; n++ {
		l, err := lc.Listen(context.Background(), "tcp4", "127.0.0.1:0")
		if err != nil {
			return nil, nil, err
		}
		u, err := net.ListenUDP("udp4", net.UDPAddrFromAddrPort(l.Addr().(*net.TCPAddr).AddrPort()))
		if err == nil {
			return l.(*net.TCPListener), u, nil
		}
		l.Close()
		if n == tries {
			return nil, nil, err
		}
	}
}

// run begins to relay; the path's time counts from begun. close ends it.
func (r *relay) run(begun time.Time) {
	r.begun = begun
	r.wg.Go(r.accept)
	r.wg.Go((&door{relay: r, conn: r.udp, far: r.farUDP}).serve)
	r.wg.Go((&door{relay: r, conn: r.tests, far: r.farTCP, shaped: true}).serve)
}

// close ends every connection and waits for all of the relay's goroutines.
func (r *relay) close() error {
	r.stop()
	err := errors.Join(r.tcp.Close(), r.udp.Close(), r.tests.Close())
	r.wg.Wait()
	return err
}

func (r *relay) now() time.Duration { return time.Since(r.begun) }

// sleep waits until a moment of the story, or returns false if the relay ends before.
func (r *relay) sleep(until time.Duration) bool {
	d := until - r.now()
	if d <= 0 {
		return r.ctx.Err() == nil
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-r.ctx.Done():
		return false
	}
}

// lose throws the dice for one frame.
func (r *relay) lose(ratio float64) bool {
	if ratio <= 0 {
		return false
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.dice.Float64() < ratio
}

// behind is how far the shaper may be behind time and still catch up: what the timers of a busy host are late by.
const behind = 10 * time.Millisecond

// reserve returns when n bytes of payload may leave at a rate; ok is false if their turn is more than most away, and then
// nothing is reserved. most 0 is no bound.
func (r *relay) reserve(w way, n int, rate float64, most time.Duration) (at time.Time, ok bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	now := time.Now()
	if rate <= 0 {
		return now, true
	}
	at = r.shaped[w]
	if at.Before(now.Add(-behind)) {
		at = now.Add(-behind)
	}
	if most > 0 && at.Sub(now) > most {
		return at, false
	}
	at = at.Add(time.Duration(float64(n) * 8 / rate * float64(time.Second)))
	r.shaped[w] = at
	return at, true
}

package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"syscall"
	"time"

	"whydrop/probe/stream"
)

// door is where UDP streams come in. A hello does not say which test it belongs to, so of the tests of one address
// one at a time may say hello. Nobody gets a word who has no control connection from the same address, and no more
// than was said: the far end cannot be made to send to a third party.
type door struct {
	s     *server
	local netip.AddrPort
	mu    sync.Mutex
	queue map[netip.Addr][]*waiter // by the peer's address, first come first served
	told  int                      // strangers that were logged
}

// waiter is a test that wants UDP streams.
type waiter struct {
	t      *session
	turn   chan struct{}           // closed when it may say hello
	opened map[netip.AddrPort]bool // its streams
}

// openDoor opens the UDP port of the listener's number; nil if there is none.
func (s *server) openDoor(ctx context.Context, l net.Listener) *net.UDPConn {
	tl, ok := l.(*net.TCPListener)
	if !ok || s.cfg.NoUDP {
		return nil
	}
	at := tl.Addr().(*net.TCPAddr).AddrPort()
	lc := net.ListenConfig{Control: func(network, _ string, raw syscall.RawConn) error {
		return marks{reuse: true}.control(network, raw)
	}}
	network := "udp"
	if at.Addr().Unmap().Is4() {
		network = "udp4"
	}
	c, err := s.open(func() (net.Conn, error) {
		pc, err := lc.ListenPacket(ctx, network, at.String())
		if err != nil {
			return nil, err
		}
		return pc.(*net.UDPConn), nil
	})
	if err != nil {
		s.log("UDP is not served: %v", err)
		return nil
	}
	s.door = &door{s: s, local: at, queue: map[netip.Addr][]*waiter{}}
	return c.(*net.UDPConn)
}

func (s *server) open(f func() (net.Conn, error)) (net.Conn, error) {
	if s.cfg.inside != nil {
		return s.cfg.inside(f)
	}
	return f()
}

// listen takes hellos until ctx ends.
func (d *door) listen(ctx context.Context, u *net.UDPConn) {
	stop := context.AfterFunc(ctx, func() { _ = u.SetReadDeadline(past) })
	defer stop()
	b := make([]byte, 64) // what is longer is no hello
	for ctx.Err() == nil {
		n, from, err := u.ReadFromUDPAddrPort(b)
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // an earlier answer was refused, or the datagram was too long (Windows)
			pause(ctx, time.Millisecond)
		default:
			d.hello(b[:n], from)
		}
	}
}

// hello opens a stream for a peer whose test waits for one.
func (d *door) hello(b []byte, from netip.AddrPort) {
	answer := answerTo(b)
	if answer == "" {
		return
	}
	from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.queue[from.Addr()]
	if len(q) == 0 {
		if d.told++; d.told <= 10 {
			d.s.log("%v: a hello on UDP without a test was not answered", from)
		}
		return
	}
	w := q[0]
	if w.opened[from] || len(w.opened) == cap(w.t.hellos) { // it was said twice, or is one too many
		return
	}
	c, err := w.t.openDatagrams(from)
	if err != nil {
		d.s.log("%v: %v", from, err)
		return
	}
	w.opened[from] = true
	w.t.hellos <- c // has room
	_, _ = c.conn.Write([]byte(answer))
}

// enter puts a test in its peer's queue. leave must be called.
func (d *door) enter(t *session, peer netip.Addr) (turn <-chan struct{}, leave func()) {
	w := &waiter{t, make(chan struct{}), map[netip.AddrPort]bool{}}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.queue[peer] = append(d.queue[peer], w)
	if len(d.queue[peer]) == 1 {
		close(w.turn)
	}
	return w.turn, func() { d.leave(w, peer) }
}

func (d *door) leave(w *waiter, peer netip.Addr) {
	d.mu.Lock()
	defer d.mu.Unlock()
	q := d.queue[peer]
	for i := range q {
		if q[i] != w {
			continue
		}
		q = append(q[:i:i], q[i+1:]...)
		if i == 0 && len(q) > 0 {
			close(q[0].turn)
		}
		break
	}
	if len(q) == 0 {
		delete(d.queue, peer)
	} else {
		d.queue[peer] = q
	}
}

// addressOf returns the address of a connection's end, an IPv4 one as such.
func addressOf(a net.Addr) netip.Addr {
	if ta, ok := a.(*net.TCPAddr); ok {
		return ta.AddrPort().Addr().Unmap()
	}
	return netip.Addr{}
}

// family returns the end of a network's name.
func family(a netip.Addr) string {
	if a.Is6() {
		return "6"
	}
	return "4"
}

// openDatagrams opens the session's next stream with a peer that said hello.
func (t *session) openDatagrams(peer netip.AddrPort) (*dataConn, error) {
	p := t.params
	// The socket has the address that the client chose, on a host with several too.
	local := netip.AddrPortFrom(addressOf(t.ctl.conn.LocalAddr()), t.server.door.local.Port())
	conn, err := t.server.open(func() (net.Conn, error) {
		return dialPeer(local, peer, marks{tos: p.tos, dontFragment: p.dontFragment}, stream.Socket{Buffer: p.window})
	})
	if err != nil {
		return nil, err
	}
	growBuffers(conn, p.window, p.conns())
	return &dataConn{conn: conn, answers: true}, nil
}

// collectDatagrams lets the client say hello for each stream.
func (t *session) collectDatagrams(ctx context.Context) error {
	d := t.server.door
	t.hellos = make(chan *dataConn, t.params.conns())
	turn, leave := d.enter(t, addressOf(t.ctl.conn.RemoteAddr()))
	defer t.closeHellos()
	defer leave()
	if err := t.waitAtDoor(ctx, turn); err != nil {
		return err
	}
	if err := t.ctl.send(createStreams, nil); err != nil {
		return err
	}
	wait := t.server.cfg.silence // for each hello
	late := time.NewTimer(wait)
	defer late.Stop()
	var wg sync.WaitGroup
	again, cancel := context.WithCancel(ctx)
	t.answering = func() {
		cancel()
		for _, c := range t.conns {
			_ = c.conn.SetReadDeadline(past)
		}
		wg.Wait()
		for _, c := range t.conns {
			_ = c.conn.SetReadDeadline(time.Time{})
		}
	}
	for i := range t.params.conns() {
		select {
		case c := <-t.hellos:
			late.Reset(wait)
			c.id, c.sends = streamID(i), !t.params.receives(i)
			c.newCounts(t.params.counters64)
			t.conns = append(t.conns, c)
			wg.Go(func() { d.answerAgain(again, c) })
		case <-late.C:
			return fmt.Errorf("%d of %d streams said hello on UDP, and no other for %v", i, t.params.conns(), wait)
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// closeHellos closes the streams that nobody wanted. None comes any more.
func (t *session) closeHellos() {
	for {
		select {
		case c := <-t.hellos:
			c.conn.Close()
		default:
			return
		}
	}
}

// waitAtDoor waits until no other test of the same address sets up UDP streams.
func (t *session) waitAtDoor(ctx context.Context, turn <-chan struct{}) error {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	since := time.Now()
	for {
		select {
		case <-turn:
			return nil
		case <-ctx.Done():
			return ctx.Err()
		case now := <-tick.C:
			if t.params.ours == nil {
				continue
			}
			if err := t.ctl.send(stateQueued, queued{now.Sub(since).Seconds()}); err != nil {
				return err
			}
		}
	}
}

// answerAgain answers further hellos of a stream until ctx has ended and a read deadline ends the read: the answer before was lost. What the socket got from
// others before it had its peer is given back to the door.
func (d *door) answerAgain(ctx context.Context, c *dataConn) {
	u := c.conn.(*net.UDPConn)
	peer := u.RemoteAddr().(*net.UDPAddr).AddrPort()
	b := make([]byte, 64)
	for ctx.Err() == nil {
		n, from, err := u.ReadFromUDPAddrPort(b)
		from = netip.AddrPortFrom(from.Addr().Unmap(), from.Port())
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			pause(ctx, time.Millisecond)
		case from != netip.AddrPortFrom(peer.Addr().Unmap(), peer.Port()):
			d.hello(b[:n], from)
		default:
			if a := answerTo(b[:n]); a != "" {
				_, _ = u.Write([]byte(a))
			}
		}
	}
}

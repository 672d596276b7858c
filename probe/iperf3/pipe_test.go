package iperf3

import (
	"context"
	"errors"
	"fmt"
	"net"
	"sync"
	"syscall"
	"testing"
	"time"
)

// pipeNet is a network inside the process, for tests in virtual time: what is dialled is accepted by the far end
// that listens at the moment. Its path can go dark and far ends can come and go.
type pipeNet struct {
	mu      sync.Mutex
	backlog chan net.Conn // of the far end that listens; nil: refused
	gone    chan struct{} // closed when that far end listens no more
	dark    bool          // connections get no answer
	hops    []*hop
}

func (p *pipeNet) dial(ctx context.Context, _, _ string) (net.Conn, error) {
	p.mu.Lock()
	backlog, gone, dark := p.backlog, p.gone, p.dark
	p.mu.Unlock()
	switch {
	case dark:
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(3 * time.Second):
			return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ETIMEDOUT}
		}
	case backlog == nil:
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	}
	here, near := net.Pipe()
	far, there := net.Pipe()
	h := &hop{net: p, ends: [2]net.Conn{near, far}}
	p.mu.Lock()
	p.hops = append(p.hops, h)
	p.mu.Unlock()
	go h.carry(near, far)
	go h.carry(far, near)
	select {
	case backlog <- there:
		return here, nil
	case <-gone:
		h.cut()
		return nil, &net.OpError{Op: "dial", Net: "tcp", Err: syscall.ECONNREFUSED}
	case <-ctx.Done():
		h.cut()
		return nil, ctx.Err()
	}
}

// setDark stops all connections, or lets them go on.
func (p *pipeNet) setDark(dark bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dark = dark
}

func (p *pipeNet) isDark() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dark
}

// blackhole makes the connections there are carry nothing any more; new ones do.
func (p *pipeNet) blackhole() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hops {
		h.dead = true
	}
}

func (p *pipeNet) swallows(h *hop) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return h.dead
}

// reset breaks every connection, as a firewall does that lost its state.
func (p *pipeNet) reset() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.hops {
		h.cut()
	}
	p.hops = nil
}

// hop carries bytes between two pipes, unless the network is dark.
type hop struct {
	net  *pipeNet
	ends [2]net.Conn
	dead bool
}

func (h *hop) cut() {
	h.ends[0].Close()
	h.ends[1].Close()
}

// alive says whether both ends are open: a write of nothing tells.
func (h *hop) alive() bool {
	for _, e := range h.ends {
		if e.SetDeadline(time.Time{}) != nil {
			return false
		}
	}
	return true
}

func (h *hop) carry(from, to net.Conn) {
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		for err == nil && (h.net.isDark() || h.net.swallows(h)) && h.alive() {
			time.Sleep(time.Millisecond)
		}
		if n > 0 {
			if _, werr := to.Write(buf[:n]); werr != nil {
				return // the other direction delivers what the peer said before it closed, and cuts
			}
		}
		if err != nil {
			h.cut()
			return
		}
	}
}

// pipeListener is a far end's place in the network.
type pipeListener struct {
	p     *pipeNet
	conns chan net.Conn
	once  sync.Once
	done  chan struct{}
}

func (p *pipeNet) listen() *pipeListener {
	l := &pipeListener{p: p, conns: make(chan net.Conn), done: make(chan struct{})}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.backlog, p.gone = l.conns, l.done
	return l
}

func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.conns:
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *pipeListener) Close() error {
	l.once.Do(func() {
		close(l.done)
		l.p.mu.Lock()
		defer l.p.mu.Unlock()
		if l.p.backlog == l.conns {
			l.p.backlog = nil
		}
	})
	return nil
}

func (l *pipeListener) Addr() net.Addr {
	return &net.TCPAddr{IP: net.IPv4(192, 0, 2, 1), Port: DefaultPort}
}

// farEnd runs a far end in the network until the function returned is called.
func (p *pipeNet) farEnd(t *testing.T, cfg ServerConfig) (stop func()) {
	cfg.Listener = p.listen()
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- Serve(ctx, cfg) }()
	return sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, net.ErrClosed) {
			t.Errorf("Serve: %v", err)
		}
	})
}

// quick is a test that a far end which is well does at once.
func (p *pipeNet) quick(token string) Test {
	return Test{Address: "192.0.2.1:5201", Time: time.Second, Rate: 1e6, Token: token, Dial: p.dial}
}

// startsWithin says how long a good client waits for its test to run.
func (p *pipeNet) startsWithin(t *testing.T, d time.Duration) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	f, err := openFlow(ctx, p.quick(""))
	if err != nil {
		return fmt.Errorf("a good client could not start within %v: %w", d, err)
	}
	f.terminate()
	return nil
}

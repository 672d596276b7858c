package iperf3

import (
	"context"
	"fmt"
	"io"
	"net"
	"sync"
	"time"

	"whydrop/probe/admission"
	"whydrop/probe/stream"
)

// Limits for clients that do not show the token, if the configuration says nothing else.
const (
	DefaultMaxTime    = admission.DefaultMaxTime
	DefaultMaxRate    = admission.DefaultMaxRate // bit/s, all streams of a test together
	DefaultMaxStreams = admission.DefaultMaxStreams
	DefaultMaxTests   = 1 // at once: two tests would measure each other
)

// HighestRate in bit/s is the most that a test may ask for, and as a ServerConfig's MaxRate no limit at all. iperf3
// itself does not bound a rate.
const HighestRate = 1e13

// DefaultPort is iperf3's.
const DefaultPort = 5201

// ServerConfig says how a far end serves. The zero value listens on 127.0.0.1:5201 with the default limits.
type ServerConfig struct {
	// Listener, if not nil, is served and closed; else Address is listened on. Its connections should not be
	// Multipath TCP; see Listen.
	Listener net.Listener
	// Address is "host:port"; "" is 127.0.0.1:5201.
	Address string

	// Token, if not "", lifts the limits for clients that prove to know it.
	Token string
	// MaxTime, MaxRate (bit/s, all streams together), MaxStreams and MaxTests (at once; more wait their turn)
	// bind clients without the token. 0 is the default of each.
	MaxTime    time.Duration
	MaxRate    float64
	MaxStreams int
	MaxTests   int

	// Slow, if not nil, is called after each chunk of n bytes is read or written: a far end that computes while
	// it should move data.
	Slow func(n int)
	// ReadBuffer, if not 0, is the size asked for the buffers of data connections whose client asks for none.
	ReadBuffer int
	// NoUDP keeps the far end from opening the UDP port of the same number.
	NoUDP bool
	// File, if not "", names a file that tests keep busy, so that the far end's disk is measured too. If it has contents,
	// tests in reverse read it as fast as they send, over and over; it is never changed, and its contents are not sent. If
	// it does not exist or is empty, the other tests write as much to it as they receive, but not what they receive; it is
	// empty again after each. Of several tests at once it is one's.
	File string
	// MaxFile is what that file grows to at most, in bytes; beyond it is written over. 0 is DefaultMaxFile.
	MaxFile int64
	// Log, if not nil, is told in one line each what the server does. It may be called from several goroutines.
	Log func(line string)

	// silence and idle replace the protocol's deadlines in tests.
	silence, idle time.Duration
	// inside, if not nil, runs what opens UDP sockets, for tests in a network namespace.
	inside func(open func() (net.Conn, error)) (net.Conn, error)
}

// Listen opens the listening socket that Serve would, so that an error shows and the address is known before. A port that
// the system chooses (port 0) is one that is free for UDP as well, unless NoUDP is set.
func (c ServerConfig) Listen(ctx context.Context) (net.Listener, error) {
	address := c.Address
	if address == "" {
		address = fmt.Sprintf("127.0.0.1:%d", DefaultPort)
	}
	_, port, _ := net.SplitHostPort(address)
	for try := 1; ; try++ {
		l, err := stream.Socket{Buffer: c.ReadBuffer}.Listen(ctx, "tcp", address)
		if err != nil {
			return nil, fmt.Errorf("iperf3: %w", err)
		}
		if port != "0" || c.NoUDP || try == 20 {
			return l, nil
		}
		var lc net.ListenConfig
		if u, err := lc.ListenPacket(ctx, "udp", l.Addr().String()); err == nil {
			u.Close()
			return l, nil
		}
		l.Close()
	}
}

// Serve is the far end of tests until ctx ends, then returns nil; the tests that run are ended and all its
// goroutines are gone. One client cannot stop it: Serve returns an error only if it cannot listen.
func Serve(ctx context.Context, cfg ServerConfig) error {
	l := cfg.Listener
	if l == nil {
		var err error
		if l, err = cfg.Listen(ctx); err != nil {
			return err
		}
	}
	s := newServer(cfg)
	var err error
	if s.file, err = openServerFile(cfg.File, cfg.MaxFile); err != nil {
		l.Close()
		return err
	}
	var wg sync.WaitGroup
	defer wg.Wait()
	defer l.Close()
	if udp := s.openDoor(ctx, l); udp != nil {
		defer udp.Close()
		wg.Go(func() { s.door.listen(ctx, udp) })
	}
	err = s.entrance.Accept(ctx, l, s.handle, func(err error) { s.log("%v", err) })
	if err != nil {
		return fmt.Errorf("iperf3: %w", err)
	}
	return nil
}

type server struct {
	cfg      ServerConfig
	queue    *admission.Queue
	entrance admission.Entrance
	used     used
	door     *door // of UDP; nil: UDP is not served
	file     *serverFile

	mu    sync.Mutex
	tests map[string]*session // by cookie
}

func newServer(cfg ServerConfig) *server {
	admission.Defaults(&cfg.MaxTime, &cfg.MaxRate, &cfg.MaxStreams)
	if cfg.MaxTests <= 0 {
		cfg.MaxTests = DefaultMaxTests
	}
	if cfg.silence <= 0 {
		cfg.silence = cookieWait
	}
	if cfg.idle <= 0 {
		cfg.idle = idleWait
	}
	return &server{cfg: cfg, queue: admission.NewQueue(cfg.MaxTests), tests: map[string]*session{}}
}

func (s *server) log(format string, args ...any) {
	if s.cfg.Log != nil {
		s.cfg.Log(fmt.Sprintf(format, args...))
	}
}

// handle serves one connection, the order-th, from its cookie on.
func (s *server) handle(ctx context.Context, conn net.Conn, order uint64) {
	stop := context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(past) })
	defer stop()
	out := s.entrance.Silent(conn)
	defer out()
	ctl := control{conn: conn, ctx: ctx}
	ctl.within(s.cfg.silence)
	var head [cookieSize]byte
	if _, err := io.ReadFull(conn, head[:]); err != nil {
		conn.Close()
		return
	}
	cookie := parseCookie(head[:])

	t := &session{server: s, ctl: ctl, cookie: cookie, ready: out, arrivals: make(chan orderedConn), closed: make(chan struct{})}
	s.mu.Lock()
	running, ok := s.tests[cookie]
	if !ok {
		s.tests[cookie] = t
	}
	s.mu.Unlock()
	if ok {
		out()
		stop()
		_ = conn.SetReadDeadline(time.Time{})
		// The test takes the connection over, unless it has all it wants.
		select {
		case running.arrivals <- orderedConn{conn, order}:
		case <-running.closed:
			conn.Close()
		case <-time.After(s.cfg.silence):
			_ = ctl.send(accessDenied, nil)
			conn.Close()
		}
		return
	}
	defer conn.Close()
	defer func() {
		close(t.closed)
		s.mu.Lock()
		delete(s.tests, cookie)
		s.mu.Unlock()
	}()
	if err := t.run(ctx); err != nil && ctx.Err() == nil {
		s.log("%v: %v", conn.RemoteAddr(), err)
	}
}

// end ends the test with the cookie: its client says that it is dead.
func (s *server) end(cookie string) {
	s.mu.Lock()
	t := s.tests[cookie]
	s.mu.Unlock()
	if t != nil {
		t.ctl.conn.Close()
	}
}

type orderedConn struct {
	conn  net.Conn
	order uint64
}

// pause waits for d or until ctx ends.
func pause(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

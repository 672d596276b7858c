package iperf2

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strconv"
	"sync"
	"syscall"
	"time"

	"whydrop/probe/admission"
	"whydrop/probe/stream"
)

// Limits of a server's clients, if the configuration says nothing else.
const (
	DefaultMaxTime    = admission.DefaultMaxTime
	DefaultMaxRate    = admission.DefaultMaxRate    // bit/s of one client, each way
	DefaultMaxStreams = admission.DefaultMaxStreams // of one client at once
)

// ServerConfig says how a far end serves. The zero value serves TCP and UDP on 127.0.0.1:5001 with the default
// limits.
//
// A server never sends more to an address than came from it on the word of a datagram, whose sender may be forged:
// its report is no longer than what it answers. What a UDP client asks to be sent (-R, -r, -d) is sent only to an
// address that cannot be forged (loopback), that is trusted, or that opened a TCP connection to the same port and
// sent a header within the last ten minutes, as this package's client does. Connections back (-r, -d) go to the
// address that asked, to ports from 1024 on.
type ServerConfig struct {
	// Address is "host:port"; "" is 127.0.0.1:5001. Port 0 takes one that is free for both TCP and UDP.
	Address string
	// MaxTime, MaxRate (bit/s) and MaxStreams bind each client address; 0 is the default of each. What is read over
	// TCP is slowed down to the rate, what is sent is paced to it; datagrams that come are counted at any rate.
	MaxTime    time.Duration
	MaxRate    float64
	MaxStreams int
	// Trusted are addresses to which UDP is sent at their bare word.
	Trusted []netip.Prefix
	// Window is asked for the socket buffers, bytes; 0: the system's.
	Window int
	// Interval is the time between figures of a stream; 0: only at its end.
	Interval time.Duration
	// Handler is told of streams and what was refused.
	Handler Handler

	// headerWait and idle replace deadlines in tests.
	headerWait, idle time.Duration
}

// Deadlines of a server.
const (
	headerWait = 5 * time.Second
	backDial   = 5 * time.Second
	backRetry  = 2 * time.Second // for a client to begin listening
	backEvery  = 50 * time.Millisecond
)

// Server is a far end whose sockets are open.
type Server struct {
	cfg ServerConfig
	tcp net.Listener
	udp *net.UDPConn
	*events
	peers    peers
	entrance admission.Entrance
	wg       sync.WaitGroup

	refused time.Time // when a UDP client was last refused
}

// Listen opens the server's sockets; Serve or Close must follow.
func (c ServerConfig) Listen(ctx context.Context) (*Server, error) {
	if c.Address == "" {
		c.Address = net.JoinHostPort("127.0.0.1", strconv.Itoa(DefaultPort))
	}
	admission.Defaults(&c.MaxTime, &c.MaxRate, &c.MaxStreams)
	if c.headerWait <= 0 {
		c.headerWait = headerWait
	}
	if c.idle <= 0 {
		c.idle = stallLimit
	}
	s := &Server{
		cfg: c, events: &events{h: c.Handler},
		peers: peers{maxStreams: c.MaxStreams, maxRate: c.MaxRate, trusted: c.Trusted},
	}
	host, port, err := net.SplitHostPort(c.Address)
	if err != nil {
		return nil, fmt.Errorf("iperf2: %w", err)
	}
	for try := 0; ; try++ {
		if s.tcp, err = (stream.Socket{Buffer: c.Window}).Listen(ctx, "tcp", c.Address); err != nil {
			return nil, fmt.Errorf("iperf2: %w", err)
		}
		s.udp, err = listenUDP(ctx, net.JoinHostPort(host, strconv.Itoa(int(addrPort(s.tcp.Addr()).Port()))), c.Window)
		if err == nil {
			return s, nil
		}
		s.tcp.Close()
		if port != "0" || try == 20 {
			return nil, fmt.Errorf("iperf2: %w", err)
		}
	}
}

// Addr returns the address that is listened on; the port is the same for TCP and UDP.
func (s *Server) Addr() netip.AddrPort { return addrPort(s.tcp.Addr()) }

// Close closes the sockets of a server that is not served.
func (s *Server) Close() {
	s.tcp.Close()
	s.udp.Close()
}

// Serve is the far end of tests until ctx ends, then returns nil; the tests that run are ended and all its
// goroutines and sockets are gone. One client cannot stop it.
func (s *Server) Serve(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.wg.Wait()
	defer s.Close()
	defer cancel()
	o := Opening{Server: true, Port: s.Addr().Port(), Asked: s.cfg.Window, Granted: listenBuffer(s.tcp)}
	s.opening(o)
	o.UDP, o.Granted = true, stream.Inspect(s.udp).RecvBuffer
	s.opening(o)
	var udpErr error
	s.wg.Go(func() {
		defer cancel()
		udpErr = s.serveUDP(ctx)
	})
	err := s.entrance.Accept(ctx, s.tcp, func(ctx context.Context, conn net.Conn, _ uint64) {
		defer conn.Close()
		s.handle(ctx, conn)
	}, nil)
	if err != nil {
		err = fmt.Errorf("iperf2: %w", err)
	}
	cancel()
	s.wg.Wait()
	return errors.Join(err, udpErr)
}

func (s *Server) refuse(from netip.AddrPort, format string, args ...any) {
	s.notice(fmt.Sprintf("%v: %s", from, fmt.Sprintf(format, args...)))
}

// listenBuffer returns the receive buffer that a listening socket's connections begin with; 0: not known.
func listenBuffer(l net.Listener) int {
	sc, ok := l.(syscall.Conn)
	if !ok {
		return 0
	}
	return stream.Inspect(socketOnly{sc: sc}).RecvBuffer
}

// socketOnly shows a listening socket to functions that look at a connection's socket.
type socketOnly struct {
	net.Conn
	sc syscall.Conn
}

// SyscallConn returns the listening socket.
func (s socketOnly) SyscallConn() (syscall.RawConn, error) { return s.sc.SyscallConn() }

package stream

import (
	"context"
	"fmt"
	"net"
	"syscall"
	"time"
)

// Socket says how the socket of a data connection is set up. What is zero is left to the system, congestion
// control above all.
type Socket struct {
	Buffer     int    // bytes asked for both socket buffers (iperf3 -w); 0 lets the system tune them
	MSS        int    // bytes; 0 lets the path decide
	Congestion string // algorithm's name; "" leaves the system's
	Unsent     int    // bytes that may wait unsent in the send buffer (TCP_NOTSENT_LOWAT), where the system can
	Nagle      bool   // let small segments wait for an acknowledgement; the engine's default is not to
	LocalPort  uint16 // 0 lets the system choose
}

// Dialer returns a dialer whose sockets are set up before they connect. It never makes a Multipath TCP
// connection: its subflows would measure several paths as one.
func (s Socket) Dialer(timeout time.Duration) *net.Dialer {
	d := &net.Dialer{Timeout: timeout, KeepAlive: -1, Control: s.control}
	d.SetMultipathTCP(false)
	if s.LocalPort != 0 {
		d.LocalAddr = &net.TCPAddr{Port: int(s.LocalPort)}
	}
	return d
}

// Listen opens a listening socket whose connections inherit the set-up.
func (s Socket) Listen(ctx context.Context, network, address string) (net.Listener, error) {
	lc := net.ListenConfig{KeepAlive: -1, Control: s.control}
	lc.SetMultipathTCP(false)
	return lc.Listen(ctx, network, address)
}

func (s Socket) control(_, _ string, raw syscall.RawConn) error {
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = s.set(fd) }); err != nil {
		return err
	}
	return inner
}

// Apply sets up a connection that exists already, as far as that is still possible. A connection without a
// descriptor is left as it is.
func (s Socket) Apply(conn net.Conn) error {
	if tc, ok := conn.(interface{ SetNoDelay(bool) error }); ok {
		if err := tc.SetNoDelay(!s.Nagle); err != nil {
			return fmt.Errorf("stream: no delay: %w", err)
		}
	}
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return fmt.Errorf("stream: %w", err)
	}
	if err := s.control("", "", raw); err != nil {
		return fmt.Errorf("stream: set up connection: %w", err)
	}
	return nil
}

// Actual is what a connection's socket really got. 0 or "" is not known.
type Actual struct {
	SendBuffer, RecvBuffer int // bytes, as the system counts them (Linux doubles what was asked for)
	MSS                    int
	Congestion             string
}

// Inspect reads back what a connection got: what was asked for may not be what was applied.
func Inspect(conn net.Conn) Actual {
	var a Actual
	sc, ok := conn.(syscall.Conn)
	if !ok {
		return a
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return a
	}
	_ = raw.Control(func(fd uintptr) { a = inspect(fd) })
	return a
}

package trace

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
)

// repeat is how long a connection is left alone: after a second the kernel would send the SYN again (RFC 6298,
// section 2), and its answer would say nothing about the first.
const repeat = 900 * time.Millisecond

// connect opens connections, one after the other, all from the same port.
type connect struct {
	to   netip.AddrPort
	from netip.AddrPort // what sockets are bound to
	s    socket         // of the newest packet
	n    int
	sent time.Time
	in   [2048]byte
}

func openConnect(c Config, to netip.Addr) (*connect, error) {
	w := &connect{to: netip.AddrPortFrom(to, c.Port), s: socket{fd: -1}}
	var err error
	if w.from, err = sourceOf(w.to, c.SrcPort); err != nil {
		return nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
	}
	s, err := w.socket()
	if err != nil {
		return nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
	}
	w.from = s.local()
	s.close()
	return w, nil
}

// sourceOf returns the address that packets to an address leave from, with a port.
func sourceOf(to netip.AddrPort, port uint16) (netip.AddrPort, error) {
	s, err := newSocket(to.Addr(), unix.SOCK_DGRAM, 0)
	if err != nil {
		return netip.AddrPort{}, err
	}
	defer s.close()
	if err := unix.Connect(s.fd, sockaddr(to)); err != nil {
		return netip.AddrPort{}, err
	}
	return netip.AddrPortFrom(s.local().Addr().WithZone(to.Addr().Zone()), port), nil
}

// socket returns a socket bound to the flow's port.
func (w *connect) socket() (socket, error) {
	s, err := newSocket(w.to.Addr(), unix.SOCK_STREAM, 0)
	if err != nil {
		return s, err
	}
	_ = unix.SetsockoptInt(s.fd, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	// Closed, nothing of the connection is left here or there.
	_ = unix.SetsockoptLinger(s.fd, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	if err = icmperr.Enable(s.fd, w.to.Addr().Is6()); err == nil {
		err = unix.Bind(s.fd, sockaddr(w.from))
	}
	if err != nil {
		s.close()
	}
	return s, err
}

func (w *connect) single() bool    { return true }
func (w *connect) srcPort() uint16 { return w.from.Port() }
func (w *connect) close()          { w.drop() }

func (w *connect) drop() {
	w.s.close()
	w.s.fd = -1
}

func (w *connect) send(ttl, n int, now time.Time) error {
	w.drop()
	s, err := w.socket()
	if err != nil {
		return err
	}
	if err := s.setTTL(ttl); err != nil {
		s.close()
		return err
	}
	if err := unix.Connect(s.fd, sockaddr(w.to)); err != nil && !errors.Is(err, unix.EINPROGRESS) {
		s.close()
		return err
	}
	w.s, w.n, w.sent = s, n, now
	return nil
}

func (w *connect) receive(until time.Time, give func(reply)) {
	if late := w.sent.Add(repeat); w.s.fd >= 0 && !time.Now().Before(late) {
		w.drop()
	}
	if !poll(until, unix.POLLOUT, w.s.fd) || w.s.fd < 0 {
		return
	}
	at := time.Now()
	defer w.drop()
	if n, ok := icmperr.Read(w.s.fd, w.in[:]); ok && !n.Local {
		r := reply{n: w.n, by: n.By, at: n.At, end: n.Kind() != icmperr.Exceeded}
		if r.end {
			r.said = n.Text()
		}
		give(r)
		return
	}
	// Accepted and refused are both answers of the target, or of a filter in its name.
	if err := w.s.clear(); err == nil || errors.Is(err, unix.ECONNREFUSED) {
		give(reply{n: w.n, by: w.to.Addr(), end: true, at: at})
	}
}

package trace

import (
	"errors"
	"fmt"
	"net/netip"
	"time"

	"golang.org/x/sys/unix"

	"whydrop/probe/icmperr"
	"whydrop/probe/sock"
)

// repeat is how long a connection is left alone: after a second the kernel would send the SYN again (RFC 6298,
// section 2), and its answer would say nothing about the first.
const repeat = 900 * time.Millisecond

// connect opens connections, one after the other, all from the same port.
type connect struct {
	to   netip.AddrPort
	from netip.AddrPort // what sockets are bound to
	s    sock.Socket    // of the newest packet
	n    int
	sent time.Time
	in   [2048]byte
}

func openConnect(c Config, to netip.Addr) (*connect, error) {
	w := &connect{to: netip.AddrPortFrom(to, c.Port), s: sock.None}
	var err error
	if w.from, err = sock.Source(w.to, c.SrcPort); err != nil {
		return nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
	}
	s, err := w.socket()
	if err != nil {
		return nil, fmt.Errorf("open a flow to %s: %w", w.to, err)
	}
	w.from = s.Local()
	s.Close()
	return w, nil
}

// socket returns a socket bound to the flow's port.
func (w *connect) socket() (sock.Socket, error) {
	s, err := sock.New(w.to.Addr(), unix.SOCK_STREAM, 0)
	if err != nil {
		return s, err
	}
	_ = unix.SetsockoptInt(s.FD, unix.SOL_SOCKET, unix.SO_REUSEADDR, 1)
	// Closed, nothing of the connection is left here or there.
	_ = unix.SetsockoptLinger(s.FD, unix.SOL_SOCKET, unix.SO_LINGER, &unix.Linger{Onoff: 1})
	if err = icmperr.Enable(s.FD, w.to.Addr().Is6()); err == nil {
		err = s.Bind(w.from)
	}
	if err != nil {
		s.Close()
	}
	return s, err
}

func (w *connect) single() bool    { return true }
func (w *connect) srcPort() uint16 { return w.from.Port() }
func (w *connect) close()          { w.drop() }

func (w *connect) drop() {
	w.s.Close()
	w.s = sock.None
}

func (w *connect) send(ttl, n int, now time.Time) error {
	w.drop()
	s, err := w.socket()
	if err != nil {
		return err
	}
	if err := s.SetTTL(ttl); err != nil {
		s.Close()
		return err
	}
	if err := s.Connect(w.to); err != nil {
		s.Close()
		return err
	}
	w.s, w.n, w.sent = s, n, now
	return nil
}

func (w *connect) receive(until time.Time, give func(reply)) {
	if late := w.sent.Add(repeat); w.s.OK() && !time.Now().Before(late) {
		w.drop()
	}
	if !sock.Poll(until, unix.POLLOUT, w.s) {
		return
	}
	at := time.Now()
	defer w.drop()
	if n, ok := icmperr.Read(w.s.FD, w.in[:]); ok && !n.Local {
		r := reply{n: w.n, by: n.By, at: n.At, end: n.Kind() != icmperr.Exceeded}
		if r.end {
			r.said = n.Text()
		}
		give(r)
		return
	}
	// Accepted and refused are both answers of the target, or of a filter in its name.
	if err := w.s.Clear(); err == nil || errors.Is(err, unix.ECONNREFUSED) {
		give(reply{n: w.n, by: w.to.Addr(), end: true, at: at})
	}
}

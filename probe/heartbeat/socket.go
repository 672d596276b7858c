package heartbeat

import (
	"errors"
	"net"
	"net/netip"
	"time"

	"whydrop/probe/outage"
	"whydrop/probe/rxtime"
	"whydrop/probe/sock"
)

// RedialTime is the time between two attempts to get a socket.
const RedialTime = time.Second

// Socket is a connected UDP socket to a far end, so that the kernel drops what comes from elsewhere and tells refusals.
// It may be closed, by the system too, and be given another; its zero value is closed. It is used from one goroutine.
type Socket struct {
	To netip.AddrPort // the far end

	conn     *net.UDPConn // nil while there is none
	in       *rxtime.Reader
	deadline time.Time // for writing
	refused  int       // since the last Receive
	failure  error     // why the system took the last socket away
}

// Use makes conn the socket, which is closed with it.
func (s *Socket) Use(conn *net.UDPConn) {
	s.conn, s.in, s.deadline, s.failure = conn, rxtime.New(conn), time.Time{}, nil
}

// Open says whether there is a socket.
func (s *Socket) Open() bool { return s.conn != nil }

// Failure returns why the system took the last socket away; nil if it did not, or if there is another since.
func (s *Socket) Failure() error { return s.failure }

// Close closes the socket.
func (s *Socket) Close() {
	if s.in != nil {
		_ = s.in.Close()
	}
	s.conn, s.in = nil, nil
}

// Write sends a datagram; it does not wait long for a full queue. A refusal of an earlier one is counted, and the datagram
// sent again. An error is the system's; if it took away what the socket is bound to, the socket is closed. There must be
// one.
func (s *Socket) Write(b []byte, now time.Time) error {
	if s.deadline.Sub(now) < RedialTime/2 {
		s.deadline = now.Add(RedialTime)
		_ = s.conn.SetWriteDeadline(s.deadline)
	}
	_, err := s.conn.Write(b)
	for range 3 {
		if !sock.Reported(err) {
			break
		}
		s.refuse(err)
		_, err = s.conn.Write(b)
	}
	s.stale(err)
	return err
}

// stale closes a socket that an error says to be of no use any more.
func (s *Socket) stale(err error) bool {
	if err == nil || !sock.Stale(err) {
		return false
	}
	s.Close()
	s.failure = Cause(err)
	return true
}

// refuse counts a refusal that has no author; those that have come as reports too.
func (s *Socket) refuse(err error) {
	if sock.Refused(err) && s.in != nil && !s.in.Reports() {
		s.refused++
	}
}

// Receive gives enter what has arrived, and enters in the book what others said instead.
func (s *Socket) Receive(b *outage.Book, enter func(rxtime.Packet)) {
	for range 64 { // errors in a row; each ends one Drain
		if s.in == nil {
			break
		}
		err := s.in.Drain(enter)
		if err == nil {
			break
		}
		var said *rxtime.Report
		switch {
		case errors.As(err, &said) && said.Refused && said.By.WithZone("") == s.To.Addr().WithZone(""):
			s.refused++
		case errors.As(err, &said):
			b.Reported(said.By, said.Text)
		case !s.stale(err):
			s.refuse(err)
		}
	}
	for ; s.refused > 0; s.refused-- {
		b.Refused()
	}
}

package stamp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync/atomic"
	"time"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
	"whydrop/probe/rxtime"
)

const (
	// defaultRate is enough for ten heartbeats of 5 ms from one address.
	defaultRate     = 2000
	defaultSessions = 4096
	maxSources      = 4096

	// exactError and coarseError are how late a receive timestamp may be that was taken by the kernel, or by the
	// program after the system let it run. The sender does not believe delays that are shorter than this.
	exactError  = 100 * time.Microsecond
	coarseError = 250 * time.Millisecond
)

// Reflector answers STAMP questions: a stateful session-reflector of RFC 8762, section 4.3. It sends nothing but
// answers, each as long as its question, to the address the question came from. Its zero value is ready to use.
type Reflector struct {
	// Rate is how many questions of one source address are answered per second; 0 means 2000. As many may come
	// in one burst. What exceeds it is dropped.
	Rate float64
	// Sessions is how many sessions are kept, a session being a source address, port and session identifier; 0
	// means 4096. When there are more, the one that was silent longest is forgotten; its count begins anew.
	Sessions int
	// Format is the format of the reflector's timestamps.
	Format Format
	// Stateless makes the reflector copy the sender's sequence number instead of counting.
	Stateless bool
	// Key, if not empty, makes it a reflector of authenticated mode: it answers what is signed with this key, nothing else.
	Key []byte
	// Allow, if not nil, says which source addresses are answered.
	Allow func(netip.Addr) bool

	reflected, malformed, unsigned, limited, refused, looped, failed, sessions, evicted atomic.Uint64
}

// Stats counts what a reflector did since it was made.
type Stats struct {
	Reflected uint64 // questions answered
	Malformed uint64 // datagrams dropped: too short or corrupt
	Unsigned  uint64 // dropped: not signed with the key
	Limited   uint64 // dropped: more than the rate of their source
	Refused   uint64 // dropped: not allowed
	Looped    uint64 // dropped: an answer of another reflector
	Failed    uint64 // answers that the system would not send
	Sessions  uint64 // sessions begun
	Evicted   uint64 // sessions forgotten for want of room
}

// Stats returns what the reflector did so far. It may be called at any time.
func (r *Reflector) Stats() Stats {
	return Stats{
		Reflected: r.reflected.Load(), Malformed: r.malformed.Load(), Unsigned: r.unsigned.Load(), Limited: r.limited.Load(), Refused: r.refused.Load(),
		Looped: r.looped.Load(), Failed: r.failed.Load(), Sessions: r.sessions.Load(), Evicted: r.evicted.Load(),
	}
}

// Listen opens a socket for a reflector. An address without a host, such as ":862", means loopback: to be reached
// from elsewhere, a reflector must be told the address to listen on, or 0.0.0.0 or [::] for all.
func Listen(ctx context.Context, address string) (net.PacketConn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, fmt.Errorf("stamp: listen on %q: %w", address, err)
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var lc net.ListenConfig
	conn, err := lc.ListenPacket(ctx, "udp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, fmt.Errorf("stamp: listen on %s: %w", address, err)
	}
	return conn, nil
}

// Serve answers what arrives at conn until ctx ends, then returns nil. It closes conn. An error means that the
// socket failed. Serve may be called for several sockets at once, each of which has its own sessions and rates.
func (r *Reflector) Serve(ctx context.Context, conn net.PacketConn) error {
	prepare(conn)
	in := rxtime.New(conn)
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer func() {
		stop()
		_ = in.Close()
	}()
	s := r.serving(conn)
	failures := 0
	for {
		p, err := in.Read()
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, net.ErrClosed) || err != nil && failures >= 100:
			return fmt.Errorf("stamp: reflector on %s: %w", conn.LocalAddr(), err)
		case err != nil: // a reset because of an earlier answer (Windows), a signal
			failures++
			continue
		}
		failures = 0
		s.handle(p)
	}
}

// prepare sets what a session-reflector's socket should have; what the system refuses is done without.
func prepare(conn net.PacketConn) {
	u, ok := conn.(*net.UDPConn)
	if !ok {
		return
	}
	_ = u.SetReadBuffer(1 << 20) // outlasts seconds in which the host does not let us run
	// RFC 5357, section 4.1.2: packets leave with TTL 255.
	_ = ipv4.NewPacketConn(u).SetTTL(255)
	_ = ipv6.NewPacketConn(u).SetHopLimit(255)
}

// serving is the state of one Serve.
type serving struct {
	r        *Reflector
	conn     net.PacketConn
	udp      *net.UDPConn // conn, if it is one
	rate     float64
	sessions table[sessionKey, uint32]
	sources  table[netip.Addr, bucket]
	out      [9216]byte // more than a jumbo frame holds: so large a path's MTU can be found both ways
}

type sessionKey struct {
	from netip.AddrPort
	id   uint16
}

func (r *Reflector) serving(conn net.PacketConn) *serving {
	s := &serving{r: r, conn: conn, rate: r.Rate}
	s.udp, _ = conn.(*net.UDPConn)
	if s.rate <= 0 {
		s.rate = defaultRate
	}
	s.sessions.size, s.sources.size = r.Sessions, maxSources
	if s.sessions.size <= 0 {
		s.sessions.size = defaultSessions
	}
	return s
}

// handle answers one datagram, or drops and counts it.
func (s *serving) handle(p rxtime.Packet) {
	r := s.r
	if r.Allow != nil && !r.Allow(p.From.Addr().WithZone("")) {
		r.refused.Add(1)
		return
	}
	if b, _ := s.sources.get(p.From.Addr()); !b.take(p.At, s.rate) {
		r.limited.Add(1)
		return
	}
	q, looped, err := s.parse(p)
	switch {
	case errors.Is(err, errUnsigned) || errors.Is(err, errShortSigned):
		r.unsigned.Add(1)
		return
	case err != nil || len(p.Data) > len(s.out) || p.From.Port() == 0:
		r.malformed.Add(1)
		return
	case looped:
		r.looped.Add(1)
		return
	}
	if err := s.send(s.answer(q, p), p); err != nil {
		r.failed.Add(1)
		return
	}
	r.reflected.Add(1)
}

// parse reads a question in the reflector's mode, and says whether it is another reflector's answer.
func (s *serving) parse(p rxtime.Packet) (q Question, looped bool, err error) {
	if len(s.r.Key) == 0 {
		q, err = ParseQuestion(p.Data)
		return q, err == nil && isAnswer(p.Data, p.At), err
	}
	q, err = ParseSignedQuestion(p.Data, s.r.Key)
	return q, err == nil && isSignedAnswer(p.Data), err
}

// answer builds the answer, as long as the question.
func (s *serving) answer(q Question, p rxtime.Packet) []byte {
	id := q.Session
	wrong := coarseError
	if p.Exact {
		wrong = exactError
	}
	q.Session = 0
	a := Answer{
		Sequence: q.Sequence,
		Estimate: NewErrorEstimate(s.r.Format, false, wrong),
		Session:  id,
		Received: NewTimestamp(p.At, s.r.Format),
		Question: q,
		TTL:      255,
	}
	if p.TTL >= 0 && p.TTL < 255 {
		a.TTL = uint8(p.TTL)
	}
	if !s.r.Stateless {
		a.Sequence = s.count(sessionKey{p.From, id})
	}
	a.Timestamp = NewTimestamp(time.Now(), s.r.Format)
	if len(s.r.Key) > 0 {
		return append(a.AppendSigned(s.out[:0], s.r.Key), p.Data[AuthenticatedSize:]...)
	}
	b := a.Append(s.out[:0])
	return append(b[:min(Size, len(p.Data))], p.Data[min(Size, len(p.Data)):]...)
}

// count returns the session's next number.
func (s *serving) count(k sessionKey) uint32 {
	next, evicted := s.sessions.get(k)
	if *next == 0 {
		s.r.sessions.Add(1)
	}
	if evicted {
		s.r.evicted.Add(1)
	}
	n := *next
	*next++
	return n
}

// send returns the answer to where the question came from, from the address it was sent to.
func (s *serving) send(b []byte, p rxtime.Packet) error {
	if s.udp == nil {
		_, err := s.conn.WriteTo(b, net.UDPAddrFromAddrPort(p.From))
		return err
	}
	if !p.To.IsMulticast() {
		if _, _, err := s.udp.WriteMsgUDPAddrPort(b, rxtime.ReplyFrom(p.To), p.From); err == nil {
			return nil
		}
	}
	_, err := s.udp.WriteToUDPAddrPort(b, p.From)
	return err
}

// bucket is what one source may still send.
type bucket struct {
	tokens float64
	at     time.Time
}

// take takes one token from the bucket, which holds a second's worth.
func (b *bucket) take(now time.Time, rate float64) bool {
	if b.at.IsZero() {
		b.tokens = rate
	} else if d := now.Sub(b.at); d > 0 {
		b.tokens = min(b.tokens+d.Seconds()*rate, rate)
	}
	b.at = now
	if b.tokens < 1 {
		return false
	}
	b.tokens--
	return true
}

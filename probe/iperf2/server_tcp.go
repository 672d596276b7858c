package iperf2

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"strconv"
	"time"

	"whydrop/probe/stream"
)

// hello is the beginning of a connection.
type hello struct {
	header clientHeader
	has    bool   // there was a header
	read   uint64 // bytes read so far, which count
}

// readHello reads a client's header, or as much as shows that there is none.
func readHello(conn net.Conn, within time.Duration) (h hello, err error) {
	_ = conn.SetReadDeadline(time.Now().Add(within))
	defer func() { _ = conn.SetReadDeadline(time.Time{}) }()
	var buf [maxHeader]byte
	more := func(from, to int) bool {
		n, e := io.ReadFull(conn, buf[from:to])
		h.read += uint64(n)
		err = e
		return e == nil
	}
	if !more(0, 4) {
		return h, err
	}
	n, extension := headerLength(word(buf[:], 0))
	if n == 0 {
		return h, nil
	}
	if !more(4, n) {
		return h, err
	}
	if extension {
		if k := extensionLength(buf[:n]); k > 0 {
			if !more(n, n+k) {
				return h, err
			}
			n += k
		}
	}
	h.header, h.has = parseHeader(buf[:n])
	return h, nil
}

// handle serves one TCP connection.
func (s *Server) handle(ctx context.Context, conn net.Conn) {
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	from := addrPort(conn.RemoteAddr())
	spoken := s.entrance.Silent(conn)
	h, ok := s.greet(conn, from)
	spoken()
	if !ok {
		return
	}
	p, err := s.enter(ctx, from.Addr())
	if err != nil {
		s.refuse(from, "refused: %v", err)
		return
	}
	var fig *Figures
	defer func() {
		if all := s.peers.leave(from.Addr(), p, fig); all != nil && ctx.Err() == nil {
			s.figures(sum(all))
		}
	}()
	if h.has && h.header.reverse() {
		s.sendReversed(ctx, conn, p, h)
		return
	}
	fig = s.receive(ctx, conn, p, h)
	if wanted, now := h.header.back(); h.has && wanted && !now && ctx.Err() == nil {
		conn.Close() // the client waits for it
		s.sendBackTCP(ctx, from.Addr(), h.header)
	}
}

// greet reads the beginning of a connection, answers the header, and waits for the first data where there are to be
// any. ok is false if it is no test.
func (s *Server) greet(conn net.Conn, from netip.AddrPort) (h hello, ok bool) {
	h, err := readHello(conn, s.cfg.headerWait)
	if err != nil {
		return h, false
	}
	if h.has {
		s.peers.meet(from.Addr(), time.Now())
	}
	if h.header.flags&flagBounceback != 0 {
		s.refuse(from, "a bounceback test is not served")
		return h, false
	}
	if h.header.reverse() {
		return h, true
	}
	_ = conn.SetDeadline(time.Now().Add(s.cfg.headerWait))
	defer func() { _ = conn.SetDeadline(time.Time{}) }()
	if h.header.extended {
		if _, err := conn.Write(appendAck(nil)); err != nil {
			return h, false
		}
	}
	n, err := conn.Read(make([]byte, 1))
	h.read += uint64(n)
	return h, n > 0 && err == nil // without data it only showed its address
}

// enter takes a place for a stream. Where there is none, the stream of the same address that is idle longest, if for
// several seconds, makes room.
func (s *Server) enter(ctx context.Context, addr netip.Addr) (*peer, error) {
	p, err := s.peers.enter(addr)
	for try := 0; err != nil && try < 10 && (try > 0 || s.peers.evict(addr)) && ctx.Err() == nil; try++ {
		wait(ctx, 50*time.Millisecond)
		p, err = s.peers.enter(addr)
	}
	return p, err
}

// receive reads a client's data and tells of it.
func (s *Server) receive(ctx context.Context, conn net.Conn, p *peer, h hello) *Figures {
	f := s.flow(conn, false)
	f.header = h.read
	s.connected(&f.Stream)
	defer s.peers.watch(p, f)()
	if wanted, now := h.header.back(); h.has && wanted && now {
		s.wg.Go(func() { s.sendBackTCP(ctx, f.Remote.Addr(), h.header) })
	}
	plan := receivePlan{idle: s.cfg.idle, limit: p.limit}
	return &runFlows(ctx, s.events, s.cfg.Interval, []*flow{f}, func(ctx context.Context, f *flow) {
		limited, cancel := context.WithTimeoutCause(ctx, s.cfg.MaxTime+grace, errMaxTime)
		defer cancel()
		receiveTCP(limited, conn, f, plan)
		if context.Cause(limited) == errMaxTime {
			f.finish(time.Now(), "")
			f.problem = fmt.Sprintf("ended after %v, the longest test here", s.cfg.MaxTime)
		}
	})[0]
}

var errMaxTime = errors.New("the longest test here is over")

func (s *Server) flow(conn net.Conn, sends bool) *flow {
	return &flow{conn: conn, Stream: Stream{
		Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr()), MSS: stream.Inspect(conn).MSS,
		Sends: sends, Reverse: sends,
	}}
}

// limits returns what a client's header asks to be sent to it, within what is allowed.
func (s *Server) limits(h clientHeader, rate float64) sendPlan {
	t, bytes := h.asked()
	plan := sendPlan{time: t, bytes: bytes, rate: rate}
	if t <= 0 || t > s.cfg.MaxTime {
		plan.time = s.cfg.MaxTime
	}
	if h.length > 0 {
		plan.length = int(min(h.length, 1<<20))
	}
	return plan
}

// sendReversed sends on the client's own connection (-R).
func (s *Server) sendReversed(ctx context.Context, conn net.Conn, p *peer, h hello) {
	f := s.flow(conn, true)
	rate := s.peers.allot(p, h.header.bits(0), h.header.threads)
	if rate == 0 {
		s.refuse(f.Remote, "refused: nothing is left of the rate allowed")
		return
	}
	defer s.peers.giveBack(p, rate)
	s.connected(&f.Stream)
	runFlows(ctx, s.events, s.cfg.Interval, []*flow{f}, func(ctx context.Context, f *flow) {
		sendTCP(ctx, conn, f, s.limits(h.header, rate))
	})
}

// sendBackTCP opens a connection to a client that asked for it (-r, -d) and sends on it.
func (s *Server) sendBackTCP(ctx context.Context, to netip.Addr, h clientHeader) {
	target, ok := s.backTarget(to, h)
	if !ok {
		return
	}
	p, err := s.enter(ctx, to)
	if err != nil {
		s.refuse(target, "refused to connect back: %v", err)
		return
	}
	defer s.peers.leave(to, p, nil)
	rate := s.peers.allot(p, h.bits(0), h.threads)
	if rate == 0 {
		s.refuse(target, "refused: nothing is left of the rate allowed")
		return
	}
	defer s.peers.giveBack(p, rate)
	conn, err := s.dialBack(ctx, target)
	if err != nil {
		s.refuse(target, "cannot connect back: %v", unwrapAll(err))
		return
	}
	defer conn.Close()
	f := s.flow(conn, true)
	f.Client = true
	s.opening(Opening{
		Host: to.String(), Port: target.Port(), Asked: s.cfg.Window, Granted: stream.Inspect(conn).SendBuffer,
	})
	s.connected(&f.Stream)
	runFlows(ctx, s.events, s.cfg.Interval, []*flow{f}, func(ctx context.Context, f *flow) {
		sendTCP(ctx, conn, f, s.limits(h, rate))
	})
}

// dialBack connects back to a client. A client that is refusing may not listen yet: stock iperf 2.1.8 sends its header
// before it does.
func (s *Server) dialBack(ctx context.Context, target netip.AddrPort) (conn net.Conn, err error) {
	dialer := stream.Socket{Buffer: s.cfg.Window}.Dialer(backDial)
	for end := time.Now().Add(backRetry); ; wait(ctx, backEvery) {
		conn, err = dialer.DialContext(ctx, "tcp", target.String())
		if err == nil || !refused(err) || time.Now().After(end) || ctx.Err() != nil {
			return conn, err
		}
	}
}

// backTarget returns where a client wants to be connected back to: the address that asked, no system port.
func (s *Server) backTarget(to netip.Addr, h clientHeader) (netip.AddrPort, bool) {
	port := h.port
	if port == 0 {
		port = DefaultPort
	}
	if port < 1024 || port > 65535 {
		s.notice(fmt.Sprintf("%v: refused to connect back to port %s", to, strconv.FormatUint(uint64(port), 10)))
		return netip.AddrPort{}, false
	}
	return netip.AddrPortFrom(to, uint16(port)), true
}

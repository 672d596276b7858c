package iperf2

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/netip"
	"time"

	"whydrop/probe/stream"
)

// serveUDP serves the UDP clients.
func (s *Server) serveUDP(ctx context.Context) error {
	h := &hub{events: s.events, conn: s.udp, interval: s.cfg.Interval}
	h.admit = func(d datagram, from netip.AddrPort, size int) (func(Figures), bool) {
		return s.admitUDP(ctx, h, d, from, size)
	}
	h.late = s.lateUDP
	if err := h.run(ctx, nil); err != nil && ctx.Err() == nil {
		return fmt.Errorf("iperf2: %w", err)
	}
	return nil
}

// admitUDP decides about a stream that begins with a datagram, and starts what is to be sent for it.
func (s *Server) admitUDP(ctx context.Context, h *hub, d datagram, from netip.AddrPort, size int) (func(Figures), bool) {
	back, now := d.header.back()
	back = d.has && back
	reverse := d.has && d.header.reverse()
	if (back || reverse) && !s.peers.mayFlood(from.Addr(), time.Now()) {
		s.refuseUDP(from, fmt.Sprintf("sends nothing to an address that only a datagram names, as it may be forged; --iperf2-trust %v lets it", from.Addr()))
		if reverse {
			return nil, false
		}
		back = false
	}
	p, err := s.peers.enter(from.Addr())
	if err != nil {
		s.refuseUDP(from, "refused: "+err.Error())
		return nil, false
	}
	if reverse {
		s.wg.Go(func() {
			defer s.peers.leave(from.Addr(), p, nil)
			s.sendUDP(ctx, p, d, size, &shared{h.conn, from}, nil, from)
		})
		return nil, true
	}
	if back && now {
		s.wg.Go(func() {
			wait(ctx, backEvery) // it may not listen yet
			s.sendBackUDP(ctx, d, size, from.Addr())
		})
	}
	return func(f Figures) {
		if all := s.peers.leave(from.Addr(), p, &f); all != nil && ctx.Err() == nil {
			s.figures(sum(all))
		}
		if back && !now && ctx.Err() == nil {
			s.sendBackUDP(ctx, d, size, from.Addr())
		}
	}, true
}

// refuseUDP tells of a refusal, once a second at most: datagrams come fast. The hub's goroutine calls it.
func (s *Server) refuseUDP(from netip.AddrPort, why string) {
	if now := time.Now(); now.Sub(s.refused) >= time.Second {
		s.refused = now
		s.refuse(from, "%s", why)
	}
}

// lateUDP says why a stream whose last datagram did not come is over; "" that it is waited for.
func (s *Server) lateUDP(u *session, now time.Time) string {
	first, last := u.rec.times()
	asked, _ := u.header.asked()
	quiet := now.Sub(last)
	switch {
	case now.Sub(first) > s.cfg.MaxTime+grace:
		return fmt.Sprintf("ended after %v, the longest test here", s.cfg.MaxTime)
	case asked > 0 && now.Sub(first) > asked+grace/2 && quiet > time.Second:
	case quiet > s.cfg.idle:
	default:
		return ""
	}
	return fmt.Sprintf("the last datagram did not come; silent for %.1f s", quiet.Seconds())
}

// shared sends to one address from a socket that many use.
type shared struct {
	conn *net.UDPConn
	to   netip.AddrPort
}

// Write sends one datagram.
func (s *shared) Write(b []byte) (int, error) { return s.conn.WriteToUDPAddrPort(b, s.to) }

// sendBackUDP sends to a client that asked for it (-r, -d) from a socket of its own.
func (s *Server) sendBackUDP(ctx context.Context, d datagram, size int, to netip.Addr) {
	target, ok := s.backTarget(to, d.header)
	if !ok {
		return
	}
	p, err := s.enter(ctx, to)
	if err != nil {
		s.refuse(target, "refused to send back: %v", err)
		return
	}
	defer s.peers.leave(to, p, nil)
	conn, err := stream.Socket{Buffer: s.cfg.Window}.Dialer(backDial).DialContext(ctx, "udp", target.String())
	if err != nil {
		s.refuse(target, "cannot send back: %v", unwrapAll(err))
		return
	}
	defer conn.Close()
	s.sendUDP(ctx, p, d, size, conn, conn, target)
}

// sendUDP sends what a client's first datagram d, of size bytes, asks for. If conn is nil no report is waited for.
func (s *Server) sendUDP(ctx context.Context, p *peer, d datagram, size int, w io.Writer, conn net.Conn, to netip.AddrPort) {
	length := int(d.header.length)
	if length < minUDPLength || length > maxUDPLength {
		length = max(size, minUDPLength)
	}
	asked := d.header.bits(length)
	if asked == 0 {
		asked = DefaultUDPRate
	}
	// Small datagrams cost more than their payload.
	cost := float64(max(length, packetFloor)) / float64(length)
	rate := s.peers.allot(p, asked*cost, d.header.threads)
	if rate == 0 {
		s.refuse(to, "refused: nothing is left of the rate allowed")
		return
	}
	defer s.peers.giveBack(p, rate)
	plan := s.limits(d.header, rate/cost)
	snd := &datagramSender{
		w: w, length: length, rate: plan.rate, time: plan.time, bytes: plan.bytes, narrow: !d.wide,
		header: clientHeader{flags: flagWide, threads: 1, port: uint32(to.Port()), length: int32(length)},
	}
	f := &flow{sender: snd, Stream: Stream{
		UDP: true, Sends: true, Reverse: true, Client: conn != nil, Local: addrPort(s.udp.LocalAddr()), Remote: to,
	}}
	if conn != nil {
		f.Local = addrPort(conn.LocalAddr())
		s.opening(Opening{
			UDP: true, Host: to.Addr().String(), Port: to.Port(), Length: length, Asked: s.cfg.Window,
			Granted: stream.Inspect(conn).SendBuffer, Gap: Test{UDP: true, Length: length, Rate: plan.rate}.gap(),
		})
	}
	s.connected(&f.Stream)
	runFlows(ctx, s.events, s.cfg.Interval, []*flow{f}, func(ctx context.Context, f *flow) {
		if conn != nil {
			f.conn = conn
			_ = sendUDP(ctx, f) // its problem is told
			return
		}
		if err := snd.run(ctx); err != nil {
			f.problem = err.Error()
		} else {
			f.problem = lateText(snd.starving)
		}
		snd.sendLast()
	})
}

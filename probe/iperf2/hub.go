package iperf2

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"os"
	"sync"
	"time"
)

// hub receives the UDP streams that arrive at one socket, of a server or of a client to which a server sends back.
type hub struct {
	*events
	conn     *net.UDPConn
	interval time.Duration
	// admit says whether a stream may begin; what it returns is called when the stream has ended, and may be nil.
	admit func(d datagram, from netip.AddrPort, size int) (ended func(Figures), ok bool)
	// late says why a stream is over though its last datagram did not come; "" that it goes on.
	late func(s *session, now time.Time) string

	src     source
	streams map[netip.AddrPort]*hubStream
	drops   uint64 // told of so far
	wg      sync.WaitGroup
}

// hubStream is one stream of a hub.
type hubStream struct {
	*session
	flow  *flow
	done  chan struct{} // closed when it is over
	over  bool
	heard time.Time // when anything came last
}

const (
	sweepEvery = 100 * time.Millisecond
	// linger is how long a stream that is over is remembered: its last datagram may come again.
	linger = 5 * time.Second
	// maxHubStreams is how many streams are remembered at once.
	maxHubStreams = 512
)

// run receives until ctx ends or, if it is not nil, full returns true. All its streams are over then.
func (h *hub) run(ctx context.Context, full func() bool) error {
	h.src = newSource(h.conn)
	h.streams = map[netip.AddrPort]*hubStream{}
	defer h.wg.Wait()
	defer func() {
		for _, s := range h.streams {
			h.end(s, "")
		}
	}()
	defer context.AfterFunc(ctx, func() { _ = h.conn.SetReadDeadline(time.Unix(1, 0)) })()
	swept := time.Now()
	for {
		_ = h.conn.SetReadDeadline(time.Now().Add(sweepEvery))
		if ctx.Err() != nil || full != nil && full() {
			return nil
		}
		err := h.src.read(h.take)
		if errors.Is(err, net.ErrClosed) {
			return err
		}
		if err != nil && !errors.Is(err, os.ErrDeadlineExceeded) && !refused(err) {
			wait(ctx, time.Millisecond)
		}
		if now := time.Now(); now.Sub(swept) >= sweepEvery {
			swept = now
			h.sweep(now)
		}
	}
}

func (h *hub) take(a arrival) {
	s := h.streams[a.from]
	d, ok := parseDatagram(a.head)
	if !ok {
		return
	}
	if s != nil && s.over && d.number >= 0 && d.number <= 1 && a.at.Sub(s.heard) > linger/10 {
		delete(h.streams, a.from) // another test from the same port
		s = nil
	}
	if s == nil {
		if d.number < 0 || len(h.streams) >= maxHubStreams {
			return // the rest of a test that is forgotten; it gets no answer
		}
		if s = h.begin(d, a); s == nil {
			return
		}
	}
	s.heard = a.at
	if s.session == nil {
		return // this end sends; the client asks again
	}
	if s.over && !s.ended {
		return // given up: what comes now is not counted
	}
	if answer := s.take(a.head, a.size, a.at); answer != nil {
		_, _ = h.conn.WriteToUDPAddrPort(answer, a.from)
	}
	if s.ended {
		h.end(s, "")
	}
}

// begin starts a stream with its first datagram.
func (h *hub) begin(d datagram, a arrival) *hubStream {
	ended, ok := h.admit(d, a.from, a.size)
	if !ok {
		h.makeRoom(a.at)
		return nil
	}
	s := &hubStream{done: make(chan struct{})}
	h.streams[a.from] = s
	if ended == nil {
		s.over = true
		return s
	}
	rec := &reception{}
	s.session = newSession(d, rec)
	s.flow = &flow{rec: rec, Stream: Stream{UDP: true, Local: addrPort(h.conn.LocalAddr()), Remote: a.from}}
	h.connected(&s.flow.Stream)
	h.wg.Go(func() {
		got := runFlows(context.Background(), h.events, h.interval, []*flow{s.flow}, func(context.Context, *flow) { <-s.done })
		ended(got[0])
	})
	return s
}

// makeRoom ends the streams that are hardly any: of few datagrams, or silent for long. The next datagram of the stream
// that was not admitted may find room.
func (h *hub) makeRoom(now time.Time) {
	for _, s := range h.streams {
		quiet := now.Sub(s.heard)
		if !s.over && (quiet > idleLong || quiet > time.Second && s.rec.Counts().Datagrams < 5) {
			h.end(s, "made room for another stream")
		}
	}
}

func (h *hub) end(s *hubStream, problem string) {
	if s.over {
		return
	}
	s.over = true
	s.flow.finish(time.Now(), problem)
	close(s.done)
}

func (h *hub) sweep(now time.Time) {
	for from, s := range h.streams {
		switch {
		case s.over && now.Sub(s.heard) > linger:
			delete(h.streams, from)
		case !s.over:
			if why := h.late(s.session, now); why != "" {
				h.end(s, why)
			}
		}
	}
	if n := h.src.drops(); n > h.drops {
		h.notice(dropsText(n - h.drops))
		h.drops = n
	}
}

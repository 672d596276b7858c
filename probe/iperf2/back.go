package iperf2

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/probe/stream"
)

// backListener waits for what a server sends back by connections of its own (-r, -d).
type backListener interface {
	Addr() net.Addr
	Close() error
	// receive takes the test's streams, t long each, and returns their final figures.
	receive(ctx context.Context, t time.Duration) []Figures
}

// backWait is how long a client waits for the server to connect back.
const backWait = 10 * time.Second

func (c *client) listenBack(ctx context.Context) (backListener, error) {
	socket := stream.Socket{Buffer: c.t.Window}
	o := Opening{Server: true, UDP: c.t.UDP, Asked: c.t.Window, Length: c.t.Length}
	if c.t.UDP {
		b := &backUDP{client: c}
		err := c.listenOn(func(address string) (err error) {
			b.UDPConn, err = listenUDP(ctx, address, c.t.Window)
			return err
		})
		if err != nil {
			return nil, err
		}
		o.Port, o.Granted = addrPort(b.Addr()).Port(), stream.Inspect(b.UDPConn).RecvBuffer
		c.opening(o)
		return b, nil
	}
	b := &backTCP{client: c}
	err := c.listenOn(func(address string) (err error) {
		b.Listener, err = socket.Listen(ctx, "tcp", address)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Port, o.Granted = addrPort(b.Addr()).Port(), listenBuffer(b.Listener)
	c.opening(o)
	return b, nil
}

// backTCP is a backListener of TCP.
type backTCP struct {
	net.Listener
	*client
}

func (b *backTCP) receive(ctx context.Context, t time.Duration) []Figures {
	var mu sync.Mutex
	var got []Figures
	var wg sync.WaitGroup
	until := time.Now().Add(backWait)
	stop := context.AfterFunc(ctx, func() { b.Close() })
	defer stop()
	for n := 0; n < b.t.Streams; {
		if l, ok := b.Listener.(*net.TCPListener); ok {
			_ = l.SetDeadline(until)
		}
		conn, err := b.Accept()
		if err != nil {
			break
		}
		if addrPort(conn.RemoteAddr()).Addr() != b.far.Addr().WithZone("") && addrPort(conn.RemoteAddr()).Addr() != b.far.Addr() {
			conn.Close() // only the server is to send here
			continue
		}
		n++
		wg.Go(func() {
			defer conn.Close()
			f := &flow{conn: conn, Stream: Stream{
				Local: addrPort(conn.LocalAddr()), Remote: addrPort(conn.RemoteAddr()), MSS: stream.Inspect(conn).MSS,
			}}
			b.connected(&f.Stream)
			fig := runFlows(ctx, b.events, b.t.Interval, []*flow{f}, func(ctx context.Context, f *flow) {
				receiveTCP(ctx, conn, f, receivePlan{length: b.t.Length, time: t, idle: stallLimit})
			})
			mu.Lock()
			defer mu.Unlock()
			got = append(got, fig...)
		})
	}
	wg.Wait()
	return b.sumBack(ctx, got)
}

// sumBack tells the sum of what was sent back, and what is missing.
func (c *client) sumBack(ctx context.Context, got []Figures) []Figures {
	if len(got) > 1 {
		c.figures(sum(got))
	}
	if n := c.t.Streams - len(got); n > 0 && ctx.Err() == nil {
		c.notice(fmt.Sprintf("the far end did not connect back to port %d for %d of %d streams", c.backPort(), n, c.t.Streams))
	}
	return got
}

// backUDP is a backListener of UDP.
type backUDP struct {
	*net.UDPConn
	*client
}

func (b *backUDP) Addr() net.Addr { return b.LocalAddr() }

func (b *backUDP) receive(ctx context.Context, t time.Duration) []Figures {
	var mu sync.Mutex
	var got []Figures
	admitted, over := 0, 0
	began := time.Now()
	h := &hub{events: b.events, conn: b.UDPConn, interval: b.t.Interval}
	h.admit = func(d datagram, from netip.AddrPort, _ int) (func(Figures), bool) {
		if from.Addr().WithZone("") != b.far.Addr().WithZone("") || admitted >= b.t.Streams || d.number < 0 {
			return nil, false
		}
		admitted++
		return func(f Figures) {
			mu.Lock()
			defer mu.Unlock()
			got = append(got, f)
			over++
		}, true
	}
	h.late = func(s *session, now time.Time) string { return b.tooLate(s, began, now) }
	var ended time.Time
	err := h.run(ctx, func() bool {
		mu.Lock()
		defer mu.Unlock()
		now := time.Now()
		if admitted < b.t.Streams && now.Sub(began) < backWait || over < admitted {
			return false
		}
		if ended.IsZero() {
			ended = now
		}
		// The last datagram may come again, if the report on it was lost.
		return over == 0 || now.Sub(ended) > 2*lastWait
	})
	if err != nil && ctx.Err() == nil {
		b.notice(err.Error())
	}
	return b.sumBack(ctx, got)
}

// listenUDP opens a UDP socket with buffers of the size asked for; without one, of the size that a full rate needs.
func listenUDP(ctx context.Context, address string, buffer int) (*net.UDPConn, error) {
	lc := net.ListenConfig{Control: stream.Socket{Buffer: buffer}.Dialer(0).Control}
	pc, err := lc.ListenPacket(ctx, "udp", address)
	if err != nil {
		return nil, err
	}
	conn := pc.(*net.UDPConn)
	if buffer == 0 {
		_ = conn.SetReadBuffer(udpBuffer) // as much of it as the system allows
	}
	return conn, nil
}

// udpBuffer is asked for where no size is given: 30 ms at 1 Gbit/s.
const udpBuffer = 4 << 20

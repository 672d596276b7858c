package syslog

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/intake"
)

// Config says where to receive and whose lines they are.
type Config struct {
	Listen []string    // "udp://127.0.0.1:5514", "tcp://...", "tls://..."; without a scheme both UDP and TCP
	TLS    *tls.Config // certificate and key for tls://
	// Relays are trusted to pass on the lines of others: the name in a line's header says whose it is.
	Relays  []netip.Prefix
	Devices []devices.Device
	Known   *intake.Known // what polling learned of the devices; nil: nothing
	Out     timeline.Sink
}

// Receiver takes in log lines. Its methods may be called from any goroutine.
type Receiver struct {
	cfg     Config
	queue   *intake.Queue
	senders *intake.Senders
	packets []net.PacketConn
	streams []net.Listener

	tellers map[string]*sender // by device name; of the goroutine that takes messages in
}

// sender is what is known of one device's lines.
type sender struct {
	devices.Teller
	lag   map[time.Duration]*intake.Lag // by the resolution of its dates
	count uint64
}

// Open binds all addresses. The caller must Serve or Close.
func Open(cfg Config) (*Receiver, error) {
	r := &Receiver{cfg: cfg, queue: intake.NewQueue("syslog", cfg.Out), senders: intake.NewSenders(cfg.Devices), tellers: map[string]*sender{}}
	for _, l := range cfg.Listen {
		scheme, addr, ok := strings.Cut(l, "://")
		if !ok {
			scheme, addr = "udp+tcp", l
		}
		if err := r.bind(scheme, addr); err != nil {
			r.Close()
			return nil, fmt.Errorf("syslog: listen on %s: %w", l, err)
		}
	}
	return r, nil
}

func (r *Receiver) bind(scheme, addr string) error {
	switch scheme {
	case "udp":
		c, err := net.ListenPacket("udp", addr)
		if err != nil {
			return err
		}
		if u, ok := c.(*net.UDPConn); ok {
			_ = u.SetReadBuffer(socketBuffer) // as much as the system allows
		}
		r.packets = append(r.packets, c)
		return nil
	case "udp+tcp":
		return r.bindBoth(addr)
	case "tcp":
		l, err := net.Listen("tcp", addr)
		if err == nil {
			r.streams = append(r.streams, l)
		}
		return err
	case "tls":
		if r.cfg.TLS == nil {
			return errors.New("no certificate is given")
		}
		l, err := net.Listen("tcp", addr)
		if err == nil {
			r.streams = append(r.streams, tls.NewListener(l, r.cfg.TLS))
		}
		return err
	}
	return fmt.Errorf("%q is not udp, tcp or tls", scheme)
}

// bindBoth binds the same port for UDP and TCP. Where the system chooses it, a port may be free for one alone: then it
// chooses again.
func (r *Receiver) bindBoth(addr string) error {
	_, port, _ := net.SplitHostPort(addr)
	for try := 1; ; try++ {
		if err := r.bind("udp", addr); err != nil {
			return err
		}
		last := len(r.packets) - 1
		err := r.bind("tcp", r.packets[last].LocalAddr().String())
		if err == nil || port != "0" || try == 20 {
			return err
		}
		r.packets[last].Close()
		r.packets = r.packets[:last]
	}
}

// Addrs returns the addresses that are bound, in the order of Config.Listen.
func (r *Receiver) Addrs() []net.Addr {
	var out []net.Addr
	for _, c := range r.packets {
		out = append(out, c.LocalAddr())
	}
	for _, l := range r.streams {
		out = append(out, l.Addr())
	}
	return out
}

// Counts returns what became of everything that came so far.
func (r *Receiver) Counts() intake.Counts { return r.queue.Counts() }

// Close frees the addresses of a receiver that does not serve.
func (r *Receiver) Close() {
	for _, c := range r.packets {
		c.Close()
	}
	for _, l := range r.streams {
		l.Close()
	}
}

// Limits of what is taken in.
const (
	socketBuffer = 4 << 20
	mostConns    = 256
	mostPerHost  = 32
	idle         = 30 * time.Minute // devices keep a connection for days and say nothing for hours; keep-alive tells the dead
	handshake    = 10 * time.Second
)

// Serve receives until ctx ends, and returns when what had come is written and all its goroutines are gone.
func (r *Receiver) Serve(ctx context.Context) error {
	var readers sync.WaitGroup
	queued, done := context.WithCancel(context.WithoutCancel(ctx))
	var taking sync.WaitGroup
	taking.Go(func() { r.queue.Run(queued, r.take) })
	readers.Go(func() { r.senders.Resolve(ctx) })
	stop := context.AfterFunc(ctx, r.Close)
	for _, c := range r.packets {
		readers.Go(func() { r.readPackets(ctx, c) })
	}
	conns := &connections{byHost: map[netip.Addr]int{}}
	for _, l := range r.streams {
		readers.Go(func() { r.accept(ctx, l, conns, &readers) })
	}
	readers.Wait()
	<-ctx.Done()
	stop()
	done()
	taking.Wait()
	return nil
}

// readPackets takes in datagrams until the socket is closed.
func (r *Receiver) readPackets(ctx context.Context, c net.PacketConn) {
	buf := make([]byte, 64<<10)
	for {
		n, from, err := c.ReadFrom(buf)
		now := time.Now().UTC()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			continue // ICMP errors of earlier answers, on some systems
		}
		data := buf[:min(n, longestDatagram)]
		r.queue.Put(intake.Message{From: addrPort(from), Received: now, Data: append([]byte(nil), data...), Way: "udp"})
	}
}

func addrPort(a net.Addr) netip.AddrPort {
	switch a := a.(type) {
	case *net.UDPAddr:
		return a.AddrPort()
	case *net.TCPAddr:
		return a.AddrPort()
	}
	return netip.AddrPort{}
}

// connections bounds how many are open.
type connections struct {
	mu     sync.Mutex
	all    int
	byHost map[netip.Addr]int
}

func (c *connections) open(a netip.Addr) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all >= mostConns || c.byHost[a] >= mostPerHost {
		return false
	}
	c.all++
	c.byHost[a]++
	return true
}

func (c *connections) close(a netip.Addr) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all--
	if c.byHost[a]--; c.byHost[a] == 0 {
		delete(c.byHost, a)
	}
}

func (r *Receiver) accept(ctx context.Context, l net.Listener, conns *connections, wg *sync.WaitGroup) {
	for {
		c, err := l.Accept()
		if err != nil {
			if ctx.Err() != nil || errors.Is(err, net.ErrClosed) {
				return
			}
			select { // out of descriptors, say: what is open goes on
			case <-ctx.Done():
			case <-time.After(100 * time.Millisecond):
			}
			continue
		}
		from := addrPort(c.RemoteAddr())
		if !conns.open(from.Addr()) {
			c.Close()
			r.queue.Drop(intake.Message{From: from, Received: time.Now().UTC()}, "too many connections")
			continue
		}
		wg.Go(func() {
			defer conns.close(from.Addr())
			r.readStream(ctx, c, from)
		})
	}
}

// readStream takes in the messages of one connection.
func (r *Receiver) readStream(ctx context.Context, c net.Conn, from netip.AddrPort) {
	defer c.Close()
	defer context.AfterFunc(ctx, func() { c.Close() })()
	way := "tcp"
	if t, ok := c.(*tls.Conn); ok {
		way = "tls"
		limited, cancel := context.WithTimeout(ctx, handshake)
		err := t.HandshakeContext(limited)
		cancel()
		if err != nil {
			r.queue.Drop(intake.Message{From: from, Received: time.Now().UTC()}, "TLS handshake failed")
			return
		}
	}
	f := newFrames(c)
	for {
		if err := c.SetReadDeadline(time.Now().Add(idle)); err != nil {
			return
		}
		msg, err := f.next()
		if err != nil {
			return
		}
		if r.queue.Wait(ctx, intake.Message{From: from, Received: time.Now().UTC(), Data: append([]byte(nil), msg...), Way: way}) != nil {
			return
		}
	}
}

// take turns a message into a record. A datagram is one message, whatever newlines it holds.
func (r *Receiver) take(m intake.Message) {
	text := string(m.Data)
	if !utf8.ValidString(text) {
		text = strings.ToValidUTF8(text, "\uFFFD")
	}
	text = strings.Trim(text, "\r\n\x00 \t")
	if text == "" {
		r.queue.Drop(m, "empty")
		return
	}
	line := Parse(text, m.Received)
	d, known := r.whose(m.From.Addr(), line.Host)
	name := d.Name
	if !known {
		name = intake.Unknown(m.From.Addr())
	}
	s := r.sender(name, known)
	s.count++
	port := func(p string) string { return intake.Port(d, p) }
	sub := timeline.Device(name)
	if line.Port != "" {
		sub = timeline.Port(name, port(line.Port))
	}
	e := s.Tell(line, sub, port)
	e.Span = r.dated(s, name, line, m.Received)
	e.Origin = timeline.Origin{Collector: "syslog:" + name, Exchange: s.count}
	r.queue.Keep(m, e, known)
}

// whose returns the device that a line is of: the one at the address it came from, or for a relay the one that the
// line names.
func (r *Receiver) whose(from netip.Addr, host string) (devices.Device, bool) {
	if d, ok := r.senders.Of(from, host); ok {
		return d, true
	}
	for _, p := range r.cfg.Relays {
		if p.Contains(from.Unmap().WithZone("")) && host != "" {
			return r.senders.Named(host)
		}
	}
	return devices.Device{}, false
}

// mostSenders bounds for how many unknown senders anything is remembered.
const mostSenders = 4096

func (r *Receiver) sender(name string, known bool) *sender {
	s := r.tellers[name]
	if s == nil {
		s = &sender{lag: map[time.Duration]*intake.Lag{}}
		if known || len(r.tellers) < mostSenders {
			r.tellers[name] = s
		}
	}
	return s
}

// dated returns the narrowest span in which what a line tells of happened.
func (r *Receiver) dated(s *sender, device string, line devices.LogLine, received time.Time) timeline.Span {
	span := intake.Received(received)
	if !line.Time.OK || line.Clock == "*" {
		return span
	}
	resolution := time.Second
	if line.Time.Value.Nanosecond() != 0 || s.lag[time.Millisecond] != nil {
		resolution = time.Millisecond // a device that has once shown a fraction shows it always
	}
	lag := s.lag[resolution]
	if lag == nil {
		lag = &intake.Lag{}
		s.lag[resolution] = lag
	}
	late, ok := lag.Date(line.Time.Value, received, resolution)
	if c, known := r.cfg.Known.Local(device); known && line.Clock == "" {
		if sp, believed := intake.ByClock(c, line.Time.Value, received, resolution); believed {
			return intake.Narrower(sp, late)
		}
	}
	if !ok {
		return span
	}
	if late.Overlaps(span) && resolution == time.Second { // what is dated to the second is no better than when it came
		return intake.Narrower(span, late)
	}
	return late
}

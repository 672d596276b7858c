package trap

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"strings"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/intake"
	"whydrop/devices/syslog"
)

// Config says where to receive and whom to believe.
type Config struct {
	Listen []string // "127.0.0.1:5162", UDP
	// Communities are accepted from any source; each device's own is accepted from its address besides.
	Communities []devices.Secret
	// Users are accepted from any source; each device's own is accepted besides. Only what concerns version 3 is read.
	Users []devices.SNMP
	// Engine identifies this receiver to senders of version 3 informs (snmpEngineID, 5 to 32 octets); nil is made of
	// the host's name.
	Engine  []byte
	Devices []devices.Device
	Known   *intake.Known // what polling learned of the devices; nil: nothing
	Out     timeline.Sink
}

// Reasons for which a notification is not kept, as intake.Counts has them, beside those of every receiver.
const (
	Malformed      = "not SNMP"
	NoNotice       = "no notification"
	WrongCommunity = "wrong community"
	WrongUser      = "unknown user or wrong keys"
	WrongLevel     = "security level too low"
	OutOfTime      = "not in the time window"
	Discovery      = "engine discovery" // answered
	Again          = "sent again"       // answered
)

// Receiver takes in notifications. Its methods may be called from any goroutine.
type Receiver struct {
	cfg     Config
	queue   *intake.Queue
	senders *intake.Senders
	conns   []net.PacketConn
	decoder *decoder

	sources map[string]*source // by device; of the goroutine that takes messages in
}

// source is what is known of one device's notifications.
type source struct {
	devices.Teller
	ticks intake.Lag
	apart bool // its notifications count ticks from another moment than its agent does
	count uint64
}

// Open binds all addresses. The caller must Serve or Close. An error about credentials names the key of the site file.
func Open(cfg Config) (*Receiver, error) {
	d, err := newDecoder(cfg)
	if err != nil {
		return nil, err
	}
	r := &Receiver{cfg: cfg, decoder: d, queue: intake.NewQueue("trap", cfg.Out), senders: intake.NewSenders(cfg.Devices), sources: map[string]*source{}}
	for _, addr := range cfg.Listen {
		c, err := net.ListenPacket("udp", strings.TrimPrefix(addr, "udp://"))
		if err != nil {
			r.Close()
			return nil, fmt.Errorf("traps: listen on %s: %w", addr, err)
		}
		if u, ok := c.(*net.UDPConn); ok {
			const buffer = 4 << 20
			_ = u.SetReadBuffer(buffer) // as much as the system allows
		}
		r.conns = append(r.conns, c)
	}
	return r, nil
}

// Addrs returns the addresses that are bound.
func (r *Receiver) Addrs() []net.Addr {
	var out []net.Addr
	for _, c := range r.conns {
		out = append(out, c.LocalAddr())
	}
	return out
}

// Engine returns this receiver's snmpEngineID, which some senders of informs must be told.
func (r *Receiver) Engine() []byte { return []byte(r.decoder.engine) }

// Counts returns what became of everything that came so far.
func (r *Receiver) Counts() intake.Counts { return r.queue.Counts() }

// Close frees the addresses of a receiver that does not serve.
func (r *Receiver) Close() {
	for _, c := range r.conns {
		c.Close()
	}
}

// Serve receives until ctx ends, and returns when what had come is written and all its goroutines are gone.
func (r *Receiver) Serve(ctx context.Context) error {
	var readers, taking sync.WaitGroup
	queued, done := context.WithCancel(context.WithoutCancel(ctx))
	taking.Go(func() { r.queue.Run(queued, r.take) })
	readers.Go(func() { r.senders.Resolve(ctx) })
	stopped := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		for _, c := range r.conns {
			_ = c.SetReadDeadline(time.Now()) // the sockets stay until the last inform is answered
		}
		close(stopped)
	})
	for _, c := range r.conns {
		readers.Go(func() { r.readPackets(ctx, c) })
	}
	readers.Wait()
	<-ctx.Done()
	if !stop() {
		<-stopped
	}
	done()
	taking.Wait()
	r.Close()
	return nil
}

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
		var addr netip.AddrPort
		if u, ok := from.(*net.UDPAddr); ok {
			addr = u.AddrPort()
		}
		r.queue.Put(intake.Message{
			From: addr, Received: now, Data: append([]byte(nil), buf[:n]...), Way: "udp",
			Answer: func(b []byte) { _, _ = c.WriteTo(b, from) }, // one that is lost makes the sender repeat
		})
	}
}

// take turns a datagram into a record.
func (r *Receiver) take(m intake.Message) {
	d, known := r.senders.Of(m.From.Addr(), "")
	got, refused := r.decoder.decode(m, d, known)
	if got.answer != nil {
		m.Answer(got.answer)
	}
	switch refused {
	case "":
	case Discovery, Again:
		r.queue.Pass(refused)
		return
	default:
		r.queue.Drop(m, refused)
		return
	}
	n, err := read(got.packet)
	if err != nil {
		r.queue.Drop(m, NoNotice)
		return
	}
	name := d.Name
	if !known {
		name = intake.Unknown(m.From.Addr())
	}
	s := r.source(name, known)
	s.count++
	e := r.event(&n, s, d, name)
	e.Span = r.dated(&n, s, name, m.Received)
	e.Origin = timeline.Origin{Collector: "trap:" + name, Exchange: s.count}
	r.queue.Keep(m, e, known)
}

// mostSources bounds for how many unknown senders anything is remembered.
const mostSources = 4096

func (r *Receiver) source(name string, known bool) *source {
	s := r.sources[name]
	if s == nil {
		s = &source{}
		if known || len(r.sources) < mostSources {
			r.sources[name] = s
		}
	}
	return s
}

// event turns a notice into an event, without Span and Origin.
func (r *Receiver) event(n *notice, s *source, d devices.Device, name string) timeline.Event {
	words := n.String()
	port := func(p string) string { return intake.Port(d, p) }
	what, ok := told{}, false
	if known, listed := notifications[n.oid]; listed {
		what, ok = known.read(n)
	}
	if ok && what.line != "" {
		return r.line(what.line, what.line, s, name, port)
	}
	if !ok { // its words may be those of a log line
		return r.line(n.strings(), words, s, name, port)
	}
	if what.index != 0 {
		if known := r.cfg.Known.Port(name, what.index); known != "" {
			what.port = known
		} else if what.port == "" && devices.AboutPort(what.typ) {
			what.port = fmt.Sprintf("ifIndex %d", what.index)
		}
	}
	e := timeline.Event{Subject: timeline.Device(name), Type: what.typ, Text: words, Attrs: what.attrs}
	if e.Type == timeline.EventSyslog {
		e.Attrs = map[string]string{"facility": "SNMP", "mnemonic": nameOf(n.oid)}
	}
	if what.port != "" {
		if devices.AboutPort(e.Type) {
			e.Subject = timeline.Port(name, port(what.port))
		} else if e.Attrs["port"] == "" {
			e.Attrs["port"] = port(what.port)
		}
	}
	for k, v := range e.Attrs {
		if v == "" {
			delete(e.Attrs, k)
		}
	}
	return e
}

// line reads words as a line of the device's log.
func (r *Receiver) line(text, words string, s *source, name string, port func(string) string) timeline.Event {
	l := syslog.Parse(text, time.Time{})
	l.Text = words
	sub := timeline.Device(name)
	if l.Port != "" && l.Type != "" {
		sub = timeline.Port(name, port(l.Port))
	}
	return s.Tell(l, sub, port)
}

// strings returns the texts that a notice holds, for one whose OID says nothing.
func (n *notice) strings() string {
	var out []string
	for _, v := range n.vars {
		if s, ok := v.value.(string); ok {
			if shown := show(s); strings.HasPrefix(shown, `"`) {
				out = append(out, s)
			}
		}
	}
	return strings.ToValidUTF8(strings.Join(out, " "), "?")
}

// dated returns the narrowest span in which what a notice tells of happened.
func (r *Receiver) dated(n *notice, s *source, device string, received time.Time) timeline.Span {
	span := intake.Received(received)
	if !n.uptime.OK || n.uptime.Value == 0 {
		return span
	}
	const tick = 10 * time.Millisecond // RFC 2578, section 7.1.8
	own := time.Unix(0, 0).Add(time.Duration(n.uptime.Value) * tick)
	late, ok := s.ticks.Date(own, received, tick)
	if c, known := r.cfg.Known.Ticks(device); known && !s.apart {
		if sp, believed := intake.ByTicks(c, n.uptime.Value, received); believed && (!ok || sp.Overlaps(late)) {
			return sp
		}
		// What sends the notifications is not always the agent, as where scripts do it on a Linux host.
		s.apart = true
	}
	if ok {
		return late
	}
	return span
}

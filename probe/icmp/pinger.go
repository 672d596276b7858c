package icmp

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"net"
	"net/netip"
	"syscall"
	"time"

	xicmp "golang.org/x/net/icmp"
	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
	"whydrop/probe/rxtime"
	"whydrop/probe/sock"
)

const (
	// DefaultHeartbeat is the time between two echo requests where none is given.
	DefaultHeartbeat = 20 * time.Millisecond
	// MinHeartbeat is the shortest time between two echo requests.
	MinHeartbeat = 5 * time.Millisecond

	payload  = 56 // octets after the header, as ping(8) sends
	header   = 8
	ianaICMP = 1 // protocol numbers
	ianaV6   = 58
)

// ErrPermission says that this user may not send echo requests on this system.
var ErrPermission = errors.New("not allowed to send ICMP echo requests")

// Pinger is a heartbeat by ICMP echo. It writes path.rtt, path.loss.round_trip and path.reordered, and outages with
// the direction "both".
type Pinger struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address
	Heartbeat time.Duration // time between two requests; 0 means 20 ms, less than 5 ms is 5 ms
}

var _ probe.Prober = (*Pinger)(nil)

// Path returns the subject of the pinger's records.
func (p *Pinger) Path() timeline.Subject { return timeline.Path(p.Name) }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To has no address, or that
// the system gives no socket for it ([ErrPermission]).
func (p *Pinger) Probe(ctx context.Context, out timeline.Sink) error {
	return heartbeat.Probe(ctx, opening(p.To), func(w *wire) outage.Config {
		return outage.Config{
			Path:      p.Path(),
			Collector: "icmp:" + p.Name,
			Kind:      "icmp",
			To:        w.to.String(),
			Far:       w.to,
			Heartbeat: heartbeat.Every(p.Heartbeat, DefaultHeartbeat, MinHeartbeat),
			Out:       out,
		}
	})
}

// Check says whether a host answers echo requests: nil if it does. It returns when it knows, when ctx ends, or
// after about a second.
func Check(ctx context.Context, host string) error {
	return heartbeat.Check(ctx, opening(host), func(w *wire, _ bool) error { return fmt.Errorf("icmp: no answer from %s", w.to) })
}

// wire sends echo requests to one host.
type wire struct {
	to     netip.Addr
	socket *socket
	in     *rxtime.Reader
	opened time.Time
	cookie uint64
	out    []byte
	beats  uint64
}

// socket is what echo requests are sent on.
type socket struct {
	conn  net.PacketConn
	write func([]byte) error
	id    uint16 // identifier of our requests; of no matter where the kernel sets it
	raw   bool   // the socket sees others' answers too
}

// opening returns what opens a wire to a host.
func opening(host string) func(context.Context) (*wire, error) {
	return func(ctx context.Context) (*wire, error) { return open(ctx, host) }
}

func open(ctx context.Context, host string) (*wire, error) {
	to, err := probe.Resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("icmp: %w", err)
	}
	w := &wire{to: to, cookie: rand.Uint64()}
	// Without a route there is no socket yet; that is the path's matter, and Send tries again.
	if err := w.dial(time.Now()); errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("icmp: %s: %w: %s", to, ErrPermission, remedy)
	}
	return w, nil
}

func (w *wire) dial(now time.Time) error {
	w.opened = now
	s, err := openSocket(w.to)
	if err != nil {
		return err
	}
	w.socket, w.in = s, rxtime.New(s.conn)
	return nil
}

// Close closes the socket.
func (w *wire) Close() {
	if w.in != nil {
		_ = w.in.Close()
	}
	w.socket, w.in = nil, nil
}

// Send sends heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	w.beats = n + 1
	if w.socket == nil {
		if now.Sub(w.opened) < time.Second {
			return errors.New("no route")
		}
		if err := w.dial(now); err != nil {
			return heartbeat.Cause(err)
		}
	}
	_ = w.socket.conn.SetWriteDeadline(now.Add(time.Second))
	w.out = request(w.out[:0], w.to, w.socket.id, w.cookie, n)
	err := w.socket.write(w.out)
	if errors.Is(err, syscall.EHOSTUNREACH) { // a router's word about an earlier one; this one was not sent
		err = w.socket.write(w.out)
	}
	if err != nil && sock.Stale(err) {
		w.Close()
	}
	return heartbeat.Cause(err)
}

// request appends an echo request to b.
func request(b []byte, to netip.Addr, id uint16, cookie, n uint64) []byte {
	typ := byte(ipv4.ICMPTypeEcho)
	if to.Is6() {
		typ = byte(ipv6.ICMPTypeEchoRequest)
	}
	b = append(b, typ, 0, 0, 0)
	b = binary.BigEndian.AppendUint16(b, id)
	b = binary.BigEndian.AppendUint16(b, uint16(n))
	b = binary.BigEndian.AppendUint64(b, cookie)
	b = binary.BigEndian.AppendUint64(b, n)
	b = append(b, make([]byte, payload-16)...)
	if to.Is4() { // the kernel does it for ICMPv6, whose checksum covers addresses (RFC 4443, section 2.3)
		binary.BigEndian.PutUint16(b[2:], sock.Checksum(0, b))
	}
	return b
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) {
	for range 64 { // errors in a row, such as "host unreachable"; each ends one Drain
		if w.in == nil {
			return
		}
		err := w.in.Drain(func(p rxtime.Packet) {
			if n, ok := w.parse(p); ok {
				b.Answer(outage.Answer{Number: n, At: p.At, Exact: p.Exact})
			}
		})
		if err == nil {
			return
		}
		var said *rxtime.Report
		if errors.As(err, &said) {
			b.Reported(said.By, said.Text)
		} else if sock.Stale(err) {
			w.Close()
		}
	}
}

// parse returns the number of the heartbeat that a datagram answers, if it answers one of ours.
func (w *wire) parse(p rxtime.Packet) (uint64, bool) {
	if from := p.From.Addr().WithZone(""); from != w.to.WithZone("") {
		return 0, false
	}
	proto, reply := ianaICMP, xicmp.Type(ipv4.ICMPTypeEchoReply)
	if w.to.Is6() {
		proto, reply = ianaV6, ipv6.ICMPTypeEchoReply
	}
	m, err := xicmp.ParseMessage(proto, p.Data)
	if err != nil || m.Type != reply {
		return 0, false
	}
	echo, ok := m.Body.(*xicmp.Echo)
	if !ok || len(echo.Data) < 16 || w.socket.raw && echo.ID != int(w.socket.id) {
		return 0, false
	}
	n := binary.BigEndian.Uint64(echo.Data[8:])
	ours := binary.BigEndian.Uint64(echo.Data) == w.cookie && echo.Seq == int(uint16(n)) && n < w.beats
	return n, ours
}

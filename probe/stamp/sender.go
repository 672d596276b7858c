package stamp

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
	"whydrop/probe/rxtime"
	"whydrop/probe/sock"

	"golang.org/x/net/ipv4"
	"golang.org/x/net/ipv6"
)

const (
	// DefaultHeartbeat is the time between two heartbeats where none is given.
	DefaultHeartbeat = 20 * time.Millisecond
	// MinHeartbeat is the shortest time between two heartbeats.
	MinHeartbeat = 5 * time.Millisecond
)

// Sender is a heartbeat to a STAMP reflector. It writes round-trip time, loss and jitter of either direction, and
// outages; see package outage for what they are.
//
// A far end that is not there is said once (probe.problem, reason "silent" or "refused"); the Sender goes on slowly
// and is back at its pace when the far end answers.
type Sender struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address of the reflector
	Port      uint16        // its UDP port; 0 means 862
	Heartbeat time.Duration // time between two heartbeats; 0 means 20 ms, less than 5 ms is 5 ms
	Format    Format        // of the sender's timestamps
	Key       []byte        // if not empty, packets are signed with it and only signed answers are believed

	// Local, if valid, is the address to send from; its port may be 0.
	Local netip.AddrPort
}

var _ probe.Prober = (*Sender)(nil)

// Path returns the subject of the sender's records.
func (s *Sender) Path() timeline.Subject { return timeline.Path(s.Name) }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To is no host: its name has no
// address, or the address is none.
func (s *Sender) Probe(ctx context.Context, out timeline.Sink) error {
	return heartbeat.Probe(ctx, s.open, func(w *wire) outage.Config {
		return outage.Config{
			Path:      s.Path(),
			Collector: "stamp:" + s.Name,
			Kind:      "stamp",
			To:        w.To.String(),
			Heartbeat: s.heartbeat(),
			Far:       w.To.Addr(),
			Hint:      s.hint(),
			Out:       out,
		}
	})
}

// hint is what else may be wrong where a far end says nothing.
func (s *Sender) hint() string {
	if len(s.Key) == 0 {
		return "a reflector with a key answers nothing that is not signed"
	}
	return "a reflector without this key does not answer"
}

func (s *Sender) heartbeat() time.Duration {
	return heartbeat.Every(s.Heartbeat, DefaultHeartbeat, MinHeartbeat)
}

// open finds the far end's address. That there is no way to it now is no error.
func (s *Sender) open(ctx context.Context) (*wire, error) {
	to, err := probe.Resolve(ctx, s.To)
	if err != nil {
		return nil, fmt.Errorf("stamp: %w", err)
	}
	port := s.Port
	if port == 0 {
		port = DefaultPort
	}
	w := &wire{
		Socket: heartbeat.Socket{To: netip.AddrPortFrom(to, port)}, local: s.Local, pinned: s.Local.IsValid(), format: s.Format, key: s.Key,
		first: 1024 + uint32(rand.IntN(65536-1024)), session: uint16(1 + rand.IntN(65535)),
		stamps: make([]Timestamp, 30*time.Second/s.heartbeat()+1),
	}
	w.failure = w.dial()
	w.dialled = time.Now()
	return w, nil
}

// wire is a session: heartbeats as STAMP packets on a connected UDP socket.
type wire struct {
	heartbeat.Socket
	local   netip.AddrPort // also what a new socket is bound to: the session stays the same
	pinned  bool           // the user chose local
	format  Format
	key     []byte // empty: unauthenticated mode
	first   uint32 // sequence number of heartbeat 0
	session uint16

	failure error // why there was no socket to be had
	dialled time.Time
	failing time.Time // since when nothing can be sent; zero if something can

	sent    uint64      // heartbeats sent
	stamps  []Timestamp // T1 of the newest heartbeats, by number
	drops   uint32      // answers that the socket had no room for, so far
	strange uint64      // datagrams that are no answers to our questions
	out     [AuthenticatedSize]byte
}

// dial connects a socket.
func (w *wire) dial() error {
	d := net.Dialer{}
	if w.local.IsValid() {
		d.LocalAddr = net.UDPAddrFromAddrPort(w.local)
	}
	c, err := d.Dial("udp", w.To.String())
	if err != nil {
		return heartbeat.Cause(err)
	}
	conn := c.(*net.UDPConn)
	w.local = conn.LocalAddr().(*net.UDPAddr).AddrPort()
	_ = conn.SetReadBuffer(1 << 20)    // answers wait here while the host does not let us run
	_ = ipv4.NewConn(conn).SetTTL(255) // RFC 5357, section 4.1.2
	_ = ipv6.NewConn(conn).SetHopLimit(255)
	w.Use(conn)
	w.drops, w.failure = 0, nil
	return nil
}

// Send sends heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	q := Question{
		Sequence:  w.first + uint32(n),
		Timestamp: NewTimestamp(now, w.format),
		Estimate:  NewErrorEstimate(w.format, false, exactError),
		Session:   w.session,
	}
	w.sent = n + 1
	w.stamps[n%uint64(len(w.stamps))] = q.Timestamp
	if !w.Open() && !w.redial(now) {
		return cmp.Or(w.failure, w.Failure())
	}
	err := w.Write(q.AppendFor(w.out[:0], w.key), now)
	switch {
	case err == nil:
		w.failing = time.Time{}
	case !w.Open(): // it is of no use any more
	case w.failing.IsZero():
		w.failing = now
	case now.Sub(w.failing) > heartbeat.RedialTime && now.Sub(w.dialled) > heartbeat.RedialTime:
		w.move(now)
	}
	return heartbeat.Cause(err)
}

// move goes over to another socket if this host would send from another address now: Linux says "network is
// unreachable" to a socket whose address it has lost. A session that need not move keeps its port.
func (w *wire) move(now time.Time) {
	w.dialled = now
	if w.pinned {
		return
	}
	old, local, drops := w.Socket, w.local, w.drops
	w.local = netip.AddrPort{}
	if w.dial() != nil {
		w.local = local
		return
	}
	if w.local.Addr() == local.Addr() {
		w.Close()
		w.Socket, w.local, w.drops = old, local, drops
		return
	}
	old.Close()
	w.failing = time.Time{}
}

// redial tries to get a new socket, at most once a second. It gives up the local address if that is gone.
func (w *wire) redial(now time.Time) bool {
	if now.Sub(w.dialled) < heartbeat.RedialTime {
		return false
	}
	w.dialled = now
	if w.failure = w.dial(); sock.Stale(w.failure) && !w.pinned {
		w.local = netip.AddrPortFrom(netip.Addr{}, w.local.Port())
		w.failure = w.dial()
	}
	return w.failure == nil
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) {
	w.Socket.Receive(b, func(p rxtime.Packet) { w.enter(b, p) })
}

// enter enters one datagram in the book if it answers one of our questions.
func (w *wire) enter(b *outage.Book, p rxtime.Packet) {
	a, err := ParseAnswerFor(p.Data, w.key)
	n, ok := w.number(a.Question.Sequence)
	// A reflector of RFC 8762 or TWAMP Light knows no session identifier and leaves zeros.
	if err != nil || !ok || a.Question.Timestamp != w.stamps[n%uint64(len(w.stamps))] || a.Session != w.session && a.Session != 0 {
		w.strange++
		return
	}
	dropped := int(int32(p.Drops - w.drops))
	w.drops = p.Drops
	f := a.Estimate.Format()
	b.Answer(outage.Answer{Number: n, At: p.At, Exact: p.Exact, Dropped: dropped, Far: &outage.Far{
		Received: a.Received.Time(f, p.At),
		Sent:     a.Timestamp.Time(f, p.At),
		Error:    a.Estimate.Error(),
		Sequence: a.Sequence,
		Counts:   a.Sequence != a.Question.Sequence,
	}})
}

// number returns the number of the heartbeat with a sequence number, if it was sent lately.
func (w *wire) number(seq uint32) (uint64, bool) {
	if w.sent == 0 {
		return 0, false
	}
	age := uint64(w.first + uint32(w.sent-1) - seq)
	if age >= w.sent || age >= uint64(len(w.stamps)) {
		return 0, false
	}
	return w.sent - 1 - age, true
}

// Check asks the reflector at a host and port up to five times, 100 ms apart, whether it is there, and returns nil
// when it answers. It returns when it knows, when ctx ends, or after about a second.
func Check(ctx context.Context, host string, port uint16) error {
	return CheckSigned(ctx, host, port, nil)
}

// CheckSigned is Check in authenticated mode; an empty key means unauthenticated mode.
func CheckSigned(ctx context.Context, host string, port uint16, key []byte) error {
	s := Sender{Name: "check", To: host, Port: port, Heartbeat: 100 * time.Millisecond, Key: key}
	return heartbeat.Check(ctx, s.open, func(w *wire, refused bool) error {
		switch {
		case w.failure != nil:
			return fmt.Errorf("stamp: reach %s: %w", w.To, w.failure)
		case refused:
			return fmt.Errorf("stamp: %s refused: its host is there, but no reflector listens on UDP port %d", w.To.Addr(), w.To.Port())
		}
		return fmt.Errorf("stamp: no answer from %s: no reflector, or a filter between; %s", w.To, s.hint())
	})
}

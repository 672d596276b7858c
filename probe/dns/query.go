// Package dns is a heartbeat by DNS queries over UDP (RFC 1035): for paths to a name server where no far end of ours
// runs, and for the question whether names can be had at all.
//
// Any answer counts, also a refusal or a failure (RCODE 2, 5): it shows that packets went there and back. That a server
// fails is said once (probe.problem). The round trip includes the time that the server took; a name that it answers by
// itself keeps that short, so the heartbeat asks for localhost (RFC 6761, section 6.3) unless another is given. Which
// way a query was lost cannot be told; outages have the direction "both".
package dns

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/net/dns/dnsmessage"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
	"whydrop/probe/rxtime"
)

const (
	// DefaultPort is the port of DNS.
	DefaultPort = 53
	// DefaultHeartbeat is the time between two queries where none is given, and MinHeartbeat the shortest: servers
	// limit how often they answer one client the same (response rate limiting, from 5 a second on).
	DefaultHeartbeat = 500 * time.Millisecond
	MinHeartbeat     = 100 * time.Millisecond

	defaultQuery = "localhost."
)

// Asker is a heartbeat by DNS queries. It writes path.rtt, path.loss.round_trip and path.reordered, and outages with
// the direction "both".
type Asker struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address of the server
	Port      uint16        // its UDP port; 0 means 53
	Query     string        // the name to ask for, its address that is; "" means localhost
	Heartbeat time.Duration // time between two queries; 0 means 500 ms, less than 100 ms is 100 ms
}

var _ probe.Prober = (*Asker)(nil)

// Path returns the subject of the asker's records.
func (a *Asker) Path() timeline.Subject { return timeline.Path(a.Name) }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To has no address or that Query
// is no name.
func (a *Asker) Probe(ctx context.Context, out timeline.Sink) error {
	return heartbeat.Probe(ctx, a.open, func(w *wire) outage.Config {
		cfg := outage.Config{
			Path:      a.Path(),
			Collector: "dns:" + a.Name,
			Kind:      "dns",
			To:        w.To.String(),
			Heartbeat: heartbeat.Every(a.Heartbeat, DefaultHeartbeat, MinHeartbeat),
			Out:       out,
		}
		w.problem = func(reason, text string) { heartbeat.Problem(cfg, reason, text) }
		return cfg
	})
}

// Check says whether a server answers: nil if it does. It returns when it knows, when ctx ends, or after about a
// second.
func (a *Asker) Check(ctx context.Context) error {
	return heartbeat.Check(ctx, a.open, func(w *wire, refused bool) error {
		if refused {
			return fmt.Errorf("dns: %s refused: nothing listens on UDP port %d", w.To.Addr(), w.To.Port())
		}
		return fmt.Errorf("dns: no answer from %s", w.To)
	})
}

func (a *Asker) open(ctx context.Context) (*wire, error) {
	query := a.Query
	if query == "" {
		query = defaultQuery
	}
	if !strings.HasSuffix(query, ".") {
		query += "."
	}
	name, err := dnsmessage.NewName(query)
	if err == nil {
		_, err = message(0, name)
	}
	if err != nil {
		return nil, fmt.Errorf("dns: %q is no name: %w", a.Query, err)
	}
	to, err := probe.Resolve(ctx, a.To)
	if err != nil {
		return nil, fmt.Errorf("dns: %w", err)
	}
	port := a.Port
	if port == 0 {
		port = DefaultPort
	}
	w := &wire{Socket: heartbeat.Socket{To: netip.AddrPortFrom(to, port)}, name: name, first: uint16(rand.IntN(65536)), problem: func(string, string) {}}
	w.failure = w.dial(time.Now())
	return w, nil
}

// message builds a query.
func message(id uint16, name dnsmessage.Name) ([]byte, error) {
	m := dnsmessage.Message{
		Header:    dnsmessage.Header{ID: id, RecursionDesired: true},
		Questions: []dnsmessage.Question{{Name: name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET}},
	}
	return m.Pack()
}

// wire sends queries to one server.
type wire struct {
	heartbeat.Socket
	name    dnsmessage.Name
	first   uint16 // the identifier of heartbeat 0
	dialled time.Time
	failure error // why there was no socket to be had
	sent    uint64
	failing bool
	problem func(reason, text string)
}

func (w *wire) dial(now time.Time) error {
	w.dialled = now
	c, err := net.DialUDP("udp", nil, net.UDPAddrFromAddrPort(w.To))
	if err != nil {
		return heartbeat.Cause(err)
	}
	w.Use(c)
	return nil
}

// Send sends heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	w.sent = n + 1
	if !w.Open() {
		if now.Sub(w.dialled) < heartbeat.RedialTime {
			return cmp.Or(w.failure, w.Failure())
		}
		if w.failure = w.dial(now); w.failure != nil {
			return w.failure
		}
	}
	b, err := message(w.first+uint16(n), w.name)
	if err != nil {
		return err
	}
	return heartbeat.Cause(w.Write(b, now))
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) {
	w.Socket.Receive(b, func(p rxtime.Packet) {
		if n, ok := w.parse(p.Data); ok {
			b.Answer(outage.Answer{Number: n, At: p.At, Exact: p.Exact})
		}
	})
}

// parse returns the number of the heartbeat that a datagram answers.
func (w *wire) parse(data []byte) (uint64, bool) {
	var p dnsmessage.Parser
	h, err := p.Start(data)
	if err != nil || !h.Response || w.sent == 0 {
		return 0, false
	}
	// A server that could not read the question may leave it out (RCODE 1); any other repeats it.
	if q, err := p.Question(); err == nil && (q.Type != dnsmessage.TypeA || !strings.EqualFold(q.Name.String(), w.name.String())) {
		return 0, false
	}
	age := uint64(w.first + uint16(w.sent-1) - h.ID)
	if age >= w.sent {
		return 0, false
	}
	if bad := h.RCode == dnsmessage.RCodeServerFailure; bad != w.failing {
		if w.failing = bad; bad {
			w.problem("servfail", fmt.Sprintf("the server answers that it fails (SERVFAIL) when asked for %s; the path to it is fine", w.name))
		}
	}
	return w.sent - 1 - age, true
}

// Package tcpconnect is a heartbeat by TCP connections: it opens one, takes the time until the far host answers,
// and closes it (RFC 9293, section 3.5). It is for paths where no far end of ours runs and ICMP is not answered.
//
// A connection that is accepted and one that is refused are both answers: either way a packet went there and one
// came back. A firewall that refuses in the host's name answers as well. What is not answered within 900 ms is
// lost: after a second the kernel would send the first packet again (RFC 6298, section 2), and its answer would
// say nothing about the first.
//
// Every heartbeat is a new connection, which a stateful firewall treats unlike one that is established: a path that
// is dark for flows that exist may be open for these. Which way a heartbeat was lost cannot be told; outages have
// the direction "both".
//
// The port's owner sees connections that are reset at once, and some programs mind: an idle iperf3 server takes each
// for a test that failed. A port on which nothing listens is just as good.
package tcpconnect

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
	"whydrop/probe/sock"
)

const (
	// DefaultHeartbeat is the time between two connections where none is given, and the shortest there is: more
	// than five connections a second from one probe is rude to the port's owner and to firewalls on the path.
	DefaultHeartbeat = 200 * time.Millisecond

	// answerTime is how long an answer may take; Linux repeats a SYN after 1 s.
	answerTime = 900 * time.Millisecond
)

// Connector is a heartbeat by TCP connections. It writes path.rtt, path.loss.round_trip and path.reordered, and
// outages with the direction "both".
type Connector struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address
	Port      uint16        // TCP port; must not be 0
	Heartbeat time.Duration // time between two connections; less than 200 ms is 200 ms

	// Dial, if not nil, is used instead of a net.Dialer. It is called from several goroutines.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ probe.Prober = (*Connector)(nil)

// Path returns the subject of the connector's records.
func (c *Connector) Path() timeline.Subject { return timeline.Path(c.Name) }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To has no address or the port
// is missing.
func (c *Connector) Probe(ctx context.Context, out timeline.Sink) error {
	return heartbeat.Probe(ctx, c.open, func(w *wire) outage.Config {
		return outage.Config{
			Path:      c.Path(),
			Collector: "tcp-connect:" + c.Name,
			Kind:      "tcp-connect",
			To:        w.to.String(),
			Heartbeat: heartbeat.Every(c.Heartbeat, DefaultHeartbeat, DefaultHeartbeat),
			Out:       out,
		}
	})
}

// Check says whether a host answers at a port, with an acceptance or a refusal: nil if it does. It returns when it
// knows, when ctx ends, or after about a second.
func Check(ctx context.Context, host string, port uint16) error {
	c := Connector{To: host, Port: port}
	return heartbeat.Check(ctx, c.open, func(w *wire, _ bool) error { return fmt.Errorf("tcp-connect: no answer from %s", w.to) })
}

// wire opens connections to one port.
type wire struct {
	*heartbeat.Pending[heartbeat.Result]
	to   netip.AddrPort
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

func (c *Connector) open(ctx context.Context) (*wire, error) {
	if c.Port == 0 {
		return nil, fmt.Errorf("tcp-connect: no port given for %s", c.To)
	}
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return nil, fmt.Errorf("tcp-connect: %w", err)
	}
	w := &wire{Pending: heartbeat.NewPending[heartbeat.Result](ctx), to: netip.AddrPortFrom(to, c.Port), dial: c.Dial}
	if w.dial == nil {
		var d net.Dialer
		d.SetMultipathTCP(false) // a SYN without options that a firewall might mind
		w.dial = d.DialContext
	}
	return w, nil
}

// Send begins heartbeat n.
func (w *wire) Send(n uint64, _ time.Time) error {
	w.Go(answerTime, func(ctx context.Context) (heartbeat.Result, bool) {
		err := w.connect(ctx)
		return heartbeat.Result{Answer: outage.Answer{Number: n, At: time.Now()}, Err: err}, ctx.Err() == nil
	})
	return nil
}

// connect opens a connection and closes it. That it is refused is no error.
func (w *wire) connect(ctx context.Context) error {
	conn, err := w.dial(ctx, "tcp", w.to.String())
	if sock.Refused(err) {
		return nil
	}
	if err != nil {
		return heartbeat.Cause(err)
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset: neither end keeps the connection for minutes
	}
	_ = conn.Close()
	return nil
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) { w.Each(func(r heartbeat.Result) { r.Enter(b) }) }

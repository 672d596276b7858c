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
	"errors"
	"fmt"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/outage"
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
	w, err := open(ctx, c.To, c.Port)
	if c.Dial != nil && err == nil {
		w.dial = c.Dial
	}
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer w.close()
	outage.Run(ctx, outage.Config{
		Path:      c.Path(),
		Collector: "tcp-connect:" + c.Name,
		Kind:      "tcp-connect",
		To:        w.to.String(),
		Heartbeat: max(c.Heartbeat, DefaultHeartbeat),
		Out:       out,
	}, w)
	return nil
}

// Check says whether a host answers at a port, with an acceptance or a refusal: nil if it does. It returns when it
// knows, when ctx ends, or after about a second.
func Check(ctx context.Context, host string, port uint16) error {
	w, err := open(ctx, host, port)
	if err != nil {
		return err
	}
	defer w.close()
	if answered, _ := outage.Try(ctx, w); !answered {
		return fmt.Errorf("tcp-connect: no answer from %s", w.to)
	}
	return nil
}

// result is what became of a heartbeat: an answer, or an error of this host's.
type result struct {
	answer outage.Answer
	err    error
}

// wire opens connections to one port.
type wire struct {
	to      netip.AddrPort
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	ctx     context.Context // ends when the wire is closed
	cancel  context.CancelFunc
	pending sync.WaitGroup
	results chan result
}

func open(ctx context.Context, host string, port uint16) (*wire, error) {
	if port == 0 {
		return nil, fmt.Errorf("tcp-connect: no port given for %s", host)
	}
	to, err := probe.Resolve(ctx, host)
	if err != nil {
		return nil, fmt.Errorf("tcp-connect: %w", err)
	}
	var d net.Dialer
	d.SetMultipathTCP(false) // a SYN without options that a firewall might mind
	w := &wire{to: netip.AddrPortFrom(to, port), dial: d.DialContext, results: make(chan result, 64)}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return w, nil
}

// close gives up the connections that are being opened and waits until they are gone.
func (w *wire) close() {
	w.cancel()
	w.pending.Wait()
}

// Send begins heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	w.pending.Go(func() {
		ctx, cancel := context.WithTimeout(w.ctx, answerTime)
		defer cancel()
		err := w.connect(ctx)
		if ctx.Err() != nil {
			return
		}
		select {
		case w.results <- result{outage.Answer{Number: n, At: time.Now()}, err}:
		case <-w.ctx.Done():
		}
	})
	return nil
}

// connect opens a connection and closes it. That it is refused is no error.
func (w *wire) connect(ctx context.Context) error {
	conn, err := w.dial(ctx, "tcp", w.to.String())
	if isRefused(err) {
		return nil
	}
	if err != nil {
		var op *net.OpError
		if errors.As(err, &op) {
			return op.Err
		}
		return err
	}
	if tcp, ok := conn.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0) // a reset: neither end keeps the connection for minutes
	}
	_ = conn.Close()
	return nil
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) {
	for {
		select {
		case r := <-w.results:
			if r.err != nil {
				b.Failed(r.err)
			} else {
				b.Answer(r.answer)
			}
		default:
			return
		}
	}
}

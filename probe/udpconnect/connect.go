// Package udpconnect is a heartbeat by new UDP flows: every heartbeat leaves from a port of its own, so that every
// stateful firewall and NAT on the path must make a new session for it. Where it is dark and a heartbeat within one flow
// is not, new sessions are not admitted. It needs no far end of ours.
//
// The heartbeat is a STAMP question (RFC 8762). A reflector answers it; where none listens, the host's refusal (ICMP
// port unreachable, RFC 792) is an answer just as good. Hosts limit how many refusals they send (Linux: one a second,
// six at once), so a heartbeat is one a second unless a reflector is known to answer. What is not answered within 900 ms
// is lost. Which way it was lost cannot be told; outages have the direction "both".
package udpconnect

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"net/netip"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/outage"
	"whydrop/probe/stamp"
)

const (
	// DefaultHeartbeat is the time between two flows where none is given: what a Linux host refuses.
	DefaultHeartbeat = time.Second
	// MinHeartbeat is the shortest time between two flows: firewalls keep each for half a minute or more.
	MinHeartbeat = 200 * time.Millisecond

	answerTime = 900 * time.Millisecond
)

// Connector is a heartbeat by new UDP flows. It writes path.rtt, path.loss.round_trip and path.reordered, and outages
// with the direction "both".
type Connector struct {
	Name      string        // the path's name in the site file
	To        string        // host name or address
	Port      uint16        // UDP port; must not be 0
	Heartbeat time.Duration // time between two flows; 0 means 1 s, less than 200 ms is 200 ms

	// Dial, if not nil, is used instead of a net.Dialer. It is called from several goroutines.
	Dial func(ctx context.Context, network, address string) (net.Conn, error)
}

var _ probe.Prober = (*Connector)(nil)

// Path returns the subject of the connector's records.
func (c *Connector) Path() timeline.Subject { return timeline.Path(c.Name) }

// Probe keeps up the heartbeat until ctx ends, then returns nil. An error means that To has no address or the port
// is missing.
func (c *Connector) Probe(ctx context.Context, out timeline.Sink) error {
	w, err := c.open(ctx)
	if err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	defer w.close()
	every := c.Heartbeat
	if every <= 0 {
		every = DefaultHeartbeat
	}
	outage.Run(ctx, outage.Config{
		Path:      c.Path(),
		Collector: "udp-connect:" + c.Name,
		Kind:      "udp-connect",
		To:        w.to.String(),
		Heartbeat: max(every, MinHeartbeat),
		Out:       out,
	}, w)
	return nil
}

func (c *Connector) open(ctx context.Context) (*wire, error) {
	if c.Port == 0 {
		return nil, fmt.Errorf("udp-connect: no port given for %s", c.To)
	}
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return nil, fmt.Errorf("udp-connect: %w", err)
	}
	w := &wire{to: netip.AddrPortFrom(to, c.Port), dial: c.Dial, results: make(chan result, 64)}
	if w.dial == nil {
		w.dial = new(net.Dialer).DialContext
	}
	w.ctx, w.cancel = context.WithCancel(context.WithoutCancel(ctx))
	return w, nil
}

// result is what became of a heartbeat: an answer, or an error of this host's.
type result struct {
	answer outage.Answer
	err    error
}

// wire opens flows to one port.
type wire struct {
	to      netip.AddrPort
	dial    func(ctx context.Context, network, address string) (net.Conn, error)
	ctx     context.Context // ends when the wire is closed
	cancel  context.CancelFunc
	pending sync.WaitGroup
	results chan result
}

// close gives up the flows and waits until they are gone.
func (w *wire) close() {
	w.cancel()
	w.pending.Wait()
}

// Send begins heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	conn, err := w.dial(w.ctx, "udp", w.to.String())
	if err != nil {
		return cause(err)
	}
	// RFC 8762 numbers from zero; the flow's one question is number 0 of its session.
	q := stamp.Question{Timestamp: stamp.NewTimestamp(now, stamp.NTP), Estimate: stamp.NewErrorEstimate(stamp.NTP, false, time.Millisecond), Session: uint16(1 + rand.IntN(65535))}
	if _, err := conn.Write(q.Append(nil)); err != nil {
		_ = conn.Close()
		return cause(err)
	}
	stop := context.AfterFunc(w.ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })
	_ = conn.SetReadDeadline(now.Add(answerTime))
	w.pending.Go(func() {
		defer conn.Close()
		defer stop()
		if r, ok := wait(conn, n); ok {
			select {
			case w.results <- r:
			case <-w.ctx.Done():
			}
		}
	})
	return nil
}

// wait waits for the answer to heartbeat n; ok is false if none came.
func wait(conn net.Conn, n uint64) (r result, ok bool) {
	var buf [2048]byte
	_, err := conn.Read(buf[:])
	at := time.Now()
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil || isRefused(err):
		return result{answer: outage.Answer{Number: n, At: at}}, true
	case errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, net.ErrClosed):
		return r, false
	}
	return result{err: cause(err)}, true
}

// cause returns what the system said, without the addresses around it.
func cause(err error) error {
	var op *net.OpError
	if errors.As(err, &op) {
		return op.Err
	}
	return err
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

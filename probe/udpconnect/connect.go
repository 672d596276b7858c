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
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
	"whydrop/probe/heartbeat"
	"whydrop/probe/outage"
	"whydrop/probe/sock"
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
	return heartbeat.Probe(ctx, c.open, func(w *wire) outage.Config {
		return outage.Config{
			Path:      c.Path(),
			Collector: "udp-connect:" + c.Name,
			Kind:      "udp-connect",
			To:        w.to.String(),
			Heartbeat: heartbeat.Every(c.Heartbeat, DefaultHeartbeat, MinHeartbeat),
			Out:       out,
		}
	})
}

func (c *Connector) open(ctx context.Context) (*wire, error) {
	if c.Port == 0 {
		return nil, fmt.Errorf("udp-connect: no port given for %s", c.To)
	}
	to, err := probe.Resolve(ctx, c.To)
	if err != nil {
		return nil, fmt.Errorf("udp-connect: %w", err)
	}
	w := &wire{Pending: heartbeat.NewPending[heartbeat.Result](ctx), to: netip.AddrPortFrom(to, c.Port), dial: c.Dial}
	if w.dial == nil {
		w.dial = new(net.Dialer).DialContext
	}
	return w, nil
}

// wire opens flows to one port.
type wire struct {
	*heartbeat.Pending[heartbeat.Result]
	to   netip.AddrPort
	dial func(ctx context.Context, network, address string) (net.Conn, error)
}

// Send begins heartbeat n.
func (w *wire) Send(n uint64, now time.Time) error {
	conn, err := w.dial(w.Context(), "udp", w.to.String())
	if err != nil {
		return heartbeat.Cause(err)
	}
	// RFC 8762 numbers from zero; the flow's one question is number 0 of its session.
	q := stamp.Question{Timestamp: stamp.NewTimestamp(now, stamp.NTP), Estimate: stamp.NewErrorEstimate(stamp.NTP, false, time.Millisecond), Session: uint16(1 + rand.IntN(65535))}
	if _, err := conn.Write(q.Append(nil)); err != nil {
		_ = conn.Close()
		return heartbeat.Cause(err)
	}
	w.Go(answerTime-time.Since(now), func(ctx context.Context) (heartbeat.Result, bool) {
		defer conn.Close()
		defer context.AfterFunc(ctx, func() { _ = conn.SetReadDeadline(time.Unix(1, 0)) })()
		return wait(conn, n)
	})
	return nil
}

// wait waits for the answer to heartbeat n; ok is false if none came.
func wait(conn net.Conn, n uint64) (r heartbeat.Result, ok bool) {
	var buf [2048]byte
	_, err := conn.Read(buf[:])
	at := time.Now()
	var timeout interface{ Timeout() bool }
	switch {
	case err == nil || sock.Refused(err):
		return heartbeat.Result{Answer: outage.Answer{Number: n, At: at}}, true
	case errors.As(err, &timeout) && timeout.Timeout() || errors.Is(err, net.ErrClosed):
		return r, false
	}
	return heartbeat.Result{Err: heartbeat.Cause(err)}, true
}

// Receive enters the answers that have arrived.
func (w *wire) Receive(b *outage.Book) { w.Each(func(r heartbeat.Result) { r.Enter(b) }) }

package snmp

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Collector asks devices by SNMP; it is a devices.Collector. Make one with New.
type Collector struct {
	// Tape, if not nil, keeps every poll's answers (as snmprec lines; no secret is in them).
	Tape timeline.Tape

	mu       sync.Mutex
	sessions map[string]*entry
	closed   bool
}

// entry is a device's session and the lock that keeps it to one goroutine.
type entry struct {
	mu      sync.Mutex
	session *session
}

// New returns a collector without sessions. A session is opened when a device is first asked, and kept.
func New() *Collector { return &Collector{sessions: map[string]*entry{}} }

var _ devices.Collector = (*Collector)(nil)

// Name returns "snmp".
func (c *Collector) Name() string { return "snmp" }

// Collect reads the device's watched ports, its clock and its spanning tree. The first call for a device also
// finds the ports. It returns within a second of ctx ending. Errors are of type *Error. A reading without some of
// the watched ports, or cut short, comes with an error that wraps devices.ErrPartial.
func (c *Collector) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return devices.Reading{}, errors.New("snmp: the collector is closed")
	}
	e := c.sessions[d.Name]
	if e == nil {
		e = &entry{}
		c.sessions[d.Name] = e
	}
	c.mu.Unlock()

	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session == nil {
		s, err := newSession(d)
		if err != nil {
			return devices.Reading{Device: d.Name}, err
		}
		e.session = s
	}
	r, err := e.session.collect(ctx, c.Tape != nil)
	if c.Tape != nil && !r.Span.IsZero() && e.session.lines.Len() > 0 {
		c.Tape.Keep(timeline.Exchange{
			Origin: r.Origin, Subject: timeline.Device(d.Name), Span: r.Span,
			Request: fmt.Sprintf("GET objects of %d ports", len(e.session.ports.ports)),
			Reply:   []byte(e.session.lines.String()),
		})
	}
	return r, err
}

// Close ends all sessions. It waits for calls of Collect that are under way.
func (c *Collector) Close() error {
	c.mu.Lock()
	c.closed = true
	all := c.sessions
	c.sessions = map[string]*entry{}
	c.mu.Unlock()
	for _, e := range all {
		e.mu.Lock()
		if e.session != nil {
			e.session.close()
		}
		e.mu.Unlock()
	}
	return nil
}

// collect asks once, unless the device refused the login twice in a row a short while ago.
func (s *session) collect(ctx context.Context, tape bool) (devices.Reading, error) {
	const most = 2 // refused logins before the pause
	if now := time.Now(); s.refusals >= most && now.Before(s.until) {
		return devices.Reading{Device: s.device.Name}, paused(s.refusal, s.until)
	}
	s.reset(tape)
	r, err := s.poll(ctx)
	if errors.Is(err, devices.ErrAuth) {
		s.refusals, s.refusal = s.refusals+1, err
		s.close()
		if s.refusals >= most {
			s.until = time.Now().Add(lockout)
			err = paused(err, s.until)
		}
		return r, err
	}
	if err == nil || errors.Is(err, devices.ErrPartial) {
		s.refusals = 0
	}
	return r, err
}

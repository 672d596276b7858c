package snmp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// Collector asks devices by SNMP; it is a devices.Collector. Make one with New.
type Collector struct {
	// Tape, if not nil, keeps every poll's answers (as snmprec lines; no secret is in them).
	Tape timeline.Tape
	// Now, if not nil, is used instead of time.Now to tell when a table is due that is not read in every poll: a story told
	// without waiting has a clock of its own. It must be set before the first Collect.
	Now func() time.Time

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

// Collect reads the device's watched ports, its clock, its spanning trees and, a little in each call, its other Tables.
// The first call for a device also finds the ports. It returns within a second of ctx ending. Errors are of type *Error.
// A reading without some of the watched ports, or cut short, comes with an error that wraps devices.ErrPartial.
func (c *Collector) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	return c.with(d, func(s *session) (devices.Reading, error) { return s.collect(ctx, c.Tape != nil) })
}

// Done gives back a reading of Collect whose Interfaces nobody looks at any more: the device's next reading uses their
// memory. Whoever keeps readings need not call it.
func (c *Collector) Done(r devices.Reading) {
	c.mu.Lock()
	e := c.sessions[r.Device]
	c.mu.Unlock()
	if e == nil {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.session != nil {
		e.session.spare = r.Interfaces
	}
}

// Survey reads the named Tables of the device at once, each as a whole and whatever its cadence; all of them if none is
// named. It knows of every port, not of the watched ones alone, and lists them with index, name and state. Missing
// says which tables the device does not have. Polls of the same device wait meanwhile.
func (c *Collector) Survey(ctx context.Context, d devices.Device, tables ...string) (devices.Reading, error) {
	return c.with(d, func(s *session) (devices.Reading, error) { return s.survey(ctx, tables) })
}

// Lookup finds addresses, MAC or IP, in the device's forwarding databases and neighbour caches: Stations and Bindings of
// the reading. For an IP address that the caches know, the MAC address is looked for too. Without addresses the tables
// are read as a whole, within limits. Polls of the same device wait meanwhile.
func (c *Collector) Lookup(ctx context.Context, d devices.Device, addresses ...string) (devices.Reading, error) {
	return c.with(d, func(s *session) (devices.Reading, error) {
		r, err := s.collect(ctx, false)
		if err != nil && !errors.Is(err, devices.ErrPartial) {
			return r, err
		}
		return r, s.lookup(ctx, addresses, &r)
	})
}

// Walk reads everything below the identifier root, in order, whatever it is; the rows' Index is what follows root. What
// was read before something went wrong is returned with an error. It stops after 200 000 rows. Polls of the same device
// wait meanwhile.
func (c *Collector) Walk(ctx context.Context, d devices.Device, root string) ([]Cell, error) {
	var out []Cell
	_, err := c.with(d, func(s *session) (devices.Reading, error) {
		w, err := s.newWalker(root)
		if err != nil {
			return devices.Reading{}, fmt.Errorf("snmp: walk on %s: %w", d.Name, err)
		}
		w.most = walkRows
		for done := false; !done && err == nil; {
			done, err = w.next(ctx)
		}
		for _, r := range w.rows {
			out = append(out, Cell{Index: oid.Arcs(r.index), value: r.value})
		}
		return devices.Reading{}, err
	})
	return out, err
}

// walkRows bounds a walk that a person asked for.
const walkRows = 200_000

// with calls f with the device's session, which is opened if there is none yet.
func (c *Collector) with(d devices.Device, f func(*session) (devices.Reading, error)) (devices.Reading, error) {
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
		s.due = c.Now
		e.session = s
	}
	r, err := f(e.session)
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

// survey reads tables as a whole.
func (s *session) survey(ctx context.Context, names []string) (devices.Reading, error) {
	r, err := s.collect(ctx, false)
	if err != nil && !errors.Is(err, devices.ErrPartial) {
		return r, err
	}
	const long = 30 * time.Second
	until := time.Now().Add(long)
	for n := range Tables {
		sh := &s.shelf.tables[n]
		sh.next, sh.absent = time.Time{}, false
	}
	wanted := func(t *Table) bool { return len(names) == 0 || slices.Contains(names, t.Name) }
	r = devices.Reading{
		Device: r.Device, Span: r.Span, Origin: r.Origin, SysName: r.SysName, SysDescr: r.SysDescr, SysObjectID: r.SysObjectID,
		Clock: r.Clock, EngineBoot: r.EngineBoot, Interfaces: r.Interfaces, Bridge: r.Bridge,
	}
	s.addPorts(ctx, &r)
	r.Missing = s.walkTables(ctx, until, wanted)
	s.searchVLANs(ctx, until)
	s.readVLANs(ctx, &r)
	v := s.view()
	v.all = true
	for n := range Tables {
		t := &Tables[n]
		if t.Fill != nil && wanted(t) && s.shelf.tables[n].has {
			t.Fill(v, &r)
		}
	}
	if over(ctx) != nil {
		err = s.failed(ctx, over(ctx))
	}
	return r, err
}

// addPorts adds the ports that are not watched: index, name and state.
func (s *session) addPorts(ctx context.Context, r *devices.Reading) {
	oper, err := s.column(ctx, column(ifTable, ifOperStatus))
	if err != nil {
		return
	}
	for _, c := range oper {
		if len(c.Index) != 1 || s.view().Wants(c.Index[0]) {
			continue
		}
		r.Interfaces = append(r.Interfaces, devices.Interface{
			Index: devices.Some(c.Index[0]), Name: s.view().Port(c.Index[0]), Oper: c.Word(statusWords),
		})
	}
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

package snmp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Scalars of a device as a whole.
const (
	sysDescr          = "1.3.6.1.2.1.1.1.0"      // SNMPv2-MIB, RFC 3418
	sysObjectID       = "1.3.6.1.2.1.1.2.0"      //
	sysUpTime         = "1.3.6.1.2.1.1.3.0"      //
	sysName           = "1.3.6.1.2.1.1.5.0"      //
	ifTableLastChange = "1.3.6.1.2.1.31.1.5.0"   // IF-MIB, RFC 2863
	snmpEngineBoots   = "1.3.6.1.6.3.10.2.1.2.0" // SNMP-FRAMEWORK-MIB, RFC 3411
)

// poll reads everything that is wanted of the device once.
func (s *session) poll(ctx context.Context) (devices.Reading, error) {
	s.exchange++
	r := devices.Reading{
		Device: s.device.Name, Span: timeline.Span{From: time.Now()},
		Origin: timeline.Origin{Collector: s.origin, Exchange: s.exchange},
	}
	err := s.readHead(ctx)
	if err == nil && !s.hasUptime() {
		err = &Error{Device: s.device.Name, Text: "the agent answers but does not show sysUpTime: its access control (view) hides the system group", Keys: []string{"snmp.community", "snmp.user"}, Err: devices.ErrUnsupported}
	}
	if err == nil || errors.Is(err, devices.ErrPartial) {
		groups := func() []group { return append(s.liveGroups(), s.counterGroups()...) }
		s.carry(ctx, s.current(&s.regular, groups), func(_ int, _ timeline.Span, err2 error) bool {
			if err2 != nil {
				err = s.cut(err2)
			}
			return err2 == nil || errors.Is(err2, devices.ErrPartial) // after another, the next one would only wait as long again
		})
		if s.hasUptime() { // finding the ports and lost datagrams are no part of it
			r.Span.From = s.uptime.Value.Span.From
		}
		if s.alive(err) {
			s.readVLANs(ctx, &r)
		}
		r.Span.To = time.Now() // texts and the walks of other tables are no part of it
		if s.alive(err) {
			s.readTexts(ctx)
		}
		s.liven()
		s.fill(&r)
		if s.alive(err) {
			until := time.Now().Add(s.budget(r.Span.From))
			r.Missing = s.walkTables(ctx, until, func(*Table) bool { return true })
			s.searchVLANs(ctx, until)
			s.follow(ctx, &r)
		}
		s.fillTables(&r)
		if err == nil {
			err = s.gone(r)
		}
	} else {
		r.Span.To = time.Now()
	}
	r.Span.From, r.Span.To = r.Span.From.UTC(), r.Span.To.UTC()
	if s.any != nil {
		if from, ok := s.any.elsewhere(); ok {
			r.AnsweredFrom = from.String()
		}
	}
	return r, err
}

// budget returns how long the walks of this poll may take: a fifth of the time between two polls, so that a device that is
// asked often is not found slow for what it is asked once.
func (s *session) budget(began time.Time) time.Duration {
	const least = 20 * time.Millisecond
	before := s.polled
	if s.polled = began; before.IsZero() {
		return walkBudget
	}
	return min(walkBudget, max(least, began.Sub(before)/5))
}

// alive says whether a device answered to the end of a poll, so that it may be asked for more.
func (s *session) alive(err error) bool {
	return !s.ports.long && (err == nil || errors.Is(err, devices.ErrPartial) && !errors.Is(err, devices.ErrTimeout))
}

// cut says that a poll ended before its end.
func (s *session) cut(err error) error {
	var e *Error
	if !errors.As(err, &e) || errors.Is(err, devices.ErrPartial) {
		return err
	}
	out := *e
	out.Text, out.Err = "answer cut short: "+e.Text, fmt.Errorf("%w: %w", devices.ErrPartial, e.Err)
	return &out
}

// gone says which of the watched ports are not in the reading.
func (s *session) gone(r devices.Reading) error {
	if s.ports.err != nil {
		return s.ports.err
	}
	if len(r.Interfaces) == len(s.ports.ports) {
		return nil
	}
	there := make(map[string]bool, len(r.Interfaces))
	for i := range r.Interfaces {
		there[r.Interfaces[i].Name] = true
	}
	for _, p := range s.ports.ports {
		if !there[p.name] {
			return &Error{Device: s.device.Name, Text: fmt.Sprintf("port %q is gone from the interface table", p.name), Err: devices.ErrPartial}
		}
	}
	return nil
}

// readHead reads the device's clock together with what says whether the map of ports still holds, and makes the map
// where it does not.
func (s *session) readHead(ctx context.Context) error {
	if s.mapDue() {
		if err := s.contact(ctx); err != nil {
			return err
		}
		s.uptime, s.changed = devices.None[devices.Clock](), devices.None[uint32]()
	}
	for again := false; ; again = true {
		var failed error
		s.carry(ctx, s.current(&s.head, s.headGroups), func(n int, span timeline.Span, err error) bool {
			if failed = err; err == nil && n == 0 {
				s.clock(span)
			}
			return err == nil
		})
		if failed != nil {
			return failed
		}
		if again || s.mapHolds() {
			return nil
		}
		if err := s.contact(ctx); err != nil {
			return err
		}
	}
}

// mapDue says whether the ports have to be looked for before anything else.
func (s *session) mapDue() bool {
	m := &s.ports
	return m.at.IsZero() || (m.err != nil || m.stale) && time.Since(m.at) > m.pause()
}

// clock notes sysUpTime and whether it fell since the last poll: the agent may have numbered its ports anew.
func (s *session) clock(span timeline.Span) {
	ticks := s.first(sysUpTime).gauge()
	if !ticks.OK {
		return
	}
	now := devices.Clock{Ticks: ticks.Value, Span: timeline.Span{From: span.From.UTC(), To: span.To.UTC()}}
	if s.uptime.OK && s.uptime.Value.Restarted(now) {
		s.restarted = true
		s.system = devices.None[system]()
		s.shelf.init()
	}
	s.uptime = devices.Some(now)
}

func (s *session) hasUptime() bool { return s.first(sysUpTime).gauge().OK }

// mapHolds says whether the ports are still where they were. A change of ifTableLastChange alone makes the map
// stale, but not more often than remapPause: some agents count every change of a link.
func (s *session) mapHolds() bool {
	holds := !s.restarted
	s.restarted = false
	for n := range s.ports.ports {
		p := &s.ports.ports[n]
		v := p.cells.check
		if v == nil || !v.heard() {
			continue
		}
		if b, is := v.octets(); is && string(bytes.TrimRight(b, "\x00")) != p.found || !v.given() && time.Since(s.ports.at) > s.ports.pause() {
			holds = false
		}
	}
	if c := s.first(ifTableLastChange).gauge(); c.OK {
		if s.changed.OK && s.changed != c {
			s.ports.stale = true
		}
		s.changed = c
	}
	return holds
}

// slowly is how often the texts of the ports are read.
const slowly = time.Minute

// readTexts reads descriptions, aliases, MTUs and addresses of the ports, if it is time.
func (s *session) readTexts(ctx context.Context) {
	now := time.Now()
	if s.textsOf == s.ports.at && now.Before(s.textsNext) {
		return
	}
	s.textsOf, s.textsNext = s.ports.at, now.Add(slowly)
	s.carry(ctx, s.current(&s.texts, s.textGroups), func(_ int, _ timeline.Span, err error) bool {
		if err != nil && !errors.Is(err, devices.ErrPartial) {
			s.textsNext = now.Add(remapPause)
			return false
		}
		return true
	})
	s.fillTexts()
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse"
)

// questions is what one poll asks a device.
type questions struct {
	commands []string
	optional []string // commands that a device may lack without that being an error
}

// read asks the questions one after another and puts the answers into one reading. It goes on after a command
// that the device refuses, and stops at any other error, ErrPlatform among them; then what was read so far is
// returned with an error that also wraps devices.ErrPartial. complete says that every question was answered or refused.
func (c *Collector) read(ctx context.Context, d devices.Device, q questions) (r devices.Reading, complete bool, err error) {
	r = devices.Reading{Device: d.Name}
	if d.SSH == nil {
		return r, false, fmt.Errorf("cli: %s has no ssh in the site file", d.Name)
	}
	s, err := c.sessions.take(ctx, d.Name)
	if err != nil {
		return r, false, fmt.Errorf("cli: %w", err)
	}
	defer s.give()
	var errs []error
	for i, command := range append(q.commands, q.optional...) {
		a, err := c.ask(ctx, s, d, command)
		switch {
		case err == nil:
			c.into(d, a, &r)
		case errors.Is(err, errNotAllowed):
			errs = append(errs, err) // the name of a port that can be none
		case !errors.Is(err, devices.ErrUnsupported) || errors.Is(err, ErrPlatform) || s.session == nil:
			onlyWatched(d, &r)
			return r, false, partial(append(errs, err), !r.Span.IsZero())
		case i < len(q.commands):
			errs = append(errs, err)
		}
	}
	onlyWatched(d, &r)
	return r, true, partial(errs, !r.Span.IsZero())
}

// into parses an answer into the reading. The reading's origin is that of the first answer, which has the
// counters.
func (c *Collector) into(d devices.Device, a Answer, r *devices.Reading) {
	if parse.Into(platformOf(d), a.Command, parse.Input{Text: a.Text, Span: a.Span}, r) != nil {
		return // the list of allowed commands and that of parsers agree; a test says so
	}
	if r.Span.IsZero() {
		r.Origin = a.Origin
	}
	r.Span = r.Span.Union(a.Span)
}

// partial joins errors, and marks them as partial if something was read all the same.
func partial(errs []error, got bool) error {
	if len(errs) == 0 {
		return nil
	}
	err := errors.Join(errs...)
	if got {
		return fmt.Errorf("%w: %w", devices.ErrPartial, err)
	}
	return err
}

// onlyWatched leaves in the reading the ports that the site file names, if it names any, and calls them what it
// calls them, so that GigabitEthernet1/0/1 and Gi1/0/1 are one.
func onlyWatched(d devices.Device, r *devices.Reading) {
	watched := d.Watched()
	if len(watched) == 0 {
		return
	}
	names := make(map[string]string, len(watched))
	for _, w := range watched {
		names[devices.PortKey(w)] = w
	}
	kept := r.Interfaces[:0]
	for _, i := range r.Interfaces {
		if name, ok := names[devices.PortKey(i.Name)]; ok {
			i.Name = name
			kept = append(kept, i)
		}
	}
	r.Interfaces = kept
	rename := func(port *string) {
		if name, ok := names[devices.PortKey(*port)]; ok && *port != "" {
			*port = name
		}
	}
	for i := range r.Log {
		rename(&r.Log[i].Port)
	}
	if r.Bridge != nil {
		rename(&r.Bridge.ChangeFrom.Value)
		rename(&r.Bridge.RootPort.Value)
	}
}

// states remembers what was learnt about devices that need not be asked again.
type states struct {
	mu sync.Mutex
	of map[string]*state
}

type state struct {
	noSpanningTree bool
	version        bool // was asked
}

func (s *states) get(device string) state {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.of[device]; st != nil {
		return *st
	}
	return state{}
}

func (s *states) set(device string, st state) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.of == nil {
		s.of = map[string]*state{}
	}
	s.of[device] = &st
}

// Log asks devices for their log and their clock, over the sessions of a Collector.
type Log struct{ c *Collector }

var _ devices.Collector = (*Log)(nil)

// NewLog returns a collector of logs that shares c's sessions and tape, so that a device has one session for
// both. Closing it closes nothing: close c.
func NewLog(c *Collector) *Log { return &Log{c} }

// Name returns "ssh-log".
func (l *Log) Name() string { return "ssh-log" }

// Close does nothing; the sessions are the Collector's.
func (l *Log) Close() error { return nil }

// Collect asks d for its log and its clock: Reading.Log holds all lines that the device keeps, oldest first,
// also those of earlier readings, and Reading.LocalClock the device's clock with the round trip within which it
// was read.
func (l *Log) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	r, _, err := l.c.read(ctx, d, questions{commands: []string{logging, clock}})
	return r, err
}

// keep hands an exchange to the tape, if there is one.
func (c *Collector) keep(device string, a Answer) {
	if c.Tape != nil && len(a.raw) > 0 {
		c.Tape.Keep(timeline.Exchange{Origin: a.Origin, Subject: timeline.Device(device), Span: a.Span, Request: a.Command, Reply: a.raw})
	}
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

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
// returned with an error that also wraps devices.ErrPartial. refused lists the optional commands that the device
// does not know; complete says that every question was answered or refused.
func (c *Collector) read(ctx context.Context, d devices.Device, q questions) (r devices.Reading, refused []string, complete bool, err error) {
	r = devices.Reading{Device: d.Name}
	if d.SSH == nil {
		return r, nil, false, fmt.Errorf("cli: %s has no ssh in the site file", d.Name)
	}
	s, err := c.sessions.take(ctx, d.Name)
	if err != nil {
		return r, nil, false, fmt.Errorf("cli: %w", err)
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
			return r, refused, false, partial(append(errs, err), !r.Span.IsZero())
		case i < len(q.commands):
			errs = append(errs, err)
		default:
			refused = append(refused, command)
		}
	}
	onlyWatched(d, &r)
	return r, refused, true, partial(errs, !r.Span.IsZero())
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
// calls them, so that GigabitEthernet1/0/1 and Gi1/0/1 are one. A firewall's port may be named by its nameif.
func onlyWatched(d devices.Device, r *devices.Reading) {
	watched := d.Watched()
	if len(watched) == 0 {
		return
	}
	ports := make([]string, 0, len(r.Interfaces))
	for _, i := range r.Interfaces {
		ports = append(ports, i.Name)
	}
	names := make(map[string]string, len(watched)) // of the site file, by the key of the device's
	for _, w := range watched {
		names[devices.PortKey(w)] = w
		if port, ok := devices.SamePort(ports, w); ok {
			names[devices.PortKey(port)] = w
		}
	}
	kept := r.Interfaces[:0]
	for _, i := range r.Interfaces {
		name, ok := names[devices.PortKey(i.Name)]
		if nameif := i.Fact("nameif"); !ok && nameif != "" && slices.Contains(watched, nameif) {
			name, ok = nameif, true
			names[devices.PortKey(i.Name)] = nameif
		}
		if ok {
			i.Name = name
			kept = append(kept, i)
		}
	}
	r.Interfaces = kept
	rename := func(port *string) {
		if *port == "" {
			return
		}
		if name, ok := names[devices.PortKey(*port)]; ok {
			*port = name
		} else if name, ok := devices.SamePort(watched, *port); ok {
			*port = name
		} else {
			*port = devices.PortLike(watched, *port)
		}
	}
	for i := range r.Log {
		rename(&r.Log[i].Port)
	}
	if r.Bridge != nil {
		rename(&r.Bridge.ChangeFrom.Value)
		rename(&r.Bridge.RootPort.Value)
	}
	renameTables(r, rename)
}

// renameTables renames the ports in the tables of a reading.
func renameTables(r *devices.Reading, rename func(*string)) {
	for i := range r.Trees {
		t := &r.Trees[i]
		rename(&t.ChangeFrom.Value)
		rename(&t.RootPort.Value)
		for j := range t.Ports {
			rename(&t.Ports[j].Port)
		}
	}
	for i := range r.Neighbours {
		rename(&r.Neighbours[i].Port)
	}
	for i := range r.Stations {
		rename(&r.Stations[i].Port)
	}
	for i := range r.Bindings {
		rename(&r.Bindings[i].Port)
	}
	for i := range r.Aggregates {
		rename(&r.Aggregates[i].Port)
		for j := range r.Aggregates[i].Members {
			rename(&r.Aggregates[i].Members[j].Port)
		}
	}
	for i := range r.Redundancy {
		rename(&r.Redundancy[i].Port)
	}
	for i := range r.Sensors {
		rename(&r.Sensors[i].Port)
	}
	for i := range r.Queues {
		rename(&r.Queues[i].Port)
	}
}

// states remembers which commands need not be sent to a device again.
type states struct {
	mu  sync.Mutex
	not map[string]map[string]bool // by device and command
}

// known returns those of the commands that the device is still asked.
func (s *states) known(device string, commands []string) []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(commands), func(c string) bool { return s.not[device][c] })
}

// forget has the device not be asked the commands again.
func (s *states) forget(device string, commands []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.not == nil {
		s.not = map[string]map[string]bool{}
	}
	if s.not[device] == nil {
		s.not[device] = map[string]bool{}
	}
	for _, c := range commands {
		s.not[device][c] = true
	}
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
	d, err := l.c.resolve(ctx, d)
	if err != nil {
		return devices.Reading{Device: d.Name}, fmt.Errorf("cli: %w", err)
	}
	p := Platforms[platformOf(d)]
	r, refused, _, err := l.c.read(ctx, d, questions{commands: p.Log, optional: l.c.state.known(d.Name, p.LogToo)})
	l.c.state.forget(d.Name, refused)
	return r, err
}

// keep hands an exchange to the tape, if there is one.
func (c *Collector) keep(device string, a Answer) {
	if c.Tape != nil && len(a.raw) > 0 {
		c.Tape.Keep(timeline.Exchange{Origin: a.Origin, Subject: timeline.Device(device), Span: a.Span, Request: a.Command, Reply: a.raw})
	}
}

// Slow asks devices for what changes rarely or takes long: neighbours, optics, the processor's load.
type Slow struct{ c *Collector }

var _ devices.Collector = (*Slow)(nil)

// NewSlow returns a collector that shares c's sessions and tape. Closing it closes nothing: close c.
func NewSlow(c *Collector) *Slow { return &Slow{c} }

// Name returns "ssh-slow".
func (l *Slow) Name() string { return "ssh-slow" }

// Close does nothing; the sessions are the Collector's.
func (l *Slow) Close() error { return nil }

// Collect asks d what its platform is asked now and then. What the device does not know is not asked again.
func (l *Slow) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	d, err := l.c.resolve(ctx, d)
	if err != nil {
		return devices.Reading{Device: d.Name}, fmt.Errorf("cli: %w", err)
	}
	slow := perPort(Platforms[platformOf(d)].Slow, d.Watched())
	r, refused, _, err := l.c.read(ctx, d, questions{optional: l.c.state.known(d.Name, slow)})
	l.c.state.forget(d.Name, refused)
	r.Interfaces = nil // a part of what the ports say is no reading of them
	if err == nil && r.Span.IsZero() {
		// The device knows none of it: that was learnt now.
		r.Span, r.Origin = timeline.At(time.Now().UTC()), timeline.Origin{Collector: "ssh:" + d.Name}
	}
	return r, err
}

// AsksSlowly says whether the device's platform has commands for [Slow], or is not known yet.
func AsksSlowly(d devices.Device) bool {
	return platformOf(d) == "" || len(Platforms[platformOf(d)].Slow) > 0
}

// KeepsLog says whether the device's platform has commands for [Log], or is not known yet.
func KeepsLog(d devices.Device) bool {
	return platformOf(d) == "" || len(Platforms[platformOf(d)].Log) > 0
}

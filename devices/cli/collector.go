package cli

import (
	"context"
	"fmt"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// Collector asks devices for their interfaces, their spanning tree and, once, their version. Its sessions are
// shared with [NewLog]. It may ask several devices at once; questions to one device wait for each other, since a
// device has one session.
type Collector struct {
	// Tape, if not nil, keeps every command and its raw answer. It is set before the first question.
	Tape timeline.Tape

	sessions sessions
	state    states
}

var _ devices.Collector = (*Collector)(nil)

// New returns a collector. Close ends its sessions.
func New() *Collector { return &Collector{} }

// Name returns "ssh".
func (c *Collector) Name() string { return "ssh" }

// Close logs out of every device and hangs up. It waits for questions that are under way, so their contexts
// should have ended. No goroutine and no connection is left.
func (c *Collector) Close() error {
	c.sessions.close()
	return nil
}

// Commands by their names.
const (
	interfaces   = "show interfaces"
	spanningTree = "show spanning-tree detail"
	version      = "show version"
	logging      = "show logging"
	clock        = "show clock"
)

// Collect asks d for its interfaces (those that the site file names; all of them if it names none), then for its
// spanning tree. Interfaces are called what the site file calls them. A device that has no spanning tree, or
// does not know the command, is not asked for it again. A port that the device does not know is reported with
// the device's own words in an error that wraps devices.ErrPartial, next to what the other ports gave.
func (c *Collector) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	q := questions{commands: []string{interfaces}}
	if w := d.Watched(); len(w) > 0 {
		q.commands = q.commands[:0]
		for _, port := range w {
			q.commands = append(q.commands, interfaces+" "+port)
		}
	}
	known := c.state.get(d.Name)
	if !known.noSpanningTree {
		q.optional = append(q.optional, spanningTree)
	}
	if !known.version {
		q.optional = append(q.optional, version)
	}
	r, complete, err := c.read(ctx, d, q)
	if complete {
		c.state.set(d.Name, state{version: true, noSpanningTree: r.Bridge == nil})
	}
	return r, err
}

// Answer is what a device said to a command.
type Answer struct {
	Device  string
	Command string
	Text    string        // without echo, prompt, pager and terminal control; hostile all the same
	Span    timeline.Span // from the moment the command was complete to the last byte of the answer
	Origin  timeline.Origin

	raw []byte
}

// Ask sends one command of [Allowed] and returns the answer. An error that wraps devices.ErrUnsupported holds the
// device's own words.
func (c *Collector) Ask(ctx context.Context, d devices.Device, command string) (Answer, error) {
	if d.SSH == nil {
		return Answer{}, fmt.Errorf("cli: %s has no ssh in the site file", d.Name)
	}
	s, err := c.sessions.take(ctx, d.Name)
	if err != nil {
		return Answer{}, fmt.Errorf("cli: %w", err)
	}
	defer s.give()
	return c.ask(ctx, s, d, command)
}

func (c *Collector) ask(ctx context.Context, s *slot, d devices.Device, command string) (Answer, error) {
	a, err := c.sessions.ask(ctx, s, d, command)
	c.keep(d.Name, a)
	if err != nil {
		return a, fmt.Errorf("cli: %w", err)
	}
	return a, nil
}

// Negotiated returns what the last session with a device was negotiated to; ok is false if there was none yet.
func (c *Collector) Negotiated(device string) (a Algorithms, ok bool) {
	c.sessions.mu.Lock()
	defer c.sessions.mu.Unlock()
	a, ok = c.sessions.algs[device]
	return a, ok
}

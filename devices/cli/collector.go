package cli

import (
	"context"
	"fmt"
	"slices"
	"strings"

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

// Collect asks d for its interfaces (those that the site file names; all of them if it names none), then for the
// states of the platform. Interfaces are called what the site file calls them. A state that a device does not have,
// or whose command it does not know, is not asked for again. A port that the device does not know is reported with
// the device's own words in an error that wraps devices.ErrPartial, next to what the other ports gave.
func (c *Collector) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	d, err := c.resolve(ctx, d)
	if err != nil {
		return devices.Reading{Device: d.Name}, fmt.Errorf("cli: %w", err)
	}
	p := Platforms[platformOf(d)]
	q := questions{commands: perPort(p.Counters, d.Watched())}
	q.optional = c.state.known(d.Name, perPort(slices.Concat(p.States, p.Once), d.Watched()))
	r, refused, complete, err := c.read(ctx, d, q)
	if complete {
		c.state.forget(d.Name, slices.Concat(refused, p.Once))
		if r.Bridge == nil && len(r.Trees) == 0 {
			c.state.forget(d.Name, slices.DeleteFunc(slices.Clone(p.States), func(s string) bool { return !strings.Contains(s, "spanning-tree") && !strings.Contains(s, "stp") }))
		}
	}
	return r, err
}

// perPort returns the commands with the names of the ports in them, where they take any. One that needs a name is
// left out where there are no ports.
func perPort(commands, ports []string) []string {
	var out []string
	for _, c := range commands {
		place := optional
		if !strings.Contains(c, optional) {
			place = placeholders[0].word
		}
		switch named := strings.Contains(c, place); {
		case !named, place == optional && len(ports) == 0:
			out = append(out, without(c))
			continue
		}
		for _, p := range ports {
			out = append(out, strings.Replace(c, place, p, 1))
		}
	}
	return out
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

// Ask sends one command that [Allowed] lists and returns the answer. An error that wraps devices.ErrUnsupported holds the
// device's own words.
func (c *Collector) Ask(ctx context.Context, d devices.Device, command string) (Answer, error) {
	if d.SSH == nil {
		return Answer{}, fmt.Errorf("cli: %s has no ssh in the site file", d.Name)
	}
	d, err := c.resolve(ctx, d)
	if err != nil {
		return Answer{}, fmt.Errorf("cli: %w", err)
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

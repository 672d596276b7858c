package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/cli"
	"whydrop/devices/snmp"
)

// PollOptions says whose ports are shown, and how often.
type PollOptions struct {
	Device   devices.Device
	Ports    []string // "": those of the site file, or every port that is up
	Plan     Plan     // where the other ends may be; may be empty
	Interval time.Duration
	Count    int    // 0: until ctx ends
	Format   string // text or json
	Clear    bool   // the text is a live table that takes the place of the one before
	Out      io.Writer
}

// Pollable is a device that was named by hand, and the plan beside it, which may be empty.
type Pollable struct {
	Device devices.Device
	Plan   Plan
}

// mostPolled is how many ports are shown where none is named.
const mostPolled = 48

// Poll shows the health of a device's ports, and of the ports at their other ends where the plan's devices have them,
// until opt.Count readings were shown or ctx ends. It returns an Exit: ExitNotMeasured if the device was never read.
func Poll(ctx context.Context, o PollOptions) error {
	p := &handPoller{o: o, cli: cli.New(), polled: map[string]*polledDevice{}}
	p.slow = cli.NewSlow(p.cli)
	defer p.close()
	near, err := p.choose(ctx)
	if err != nil {
		return Exit{ExitNotMeasured, err}
	}
	var got bool
	for n := 0; o.Count == 0 || n < o.Count; n++ {
		began := time.Now()
		err := p.read(ctx, near)
		if ctx.Err() != nil {
			break
		}
		got = got || err == nil && len(near.last.Interfaces) > 0
		if err := p.show(near, err); err != nil {
			return Exit{ExitNotMeasured, err}
		}
		if o.Count > 0 && n+1 == o.Count {
			break
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Until(began.Add(o.Interval))):
		}
	}
	switch {
	case !got:
		return Exit{Code: ExitNotMeasured}
	case ctx.Err() != nil:
		return Exit{Code: ExitInterrupted}
	}
	return nil
}

// handPoller reads devices for a person.
type handPoller struct {
	o      PollOptions
	cli    *cli.Collector
	slow   *cli.Slow
	polled map[string]*polledDevice
}

// polledDevice is what is known of one device.
type polledDevice struct {
	device  devices.Device
	snmp    *snmp.Collector // of its own, since a session knows the ports that it began with
	differ  devices.Differ
	last    devices.Reading // with what was read earlier and is not read each time
	slowly  time.Time       // when the command line was last asked for what changes rarely
	samples map[timeline.Key]timeline.Sample
	totals  map[timeline.Key]float64 // counted since the first reading
	err     error
}

func (p *handPoller) close() {
	for _, x := range p.polled {
		x.snmp.Close()
	}
	p.cli.Close()
}

// choose says which ports are shown.
func (p *handPoller) choose(ctx context.Context) (*polledDevice, error) {
	d := p.o.Device
	if len(p.o.Ports) > 0 {
		d.Ports, d.OffPath = p.o.Ports, nil
	}
	if len(d.Watched()) == 0 && d.SNMP != nil {
		c := snmp.New()
		defer c.Close()
		r, err := c.Survey(ctx, d, "lldpRemTable")
		if err != nil && !errors.Is(err, devices.ErrPartial) {
			return nil, err
		}
		for _, i := range r.Interfaces {
			if i.Oper.Value == "up" && len(d.Ports) < mostPolled {
				d.Ports = append(d.Ports, i.Name)
			}
		}
		if len(d.Ports) == 0 {
			return nil, fmt.Errorf("%s: no port is up; name one: whydrop poll %s PORT", d.Name, d.Name)
		}
	}
	return p.of(d), nil
}

func (p *handPoller) of(d devices.Device) *polledDevice {
	x := p.polled[d.Name]
	if x == nil {
		x = &polledDevice{device: d, snmp: snmp.New(), samples: map[timeline.Key]timeline.Sample{}, totals: map[timeline.Key]float64{}}
		p.polled[d.Name] = x
	}
	return x
}

// read reads the device, and those at the other ends of its ports.
func (p *handPoller) read(ctx context.Context, near *polledDevice) error {
	p.ask(ctx, near)
	for _, port := range near.device.Watched() {
		if d, far, ok := p.farEnd(near, port); ok {
			x := p.polled[d.Name]
			if x == nil || !slices.Contains(x.device.Ports, far) {
				ports := []string{far}
				if x != nil {
					ports = append(ports, x.device.Ports...)
					x.snmp.Close()
					delete(p.polled, d.Name)
				}
				d.Ports, d.OffPath = ports, nil
				p.of(d)
			}
		}
	}
	var wg sync.WaitGroup
	for name, x := range p.polled {
		if name != near.device.Name {
			wg.Go(func() { p.ask(ctx, x) })
		}
	}
	wg.Wait()
	if near.err != nil && !errors.Is(near.err, devices.ErrPartial) {
		return near.err
	}
	return nil
}

// ask reads one device and puts what changed through its Differ.
func (p *handPoller) ask(ctx context.Context, x *polledDevice) {
	var c devices.Collector = x.snmp
	if x.device.SNMP == nil {
		c = p.cli
	}
	r, err := c.Collect(ctx, x.device)
	if x.err = err; err != nil && !errors.Is(err, devices.ErrPartial) {
		return
	}
	if r.Origin.Collector == "" {
		r.Origin.Collector = c.Name()
	}
	const rarely = time.Minute
	if x.device.SNMP == nil && time.Since(x.slowly) > rarely {
		if s, err := p.slow.Collect(ctx, x.device); err == nil || errors.Is(err, devices.ErrPartial) {
			x.slowly, r.Neighbours, r.Sensors, r.Aggregates = time.Now(), s.Neighbours, s.Sensors, s.Aggregates
		}
	}
	// An agent refreshes its counters every few seconds, and between there is no figure: the last one stands, for a while.
	const stands = 15 * time.Second
	maps.DeleteFunc(x.samples, func(_ timeline.Key, s timeline.Sample) bool { return r.Span.To.Sub(s.Span.To) > stands })
	for _, rec := range x.differ.Records(r) {
		s, ok := rec.(timeline.Sample)
		if !ok || s.Subject.Kind != timeline.KindPort {
			continue
		}
		k := timeline.Key{Subject: s.Subject, Metric: s.Metric}
		x.samples[k] = s
		x.totals[k] += s.Value * s.Span.Width().Seconds()
	}
	keepOlder(&r, x.last)
	x.last = r
}

// keepOlder keeps, of the reading before, what is not read each time.
func keepOlder(r *devices.Reading, before devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = before.Neighbours
	}
	if r.Sensors == nil {
		r.Sensors = before.Sensors
	}
	if r.Aggregates == nil {
		r.Aggregates = before.Aggregates
	}
	if r.Trees == nil {
		r.Trees = before.Trees
	}
	if len(r.Interfaces) == 0 {
		r.Interfaces = before.Interfaces
	}
}

// farEnd returns the device of the plan at the other end of a port, and its port: by the site's links, else by what the
// device hears.
func (p *handPoller) farEnd(x *polledDevice, port string) (devices.Device, string, bool) {
	if far, ok := p.o.Plan.Topology.FarEnd(timeline.Port(x.device.Name, port)); ok {
		d, ok := planDevice(p.o.Plan, far.Device)
		return d, far.Name, ok
	}
	for _, n := range x.last.Neighbours {
		if devices.PortKey(n.Port) != devices.PortKey(port) || n.PortID == "" {
			continue
		}
		host, _, _ := strings.Cut(n.System, ".")
		for _, d := range p.o.Plan.Devices {
			if d.Name == x.device.Name {
				continue
			}
			short, _, _ := strings.Cut(d.Name, ".")
			known := p.polled[d.Name]
			if strings.EqualFold(d.Name, n.System) || host != "" && strings.EqualFold(short, host) || n.Address.IsValid() && d.Address == n.Address.String() ||
				known != nil && known.last.SysName.OK && strings.EqualFold(known.last.SysName.Value, n.System) {
				for _, have := range d.Watched() {
					if devices.PortKey(have) == devices.PortKey(n.PortID) {
						return d, have, true
					}
				}
				return d, n.PortID, true
			}
		}
	}
	return devices.Device{}, "", false
}

func planDevice(p Plan, name string) (devices.Device, bool) {
	for _, d := range p.Devices {
		if d.Name == name {
			return d, true
		}
	}
	return devices.Device{}, false
}

// show prints the ports.
func (p *handPoller) show(near *polledDevice, err error) error {
	var b strings.Builder
	if p.o.Clear {
		b.WriteString("\x1b[H\x1b[2J")
	}
	rates := false
	for _, port := range near.device.Watched() {
		ends := []portHealth{healthOf(near, port)}
		rates = rates || len(ends[0].Rates) > 0
		if d, far, ok := p.farEnd(near, port); ok && p.polled[d.Name] != nil {
			h := healthOf(p.polled[d.Name], far)
			h.End = "far"
			ends = append(ends, h)
		}
		if p.o.Format == "json" {
			for _, h := range ends {
				if err := h.line(&b); err != nil {
					return err
				}
			}
			continue
		}
		healthText(&b, ends)
	}
	if err != nil && p.o.Format != "json" {
		fmt.Fprintln(&b, report.Clean(err.Error()))
	}
	if !rates && len(near.last.Interfaces) > 0 && p.o.Format != "json" {
		hint := "Rates and counts need two readings between which the device refreshed its counters."
		if p.o.Count == 1 {
			hint += " Ask for more: -n 5"
		}
		fmt.Fprintln(&b, hint)
	}
	_, werr := io.WriteString(p.o.Out, b.String())
	return werr
}

// PollDevice finds the device of a plan by its name.
func PollDevice(p Plan, name string) (devices.Device, error) {
	if d, ok := planDevice(p, name); ok {
		return d, nil
	}
	var names []string
	for _, d := range p.Devices {
		names = append(names, d.Name)
	}
	hint := ""
	if n := nearest(name, names); n != "" {
		hint = fmt.Sprintf("; did you mean %s?", n)
	}
	if _, ok := (correlate.Topology{Devices: p.Topology.Devices}).Device(name); ok {
		return devices.Device{}, Usagef("%s has neither snmp nor ssh in the site file", name)
	}
	return devices.Device{}, Usagef("%s is not among the site's devices: %s%s", name, strings.Join(names, ", "), hint)
}

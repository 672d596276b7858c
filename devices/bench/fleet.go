package main

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/poll"
	"whydrop/devices/snmp/fast"
)

// fleet polls many devices at 1 Hz each.
type fleet struct {
	what         string
	count, ports int
	time         time.Duration
	core         float64 // goal: share of a core; 0 is none
	missed       float64 // goal: share of polls; 0 is none missed
}

// period is the time between two polls of a device.
const period = time.Second

// fleetWays are how a fleet is polled: by the codec alone, and by all that a poller does: the whole reading, Differ and
// every record to a sink.
var fleetWays = []struct {
	name, agents string
	run          func(f fleet, ctx context.Context, addrs []netip.AddrPort) (outcome, error)
}{
	{"counter loop", "canned", fleet.loop},
	{"poller", "device", fleet.poller},
}

// outcome is what came of polling a fleet.
type outcome struct {
	cpu          time.Duration
	took         []time.Duration // of each poll
	missed, done int
	records      int64
}

// measure runs the fleet once in one of fleetWays.
func (f fleet) measure(ctx context.Context, g *goals, way int) error {
	w := fleetWays[way]
	addrs, end, err := startAgents(ctx, w.agents, f.count, f.ports)
	if err != nil {
		return err
	}
	defer end()
	o, err := w.run(f, ctx, addrs)
	if err != nil {
		return err
	}
	slices.Sort(o.took)
	share := o.cpu.Seconds() / f.time.Seconds()
	rate := float64(o.missed) / float64(max(1, o.done+o.missed))
	text := fmt.Sprintf("  %s x 20 counters at 1 Hz, %s: %.1f %% of a core", f.what, w.name, 100*share)
	if f.core > 0 {
		text += ", " + g.most(f.what+", "+w.name+", of a core", share, f.core)
	}
	if o.records > 0 {
		text += fmt.Sprintf("; %.0f records a second", float64(o.records)/f.time.Seconds())
	}
	fmt.Printf("%s; %d of %d polls missed, %s; duration p50 %s, p99 %s\n", text, o.missed, o.done+o.missed, g.most(f.what+", "+w.name+", polls missed", rate, f.missed), at(o.took, 0.5), at(o.took, 0.99))
	return nil
}

// loop polls by the codec alone, until the time is over. A poll that failed or was not over when the next was due is
// missed.
func (f fleet) loop(ctx context.Context, addrs []netip.AddrPort) (outcome, error) {
	polls := make([]ask, f.count)
	for i, a := range addrs {
		client, err := fast.NewCommunity(fast.V2c, "public")
		if err != nil {
			return outcome{}, err
		}
		p, end, err := counterLoop(client, a, f.ports)
		if err != nil {
			return outcome{}, err
		}
		defer end()
		if err := settle(ctx, p); err != nil {
			return outcome{}, err
		}
		polls[i] = p
	}
	var o outcome
	cpu, err := spent(func() error {
		f.pace(ctx, polls, &o)
		return ctx.Err()
	})
	o.cpu = cpu
	return o, err
}

// pace polls each device at its moments.
func (f fleet) pace(ctx context.Context, polls []ask, o *outcome) {
	began := time.Now()
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i, p := range polls {
		wg.Go(func() {
			// The devices are spread over the second, as a poller does.
			for due := began.Add(period * time.Duration(i) / time.Duration(len(polls))); due.Sub(began) < f.time; due = due.Add(period) {
				select {
				case <-ctx.Done():
					return
				case <-time.After(time.Until(due)):
				}
				err := p(ctx)
				after := time.Since(due)
				mu.Lock()
				if err != nil || after > period {
					o.missed++
				} else {
					o.done++
				}
				o.took = append(o.took, after)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
}

// warmUp is how long a poller may take for first contact, and to find out what the devices lack; and how much longer for
// each device.
const (
	warmUp     = 15 * time.Second
	warmUpEach = 20 * time.Millisecond
)

// poller polls as `whydrop watch` does, and counts what it takes after the first contact.
func (f fleet) poller(ctx context.Context, addrs []netip.AddrPort) (outcome, error) {
	var out counting
	count := readings{ports: f.ports, last: map[string]time.Time{}}
	cfg := poll.Config{Interval: period, Out: &out, Heard: count.hear}
	for i, a := range addrs {
		cfg.Devices = append(cfg.Devices, deviceOf(fmt.Sprintf("sw%d", i), a, f.ports))
	}
	polling, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- poll.Run(polling, cfg) }()
	sleep(ctx, warmUp+time.Duration(f.count)*warmUpEach)
	count.begin(cfg.Devices)
	records := out.n.Load()
	cpu, err := spent(func() error {
		sleep(ctx, f.time)
		return ctx.Err()
	})
	records = out.n.Load() - records
	o := count.end()
	o.cpu, o.records = cpu, records
	stop()
	if e := <-ended; err == nil {
		err = e
	}
	return o, err
}

// readings counts polls. A poll is missed if a device has no whole reading for more than a period and a half.
type readings struct {
	ports int

	mu   sync.Mutex
	last map[string]time.Time // by device: when the last poll began; nothing is counted before begin
	o    outcome
}

func (r *readings) begin(list []devices.Device) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, d := range list {
		r.last[d.Name] = time.Now()
	}
}

// hear counts a reading.
func (r *readings) hear(x devices.Reading) {
	r.mu.Lock()
	defer r.mu.Unlock()
	before, counts := r.last[x.Device]
	if !counts || x.Span.From.Before(before) {
		return
	}
	r.last[x.Device] = x.Span.From
	r.o.missed += missing(before, x.Span.From)
	if !whole(x, r.ports) {
		r.o.missed++
		return
	}
	r.o.done, r.o.took = r.o.done+1, append(r.o.took, x.Span.Width())
}

// end counts what is missing at the end.
func (r *readings) end() outcome {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, before := range r.last {
		r.o.missed += missing(before, time.Now())
	}
	clear(r.last)
	return r.o
}

// missing returns how many polls there should have been between two.
func missing(before, now time.Time) int {
	return int(max(0, now.Sub(before)-period/2) / period)
}

func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// counting is a sink that counts.
type counting struct{ n atomic.Int64 }

func (c *counting) Put(timeline.Record) { c.n.Add(1) }

func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(share*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

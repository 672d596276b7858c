package main

import (
	"context"
	"fmt"
	"net/netip"
	"slices"
	"sync"
	"time"

	"whydrop/devices/snmp"
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

// measure runs the fleet once: "counter loop" is the codec alone, "collector" is all that a reading takes.
func (f fleet) measure(ctx context.Context, g *goals, how string) error {
	kind := "canned"
	if how == "collector" {
		kind = "device"
	}
	addrs, end, err := startAgents(ctx, kind, f.count, f.ports)
	if err != nil {
		return err
	}
	defer end()
	collector := snmp.New()
	defer collector.Close()
	polls := make([]poll, f.count)
	for i, a := range addrs {
		if polls[i], err = f.poll(how, collector, i, a); err != nil {
			return err
		}
		if err := settle(ctx, polls[i]); err != nil {
			return err
		}
	}
	var late []time.Duration
	var missed, done int
	cpu, err := spent(func() error {
		late, missed, done = f.run(ctx, polls)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	slices.Sort(late)
	share := cpu.Seconds() / f.time.Seconds()
	rate := float64(missed) / float64(max(1, done))
	text := fmt.Sprintf("  %s x 20 counters at 1 Hz, %s: %.1f %% of a core", f.what, how, 100*share)
	if f.core > 0 {
		text += ", " + g.most(f.what+", "+how+", of a core", share, f.core)
	}
	fmt.Printf("%s; %d of %d polls missed, %s; duration p50 %s, p99 %s\n", text, missed, done, g.most(f.what+", "+how+", polls missed", rate, f.missed), at(late, 0.5), at(late, 0.99))
	return nil
}

func (f fleet) poll(how string, c *snmp.Collector, i int, a netip.AddrPort) (poll, error) {
	if how == "collector" {
		return collectorPoll(c, fmt.Sprintf("sw%d", i), a, f.ports), nil
	}
	client, err := fast.NewCommunity(fast.V2c, "public")
	if err != nil {
		return nil, err
	}
	p, _, err := counterLoop(client, a, f.ports)
	return p, err
}

// run polls until the time is over. A poll that failed or was not over when the next was due is missed.
func (f fleet) run(ctx context.Context, polls []poll) (took []time.Duration, missed, done int) {
	const period = time.Second
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
				done++
				if err != nil || after > period {
					missed++
				}
				took = append(took, after)
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return took, missed, done
}

func at(sorted []time.Duration, share float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(share*float64(len(sorted)-1))].Round(10 * time.Microsecond)
}

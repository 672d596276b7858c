// Package poll asks devices, at a cadence that they bear, and writes what they say to the timeline. Which
// collectors a platform is asked by stands in [Platforms].
//
// Each device has one goroutine per source, so that a slow or dead device holds up no other and never has two
// questions of one kind outstanding. A device that takes longer than half the interval twice in a row is asked at twice
// the interval, up to 30 s, until it is quick again; so is one that says its processor is busy, up to five times the
// interval. One that fails three times in a row is tried every 2 to 10 s; one
// that refuses the login twice in a row is left alone for minutes. Every failure is a gap on the timeline with its
// reason, for the device and for each watched port: blind is never healthy.
package poll

import (
	"context"
	"errors"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/intake"
)

// Config says what to poll, how often and where to write it.
type Config struct {
	Devices     []devices.Device
	Interval    time.Duration // between SNMP polls; 0 is 1 s
	LogInterval time.Duration // between readings of a device's log; 0 is 2 s
	Out         timeline.Sink
	Tape        timeline.Tape // nil: raw answers are not kept
	Known       *intake.Known // if not nil, is told what receivers want to know of the devices

	// Heard, if not nil, is given every reading before its records, and of several devices at once. The reading's Interfaces
	// are used again once it returned.
	Heard func(devices.Reading)
}

// Run polls until ctx ends, and returns when all its goroutines are gone and all sessions are closed. What
// devices do or do not say is written to cfg.Out; an error is only about cfg itself.
func Run(ctx context.Context, cfg Config) error {
	if cfg.Out == nil {
		return errors.New("poll: nowhere to write to")
	}
	c := newCollectors(cfg)
	defer c.close()
	return run(ctx, cfg, func(s Source) devices.Collector { return s.collector(c) })
}

// run is Run with any collectors.
func run(ctx context.Context, cfg Config, collector func(Source) devices.Collector) error {
	if cfg.Interval <= 0 {
		cfg.Interval = time.Second
	}
	if cfg.LogInterval <= 0 {
		cfg.LogInterval = 2 * time.Second
	}
	b := newBeat(cfg.Interval, len(cfg.Devices))
	var wg sync.WaitGroup
	for n, d := range cfg.Devices {
		list := sources(d)
		w := &watch{
			device: d, out: cfg.Out, known: cfg.Known, heard: cfg.Heard, naming: newNaming(d, list), beat: b,
			phase: float64(n) / float64(len(cfg.Devices)), after: time.Duration(n) * contactEvery,
		}
		for _, s := range list {
			w.tasks = append(w.tasks, newTask(w, s, collector(s), s.Every(cfg)))
		}
		for _, t := range w.tasks {
			wg.Go(func() { t.run(ctx) })
		}
	}
	wg.Wait()
	return nil
}

// contactEvery is the time between the first polls of two devices. A first poll also finds the ports and what the device
// lacks, which takes about 10 ms of this host's own time: of hundreds at once each would look slow.
const contactEvery = 10 * time.Millisecond

// watch is one device and what its sources share.
type watch struct {
	device devices.Device
	out    timeline.Sink
	known  *intake.Known
	heard  func(devices.Reading)
	naming *naming
	beat   beat
	phase  float64       // when it is asked within an interval, 0-1, so that the devices are not asked all at once
	after  time.Duration // when it is first asked, after the start

	mu     sync.Mutex
	load   load
	differ devices.Differ
	tasks  []*task
}

// records puts a reading through the device's Differ.
func (w *watch) records(r devices.Reading) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.known.Note(r)
	if w.heard != nil {
		w.heard(r)
	}
	w.differ.Put(r, w.out)
}

// answers says whether another source of the device answered lately.
func (w *watch) answers(except *task, now time.Time) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, t := range w.tasks {
		const missed = 3
		if t != except && !t.answered.IsZero() && now.Sub(t.answered) < missed*t.interval+time.Second {
			return true
		}
	}
	return false
}

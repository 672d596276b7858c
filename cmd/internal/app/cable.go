package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices/poll"
	"whydrop/probe/iperf3"
	"whydrop/probe/runner"
)

// CableOptions says which links are certified and how.
type CableOptions struct {
	// Ports names them: DEVICE:PORT, DEVICE for all of its ports in the site file, or a PORT that one device alone has.
	// DEVICE:PORT=DEVICE:PORT names both ends of a link of which no device tells. Empty: every port of the site file.
	Ports   []string
	For     time.Duration // at most; 0 is DefaultCableTime
	Whole   bool          // go on until then, whatever is decided
	Poll    time.Duration // poll interval; 0: one that gives a long test no more readings than it needs
	Traffic float64       // bit/s to send each way over the site's probe paths; 0: what flows is watched
	Path    string        // the path to send over; "" is every one that the site probes
	// Ask is shown what the traffic would be and says whether to send it.
	Ask      func(question string) bool
	Progress io.Writer // a line now and then; nil: nowhere
}

// DefaultCableTime is how long a link test may last if nothing else is said.
const DefaultCableTime = 10 * time.Minute

// shortestCable is how long a test lasts at least, however soon all is decided: neighbours and optics are read meanwhile.
const shortestCable = 10 * time.Second

// Cabling is what a test of links came to.
type Cabling struct {
	Site        string
	Program     string
	Span        timeline.Span
	Traffic     string // what was sent, in words; "" if nothing
	Links       []correlate.CableResult
	Problems    []string // what could not be read or sent
	Warnings    []string
	Interrupted bool
}

// Cable certifies links in service: it polls both ends, sends traffic if it was asked to, and ends when everything is
// decided, opt.For has passed or ctx ended. What was seen until then is returned. An error means that it could not begin.
func Cable(ctx context.Context, plan Plan, opt CableOptions) (Cabling, error) {
	if opt.For <= 0 {
		opt.For = DefaultCableTime
	}
	if opt.Poll <= 0 {
		const readings = 1800
		opt.Poll = min(max(opt.For/readings, time.Second), 30*time.Second)
	}
	if opt.Progress == nil {
		opt.Progress = io.Discard
	}
	if len(plan.Devices) == 0 {
		return Cabling{}, Usagef("the site file names no device that can be read, and a link is judged by its ports' counters")
	}
	ports, err := cablePorts(&plan, opt.Ports)
	if err != nil {
		return Cabling{}, err
	}
	specs, err := cablePaths(plan, opt)
	if err != nil {
		return Cabling{}, err
	}
	c := &cabling{plan: plan, opt: opt, ports: ports, heard: newCableHeard(), specs: specs}
	if err := c.ask(); err != nil {
		return Cabling{}, err
	}
	return c.run(ctx)
}

// cabling is one test of links.
type cabling struct {
	plan  Plan
	opt   CableOptions
	ports []timeline.Subject
	specs []runner.Spec // to send over
	heard *cableHeard
	store timeline.Store
	began time.Time

	mu       sync.Mutex
	problems []string
}

func (c *cabling) run(ctx context.Context) (Cabling, error) {
	outer := ctx
	ctx, stop := context.WithTimeout(ctx, c.opt.For)
	defer stop()
	c.began = time.Now().UTC()
	var g errgroup.Group
	g.Go(func() error {
		return poll.Run(ctx, poll.Config{Devices: c.plan.Devices, Interval: c.opt.Poll, Out: &c.store, Heard: c.heard.note})
	})
	for _, s := range c.specs {
		g.Go(func() error { c.send(ctx, s); return nil })
	}
	c.watch(ctx)
	stop()
	if err := g.Wait(); err != nil {
		return Cabling{}, err
	}
	out := c.result()
	out.Interrupted = outer.Err() != nil
	return out, nil
}

// watch judges again and again until all is decided or ctx ends.
func (c *cabling) watch(ctx context.Context) {
	const seldom, often = 30 * time.Second, time.Second
	told := c.began
	for wait := often; ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		began := time.Now()
		links := c.judge()
		open := 0
		var more time.Duration
		for _, l := range links {
			if !l.Settled {
				open++
			}
			for _, w := range l.Ways {
				more = max(more, w.More)
			}
		}
		if open == 0 && !c.opt.Whole && began.Sub(c.began) >= shortestCable {
			return
		}
		if began.Sub(c.began) >= shortestCable && len(unreadPorts(c.store.Snapshot(), c.ports)) == len(c.ports) {
			return // none of them is there: no reading will tell more
		}
		if began.Sub(told) >= seldom {
			told = began
			line := fmt.Sprintf("%s  %d of %d links decided", report.ClockSecond(began), len(links)-open, len(links))
			if more > 0 {
				line += "; the last needs another " + report.RoundLength(more) + " at this rate"
			}
			fmt.Fprintln(c.opt.Progress, line)
		}
		wait = max(often, 20*time.Since(began)) // a long test of many ports spends a twentieth of a core on it
	}
}

// judge judges every link by what is known now.
func (c *cabling) judge() []correlate.CableResult {
	snap, sp := c.store.Snapshot(), timeline.Span{From: c.began, To: time.Now().UTC()}
	var out []correlate.CableResult
	for _, l := range c.heard.links(c.plan.Topology, c.ports) {
		out = append(out, correlate.JudgeCable(snap, l, sp))
	}
	return out
}

func (c *cabling) result() Cabling {
	out := Cabling{
		Site: c.plan.Topology.Site, Program: "whydrop " + Version(), Links: c.judge(),
		Span: timeline.Span{From: c.began, To: time.Now().UTC()}, Warnings: c.plan.Warnings,
	}
	snap := c.store.Snapshot()
	out.Problems = slices.Concat(c.problems, unread(snap, planDevices(c.plan), nil), unreadPorts(snap, c.ports))
	out.Warnings = append(slices.Clone(out.Warnings), slowed(snap, planDevices(c.plan))...)
	if len(c.specs) > 0 {
		out.Traffic = fmt.Sprintf("%s each way over %s, beside what flows", report.Rate(c.opt.Traffic), sentOver(c.specs))
	}
	return out
}

// Code returns the exit code of the test.
func (c Cabling) Code() int {
	worst := map[correlate.CableVerdict]bool{}
	for _, l := range c.Links {
		worst[l.Verdict] = true
	}
	switch {
	case worst[correlate.CableFail], worst[correlate.CableWarn]:
		return ExitFound
	case c.Interrupted:
		return ExitInterrupted
	case worst[correlate.CableUndecided], len(c.Links) == 0:
		return ExitNotMeasured
	case len(c.Problems) > 0:
		return ExitPartial
	}
	return ExitOK
}

// cablePaths returns the probes to send over.
func cablePaths(plan Plan, opt CableOptions) ([]runner.Spec, error) {
	var out []runner.Spec
	for _, s := range plan.Probes {
		if opt.Path == "" || s.Path == opt.Path {
			out = append(out, s)
		}
	}
	switch {
	case len(out) == 0 && opt.Path != "":
		return nil, Usagef("--path: the site has no path %q with a probe", opt.Path)
	case opt.Traffic <= 0:
		return nil, nil
	case len(out) == 0:
		return nil, Usagef("--traffic: the site file has no path with a probe to send over")
	}
	return out, nil
}

// ask shows what would be sent and asks whether to.
func (c *cabling) ask() error {
	if len(c.specs) == 0 {
		return nil
	}
	bytes := c.opt.Traffic / 8 * c.opt.For.Seconds()
	question := fmt.Sprintf("This sends %s each way at once over %s, for at most %s: up to %s each way.",
		report.Rate(c.opt.Traffic), sentOver(c.specs), report.RoundLength(c.opt.For), report.Bytes(bytes))
	if c.opt.Ask == nil || !c.opt.Ask(question) {
		return Exit{ExitRefused, errors.New("nothing was sent")}
	}
	return nil
}

func sentOver(specs []runner.Spec) string {
	var out []string
	for _, s := range specs {
		out = append(out, "path "+s.Path+" to "+s.To)
	}
	return report.Clean(strings.Join(out, " and "))
}

// send sends both ways until ctx ends; a far end that ends a test is asked again.
func (c *cabling) send(ctx context.Context, s runner.Spec) {
	const again = 2 * time.Second
	for ctx.Err() == nil {
		port := s.Port
		if port == 0 {
			port = runner.DefaultPort
		}
		t := iperf3.Test{Address: net.JoinHostPort(s.To, strconv.Itoa(int(port))), Streams: 1, Bidirectional: true, Rate: c.opt.Traffic, Token: s.Token}
		_, err := iperf3.Run(ctx, t, time.Second, iperf3.Handler{})
		if err != nil && ctx.Err() == nil {
			c.problem("traffic over path " + s.Path + ": " + err.Error())
			select {
			case <-ctx.Done():
			case <-time.After(again):
			}
		}
	}
}

func (c *cabling) problem(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !slices.Contains(c.problems, text) {
		c.problems = append(c.problems, text)
		fmt.Fprintln(c.opt.Progress, "note: "+report.Clean(text))
	}
}

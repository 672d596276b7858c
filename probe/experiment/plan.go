package experiment

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"whydrop/probe/iperf3"
)

// Kind is what an experiment changes.
type Kind string

// The kinds of experiments.
const (
	Window    Kind = "window"    // TCP's socket buffers
	Rate      Kind = "rate"      // UDP's rate, up to where the path loses
	Size      Kind = "size"      // of datagrams, at the same number of them a second
	Streams   Kind = "streams"   // TCP connections at once
	Direction Kind = "direction" // there, back, both, by TCP and by UDP
	Pacing    Kind = "pacing"    // the same rate evenly and in bursts
	Disk      Kind = "disk"      // from memory and from a file, or into one
)

// Plans is what makes a plan of each kind.
var Plans = map[Kind]func(Options) (Plan, error){
	Window:    planWindow,
	Rate:      planRate,
	Size:      planSize,
	Streams:   planStreams,
	Direction: planDirection,
	Pacing:    planPacing,
	Disk:      planDisk,
}

// Kinds returns the names of the kinds, sorted.
func Kinds() []string {
	var out []string
	for _, k := range slices.Sorted(maps.Keys(Plans)) {
		out = append(out, string(k))
	}
	return out
}

// Options say how an experiment is carried out. Only Test.Address is needed.
type Options struct {
	Path string // name of the path that the records are about; "" is the far end's address
	// Test is what all steps have in common: the far end, the token, what connections are bound to. Reverse turns the
	// experiment round where it has one direction.
	Test      iperf3.Test
	STAMPPort uint16 // UDP port of the far end's STAMP reflector; 0 is the test's port + 1
	STAMPKey  []byte // that heartbeats are signed with; empty: unauthenticated mode

	// Values are what is swept over, in the kind's own unit: bytes of a window or a datagram, bit/s, streams, datagrams
	// in a burst. Empty is the kind's own list. Direction and Disk have no values.
	Values   []float64
	StepTime time.Duration // of each step; 0: the kind's own, shorter if Most asks for it
	Most     time.Duration // that the whole may take; 0 is 60 s
	// Rate is what no step exceeds, in bit/s of goodput, all streams together, each direction for itself; 0: as much as
	// the path takes.
	Rate float64

	Line float64 // speed of this host's own link in bit/s; 0: not known
	MTU  int     // of this host's own link; 0: not known
	IPv6 bool    // the far end's address is one of IPv6

	File string // of Disk: what is sent, or with Reverse what is written; if it holds something, Test.Overwrite must be set
}

// DefaultMost is how long an experiment may take if nothing else is said.
const DefaultMost = time.Minute

// Bounds of steps.
const (
	maxSteps = 64
	minStep  = 500 * time.Millisecond // shorter than this is TCP's own beginning
	// around is what a step takes beside its data: connections, what is on its way at the end, results.
	around = 400 * time.Millisecond
	idle   = 1200 * time.Millisecond // that the path is watched before the first step
)

// Plan is an experiment that can be run. Plans are made by [New].
type Plan struct {
	Kind    Kind
	Options Options
	Steps   []Step
	refine  int // steps more, between the last that lost nothing and the first that lost
}

// Step is one test of an experiment.
type Step struct {
	Name  string  // as a person reads it: "64 KiB", "8 streams"
	Value float64 // what is swept over; 0 where the kind has no values, and for "the system's own window"
	Test  iperf3.Test
	// Share, if not 0, makes the rate of the step this share of what the slowest step before it carried.
	Share float64
}

// New returns the plan of a kind. The error says which option is wrong.
func New(k Kind, o Options) (Plan, error) {
	make, ok := Plans[k]
	if !ok {
		return Plan{}, fmt.Errorf("experiment: no kind %q; there are %s", k, strings.Join(Kinds(), ", "))
	}
	if o.Most == 0 {
		o.Most = DefaultMost
	}
	p, err := make(o)
	if err == nil {
		p.Kind, p.Options = k, o
		err = p.fit()
	}
	if err != nil {
		return Plan{}, fmt.Errorf("experiment: %s: %w", k, err)
	}
	return p, nil
}

// TooShort is the error of a plan whose steps do not fit in Options.Most.
type TooShort struct {
	Steps       int
	Most, Least time.Duration // what there is, and what the steps take at least
}

// Error says how many steps do not fit, and how long they take.
func (e TooShort) Error() string {
	return fmt.Sprintf("%d steps do not fit in %v: they take at least %v", e.Steps, e.Most, e.Least)
}

// fit gives each step its time, so that all of them end in time.
func (p *Plan) fit() error {
	n := len(p.Steps) + p.refine
	if n == 0 || n > maxSteps {
		return fmt.Errorf("%d steps, want 1 to %d", n, maxSteps)
	}
	before := (Plan{Kind: p.Kind}).Load().Time
	each := (p.Options.Most-before)/time.Duration(n) - around
	if each < minStep {
		return TooShort{Steps: n, Most: p.Options.Most, Least: before + time.Duration(n)*(minStep+around)}
	}
	for i := range p.Steps {
		t := &p.Steps[i].Test
		if p.Options.StepTime > 0 {
			t.Time = p.Options.StepTime
		}
		t.Time = min(t.Time, each)
	}
	return nil
}

// Load is what a plan puts on the path at most.
type Load struct {
	Time    time.Duration
	Peak    float64 // bit/s of goodput, both directions together; 0: whatever the path takes
	Bytes   uint64  // of goodput; 0: not bounded, because Peak is not
	Streams int     // at once
}

// Load returns what the plan puts on the path at most.
func (p Plan) Load() Load {
	l := Load{Time: idle + late}
	if p.Kind == Disk {
		l.Time += diskTime
	}
	bounded := true
	add := func(s Step, times int) {
		rate := s.peak(p.Options)
		length := s.Test.Time * time.Duration(times)
		l.Time += length + around*time.Duration(times)
		l.Streams = max(l.Streams, max(s.Test.Streams, 1))
		l.Peak = max(l.Peak, rate)
		l.Bytes += uint64(rate / 8 * length.Seconds())
		bounded = bounded && rate > 0
	}
	for _, s := range p.Steps {
		add(s, 1)
	}
	if p.refine > 0 {
		add(p.Steps[len(p.Steps)-1], p.refine)
	}
	if !bounded {
		l.Peak, l.Bytes = 0, 0
	}
	return l
}

// peak returns the most that the step carries in bit/s, all streams and directions together; 0: not bounded.
func (s Step) peak(o Options) float64 {
	n, per := float64(max(s.Test.Streams, 1)), s.Test.Rate
	if s.Share > 0 && per == 0 {
		per = s.Share * o.bound()
	}
	if s.Test.Bidirectional {
		n *= 2
	}
	if per == 0 {
		way := o.Line
		if s.Test.Bidirectional {
			way *= 2
		}
		return way
	}
	return per * n
}

// bound returns what bounds a rate that nothing else does: the cap, or the own link; 0: nothing.
func (o Options) bound() float64 {
	if o.Rate > 0 {
		return o.Rate
	}
	return o.Line
}

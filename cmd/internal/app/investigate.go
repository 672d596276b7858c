package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices/poll"
	"whydrop/probe/experiment"
	"whydrop/probe/host"
	"whydrop/rules"
)

// InvestigateOptions says which path is investigated and what it may cost.
type InvestigateOptions struct {
	Probe    ProbeOptions // the far end, and what all tests have in common; Test.Rate bounds every test
	Plan     *Plan        // devices to poll meanwhile, and the topology; nil: the path alone
	Path     string       // of the plan: the path that leads to the far end
	STAMP    uint16       // UDP port of the far end's STAMP reflector; 0: the one after its TCP port
	STAMPKey string       // that heartbeats are signed with, already looked up; "": unauthenticated mode
	// Live, if not nil, is a watch that goes on meanwhile: it polls the plan's devices, what it knows is reasoned on,
	// and results go to it.
	Live *Live

	Time  time.Duration // that all experiments together may take; 0: 5 minutes
	Bytes uint64        // that all experiments together may send; 0: not bounded
	// Ask is shown each experiment with its load before it runs and says whether to run it. Nil runs all.
	Ask func(question string) bool
	Out io.Writer // where the course of the investigation is told; nil: nowhere
}

// Live is a timeline that somebody else fills too.
type Live struct {
	Out      timeline.Sink
	Snapshot func() timeline.Snapshot
	// Hold, if not nil, ends the path's own throughput test and lets none begin until release is called.
	Hold func() (release func())
}

// DefaultInvestigation is how long an investigation may take if nothing else is said.
const DefaultInvestigation = 5 * time.Minute

// Investigate tells causes apart by experiment: it measures, asks which causes still fit, runs the experiment that
// tells most of them apart, and goes on until one is left, nothing more can be told apart, or the budget is spent. The
// document holds the findings and the course; it is valid also when an error says that it ended early.
func Investigate(ctx context.Context, opt InvestigateOptions) (report.Document, error) {
	if opt.Time == 0 {
		opt.Time = DefaultInvestigation
	}
	if opt.Out == nil {
		opt.Out = io.Discard
	}
	in := &investigation{opt: opt, live: opt.Live, catalogue: Catalogue(), left: opt.Time}
	if in.live == nil {
		store := &timeline.Store{}
		in.live = &Live{Out: store, Snapshot: store.Snapshot}
	}
	in.path = opt.Path
	if in.path == "" {
		in.path = opt.Probe.Test.Address
		if host, _, err := net.SplitHostPort(in.path); err == nil {
			in.path = host
		}
	}
	in.topology = correlate.Topology{Paths: []correlate.Path{{Name: in.path, To: opt.Probe.Test.Address, Rate: opt.Probe.Test.Rate}}}
	if opt.Plan != nil {
		in.topology = opt.Plan.Topology
	}
	err := in.run(ctx)
	if in.closing != "" {
		fmt.Fprintln(in.opt.Out, in.closing)
	}
	return in.document(), err
}

// investigation is one course of experiments.
type investigation struct {
	opt       InvestigateOptions
	path      string
	topology  correlate.Topology
	live      *Live // never nil
	catalogue []rules.Rule
	to        netip.Addr

	left     time.Duration // of the time allowed
	sent     uint64        // bytes at most, of all experiments
	done     []string      // experiments that ran or were refused
	course   []report.Block
	problems []string
	closing  string // how it ended
}

// screening is what is tried, in this order, while nothing is found: only then is a path called sound.
var screening = []string{"direction", "rate", "mtu", "streams", "connect"}

func (in *investigation) run(ctx context.Context) error {
	in.to = farAddress(ctx, in.opt.Probe.Test)
	ctx, stop := context.WithCancel(ctx)
	var g errgroup.Group
	if in.opt.Live == nil && in.opt.Plan != nil && len(in.opt.Plan.Devices) > 0 {
		g.Go(func() error {
			return poll.Run(ctx, poll.Config{Devices: in.opt.Plan.Devices, Out: in.live.Out})
		})
	}
	err := in.experiments(ctx)
	stop()
	if perr := g.Wait(); perr != nil && !errors.Is(perr, context.Canceled) {
		in.problems = append(in.problems, "polling: "+perr.Error())
	}
	return err
}

// experiments runs one after the other. Where nothing is known yet, the first is always the same.
func (in *investigation) experiments(ctx context.Context) error {
	name, why := screening[0], "what each direction carries and loses"
	if in.opt.Live != nil {
		name, why = in.next()
	}
	for n := 1; name != ""; n++ {
		ran, err := in.one(ctx, n, name, why)
		in.done = append(in.done, name)
		switch {
		case ctx.Err() != nil:
			in.closing = "It was interrupted."
			return Exit{Code: ExitInterrupted}
		case err != nil && n == 1:
			return err
		case err != nil:
			in.problems = append(in.problems, name+": "+err.Error())
			fmt.Fprintf(in.opt.Out, "  %s: %v\n", name, err)
		case !ran:
			in.problems = append(in.problems, name+": not run")
		}
		name, why = in.next()
	}
	return nil
}

// next says what still fits and returns the experiment that comes next; "" if the investigation is over.
func (in *investigation) next() (name, why string) {
	found := in.diagnose()
	open := rules.Undecided(found, in.catalogue)
	in.tell(found, open)
	switch len(open) {
	case 0:
		return in.screen()
	case 1:
		in.closing = closingOf(found, open)
		return "", ""
	}
	return in.choose(open)
}

// screen returns the next experiment of a path on which nothing was found yet; "" if there is none.
func (in *investigation) screen() (name, why string) {
	for _, name := range screening {
		if !slices.Contains(in.done, name) && in.fits(name) {
			return name, "whether anything is wrong at all"
		}
	}
	in.closing = "Nothing is wrong with the path as far as these experiments show."
	if len(in.course) == 0 {
		in.closing = "No experiment was carried out, so nothing is known."
	}
	return "", ""
}

// fits says whether what is left of the budget is enough for an experiment.
func (in *investigation) fits(name string) bool {
	load, err := in.load(name)
	if err != nil || load.Time > in.left {
		return false
	}
	return in.affords(name, load) == nil
}

// affords says why the bytes that are left of the budget are not enough for what an experiment sends at most; nil if
// they are.
func (in *investigation) affords(name string, load experiment.Load) error {
	left := in.opt.Bytes - min(in.sent, in.opt.Bytes)
	switch {
	case in.opt.Bytes == 0:
		return nil
	case load.Bytes == 0 && load.Peak == 0 && heavy(name):
		return Usagef("--budget: %s sends as much as the path takes unless -b bounds it, and that may be more than the %s that are left", name, experiment.Bytes(float64(left)))
	case load.Bytes > left:
		return Usagef("--budget: %s may send %s, and %s are left; allow more, or a lower rate with -b", name, experiment.Bytes(float64(load.Bytes)), experiment.Bytes(float64(left)))
	}
	return nil
}

// choose returns the experiment that tells most of the open causes apart and fits what is left of the budget; "" if
// there is none, and then says why and what a person must try.
func (in *investigation) choose(open []string) (name, why string) {
	trials := rules.Trials(open, in.done)
	for _, t := range trials {
		if !in.fits(t.Experiment) {
			continue
		}
		return t.Experiment, t.Why
	}
	in.closing = "No experiment is left that would tell them apart."
	if len(trials) > 0 {
		in.closing = fmt.Sprintf("The budget is spent; %s would be next.", trials[0].Experiment)
	}
	for _, step := range rules.ByHand(in.diagnose()) {
		in.closing += " By hand: " + step
	}
	return "", ""
}

// heavy says whether an experiment fills the path unless its rate is bounded.
func heavy(name string) bool { return !slices.Contains([]string{"mtu", "ports", "connect"}, name) }

// Loads of the experiments that are no sweeps of package experiment.
var lightLoads = map[string]experiment.Load{
	"mtu":     {Time: 20 * time.Second, Peak: 1e5, Bytes: 200_000},
	"ports":   {Time: 20 * time.Second, Peak: 1e6, Bytes: 1_000_000},
	"connect": {Time: 12 * time.Second, Peak: 1e5, Bytes: 100_000},
}

// load returns what an experiment would put on the path at most.
func (in *investigation) load(name string) (experiment.Load, error) {
	if l, ok := lightLoads[name]; ok {
		return l, nil
	}
	p, err := in.plan(name)
	return p.Load(), err
}

// plan plans a sweep, shortened to what is left.
func (in *investigation) plan(name string) (experiment.Plan, error) {
	t := in.opt.Probe.Test
	o := experiment.Options{Path: in.path, Test: t, STAMPPort: in.opt.STAMP, STAMPKey: []byte(in.opt.STAMPKey), Rate: t.Rate, Most: min(30*time.Second, max(in.left, 8*time.Second))}
	o.Test.Time, o.Test.Rate, o.Test.File = 0, 0, ""
	if in.to.IsValid() {
		o.IPv6 = in.to.Is6()
		if card, err := host.CardTo(context.Background(), in.to); err == nil {
			o.Line, o.MTU = card.SpeedBits, card.MTU
		}
	}
	return experiment.New(experiment.Kind(name), o)
}

// one shows an experiment, asks, and runs it. It says whether it ran.
func (in *investigation) one(ctx context.Context, n int, name, why string) (bool, error) {
	load, err := in.load(name)
	if err == nil {
		err = in.affords(name, load)
	}
	if err != nil {
		return false, err
	}
	hint := boundHint
	if in.opt.Live != nil {
		hint = "" // no flag was given to the watch
	}
	question := fmt.Sprintf("Experiment %d, %s: %s. It would show: %s.", n, name, loadText(load, hint), why)
	fmt.Fprintln(in.opt.Out, question)
	if in.opt.Ask != nil && !in.opt.Ask(question) {
		return false, nil
	}
	began := time.Now()
	meaning, err := in.carryOut(ctx, name)
	in.left -= time.Since(began)
	in.sent += load.Bytes
	if err != nil {
		return true, err
	}
	meaning = strings.TrimSpace(meaning)
	in.course = append(in.course, report.Block{Where: fmt.Sprintf("experiment %d", n), Kind: name, What: meaning})
	sentences(in.opt.Out, meaning)
	return true, nil
}

// carryOut runs an experiment, puts its results on the timeline and returns what they mean in words.
func (in *investigation) carryOut(ctx context.Context, name string) (string, error) {
	switch name {
	case "mtu":
		return in.findMTU(ctx)
	case "ports":
		return in.sweepPorts(ctx)
	case "connect":
		return in.connect(ctx)
	}
	p, err := in.plan(name)
	if err != nil {
		return "", err
	}
	if in.live.Hold != nil {
		defer in.live.Hold()()
	}
	rows, err := experiment.Run(ctx, p, timeline.Tee(in.sink(), timeline.SinkFunc(in.progress)))
	if err != nil {
		return "", Exit{ExitNotMeasured, err}
	}
	return experiment.Meaning(p, rows), nil
}

// sink takes what experiments record. Where no device is read, the heartbeats beside a test would pass for a path that was
// watched and whose devices are silent: there the tests' own results are all there is.
func (in *investigation) sink() timeline.Sink {
	if in.opt.Live != nil || in.opt.Plan != nil && len(in.opt.Plan.Devices) > 0 {
		return in.live.Out
	}
	return timeline.SinkFunc(func(r timeline.Record) {
		if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventResult {
			in.live.Out.Put(e)
		}
	})
}

// progress tells a test of a sweep that ended.
func (in *investigation) progress(r timeline.Record) {
	if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventResult {
		fmt.Fprintln(in.opt.Out, "  "+e.Text)
	}
}

func (in *investigation) diagnose() []rules.Diagnosis {
	return rules.Evaluate(in.catalogue, in.live.Snapshot(), in.topology)
}

// tell says what still fits.
func (in *investigation) tell(found []rules.Diagnosis, open []string) {
	for _, d := range found {
		fmt.Fprintf(in.opt.Out, "  %s, %s (%.0f %%)\n", strings.Join(d.Chain, " > "), verdictText(string(d.Verdict)), 100*d.Confidence)
	}
	if n := len(open); n > 1 {
		shown := open[:min(n, 8)]
		more := ""
		if n > len(shown) {
			more = fmt.Sprintf(" and %d more", n-len(shown))
		}
		fmt.Fprintf(in.opt.Out, "  still possible: %s%s\n", strings.Join(shown, ", "), more)
	}
}

func closingOf(found []rules.Diagnosis, open []string) string {
	if found[0].Verdict == rules.Holds {
		return "One cause is left: " + open[0] + "."
	}
	return "One cause is left, and it is only suspected: " + strings.Join(open, ", ") + "."
}

// document puts findings and course together.
func (in *investigation) document() report.Document {
	s := in.live.Snapshot()
	var warnings, notes []string
	if in.opt.Plan != nil {
		warnings = in.opt.Plan.Warnings
	}
	if in.closing != "" {
		notes = append(notes, in.closing)
	}
	used := in.opt.Time - in.left
	if len(in.course) > 0 {
		notes = append(notes, fmt.Sprintf("Experiments that ran: %d, in %.0f s.", len(in.course), math.Round(used.Seconds())))
	}
	return report.Build(report.Input{Topology: in.topology, Snapshot: s, Diagnoses: in.diagnose(), Blocks: in.course, Problems: in.problems, Warnings: warnings, Notes: notes})
}

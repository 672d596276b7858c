package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net/netip"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/probe/experiment"
	"whydrop/probe/host"
	"whydrop/probe/iperf3"
)

// ExperimentOptions says which experiment is carried out and how its result is shown.
type ExperimentOptions struct {
	Kind     string         // a name of experiment.Kinds
	Probe    ProbeOptions   // the test that the steps have in common, format and outputs
	Key      devices.Secret // what heartbeats are signed with
	Values   []float64      // what is swept over; empty: the kind's own list
	StepTime time.Duration
	Most     time.Duration // that the whole may take; 0: a minute
}

// Experiment runs an experiment and prints what it showed. The error carries the exit code: nil when it measured,
// ExitNotMeasured when no step did, ExitInterrupted when ctx ended first (what was measured is printed).
func Experiment(ctx context.Context, opt ExperimentOptions) error {
	o := PathOptions{Host: opt.Probe.Test.Address, Format: opt.Probe.Format, Out: opt.Probe.Out}
	to := farAddress(ctx, opt.Probe.Test)
	plan, err := experiment.New(experiment.Kind(opt.Kind), opt.options(ctx, to))
	if err != nil {
		return Exit{ExitUsage, opt.lettered(err)}
	}
	for _, s := range plan.Steps { // a mistake that every step has is the command's
		if err = s.Test.Check(); err == nil {
			break
		}
	}
	if err != nil {
		return Exit{ExitUsage, err}
	}
	if o.Format == "text" {
		fmt.Fprintf(o.Out, "Sweep of %s to %s: %s\n", opt.Kind, report.Clean(o.Host), loadText(plan.Load(), boundHint))
	}
	if each := plan.Steps[0].Test.Time; each < opt.StepTime && o.Format == "text" {
		fmt.Fprintf(opt.Probe.Progress, "note: -t leaves each step %.1f s instead of the %g s of --step-time\n", each.Seconds(), opt.StepTime.Seconds())
	}
	done := 0
	follow := timeline.SinkFunc(func(r timeline.Record) {
		if e, ok := r.(timeline.Event); ok && e.Type == timeline.EventResult && o.Format == "text" {
			done++
			fmt.Fprintf(opt.Probe.Progress, "step %d: %s\n", done, report.Clean(e.Text))
		}
	})
	own, err := opt.watchHost(ctx)
	if err != nil {
		return err
	}
	started := time.Now()
	rows, err := experiment.Run(ctx, plan, follow)
	own.end(iperf3.Result{})
	doc := experimentDocument(o, plan, rows, to, started, err)
	doc.Interrupted = ctx.Err() != nil
	show := func(w io.Writer) { experimentText(w, plan, rows) }
	if err != nil && o.Format == "text" && len(rows) > 0 { // the steps' reasons are worth reading
		var b strings.Builder
		show(&b)
		if _, perr := io.WriteString(o.Out, b.String()); perr != nil {
			return Exit{ExitNotMeasured, perr}
		}
	}
	return o.finish(ctx, doc, show, err == nil, err)
}

// lettered names, in an error of a plan, the letters that would make it fit.
func (opt ExperimentOptions) lettered(err error) error {
	var short experiment.TooShort
	if !errors.As(err, &short) {
		return err
	}
	hint := ""
	if kind := experiment.Kind(opt.Kind); kind != experiment.Direction && kind != experiment.Disk {
		hint = ", or fewer values by --steps"
	}
	taken := fmt.Sprintf("its %d steps take", short.Steps)
	if short.Steps == 1 {
		taken = "its one step takes"
	}
	return fmt.Errorf("--sweep %s: %s at least %.0f s, longer than -t %g: give -t that%s",
		opt.Kind, taken, math.Ceil(short.Least.Seconds()), short.Most.Seconds(), hint)
}

// watchHost watches this host while the steps run.
func (opt ExperimentOptions) watchHost(ctx context.Context) (*tester, error) {
	o := opt.Probe
	o.Test.UDP = true // what it does to datagrams is worth a word in every sweep
	o.Pcap, o.Verbose = "", false
	return watchTester(ctx, o)
}

// options adds to the test what is known of this host's link.
func (opt ExperimentOptions) options(ctx context.Context, to netip.Addr) experiment.Options {
	o := experiment.Options{Test: opt.Probe.Test, STAMPKey: []byte(opt.Key.Reveal()), Values: opt.Values, StepTime: opt.StepTime, Most: opt.Most, Rate: opt.Probe.Test.Rate, File: opt.Probe.Test.File}
	o.Test.Time, o.Test.Rate, o.Test.File = 0, 0, ""
	if !to.IsValid() {
		return o
	}
	o.IPv6 = to.Is6()
	if card, err := host.CardTo(ctx, to); err == nil {
		o.Line, o.MTU = card.SpeedBits, card.MTU
	}
	return o
}

// boundHint is added to a load without a bound where a flag gives one.
const boundHint = " (-b bounds it)"

// loadText says what an experiment puts on the path.
func loadText(l experiment.Load, hint string) string {
	parts := []string{fmt.Sprintf("up to %.0f s", math.Ceil(l.Time.Seconds()))}
	if l.Streams > 1 {
		parts = append(parts, fmt.Sprintf("%d streams", l.Streams))
	}
	if l.Peak > 0 {
		return strings.Join(append(parts, fmt.Sprintf("at most %s and %s", experiment.Bits(l.Peak), experiment.Bytes(float64(l.Bytes)))), ", ")
	}
	return strings.Join(append(parts, "as much as the path takes"+hint), ", ")
}

// experimentText prints table, chart, theory and meaning.
func experimentText(w io.Writer, p experiment.Plan, rows []experiment.Row) {
	if len(rows) == 0 {
		return
	}
	experimentTable(w, p, rows)
	if chart := experimentChart(p, rows); chart != "" {
		fmt.Fprintln(w)
		io.WriteString(w, chart)
	}
	if lines := theoryText(p, rows); len(lines) > 0 {
		fmt.Fprintln(w)
		for _, l := range lines {
			fmt.Fprintln(w, l)
		}
	}
	if text := experiment.Meaning(p, rows); text != "" {
		sentences(w, text)
	}
}

// theoryText says what arithmetic says of the path.
func theoryText(p experiment.Plan, rows []experiment.Row) (out []string) {
	t := p.Theory(rows)
	if t.Line > 0 {
		out = append(out, fmt.Sprintf("In theory: the own link (%s, MTU %d) carries at most %s of goodput at this packet size.", experiment.Bits(p.Options.Line), p.Options.MTU, experiment.Bits(t.Line)))
	}
	if t.RTT > 0 && t.BDP > 0 {
		out = append(out, fmt.Sprintf("In theory: %s over a round trip of %s want %s in flight.", experiment.Bits(t.Best), millis(t.RTT), experiment.Bytes(t.BDP)))
	}
	best := experiment.Row{}
	for _, r := range rows {
		if r.Reason == "" && r.Arrived > best.Arrived {
			best = r
		}
	}
	if m := best.Mathis(); m > 0 && m < 10*best.Arrived {
		out = append(out, fmt.Sprintf("In theory: with %d segments sent again in %s, classic congestion control sustains about %s (Mathis); %s was carried.",
			best.Retransmits.Value, best.Step.Name, experiment.Bits(m), experiment.Bits(best.Arrived)))
	}
	return out
}

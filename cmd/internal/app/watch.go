package app

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/tui"
	"whydrop/correlate/session"
	"whydrop/correlate/timeline"
	"whydrop/devices/intake"
	"whydrop/devices/poll"
	"whydrop/probe"
	"whydrop/probe/runner"
	"whydrop/rules"
)

// Options says how a run is carried out. The zero value runs until its context ends, records to the default
// place and shows nothing.
type Options struct {
	For         time.Duration // how long; 0 until the context ends or the user quits
	Session     string        // where to record; "" is a new file in SessionDir
	Elsewhere   string        // what names another place for the recording; "" is --session FILE
	UI          bool          // show the terminal UI
	Progress    io.Writer     // if not nil, a line per event and now and then a line of figures (not with UI)
	Poll        time.Duration // poll interval; 0 is the poller's own default
	LogInterval time.Duration // how often device logs are read; 0 is the poller's own default
	// SaveReport, if not nil, writes a report when the user asks for one in the UI and returns its place.
	SaveReport func(report.Document) (string, error)
}

// Result is what a run came to.
type Result struct {
	Document report.Document
	Snapshot timeline.Snapshot
	Measured bool // a probe or a device gave at least one figure
	// Experiments is how many were carried out meanwhile, because the user asked for them.
	Experiments int
}

// detail is how much of a run is held in memory in full; what is older is thinned except around events. The
// recording holds all of it.
const detail = 30 * time.Minute

// settle is how long records may still arrive after a run was told to end.
const settle = 300 * time.Millisecond

// Watch runs the plan's probes and polls its devices until opt.For has passed, ctx ends or the user quits, records
// everything, and says why it dropped. An error means that the run could not begin.
func Watch(ctx context.Context, plan Plan, opt Options) (Result, error) {
	if len(plan.Probes) == 0 && len(plan.Devices) == 0 && len(plan.Syslog.Listen)+len(plan.Traps.Listen) == 0 {
		return Result{}, Usagef("nothing to do: the site file gives no probe, no device that can be asked and no receiver")
	}
	var paths *pathWatcher
	if len(plan.Learn) > 0 {
		paths = newPathWatcher(&plan)
		defer paths.reader.close()
		known := len(plan.Warnings)
		paths.start(ctx)
		if opt.Progress != nil {
			for _, text := range plan.Warnings[known:] {
				fmt.Fprintln(opt.Progress, "note: "+report.Clean(text))
			}
		}
	}
	rec, err := record(plan, opt.Session)
	if err != nil {
		if errors.Is(err, fs.ErrExist) {
			return Result{}, Exit{ExitRefused, fmt.Errorf("%s is there already; name another file", opt.Session)}
		}
		return Result{}, Exit{ExitUsage, fmt.Errorf("can't record: %w; %s names another place", err, cmp.Or(opt.Elsewhere, "--session FILE"))}
	}
	store := &timeline.Store{Detail: detail}
	sinks := []timeline.Sink{store, rec}
	if opt.Progress != nil && !opt.UI {
		p := newProgress(opt.Progress)
		sinks = append(sinks, p)
	}
	w := &watch{plan: plan, opt: opt, store: store, rec: rec, out: timeline.Tee(sinks...), catalogue: Catalogue(), paths: paths}
	if w.receiving, err = receive(plan, &w.known, w.out); err != nil {
		rec.Close()
		return Result{}, Exit{ExitUsage, err}
	}
	w.run(ctx)
	return w.result(), nil
}

// watch is one run.
type watch struct {
	plan      Plan
	opt       Options
	store     *timeline.Store
	rec       *session.Recorder
	out       timeline.Sink
	catalogue []rules.Rule
	known     intake.Known // what polling learns, for the receivers
	receiving *receiving
	problems  []string     // set by run alone
	paths     *pathWatcher // nil: no path is learnt
	gates     []*gate      // of the throughput tests

	experiments atomic.Int64
}

// run returns when everything it started has ended.
func (w *watch) run(ctx context.Context) {
	var ends time.Time
	if w.opt.For > 0 {
		ends = time.Now().Add(w.opt.For)
		var cancel context.CancelFunc
		ctx, cancel = context.WithDeadline(ctx, ends)
		defer cancel()
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var g errgroup.Group
	probers, gates := gated(w.probers())
	w.gates = gates
	if len(probers) > 0 {
		g.Go(w.part("probes", func() error { return runner.Run(ctx, probers, w.out) }))
	}
	if len(w.plan.Devices) > 0 {
		cfg := poll.Config{Devices: w.plan.Devices, Interval: w.opt.Poll, LogInterval: w.opt.LogInterval, Out: w.out, Tape: w.rec, Known: &w.known}
		g.Go(w.part("polling", func() error { return poll.Run(ctx, cfg) }))
	}
	g.Go(w.part("receiving", func() error { return w.receiving.run(ctx) }))
	g.Go(func() error { w.tellOfRecording(ctx); return nil })
	if w.paths != nil {
		g.Go(w.part("paths", func() error { w.paths.run(ctx, w.out); return nil }))
	}
	if w.opt.UI {
		if err := w.ui(ctx, ends); err != nil {
			w.problems = append(w.problems, "terminal UI: "+err.Error())
			if w.opt.Progress != nil {
				fmt.Fprintln(w.opt.Progress, "whydrop: terminal UI: "+report.Clean(err.Error())+"; the watch goes on without it")
			}
			<-ctx.Done()
		}
		stop()
	}
	if err := g.Wait(); err != nil {
		w.problems = append(w.problems, err.Error())
	}
	<-ctx.Done()
	time.Sleep(settle)
	if err := w.rec.Close(); err != nil && w.rec.Err() == nil {
		w.problems = append(w.problems, err.Error())
	}
}

// tellOfRecording says at once that the recording stopped, for a long watch would tell it a day too late. It
// returns when it has been said or ctx ends.
func (w *watch) tellOfRecording(ctx context.Context) {
	for tick := time.NewTicker(time.Second); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		if err := w.rec.Err(); err != nil {
			w.store.Put(timeline.Event{Subject: timeline.Host(timeline.LocalHost), Type: timeline.EventProbeProblem, Span: timeline.At(time.Now()),
				Text: err.Error(), Attrs: map[string]string{"kind": "recording"}})
			if w.opt.Progress != nil && !w.opt.UI {
				fmt.Fprintln(w.opt.Progress, "whydrop: "+err.Error())
			}
			return
		}
	}
}

// probers returns the probers of every path; a path that can't be probed is a problem, not the end of the others.
func (w *watch) probers() []probe.Prober {
	var out []probe.Prober
	for _, spec := range w.plan.Probes {
		ps, err := runner.Probers(spec)
		if err != nil {
			w.problems = append(w.problems, fmt.Sprintf("path %s: %v", spec.Path, err))
		}
		out = append(out, ps...)
	}
	return out
}

// part makes an error of f name what failed, and a panic an error: what was recorded so far must not be lost.
func (w *watch) part(name string, f func() error) func() error {
	return func() (err error) {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("%s ended unexpectedly: %v; the recording holds what was seen until then\n%s", name, p, debugStack())
			}
		}()
		if err := f(); err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, context.DeadlineExceeded) {
			return fmt.Errorf("%s: %w", name, err)
		}
		return nil
	}
}

// debugStack returns the stack only where somebody asked for it: a user at night is not helped by it.
func debugStack() []byte {
	if os.Getenv("WHYDROP_DEBUG") == "" {
		return nil
	}
	return debug.Stack()
}

func (w *watch) ui(ctx context.Context, ends time.Time) error {
	cfg := tui.Config{
		Site: w.plan.Topology.Site, Topology: w.plan.Topology, Source: w.store, Diagnose: w.diagnose, Ends: ends,
		Mark: func(text string) {
			w.out.Put(timeline.Event{Subject: timeline.Host(timeline.LocalHost), Type: timeline.EventMark, Span: timeline.At(time.Now()), Text: text})
		},
	}
	if len(w.plan.Probes) > 0 {
		cfg.Investigate = w.investigate
	}
	if w.opt.SaveReport != nil {
		cfg.Report = func() (string, error) { return w.opt.SaveReport(w.document(w.store.Snapshot())) }
	}
	return tui.Run(ctx, cfg)
}

func (w *watch) diagnose(s timeline.Snapshot) []rules.Diagnosis {
	return rules.Evaluate(w.catalogue, s, w.plan.Topology)
}

func (w *watch) document(s timeline.Snapshot) report.Document {
	problems := slices.Concat(w.problems, unread(s, planDevices(w.plan), planPaths(w.plan)), portless(s, w.plan.Topology))
	if err := w.rec.Err(); err != nil {
		problems = append(problems, err.Error())
	}
	found := w.diagnose(s)
	return report.Build(report.Input{
		Topology: w.plan.Topology, Snapshot: s, Diagnoses: found, Problems: problems, Session: w.rec.Path(),
		Notes:    w.receiving.notes(),
		Warnings: slices.Concat(w.plan.Warnings, unmeasured(s, planPaths(w.plan)), unexplained(s, w.plan.Topology, found)),
	})
}

func (w *watch) result() Result {
	s := w.store.Snapshot()
	return Result{Document: w.document(s), Snapshot: s, Measured: measured(s), Experiments: int(w.experiments.Load())}
}

// measured says whether any figure was had from the network. That a device did not answer is none, nor is what this
// host tells of itself.
func measured(s timeline.Snapshot) bool {
	for _, k := range s.Keys() {
		if k.Subject.Kind != timeline.KindHost && k.Subject.Device != timeline.LocalHost && k.Metric != timeline.Reachable {
			return true
		}
	}
	return false
}

func planDevices(p Plan) []string {
	var out []string
	for _, d := range p.Devices {
		out = append(out, d.Name)
	}
	return out
}

func planPaths(p Plan) []string {
	var out []string
	for _, spec := range p.Probes {
		out = append(out, spec.Path)
	}
	return out
}

// record opens the recording of a run.
func record(plan Plan, path string) (*session.Recorder, error) {
	now := time.Now().UTC()
	if path == "" {
		dir, err := SessionDir()
		if err != nil {
			return nil, err
		}
		path = filepath.Join(dir, SafeName(plan.Topology.Site)+"-"+now.Format("20060102T150405.000Z")+".whydrop")
	}
	topo, err := json.Marshal(plan.Topology)
	if err != nil {
		return nil, err
	}
	return session.Create(path, session.Meta{
		Program: "whydrop " + Version(), Site: plan.Topology.Site, Started: now, Topology: topo, Notes: plan.Warnings, Secrets: plan.Secrets,
	})
}

// SessionDir returns the folder for recordings, made if need be: $XDG_STATE_HOME/whydrop/sessions, or what stands
// for it on this system.
func SessionDir() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if base == "" {
		var err error
		if base, err = stateHome(); err != nil {
			return "", err
		}
	}
	dir := filepath.Join(base, "whydrop", "sessions")
	return dir, os.MkdirAll(dir, 0o700)
}

// stateHome returns the system's folder for data that a program keeps between runs.
func stateHome() (string, error) {
	if dir := os.Getenv("LOCALAPPDATA"); dir != "" {
		return dir, nil
	}
	h, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(h, ".local", "state"), nil
}

// SafeName makes a site's name fit for a file's.
func SafeName(s string) string {
	s = strings.Map(func(r rune) rune {
		if r < 128 && strings.ContainsRune("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_", r) {
			return r
		}
		return '-'
	}, s)
	return s[:min(len(s), 40)]
}

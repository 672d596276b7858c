package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Live stories: how many, and how many at a time. Each needs about a fifth of a core, and starting one most of a core.
const (
	liveStories  = 20
	liveQuick    = 2
	liveAtOnce   = 4
	betweenLives = 1500 * time.Millisecond
	liveSeed     = 20261130 // draws which stories are told
)

// lived is one story told over sockets, and what is made of it when it is told without waiting.
type lived struct {
	told
	quick  bool
	lagged bool // the host had no time for it
	live   report.Document
	virtue []rules.Diagnosis
	err    error
}

// live tells stories over real sockets, with real agents, SSH servers, probes and a path that really stalls and loses, and
// compares the verdicts with those of the same stories told without waiting. In quick, they are shortened ones.
func live(ctx context.Context, out io.Writer, full bool) error {
	n := liveStories
	if !full {
		n = liveQuick
	}
	list := drawnLive(n, !full)
	fmt.Fprintf(out, "the truth of %d stories:\n", len(list))
	for i := range list {
		s, err := sim.Draw(list[i].scenario, list[i].seed, sim.Options{Quick: !full})
		if err != nil {
			return err
		}
		list[i].truth = s.Truth
		fmt.Fprintf(out, "  %-34s seed %-3d %s\n", list[i].scenario, list[i].seed, truthText(s.Truth))
	}
	for i := range list {
		if list[i].virtue, list[i].err = tellWith(ctx, &list[i].told, sim.Options{Quick: !full}); list[i].err != nil {
			return list[i].err
		}
	}
	dir, err := os.MkdirTemp("", "whydrop-live-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if err := liveAll(ctx, list, dir); err != nil {
		return err
	}
	differ, busy := 0, 0
	for i := range list {
		l := &list[i]
		word := "same "
		if l.differs() {
			// This host tells the story and watches it: with several at a time it may have had no time for either.
			fmt.Fprintf(out, "  again, alone: %s seed %d, after %s\n", l.scenario, l.seed, liveText(l.live))
			if l.run(ctx, dir); l.err != nil {
				return l.err
			}
			word = "again"
		}
		got, want := liveText(l.live), virtualText(l.virtue)
		switch {
		case l.differs() && l.lagged:
			word = "busy "
			busy++
		case l.differs():
			word = "OTHER"
			differ++
		}
		fmt.Fprintf(out, "  %s %-34s seed %-3d live: %s; without waiting: %s\n", word, l.scenario, l.seed, got, want)
	}
	fmt.Fprintf(out, "%d of %d stories have the same verdict over sockets, %d could not be told because this host had no time\n", len(list)-differ-busy, len(list), busy)
	switch {
	case differ > 0:
		return fmt.Errorf("%w: %d stories are judged otherwise over sockets", errMissed, differ)
	case busy > len(list)/4:
		return fmt.Errorf("%w: this host had no time for %d of %d stories", errNotHere, busy, len(list))
	}
	return nil
}

// drawnLive draws n stories of different scenarios.
func drawnLive(n int, quick bool) []lived {
	names := sim.Sockets()
	rnd := rand.New(rand.NewPCG(liveSeed, uint64(n)))
	var list []lived
	for _, i := range rnd.Perm(len(names))[:min(n, len(names))] {
		list = append(list, lived{told: told{scenario: names[i], seed: 200 + rnd.Uint64N(100)}, quick: quick})
	}
	return list
}

func (l *lived) differs() bool { return liveText(l.live) != virtualText(l.virtue) }

// lags says whether the host that told the story and watched it had no time for it: it did not get to run for as long as
// the shortest outage, or its processor was full. What it then finds is about itself, and residual causes are not told.
func lags(s timeline.Snapshot) bool {
	over := func(m timeline.Metric, most float64) bool {
		return slices.ContainsFunc(s.Series(timeline.Host(timeline.LocalHost), m), func(x timeline.Sample) bool { return x.Value >= most })
	}
	return over(timeline.HostSchedGap, 0.05) || over(timeline.HostCPU, 0.97)
}

// run tells the story over sockets.
func (l *lived) run(ctx context.Context, dir string) {
	dir, err := os.MkdirTemp(dir, "")
	if err != nil {
		l.err = err
		return
	}
	run, err := app.Demo(ctx, l.scenario, app.DemoOptions{Seed: l.seed, Quick: l.quick, Dir: dir})
	l.lagged = lags(run.Result.Snapshot)
	if l.live, l.err = run.Result.Document, err; err != nil {
		l.err = fmt.Errorf("%s, seed %d: %w", l.scenario, l.seed, err)
	} else if !run.Complete {
		l.err = context.Cause(ctx)
	}
}

// liveAll runs the stories, some at a time.
func liveAll(ctx context.Context, list []lived, dir string) error {
	slots := make(chan struct{}, liveAtOnce)
	var wg sync.WaitGroup
	for i := range list {
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			list[i].run(ctx, dir)
		})
		select {
		case <-time.After(betweenLives):
		case <-ctx.Done():
		}
	}
	wg.Wait()
	for _, l := range list {
		if l.err != nil {
			return l.err
		}
	}
	return ctx.Err()
}

// liveText and virtualText say what the first finding is: its causes, its verdict and its place.
func liveText(d report.Document) string {
	if len(d.Findings) == 0 {
		return "nothing found"
	}
	f := d.Findings[0]
	return fmt.Sprintf("%s %s at %s", strings.Join(f.Chain, " > "), f.Verdict, strings.TrimSpace(f.Subject.Device+" "+f.Subject.Port))
}

func virtualText(found []rules.Diagnosis) string {
	if len(found) == 0 {
		return "nothing found"
	}
	d := found[0]
	name := report.NameOf(d.Subject)
	return fmt.Sprintf("%s %s at %s", strings.Join(d.Chain, " > "), d.Verdict, strings.TrimSpace(name.Device+" "+name.Port))
}

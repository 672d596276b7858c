package app

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
)

// DemoOptions says how a demo is run. The zero value runs seed 0 and shows nothing meanwhile.
type DemoOptions struct {
	Seed     uint64
	UI       bool      // show the terminal UI while the story runs
	Progress io.Writer // if not nil, lines about what happens (not with UI)
	// Quick runs shortened stories, for tests.
	Quick bool
	// Dir is where the recordings go; "" is a new temporary folder, which is left for `whydrop replay` until the next demo.
	// That of all scenarios together, of which nobody is told, is removed at the end.
	Dir string
	// SaveReport, if not nil, writes a report when the user asks for one in the UI and returns its place.
	SaveReport func(report.Document) (string, error)
}

// DemoRun is a scenario that was run: what happened there, what was found, and how the two compare.
type DemoRun struct {
	Story     *sim.Story
	Begun     time.Time // the story's moments count from here
	Result    Result
	Complete  bool // false if the run was ended before the story was
	Judgement Judgement
}

// Demo runs one scenario on a simulated site, through the same pipeline as [Watch]: nothing is known of the site
// but its site file and what its sockets say. The recording lies in a temporary folder. Demo returns an error if
// the scenario is not known, or the run could not begin.
func Demo(ctx context.Context, scenario string, opt DemoOptions) (DemoRun, error) {
	story, err := sim.Draw(scenario, opt.Seed, sim.Options{Quick: opt.Quick})
	if err != nil {
		return DemoRun{}, Exit{ExitUsage, err}
	}
	site, err := sim.Start(story)
	if err != nil {
		return DemoRun{}, Exit{ExitNotMeasured, fmt.Errorf("the simulated site can't be started: %w", err)}
	}
	if opt.Dir == "" {
		if opt.Dir, err = newDemoDir(); err != nil {
			site.Close()
			return DemoRun{}, err
		}
	}
	run, err := watchSite(ctx, site, filepath.Join(opt.Dir, SafeName(scenario)+".whydrop"), opt)
	if cerr := site.Close(); err == nil && cerr != nil {
		run.Result.Document.Problems = append(run.Result.Document.Problems, "the simulated site: "+cerr.Error())
	}
	return run, err
}

// watchSite watches a site until its story is over.
func watchSite(ctx context.Context, site *sim.Site, session string, opt DemoOptions) (DemoRun, error) {
	secrets := &Secrets{Prompt: site.Secret}
	plan, err := ParseSite("the simulated site's file", site.YAML(), secrets)
	if err != nil {
		return DemoRun{}, Exit{ExitUsage, err}
	}
	for i := range plan.Probes {
		plan.Probes[i].FarName = site.FarName() // 127.0.0.1 is every host's name here
	}
	run := DemoRun{Story: site.Story(), Begun: site.Begun()}
	ends := run.Begun.Add(run.Story.Length)
	if opt.Progress != nil && !opt.UI {
		fmt.Fprintf(opt.Progress, "watching the simulated site %s for %.0f s (scenario %s, seed %d)\n", plan.Topology.Site, run.Story.Length.Seconds(), run.Story.Name, run.Story.Seed)
	}
	run.Result, err = Watch(ctx, plan, Options{For: time.Until(ends), Session: session, Elsewhere: "TMPDIR", UI: opt.UI, Progress: opt.Progress, SaveReport: opt.SaveReport})
	if err != nil {
		return run, err
	}
	run.Complete = ctx.Err() == nil && !time.Now().Before(ends)
	run.Judgement = judge(run.Story, run.Begun, run.Result)
	return run, nil
}

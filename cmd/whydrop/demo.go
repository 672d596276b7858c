package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
	"whydrop/rules"
)

// demoFlags are the flags of the demo command.
type demoFlags struct {
	list, all, plain bool
	quick            bool // shortened stories, for tests
	seed             uint64
	format, file     string
}

func newDemo() *cobra.Command {
	var f demoFlags
	cmd := &cobra.Command{
		Use:   "demo [SCENARIO]",
		Short: "The main job on a simulated campus inside this process",
		Long: `Starts a simulated campus on loopback (real SNMP agents, real SSH servers, a path that really stalls and loses),
watches it, and says why traffic dropped. It needs no root, no device, and no network but loopback.

Scenarios: ` + strings.Join(sim.Names(), ", ") + `.`,
		Args:      atMost(1, "one scenario"),
		ValidArgs: sim.Names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReportFlags(f.format, f.file); err != nil {
				return err
			}
			switch {
			case f.list && f.all, len(args) > 0 && (f.list || f.all):
				return app.Usagef("demo: name a scenario, or --list, or --all")
			case f.list:
				return demoList(f)
			case f.all:
				return demoAll(cmd.Context(), f)
			}
			name := sim.Default
			if len(args) > 0 {
				name = args[0]
			}
			return demoOne(cmd.Context(), name, f)
		},
	}
	fl := cmd.Flags()
	fl.BoolVar(&f.list, "list", false, "list the scenarios with their right answers, without running them")
	fl.BoolVar(&f.all, "all", false, "run every scenario and compare what is found with what happened")
	fl.Uint64Var(&f.seed, "seed", 1, "draws names, ports, moments, lengths, rates and distractors")
	fl.BoolVar(&f.plain, "plain", false, "no terminal UI: lines on standard error")
	fl.BoolVar(&f.quick, "quick", false, "shortened stories, for tests")
	_ = fl.MarkHidden("quick")
	addReportFlags(cmd, &f.format, &f.file)
	addRulesFlag(cmd)
	return cmd
}

func demoList(f demoFlags) error {
	d, err := app.DemoList(f.seed)
	if err != nil {
		return err
	}
	return emitDemo(d, f)
}

func demoAll(ctx context.Context, f demoFlags) error {
	d, err := app.DemoAll(ctx, app.DemoOptions{Seed: f.seed, Quick: f.quick, Progress: os.Stderr})
	interrupted := ctx.Err() != nil
	if err != nil && !interrupted {
		return err
	}
	if err := emitDemo(d, f); err != nil {
		return err
	}
	if interrupted {
		fmt.Fprintln(os.Stderr, "interrupted: what was not complete is not counted as right")
		return app.Exit{Code: app.ExitInterrupted}
	}
	return d.Exit()
}

// emitDemo prints an answer sheet and writes it to the file, if one is named.
func emitDemo(d app.DemoDocument, f demoFlags) error {
	if err := app.WriteDemo(os.Stdout, d, f.format); err != nil {
		return err
	}
	if f.file == "" {
		return nil
	}
	var b bytes.Buffer
	if err := app.WriteDemo(&b, d, app.FormatOfFile(f.file)); err != nil {
		return err
	}
	if err := os.WriteFile(f.file, b.Bytes(), 0o666); err != nil {
		return app.Exit{Code: app.ExitUsage, Err: err}
	}
	fmt.Fprintln(os.Stderr, "report: "+f.file)
	return nil
}

func demoOne(ctx context.Context, name string, f demoFlags) error {
	opt := app.DemoOptions{Seed: f.seed, Quick: f.quick, UI: useUI(f.plain), Progress: os.Stderr, SaveReport: reportSaver("demo")}
	run, err := app.Demo(ctx, name, opt)
	if err != nil {
		return err
	}
	if err := emit(run.Result.Document, f.format, f.file); err != nil {
		return err
	}
	if !run.Complete {
		fmt.Fprintln(os.Stderr, "the story was not over: the answer is not judged")
		return app.Exit{Code: app.ExitInterrupted}
	}
	if n := run.Result.Experiments; n > 0 {
		fmt.Fprintln(os.Stderr, rules.Plural(n, "experiment")+" ran, of which the story knows nothing: the answer is not judged")
		return exitFor(run.Result.Document)
	}
	s := run.Scenario()
	for _, line := range app.DemoVerdict(s) {
		fmt.Fprintln(os.Stderr, report.Clean(line))
	}
	if !*s.Right {
		if hostWasBusy(run.Result.Document) && !slices.Contains(s.Expected.Chain, "host-limit") {
			fmt.Fprintln(os.Stderr, "this host was too busy to tell the story on time, see the findings; run it again when it is idle")
		}
		return app.Exit{Code: app.ExitFound}
	}
	return nil
}

// hostWasBusy says whether a finding names this host: a demo's devices and both ends of its path share its processor.
func hostWasBusy(d report.Document) bool {
	return slices.ContainsFunc(d.Findings, func(f report.Finding) bool { return f.ID == "host-limit" || f.ID == "tester-artefact" })
}

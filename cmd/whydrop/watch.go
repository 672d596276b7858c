package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/tui"
)

func newWatch() *cobra.Command {
	var site, session, format, file, logs, traps string
	var length time.Duration
	var plain bool
	cmd := &cobra.Command{
		Use:   "watch -f site.yaml [--for 30m]",
		Short: "Probe the site's paths, poll its devices, and say why it dropped",
		Long: `Runs the site's probes and polls its devices until --for has passed or you quit, shows both on one clock,
records everything, and on exit prints the finding and where the recording lies. In the terminal UI, ? lists the keys:
i tells the causes that still fit apart by experiment while the watch goes on, and asks before each.

What devices send by themselves is taken in at the addresses under receivers in the site file, or at --syslog and
--traps; a port alone is this host's loopback. Log lines of every common form are read over UDP, TCP and TLS, traps
and informs of SNMP version 1, 2c and 3. Who sends is told by the address; traps must have a community or a user that
the site file knows.`,
		Args: nothing("; the site file is named with -f"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkReportFlags(format, file); err != nil {
				return err
			}
			if length < 0 || cmd.Flags().Changed("for") && length == 0 {
				return app.Usagef("--for %v: want a time above 0; leave it out to watch until you quit", length)
			}
			plan, err := loadSite(site)
			if err != nil {
				return err
			}
			if err := plan.ReceiveAt(logs, traps); err != nil {
				return err
			}
			warn(plan.Warnings)
			opt := app.Options{For: length, Session: session, UI: useUI(plain), Progress: os.Stderr, SaveReport: reportSaver(plan.Topology.Site)}
			res, err := app.Watch(cmd.Context(), plan, opt)
			if err != nil {
				return err
			}
			return finish(res, format, file, cmd.Context().Err() != nil)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&site, "file", "f", "", "the site file (see: whydrop init)")
	f.DurationVar(&length, "for", 0, "how long to watch; until you quit if not given")
	f.StringVar(&session, "session", "", "record to this new `FILE` (default: a new one, whose place is printed)")
	f.StringVar(&logs, "syslog", "", "also receive log lines at `ADDR` (5514, 0.0.0.0:5514, tls://0.0.0.0:6514), whatever the site file says")
	f.StringVar(&traps, "traps", "", "also receive SNMP traps and informs at `ADDR` (5162, 0.0.0.0:5162), whatever the site file says")
	f.BoolVar(&plain, "plain", false, "no terminal UI: lines on standard error")
	addReportFlags(cmd, &format, &file)
	addRulesFlag(cmd)
	return cmd
}

// addReportFlags adds --format and --report, the same for every command that ends in a report.
func addReportFlags(cmd *cobra.Command, format, file *string) {
	cmd.Flags().StringVar(format, "format", "text", "what to print at the end: text, json, md or html")
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(app.FormatNames(), cobra.ShellCompDirectiveNoFileComp)) // the flag is there
	cmd.Flags().StringVar(file, "report", "", "also write the report to `FILE`; its name says the format (.html, .md, .json, .txt)")
}

// checkReportFlags says before a run what would fail after it.
func checkReportFlags(format, file string) error {
	if err := app.CheckFormat(format); err != nil {
		return err
	}
	return app.CheckReportFile(file)
}

func loadSite(path string) (app.Plan, error) {
	if path == "" {
		return app.Plan{}, app.Usagef("name the site file with -f; `whydrop init` writes an example")
	}
	plan, err := app.LoadSite(path, &app.Secrets{})
	if err != nil {
		return app.Plan{}, app.Exit{Code: app.ExitUsage, Err: err}
	}
	return plan, nil
}

func warn(warnings []string) {
	for _, w := range warnings {
		fmt.Fprintln(os.Stderr, "note: "+report.Clean(w))
	}
}

// useUI says whether to show the terminal UI: both ends must be a terminal, one that can be drawn on.
func useUI(plain bool) bool {
	if plain || !app.IsTerminal(os.Stdin) || !app.IsTerminal(os.Stdout) {
		return false
	}
	if err := tui.Drawable(); err != nil {
		warn([]string{err.Error() + "; lines are printed instead"})
		return false
	}
	return true
}

// reportSaver writes the reports that are asked for in the UI into the current folder.
func reportSaver(site string) func(report.Document) (string, error) {
	return func(d report.Document) (string, error) {
		name := fmt.Sprintf("whydrop-%s-%s.html", app.SafeName(site), time.Now().UTC().Format("20060102T150405Z"))
		path, err := filepath.Abs(name)
		if err != nil {
			return "", err
		}
		return path, app.SaveReport(path, d)
	}
}

// finish prints the report of a run and turns it into the exit code.
func finish(res app.Result, format, file string, interrupted bool) error {
	if err := emit(res.Document, format, file); err != nil {
		return err
	}
	switch {
	case interrupted:
		return app.Exit{Code: app.ExitInterrupted}
	case !res.Measured:
		return app.Exit{Code: app.ExitNotMeasured}
	}
	return exitFor(res.Document)
}

// emit prints the document and writes it to file, if one is named. Whatever fails, the rest is done: at the end of a long
// watch the place of its recording must not be lost.
func emit(d report.Document, format, file string) error {
	var b bytes.Buffer
	failed := app.WriteReport(&b, d, format)
	if _, err := os.Stdout.Write(b.Bytes()); err != nil && failed == nil {
		failed = err
	}
	if scrolled(b.Bytes()) {
		fmt.Fprintln(os.Stderr, "\nin short: "+strings.Join(report.Wrap(d.Headline, report.Columns-len("in short: ")), "\n          "))
	}
	if file != "" {
		if err := app.SaveReport(file, d); err != nil {
			failed = errors.Join(failed, app.Exit{Code: app.ExitUsage, Err: err})
		} else {
			fmt.Fprintln(os.Stderr, "report: "+file)
		}
	}
	if d.Session != nil {
		fmt.Fprintln(os.Stderr, "session: "+*d.Session)
	}
	return failed
}

// scrolled says whether the head of what was printed has left the screen.
func scrolled(text []byte) bool {
	_, height, err := term.GetSize(int(os.Stdout.Fd()))
	return err == nil && bytes.Count(text, []byte("\n")) >= height
}

func exitFor(d report.Document) error {
	if code := app.CodeForDocument(d); code != app.ExitOK {
		return app.Exit{Code: code}
	}
	return nil
}

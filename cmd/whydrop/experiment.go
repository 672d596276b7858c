package main

import (
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whydrop/cmd/internal/app"
	"whydrop/probe/experiment"
)

// experimentLetters are the flags of a throughput test that go with every experiment; experimentMore go with some.
var experimentLetters = []string{"client", "port", "version4", "version6", "bind", "bind-dev", "connect-timeout", "token", "tos", "dscp",
	"format", "logfile", "time", "bitrate", "sweep", "steps", "step-time", "stamp-key", "help"}

var experimentMore = map[string][]string{
	"congestion": {"window", "streams", "direction", "pacing", "disk"},
	"reverse":    {"window", "rate", "size", "streams", "pacing", "disk"},
	"window":     {"streams", "direction"},
	"set-mss":    {"window", "streams", "disk"},
	"length":     {"rate", "direction", "pacing"},
	"file":       {"disk"},
	"overwrite":  {"disk"},
}

// experimentFlags are what experiments have beside the letters of a test, as text.
type experimentFlags struct{ steps, each string }

func (in *experimentFlags) register(f *pflag.FlagSet) {
	f.String("sweep", "", "instead of a test: a sweep, of `KIND`: "+strings.Join(experiment.Kinds(), ", ")+" or ports; -t bounds its time (default 60), -b its rate")
	f.StringVar(&in.steps, "steps", "", "of --sweep: the values to try, as in 2K,64K,1M (windows, sizes, streams, bursts in datagrams) or 10M,100M (rates)")
	f.StringVar(&in.each, "step-time", "", "of --sweep: seconds of each step (default 2 to 5, less if -t asks for it)")
}

// options returns the experiment that is asked for; false: none is.
func (in *experimentFlags) options(cmd *cobra.Command, test app.ProbeOptions) (app.ExperimentOptions, bool, error) {
	f := cmd.Flags()
	if !f.Changed("sweep") {
		if f.Changed("steps") || f.Changed("step-time") {
			return app.ExperimentOptions{}, false, app.Usagef("--steps and --step-time go with --sweep")
		}
		return app.ExperimentOptions{}, false, nil
	}
	o := app.ExperimentOptions{Probe: test}
	o.Kind, _ = f.GetString("sweep")
	if !slices.Contains(experiment.Kinds(), o.Kind) {
		return o, true, app.Usagef("--sweep %s: want one of %s, ports", o.Kind, strings.Join(experiment.Kinds(), ", "))
	}
	var wrong []string
	f.Visit(func(x *pflag.Flag) {
		if !slices.Contains(experimentLetters, x.Name) && !slices.Contains(experimentMore[x.Name], o.Kind) {
			wrong = append(wrong, "--"+x.Name)
		}
	})
	switch {
	case len(wrong) > 0:
		return o, true, app.Usagef("--sweep %s and %s exclude each other", o.Kind, strings.Join(wrong, ", "))
	case o.Kind == "disk" && test.Test.File == "":
		return o, true, app.Usagef("--sweep disk: name the file with --file")
	case test.Test.Burst > 0:
		return o, true, app.Usagef("-b: a sweep takes no bursts of yours")
	}
	reference, _ := f.GetString("stamp-key")
	var err error
	if o.Key, err = secretFlag("stamp-key", reference); err != nil {
		return o, true, err
	}
	return o, true, in.numbers(f, &o)
}

func (in *experimentFlags) numbers(f *pflag.FlagSet, o *app.ExperimentOptions) error {
	if f.Changed("time") {
		if o.Most = o.Probe.Test.Time; o.Most < 3*time.Second || o.Most > time.Hour {
			return app.Usagef("-t %g: with --sweep it is the time of the whole, 3 to 3600 s", o.Most.Seconds())
		}
	}
	var err error
	if in.each != "" {
		if o.StepTime, err = app.ParseSeconds(in.each); err != nil {
			return app.Usagef("--step-time: %w", err)
		}
		if o.StepTime < 500*time.Millisecond || o.StepTime > 10*time.Minute {
			return app.Usagef("--step-time %s: want 0.5 to 600 s", in.each)
		}
	}
	if in.steps == "" {
		return nil
	}
	for _, text := range strings.Split(in.steps, ",") {
		v, err := stepValue(o.Kind, strings.TrimSpace(text))
		if err != nil {
			return app.Usagef("--steps: %w", err)
		}
		o.Values = append(o.Values, v)
	}
	return nil
}

// stepValue reads one value of a sweep, in its kind's unit.
func stepValue(kind, text string) (float64, error) {
	if kind == string(experiment.Rate) {
		return app.ParseRate(text)
	}
	n, err := app.ParseSize(text)
	return float64(n), err
}

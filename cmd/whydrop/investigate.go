package main

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/probe/runner"
)

func newInvestigate() *cobra.Command {
	var site, token, rate, budget, format, file string
	var port int
	var length time.Duration
	var yes bool
	cmd := &cobra.Command{
		Use:   "investigate [HOST]",
		Short: "Tell causes apart by experiment, the cheapest first",
		Long: `Measures the path to a far end (whydrop serve, or a stock iperf3 -s), asks which causes still fit, and runs the experiment
that tells most of them apart: each direction, a sweep over rates, sizes, windows, streams or source ports, paced against
bursts, the path's MTU, new sessions. It goes on until one cause is left, nothing more can be told apart, or the budget is
spent, and then says what a person must try. Each experiment's load is shown first; without --yes you are asked.
With -f the site's devices are polled meanwhile, and HOST may be left out if the site has one path.
Exit code 0: nothing found; 1: something found or suspected; 3: nothing could be measured, or it can't be told;
5: nobody to ask, and no --yes.`,
		Example: "  whydrop investigate 192.0.2.10 -b 200M\n  whydrop investigate -f site.yaml --yes -b 50M --budget 5G -t 3m",
		Args:    atMost(1, "one host"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReportFlags(format, file); err != nil {
				return err
			}
			opt := app.InvestigateOptions{Time: length, Out: os.Stderr}
			var host string
			if len(args) == 1 {
				host = args[0]
			}
			spec := runner.Spec{To: host, Port: uint16(port)}
			if site != "" {
				plan, err := loadSite(site)
				if err != nil {
					return err
				}
				warn(plan.Warnings)
				if spec, err = pathOf(plan, host); err != nil {
					return err
				}
				opt.Plan, opt.Path = &plan, spec.Path
			}
			if cmd.Flags().Changed("port") || spec.Port == 0 {
				spec.Port, spec.STAMPPort = uint16(port), 0
			}
			switch {
			case spec.To == "":
				return app.Usagef("name the far end: whydrop investigate HOST, or -f site.yaml")
			case port < 1 || port > 65535:
				return app.Usagef("-p %d: want 1 to 65535", port)
			case length < 30*time.Second || length > 2*time.Hour:
				return app.Usagef("-t %v: want 30s to 2h", length)
			}
			opt.STAMP, opt.STAMPKey = spec.STAMPPort, spec.STAMPKey
			t := app.TestOf(spec)
			var err error
			if rate != "" {
				if t.Rate, _, err = parseBurst(rate); err != nil {
					return app.Usagef("-b: %w", err)
				}
			}
			if budget != "" {
				if opt.Bytes, err = app.ParseSize(budget); err != nil {
					return app.Usagef("--budget: %w", err)
				}
			}
			if token != "" {
				s, err := secretFlag("token", token)
				if err != nil {
					return err
				}
				t.Token = s.Reveal()
			}
			if !yes {
				if !app.IsTerminal(os.Stdin) {
					return app.Exit{Code: app.ExitRefused, Err: fmt.Errorf("experiments put load on the path, and there is nobody to ask; --yes runs them")}
				}
				opt.Ask = askOnTerminal
			}
			opt.Probe = app.ProbeOptions{Test: t, Format: "text", Out: os.Stderr}
			doc, err := app.Investigate(cmd.Context(), opt)
			if err != nil && len(doc.Inputs) == 0 {
				return err
			}
			if eerr := emit(doc, format, file); eerr != nil {
				return eerr
			}
			if err != nil {
				return err
			}
			return exitFor(doc)
		},
	}
	f := cmd.Flags()
	f.StringVarP(&site, "file", "f", "", "the site file, whose devices are polled meanwhile")
	f.IntVarP(&port, "port", "p", 5201, "port of the far end")
	f.StringVarP(&rate, "bitrate", "b", "", "no test sends more than this `RATE`, in bit/s with K, M or G (default: what the path takes)")
	f.StringVar(&budget, "budget", "", "all experiments together send no more than this many bytes, as in 500M; needs -b")
	f.DurationVarP(&length, "time", "t", app.DefaultInvestigation, "all experiments together take no longer")
	f.StringVar(&token, "token", "", "what the far end asks for, by reference: env:NAME, file:PATH, prompt:LABEL")
	f.BoolVarP(&yes, "yes", "y", false, "run the experiments without asking")
	addReportFlags(cmd, &format, &file)
	addRulesFlag(cmd)
	return cmd
}

// pathOf returns the site's path to the host; without a host, its only one.
func pathOf(plan app.Plan, host string) (runner.Spec, error) {
	var names []string
	for _, s := range plan.Probes {
		if s.To == host || s.Path == host || host == "" && len(plan.Probes) == 1 {
			return s, nil
		}
		names = append(names, s.Path+" to "+s.To)
	}
	switch {
	case len(names) == 0:
		return runner.Spec{}, app.Usagef("the site has no path that is probed; give one of its paths probe: {to: HOST}")
	case host == "":
		return runner.Spec{}, app.Usagef("the site has %d paths that are probed; name one: %s", len(names), strings.Join(names, ", "))
	}
	return runner.Spec{}, app.Usagef("the site has no path to %s; it has %s", host, strings.Join(names, ", "))
}

func askOnTerminal(string) bool {
	fmt.Fprint(os.Stderr, "Run it? [y/N] ")
	line, err := bufio.NewReader(os.Stdin).ReadString('\n')
	return err == nil && strings.HasPrefix(strings.ToLower(strings.TrimSpace(line)), "y")
}

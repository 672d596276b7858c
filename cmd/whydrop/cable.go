package main

import (
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newCable() *cobra.Command {
	var site, traffic, path, format, file string
	var length, poll time.Duration
	var yes, whole bool
	cmd := &cobra.Command{
		Use:   "cable -f site.yaml [PORT...]",
		Short: "Certify links in service: bit errors, both ways",
		Long: `Certifies links while they carry traffic: it reads the error counters of both receiving ports and says for each direction
how many bits came, how many frames were bad, the bit error ratio with its 95 % interval (no error in N bits: below 3/N),
and whether that passes: at most 1e-8 below 1 Gbit/s, 1e-10 at 1 Gbit/s (1000BASE-T), 1e-12 above. A link fails above 1e-8,
at more than 1 Gbit/s above 1e-10; between the two it is a warning, as are a lower speed than both ends offer, half duplex,
light below the module's own threshold, a bad pair in the last cable test, and a link that was lost meanwhile. It says
how much longer it must run, and which end's cable, plug, port or optic to look at first.
Errors from before the test are shown as old and not counted. No cable test is started: that would cut the link.

PORT is DEVICE:PORT, DEVICE for all of its ports in the site file, or a port's name that one device alone has; without,
every port of the site file. LLDP and CDP tell which ports are two ends of one link, or you do: DEVICE:PORT=DEVICE:PORT. Where
the other end is not read, the one direction that is seen is certified alone.
Without --traffic what flows is watched. With it, RATE is sent each way at once over the site's probe paths; you are asked first.
It ends when all is decided, or after --for.
Exit code 0: all links pass; 1: a link fails or is worse than it should be; 3: a link is undecided; 4: all pass, but a
device could not be read or traffic not be sent; 5: nobody to ask, and no --yes; 130: interrupted.`,
		Example: `  whydrop cable -f site.yaml --for 1h
  whydrop cable -f site.yaml access1 --traffic 500M --report closet.html
  whydrop cable -f site.yaml dist1:Gi1/0/24 --format json
  whydrop cable -f site.yaml dist1:Te1/1/1=core:Te1/0/9 --for 6h --report certificates/`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := app.CheckCableOutput(format, file); err != nil {
				return err
			}
			if length < time.Second || length > 24*time.Hour {
				return app.Usagef("--for %v: want 1s to 24h", length)
			}
			if poll != 0 && (poll < 200*time.Millisecond || poll > time.Minute) {
				return app.Usagef("--poll %v: want 200ms to 1m", poll)
			}
			opt := app.CableOptions{Ports: args, For: length, Whole: whole, Poll: poll, Path: path, Progress: os.Stderr}
			if err := trafficOf(&opt, traffic, yes); err != nil {
				return err
			}
			plan, err := loadSite(site)
			if err != nil {
				return err
			}
			c, err := app.Cable(cmd.Context(), plan, opt)
			if err != nil {
				return err
			}
			if err := app.CableFormats[format](c, cmd.OutOrStdout()); err != nil {
				return err
			}
			if file != "" {
				names, err := c.Save(file)
				for _, n := range names {
					fmt.Fprintln(os.Stderr, "report: "+n)
				}
				if err != nil {
					return app.Exit{Code: app.ExitUsage, Err: err}
				}
			}
			if code := c.Code(); code != app.ExitOK {
				return app.Exit{Code: code}
			}
			return nil
		},
	}
	f := cmd.Flags()
	f.StringVarP(&site, "file", "f", "", "the site file")
	f.DurationVar(&length, "for", app.DefaultCableTime, "test no longer than this")
	f.BoolVar(&whole, "whole", false, "go on for the whole time, even when all is decided")
	f.DurationVar(&poll, "poll", 0, "how often the devices are asked (default 1s, in tests of more than half an hour less often)")
	f.StringVar(&traffic, "traffic", "", "send this `RATE` each way, in bit/s with K, M or G")
	f.StringVar(&path, "path", "", "send over this path of the site alone")
	f.BoolVarP(&yes, "yes", "y", false, "send without asking")
	f.StringVar(&format, "format", "text", "what to print at the end: text, html, json or csv")
	f.StringVar(&file, "report", "", "also write it to `FILE` (.html, .json, .csv, .txt), or a page for each link into a folder")
	return cmd
}

// trafficOf takes in what is to be sent and who is asked.
func trafficOf(opt *app.CableOptions, traffic string, yes bool) (err error) {
	if traffic == "" {
		return nil
	}
	if opt.Traffic, err = app.ParseRate(traffic); err != nil {
		return app.Usagef("--traffic: %w", err)
	}
	switch {
	case opt.Traffic <= 0:
		return app.Usagef("--traffic %s: a rate above 0 is wanted, so that a link in service is not filled by surprise", traffic)
	case yes:
		opt.Ask = func(q string) bool { fmt.Fprintln(os.Stderr, q); return true }
	case !app.IsTerminal(os.Stdin):
		return app.Exit{Code: app.ExitRefused, Err: fmt.Errorf("--traffic puts load on the path, and there is nobody to ask; --yes sends it")}
	default:
		opt.Ask = func(q string) bool { fmt.Fprintln(os.Stderr, q); return askOnTerminal(q) }
	}
	return nil
}

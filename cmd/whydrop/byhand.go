package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

// agentFlags are net-snmp's letters for an agent, for the commands that may do without a site file.
type agentFlags struct {
	site string
	app.Letters
}

func (a *agentFlags) add(cmd *cobra.Command) {
	f := cmd.Flags()
	f.StringVarP(&a.site, "file", "f", "", "the site file in which DEVICE is")
	f.StringVarP(&a.Version, "version", "v", "", "without a site file: `1, 2c or 3`, for the agent at DEVICE (HOST or HOST:PORT)")
	f.StringVarP(&a.Community, "community", "c", "", "the community, by `REFERENCE` (env:NAME, file:PATH, prompt:LABEL)")
	f.StringVarP(&a.User, "user", "u", "", "the user of version 3")
	f.StringVarP(&a.Level, "level", "l", "", "noAuthNoPriv, authNoPriv or authPriv (default: as the pass phrases allow)")
	f.StringVarP(&a.Auth, "auth", "a", "", "MD5, SHA, SHA-224, SHA-256, SHA-384 or SHA-512")
	f.StringVarP(&a.AuthPass, "auth-pass", "A", "", "the pass phrase for authentication, by `REFERENCE`")
	f.StringVarP(&a.Priv, "priv", "x", "", "DES, AES, AES-192, AES-256; with -C behind it Cisco's keys")
	f.StringVarP(&a.PrivPass, "priv-pass", "X", "", "the pass phrase for privacy, by `REFERENCE`")
	f.StringVar(&a.Context, "context", "", "the context of version 3")
	f.StringVarP(&a.Timeout, "timeout", "t", "", "how long to wait for an answer, in `seconds`")
	f.StringVarP(&a.Retries, "retries", "r", "", "how often to ask again")
}

// target returns the device that is named: by the letters, or in the site file, which may be given beside them for the
// other ends.
func (a *agentFlags) target(name string) (app.Pollable, error) {
	var out app.Pollable
	var err error
	if a.site != "" {
		if out.Plan, err = loadDiscovering(a.site); err != nil {
			return out, err
		}
	}
	if !a.Given() {
		if a.site == "" {
			return out, app.Usagef("name the site file with -f, or the agent with net-snmp's letters: -v 2c -c env:SNMP_COMMUNITY")
		}
		out.Device, err = app.PollDevice(out.Plan, name)
		return out, err
	}
	a.Host = name
	out.Device, err = a.Device(&app.Secrets{})
	return out, err
}

func newPoll() *cobra.Command {
	var in agentFlags
	var interval, format string
	var count int
	cmd := &cobra.Command{
		Use:   "poll DEVICE [PORT...] (-f site.yaml | -v 2c -c REFERENCE)",
		Short: "Show the health of ports as a live table, both ends side by side",
		Long: `Reads a device's ports every -i seconds and shows state, speed and duplex, rates and how full the link is, every error
and drop counter as what was added since the reading before, per second and since the start, how long ago the state
changed, spanning tree, optics and the neighbour. Where the site file's devices have the port at the other end, it is
read too and shown beside it. A figure that the device does not give is ?, never 0.

DEVICE is one of the site file's; its ports are those that the file names, or all that are up. Or it is an agent, with
net-snmp's letters. Secrets are given by reference, never themselves: env:NAME, file:PATH, cmd:COMMAND, prompt:LABEL.
Exit code 0: it was read; 3: it was not.`,
		Example: "  whydrop poll core-sw1 Gi1/0/24 -f site.yaml\n  whydrop poll 192.0.2.1 -v 2c -c env:SNMP_COMMUNITY -i 5\n  whydrop poll 192.0.2.1 Gi1/0/1 -v3 -l authPriv -u ops -a SHA -A env:AUTH -x AES -X env:PRIV -n 3 --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("name the device: whydrop poll DEVICE [PORT...]")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTextOrJSON(format); err != nil {
				return err
			}
			every, err := app.ParseSeconds(interval)
			if err != nil || every < 100*time.Millisecond {
				return app.Usagef("-i %s: want 0.1 seconds or more", interval)
			}
			if count < 0 {
				return app.Usagef("-n %d: want how many readings to show, or 0", count)
			}
			t, err := in.target(args[0])
			if err != nil {
				return err
			}
			return app.Poll(cmd.Context(), app.PollOptions{
				Device: t.Device, Ports: args[1:], Plan: t.Plan, Interval: every, Count: count, Format: format,
				Clear: format == "text" && count == 0 && app.IsTerminal(os.Stdout), Out: os.Stdout,
			})
		},
	}
	in.add(cmd)
	cmd.Flags().StringVarP(&interval, "interval", "i", "1", "`seconds` between readings")
	cmd.Flags().IntVarP(&count, "count", "n", 0, "how many readings to show; until you quit if 0")
	cmd.Flags().StringVar(&format, "format", "text", "what to print: text, or json for a line per port and reading")
	return cmd
}

func newWalk() *cobra.Command {
	var in agentFlags
	var format string
	var list bool
	cmd := &cobra.Command{
		Use:   "walk DEVICE TABLE-or-OID (-f site.yaml | -v 2c -c REFERENCE)",
		Short: "Read a MIB table of a device by its name",
		Long: `Walks a table by its name (ifTable, IF-MIB::ifXTable, lldpRemTable; --list names them) or whatever is below a numeric
identifier, and prints each row with the columns' names and units. Secrets are given by reference: env:NAME, file:PATH,
cmd:COMMAND, prompt:LABEL. Exit code 0: there was something; 3: there was nothing.`,
		Example: "  whydrop walk core-sw1 ifXTable -f site.yaml\n  whydrop walk 192.0.2.1 1.3.6.1.2.1.1 -v 2c -c env:SNMP_COMMUNITY --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 && !list {
				return app.Usagef("name the device and the table: whydrop walk DEVICE TABLE-or-OID")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTextOrJSON(format); err != nil {
				return err
			}
			if list {
				return app.WalkTables(os.Stdout)
			}
			t, err := in.target(args[0])
			if err != nil {
				return err
			}
			return app.Walk(cmd.Context(), app.WalkOptions{Device: t.Device, What: args[1], Format: format, Out: os.Stdout})
		},
	}
	in.add(cmd)
	cmd.Flags().BoolVar(&list, "list", false, "print the names of the tables instead")
	cmd.Flags().StringVar(&format, "format", "text", "what to print: text, or json for a line per object")
	return cmd
}

func newParse() *cobra.Command {
	o := app.ParseOptions{In: os.Stdin, Out: os.Stdout}
	cmd := &cobra.Command{
		Use:   "parse FILE [--platform NAME] [--command \"show interfaces\"]",
		Short: "Show what a capture of show commands contains, as JSON",
		Long: `Reads the text that a device printed and prints what is in it, in base units; what the text does not say is absent.
Lines that were not understood are listed under unread. The commands are told by the prompts in the text or a line
"command: ..." at its head, the platform by what its software is called; where neither is there, the parser that makes
the most of the text is taken, and "found" says so. FILE may be - for standard input. No device is asked.
Exit code 0: something was recognised; 3: nothing was.`,
		Example: "  whydrop parse capture.txt\n  ssh core-sw1 show interfaces | whydrop parse - --platform cisco_iosxe --command \"show interfaces\"",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 1 {
				return app.Usagef("name one file: whydrop parse FILE")
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			o.File = args[0]
			return app.Parse(o)
		},
	}
	cmd.Flags().StringVar(&o.Platform, "platform", "", "whose text it is, by the `NAME` that site files use")
	cmd.Flags().StringVar(&o.Command, "command", "", "the `command` that printed it")
	return cmd
}

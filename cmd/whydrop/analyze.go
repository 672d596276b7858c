package main

import (
	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newAnalyze() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "analyze FILE...",
		Short: "Say what follows from pasted tests, show interfaces, logs, facts",
		Long: `Reads what people paste and attach, in any language and with any prose around
it: iperf 2 and iperf3 as text and JSON, pings, traces by mtr and traceroute,
what a Linux host says of itself (ip -s link, ethtool -S, tc -s qdisc, ss -ti,
nstat, netstat -s, /proc/net/snmp and softnet_stat, mpstat, top, vmstat,
nf_conntrack, dmesg), tables of SIZE: RATE, show commands and logs of the
platforms that whydrop parse knows; and recordings, and facts by hand (a YAML
file; see whydrop init facts). The same command twice tells what was counted in
between. Says what each block is, what it shows, and what follows. "-" reads
standard input.

Exit code 0: nothing found; 1: something found or suspected; 2: no file can be opened; 3: nothing recognised, or it
can't be told; 4: nothing found, but a file could not be read.`,
		Example: `  whydrop analyze ticket.txt
  whydrop analyze core-sw1.log iperf3.json --report finding.html
  ssh core-sw1 show interfaces | whydrop analyze -`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return app.Usagef("name the files: whydrop analyze FILE...; - is standard input")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReportFlags(format, file); err != nil {
				return err
			}
			if err := app.CheckFiles(args); err != nil {
				return err
			}
			doc := app.Analyze(args, cmd.InOrStdin())
			if err := emit(doc, format, file); err != nil {
				return err
			}
			return exitFor(doc)
		},
	}
	addReportFlags(cmd, &format, &file)
	addRulesFlag(cmd)
	return cmd
}

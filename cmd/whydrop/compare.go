package main

import (
	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newCompare() *cobra.Command {
	var format string
	var all bool
	cmd := &cobra.Command{
		Use:   "compare A B",
		Short: "Say what changed between two recordings, probes or captures",
		Long: `Compares two files: another cable, with and without a switch, before and after a repair. Each is a recording, the
JSON of a probe, facts by hand, or a text with measurements as whydrop analyze reads it.
For each figure that both have it prints the value with its 95 % interval, and whether the difference is more than
chance would give; errors are compared per packet, so that a longer or busier record is not the worse one. The verdicts
hold together: the chance of even one false one is at most 5 %.
Exit code 0: nothing is worse in B; 1: something is; 2: a file can't be opened; 3: nothing can be
compared; 4: nothing is worse, but a part of a recording could not be read.`,
		Example: `  whydrop compare before.whydrop after.whydrop
  whydrop compare --format json monday.txt tuesday.txt`,
		Args: exactly(2, "two files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if format != "text" && format != "json" {
				return app.Usagef("--format: %q is neither text nor json", format)
			}
			c, err := app.Compare(args[0], args[1])
			if err != nil {
				return err
			}
			if format == "json" {
				if err := c.JSON(cmd.OutOrStdout()); err != nil {
					return err
				}
			} else if err := c.Text(cmd.OutOrStdout(), all); err != nil {
				return err
			}
			for _, f := range c.Figures {
				if f.Better() < 0 {
					return app.Exit{Code: app.ExitFound}
				}
			}
			if len(c.Damage()) > 0 {
				return app.Exit{Code: app.ExitPartial}
			}
			return nil
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	cmd.Flags().BoolVar(&all, "all", false, "also show what is nothing on both sides and what only one side has")
	return cmd
}

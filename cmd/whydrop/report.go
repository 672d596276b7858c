package main

import (
	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newReport() *cobra.Command {
	var format, file string
	cmd := &cobra.Command{
		Use:   "report SESSION",
		Short: "Write the finding of a recording for a NOC",
		Long: `Writes why traffic dropped, from a recording alone: what it is, where, when, how sure, what speaks for and against
it, what to do first, what was examined and what could not be. The same recording gives the same report.

Exit code 0: nothing found; 1: something found or suspected; 2: no such file; 3: it is no recording, or it can't be
told; 4: nothing found, but something could not be read.`,
		Example: `  whydrop report FILE.whydrop
  whydrop report FILE.whydrop --format html > finding.html`,
		Args: exactly(1, "one recording"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkReportFlags(format, file); err != nil {
				return err
			}
			rec, err := app.OpenRecording(args[0])
			if err != nil {
				return err
			}
			warn(rec.Damage)
			return reportOn(rec, format, file)
		},
	}
	addReportFlags(cmd, &format, &file)
	addRulesFlag(cmd)
	return cmd
}

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
		Args:  exactly(1, "one recording"),
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

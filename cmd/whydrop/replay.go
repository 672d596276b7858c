package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/tui"
)

func newReplay() *cobra.Command {
	var plain bool
	var format, file string
	cmd := &cobra.Command{
		Use:   "replay SESSION",
		Short: "Show a recording in the terminal UI exactly as it was live",
		Long:  "Shows a recording in the terminal UI exactly as it was live. Without a terminal it prints the report.",
		Args:  exactly(1, "one recording"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkReportFlags(format, file); err != nil {
				return err
			}
			rec, err := app.OpenRecording(args[0])
			if err != nil {
				return err
			}
			warn(rec.Damage)
			if useUI(plain) {
				ui := rec.UI()
				save := reportSaver(rec.Topology.Site)
				ui.Report = func() (string, error) { return save(rec.Document()) }
				if err := tui.Run(cmd.Context(), ui); err != nil {
					return app.Exit{Code: app.ExitUsage, Err: fmt.Errorf("%w; --plain prints the report", err)}
				}
			}
			return reportOn(rec, format, file)
		},
	}
	cmd.Flags().BoolVar(&plain, "plain", false, "no terminal UI: print the report")
	addReportFlags(cmd, &format, &file)
	addRulesFlag(cmd)
	return cmd
}

func reportOn(rec app.Recording, format, file string) error {
	doc := rec.Document()
	if err := emit(doc, format, file); err != nil {
		return err
	}
	return exitFor(doc)
}

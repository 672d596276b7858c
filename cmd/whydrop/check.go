package main

import (
	"os"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newCheck() *cobra.Command {
	var site string
	cmd := &cobra.Command{
		Use:   "check -f site.yaml",
		Short: "Try every device and probe of a site before the long run",
		Long: `Tries every device and probe: is it reachable, does it accept the credentials, what can be read, how long does
it take, how often does it refresh its counters, how far is its clock off; and whether a path that is to be learnt
(hops: auto, discover: true) can be. A failure says which key to change.
Exit code 0: all passed; 4: some failed; 3: all failed.`,
		Args: nothing("; the site file is named with -f"),
		RunE: func(cmd *cobra.Command, _ []string) error {
			plan, err := loadSite(site)
			if err != nil {
				return err
			}
			return app.Check(cmd.Context(), plan, os.Stdout)
		},
	}
	cmd.Flags().StringVarP(&site, "file", "f", "", "the site file (see: whydrop init)")
	return cmd
}

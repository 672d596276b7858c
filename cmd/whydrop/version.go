package main

import (
	"fmt"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newVersion() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Say which version this is, as --version does", Args: nothing(""),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintln(cmd.OutOrStdout(), "whydrop version "+app.VersionLine())
			return err
		},
	}
}

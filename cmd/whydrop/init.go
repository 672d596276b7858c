package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newInit() *cobra.Command {
	return &cobra.Command{
		Use:   "init [FILE]",
		Short: "Write a commented site file to start from",
		Long:  "Writes a commented site file to FILE (site.yaml); `-` prints it. An existing file is never replaced.",
		Args:  cobra.MaximumNArgs(1),
		RunE: func(_ *cobra.Command, args []string) error {
			path := "site.yaml"
			if len(args) > 0 {
				path = args[0]
			}
			if path == "-" {
				_, err := os.Stdout.Write(app.ExampleSite)
				return err
			}
			if err := app.WriteExample(path); err != nil {
				return err
			}
			fmt.Println(path + " written; edit it, then: whydrop check -f " + path)
			return nil
		},
	}
}

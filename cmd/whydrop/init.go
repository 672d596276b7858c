package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newInit() *cobra.Command {
	var schema bool
	cmd := &cobra.Command{
		Use:   "init [FILE] | init facts [FILE] [--schema]",
		Short: "Write a commented site file, or a file of facts, to start from",
		Long: "Writes a commented site file to FILE (site.yaml); `-` prints it. `init facts` writes a commented file of facts by hand\n" +
			"(facts.yaml) for `whydrop analyze`, and with --schema prints the JSON Schema of such files. An existing file is never replaced.",
		Args: cobra.MaximumNArgs(2),
		RunE: func(_ *cobra.Command, args []string) error {
			path, example, next := "site.yaml", app.ExampleSite, "whydrop check -f "
			if len(args) > 0 && args[0] == "facts" {
				path, example, next, args = "facts.yaml", app.ExampleFacts, "whydrop analyze ", args[1:]
				if schema {
					text, err := app.FactsSchema()
					if err == nil {
						_, err = os.Stdout.Write(text)
					}
					return err
				}
			} else if schema {
				return app.Exit{Code: app.ExitUsage, Err: errors.New("--schema belongs to init facts")}
			}
			if len(args) > 1 {
				return app.Exit{Code: app.ExitUsage, Err: fmt.Errorf("one file, not %d", len(args))}
			}
			if len(args) > 0 {
				path = args[0]
			}
			if path == "-" {
				_, err := os.Stdout.Write(example)
				return err
			}
			if err := app.WriteExample(path, example); err != nil {
				return err
			}
			fmt.Println(path + " written; edit it, then: " + next + path)
			return nil
		},
	}
	cmd.Flags().BoolVar(&schema, "schema", false, "print the JSON Schema of files of facts (with init facts)")
	return cmd
}

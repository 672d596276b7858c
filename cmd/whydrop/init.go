package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/devices"
	"whydrop/devices/inventory"
)

func newInit() *cobra.Command {
	var schema bool
	var from, format, token string
	cmd := &cobra.Command{
		Use:   "init [FILE] [--from INVENTORY] | init facts [FILE] [--schema]",
		Short: "Write a commented site file, or a file of facts, to start from",
		Long: "Writes a commented site file to FILE (site.yaml); `-` prints it. `init facts` writes a commented file of facts by hand\n" +
			"(facts.yaml) for `whydrop analyze`, and with --schema prints the JSON Schema of such files. An existing file is never replaced.\n\n" +
			"--from writes the site file for the devices of an inventory: a file, - for standard input, or https:// of a NetBox. It is told by its content:\n" +
			inventoryFormats() +
			"Secrets in an inventory are never copied: the site file has references, and says where they stood.",
		Args: atMost(2, "facts and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			if from != "" {
				if path != "site.yaml" {
					return app.Usagef("--from belongs to init without facts")
				}
				text, err := siteFrom(cmd.Context(), from, format, token)
				if err != nil {
					return app.Exit{Code: app.ExitUsage, Err: err}
				}
				example = text
			} else if format != "" || token != "" {
				return app.Usagef("--from-format and --token belong to --from")
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
	cmd.Flags().StringVar(&from, "from", "", "inventory to write the site file from: FILE, - or https://...")
	cmd.Flags().StringVar(&format, "from-format", "", "the inventory's format; default: told by its content")
	cmd.Flags().StringVar(&token, "token", "", "reference to the token of NetBox's API: env:NAME, file:PATH, cmd:COMMAND or prompt:LABEL")
	return cmd
}

// siteFrom returns the site file for an inventory.
func siteFrom(ctx context.Context, from, format, token string) ([]byte, error) {
	var secret devices.Secret
	if token != "" {
		var err error
		if secret, err = new(app.Secrets).Resolve(token); err != nil {
			return nil, fmt.Errorf("--token: %w", err)
		}
	}
	found, err := app.LoadInventory(ctx, from, format, secret)
	if err != nil {
		return nil, err
	}
	if len(found.Devices) == 0 {
		return nil, fmt.Errorf("%s: names no devices", from)
	}
	return app.SiteFromInventory(from, found), nil
}

func inventoryFormats() string {
	var b strings.Builder
	for _, f := range inventory.Formats() {
		fmt.Fprintf(&b, "  %-13s %s\n", f.Name, f.Help)
	}
	return b.String()
}

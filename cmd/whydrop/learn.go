package main

import (
	"os"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newPath() *cobra.Command {
	var site string
	o := app.LearnOptions{Out: os.Stdout}
	cmd := &cobra.Command{
		Use:   "path HOST_A HOST_B -f site.yaml",
		Short: "Find the ports between two hosts, with the evidence for each",
		Long: `Asks the devices of the site for their neighbour caches (ARP, ND), forwarding tables, LLDP and CDP neighbours,
bundles, spanning trees and redundancy states, and follows the two hosts' addresses from port to port until both ends
meet. It prints each hop with its evidence, what could not be learnt and why, and the hops: and ports: lines for the
site file. Nothing is guessed: an entry at a port that blocks, a ring, several ports for one address, and a pair of
which it is not known who carries are told, and the path is not complete then.

A host is an IP address, a name, a device of the site file, or a MAC address. The devices need no ports: there if the
path is to be learnt (hops: auto, or discover: true). Nothing is sent to the two hosts.
Exit code 0: complete; 4: a part was learnt; 3: nothing was.`,
		Example: "  whydrop path 192.0.2.10 192.0.2.20 -f site.yaml\n  whydrop path a.example.net b.example.net -f site.yaml --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return app.Usagef("name the two ends: whydrop path HOST_A HOST_B -f site.yaml")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkTextOrJSON(o.Format); err != nil {
				return err
			}
			plan, err := loadDiscovering(site)
			if err != nil {
				return err
			}
			o.From, o.To = args[0], args[1]
			return app.LearnPath(cmd.Context(), plan, o)
		},
	}
	cmd.Flags().StringVarP(&site, "file", "f", "", "the site file (see: whydrop init)")
	cmd.Flags().StringVar(&o.Format, "format", "text", "what to print: text or json")
	return cmd
}

// checkTextOrJSON is for the commands whose tables are printed as text or JSON.
func checkTextOrJSON(format string) error {
	if format != "text" && format != "json" {
		return app.Usagef("--format: %q is neither text nor json", format)
	}
	return nil
}

// loadDiscovering loads a site file whose devices need not name their ports.
func loadDiscovering(path string) (app.Plan, error) {
	if path == "" {
		return app.Plan{}, app.Usagef("name the site file with -f; `whydrop init` writes an example")
	}
	plan, err := app.LoadSiteWithoutPorts(path, &app.Secrets{})
	if err != nil {
		return app.Plan{}, app.Exit{Code: app.ExitUsage, Err: err}
	}
	return plan, nil
}

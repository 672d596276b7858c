package main

import (
	"slices"

	"github.com/spf13/cobra"

	"whydrop/probe/experiment"
)

var textOrJSON = []string{"text", "json"}

// flagValues are the values that the shell is offered for flags that have a few, by command and flag.
var flagValues = map[string]map[string][]string{
	"whydrop probe": {
		"format": textOrJSON, "sweep": append(experiment.Kinds(), "ports"), "trace": traceMethods, "by": {"stamp", "icmp", "udp", "tcp"},
	},
	"whydrop cable":         {"format": {"text", "html", "json", "csv"}},
	"whydrop compare":       {"format": textOrJSON},
	"whydrop path":          {"format": textOrJSON},
	"whydrop poll":          {"format": textOrJSON},
	"whydrop walk":          {"format": textOrJSON},
	"whydrop metrics":       {"format": {"text", "md", "json"}},
	"whydrop rules list":    {"format": textOrJSON},
	"whydrop rules explain": {"format": textOrJSON},
}

// offerValues makes completion know the values of flags in cmd and all below it.
func offerValues(cmd *cobra.Command) {
	for flag, values := range flagValues[cmd.CommandPath()] {
		_ = cmd.RegisterFlagCompletionFunc(flag, cobra.FixedCompletions(slices.Clone(values), cobra.ShellCompDirectiveNoFileComp)) // a test sees that the flag is there
	}
	for _, c := range cmd.Commands() {
		offerValues(c)
	}
}

package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

func newRules() *cobra.Command {
	cmd := &cobra.Command{
		Use:   "rules",
		Short: "List and explain the known causes, and test rules of your own",
		Long: `The causes that whydrop knows are rules: data, one YAML file a cause. Rules of your own are files like them in a
directory that --rules names (see rules/catalog/README.md); a file with a mistake is refused with file, line and key, and the
rest is used.`,
		Args: noCommand,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newRulesList(), newRulesExplain(), newRulesTest())
	return cmd
}

func newRulesList() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "list", Short: "List the causes: id, subject, strongest verdict, title", Args: nothing(""),
		RunE: func(*cobra.Command, []string) error { return app.ListRules(os.Stdout, format) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	addRulesFlag(cmd)
	return cmd
}

func newRulesExplain() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use: "explain ID", Short: "Explain one cause: thresholds, evidence, what to do", Args: exactly(1, "the id of one cause (whydrop rules list)"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) (ids []string, _ cobra.ShellCompDirective) {
			for _, r := range app.Catalogue() {
				if len(args) == 0 {
					ids = append(ids, r.ID)
				}
			}
			return ids, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error { return app.ExplainRule(os.Stdout, args[0], format) },
	}
	cmd.Flags().StringVar(&format, "format", "text", "text or json")
	addRulesFlag(cmd)
	return cmd
}

func newRulesTest() *cobra.Command {
	return &cobra.Command{
		Use: "test DIR", Short: "Judge the recorded cases of rules, DIR/testdata/ID.yaml", Args: exactly(1, "one directory"),
		Long: `Loads every *.yaml file of the directory beside the catalogue and asks all rules about the recorded cases of each, which
lie in DIR/testdata/ID.yaml: at least one of each kind, holds, silent and cannot tell. Exit code 0: all is as wanted; 1: a
case is not, or a file has a mistake; 2: the directory can't be read.`,
		RunE: func(_ *cobra.Command, args []string) error {
			ok, err := app.TestRules(os.Stdout, args[0])
			if err == nil && !ok {
				err = app.Exit{Code: app.ExitFound}
			}
			return err
		},
	}
}

// addRulesFlag adds --rules, the same for every command that diagnoses: its rules are loaded before anything else is done,
// and those that are refused are told.
func addRulesFlag(cmd *cobra.Command) {
	var dir string
	cmd.Flags().StringVar(&dir, "rules", "", "also diagnose with the rules in `DIR`; a file with a mistake is refused, the rest is used")
	cmd.PreRunE = func(*cobra.Command, []string) error {
		if dir == "" {
			return nil
		}
		refused, err := app.UseRules(dir)
		for i := range refused {
			refused[i] = "refused: " + refused[i]
		}
		warn(refused)
		if err != nil {
			return fmt.Errorf("--rules: %w", err)
		}
		return nil
	}
}

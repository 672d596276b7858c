// Command whydrop says why the network dropped: it probes a path, polls the devices on it, puts both on one
// clock and names the cause.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"syscall"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
)

// commands is the list of sub-commands in the order of help: a new one is one line here and one file beside this one.
var commands = []struct {
	title string
	list  []func() *cobra.Command
}{
	{"Begin here:", []func() *cobra.Command{newDemo, newInit, newCheck, newWatch}},
	{"What a recording says:", []func() *cobra.Command{newReport, newReplay, newCompare}},
	{"Without a site file:", []func() *cobra.Command{newAnalyze, newProbe, newIperf2, newServe}},
	{"Find out more:", []func() *cobra.Command{newInvestigate, newPath, newCable, newPoll, newWalk, newParse}},
	{"Look up:", []func() *cobra.Command{newRules, newMetrics}},
}

func main() { os.Exit(run(os.Args[1:])) }

// run executes one command line and returns its exit code. The first interrupt ends the command's context, so
// that it can report what it has; the second ends the program at once.
func run(args []string) int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	context.AfterFunc(ctx, stop)

	root := newRoot()
	root.SetArgs(withIperf2(args))
	err := root.ExecuteContext(ctx)
	if err != nil && err.Error() != "" {
		fmt.Fprintln(os.Stderr, "whydrop: "+err.Error())
	}
	return app.CodeOf(err)
}

// exactly wants so many arguments, and says which if there are more or fewer.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return app.Usagef("%s: want %s, got %d arguments", cmd.CommandPath(), what, len(args))
		}
		return nil
	}
}

// numberTrouble finds the library's own words behind ours in a flag's error.
var numberTrouble = regexp.MustCompile(`(invalid argument .* flag): .*`)

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "whydrop",
		Short:         "Says why the network dropped",
		Long:          "whydrop probes a path, polls the switches, routers and firewalls on it, and says why it dropped.",
		Version:       app.VersionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(_ *cobra.Command, err error) error {
		return app.Usagef("%s", numberTrouble.ReplaceAllString(err.Error(), "$1"))
	})
	cobra.EnableCommandSorting = false
	for _, g := range commands {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.list {
			cmd := c()
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	wrapHelp(root)
	return root
}

// Command whydrop says why the network dropped: it probes a path, polls the devices on it, puts both on one
// clock and names the cause.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"regexp"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/report"
	"whydrop/rules"
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
	{"Look up:", []func() *cobra.Command{newRules, newMetrics, newVersion}},
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
		fmt.Fprintln(os.Stderr, "whydrop: "+cleanLines(err.Error()))
	}
	return app.CodeOf(err)
}

// cleanLines returns a message of several lines in which nothing of a device or a file acts on the terminal.
func cleanLines(text string) string {
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		lines[i] = report.Clean(l)
	}
	return strings.Join(lines, "\n")
}

// exactly wants so many arguments, and says which if there are more or fewer.
func exactly(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) != n {
			return app.Usagef("%s: want %s, got %s", strings.TrimPrefix(cmd.CommandPath(), "whydrop "), what, rules.Plural(len(args), "argument"))
		}
		return nil
	}
}

// atMost wants no more than so many arguments, and says what they are if there are more.
func atMost(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > n {
			return app.Usagef("%s: want at most %s, got %s", strings.TrimPrefix(cmd.CommandPath(), "whydrop "), what, strings.Join(args, " "))
		}
		return nil
	}
}

// numberTrouble finds the library's own words behind ours in a flag's error.
var numberTrouble = regexp.MustCompile(`(invalid argument .* flag): .*`)

// noCommand refuses what is no sub-command, with those it may have been meant for.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	hint := ""
	if s := cmd.SuggestionsFor(args[0]); len(s) > 0 {
		hint = "; did you mean " + strings.Join(s, " or ") + "?"
	}
	var names []string
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			names = append(names, c.Name())
		}
	}
	return app.Usagef("unknown command %q%s (there are %s)", args[0], hint, strings.Join(names, ", "))
}

// nothing wants no arguments; hint says where what may have been meant goes.
func nothing(hint string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return app.Usagef("%s takes no argument such as %q%s", strings.TrimPrefix(cmd.CommandPath(), "whydrop "), args[0], hint)
		}
		return nil
	}
}

// flagKinds says what flags of a type want.
var flagKinds = map[string]string{
	"duration": "a time with its unit, such as 30s or 5m", "int": "a whole number", "uint64": "a whole number of 0 or more", "float64": "a number",
	"bool": "true or false",
}

// flagNamed finds the long name of the flag in such an error: for "-n, --count" flag.
var flagNamed = regexp.MustCompile(`for "(?:-\w, )?--([\w-]+)" flag$`)

// wanted adds to an error of a flag's value what the flag wants.
func wanted(cmd *cobra.Command, text string) string {
	m := flagNamed.FindStringSubmatch(text)
	if m == nil {
		return text
	}
	if f := cmd.Flags().Lookup(m[1]); f != nil && flagKinds[f.Value.Type()] != "" {
		text += ": want " + flagKinds[f.Value.Type()]
	}
	return text
}

// unknownHint says, for a flag that there is not or that lacks its value, which may have been meant or where they are listed.
func unknownHint(cmd *cobra.Command, err error) string {
	var unknown *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	help := cmd.CommandPath() + " --help"
	switch {
	case errors.As(err, &unknown):
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden {
				names = append(names, f.Name)
			}
		})
		name := unknown.GetSpecifiedName()
		if elsewhere := foreignLetters[cmd.Name()][name]; elsewhere != "" {
			return "; " + elsewhere
		}
		if n := app.Nearest(name, names); n != "" && len(name) > 1 {
			return "; did you mean --" + n + "?"
		}
		return " (" + help + " lists those there are)"
	case errors.As(err, &bare):
		return "; " + help + " says what it takes"
	}
	return ""
}

// foreignLetters say, by command, what stands for those of iperf3's letters that are typed by habit and are not here.
var foreignLetters = map[string]map[string]string{
	"probe": {
		"s": "the far end is another command: whydrop serve", "server": "the far end is another command: whydrop serve",
		"D": "only the far end goes on by itself: whydrop serve", "1": "only a far end has it, and whydrop serve goes on until it is interrupted",
		"A": "taskset(1) does that", "d": "there is nothing to debug; -V says more", "sctp": "there are TCP and, with -u, UDP",
		"fq-rate": "-b paces by the kernel where it can",
	},
	"serve": {
		"s": "it is one already; leave it out", "D": "it stays in the foreground: nohup or a service manager puts it behind",
		"1": "it goes on until it is interrupted", "c": "a test is another command: whydrop probe",
	},
}

func newRoot() *cobra.Command {
	root := &cobra.Command{
		Use:           "whydrop",
		Short:         "Says why the network dropped",
		Long:          "whydrop probes a path, polls the switches, routers and firewalls on it, and says why it dropped.",
		Version:       app.VersionLine(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return app.Usagef("%s%s", wanted(cmd, numberTrouble.ReplaceAllString(err.Error(), "$1")), unknownHint(cmd, err))
	})
	cobra.EnableCommandSorting = false
	root.SuggestionsMinimumDistance = 2
	for _, g := range commands {
		root.AddGroup(&cobra.Group{ID: g.title, Title: g.title})
		for _, c := range g.list {
			cmd := c()
			cmd.GroupID = g.title
			root.AddCommand(cmd)
		}
	}
	strictDefaults(root)
	offerValues(root)
	wrapHelp(root)
	return root
}

// strictDefaults makes the library's own commands refuse what they do not know, as ours do.
func strictDefaults(root *cobra.Command) {
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		switch c.Name() {
		case "completion":
			c.Args = noCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		case "help":
			show := c.Run
			c.Run = nil
			c.RunE = func(cmd *cobra.Command, args []string) error {
				if about, rest, err := root.Find(args); err != nil || len(rest) > 0 && about.HasSubCommands() {
					return noCommand(about, rest)
				}
				show(cmd, args)
				return nil
			}
		}
	}
}

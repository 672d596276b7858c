package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"whydrop/cmd/internal/report"
)

// Help fits the terminal it is read in.

const (
	helpColumns = 80  // where the terminal's width is not known
	helpMost    = 110 // wider lines are hard to read
)

// helpWidth returns how wide help may be.
func helpWidth() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); err == nil && w > 0 {
		return min(max(w, 40), helpMost)
	}
	return helpColumns
}

// wrapHelp makes a command and all below it print help that fits.
func wrapHelp(root *cobra.Command) {
	cobra.AddTemplateFunc("reflow", func(text string) string { return reflow(text, helpWidth()) })
	cobra.AddTemplateFunc("fitting", func(f *pflag.FlagSet) string { return optional(f.FlagUsagesWrapped(helpWidth())) })
	root.SetHelpTemplate("{{reflow (or .Long .Short)}}\n\n{{if or .Runnable .HasSubCommands}}{{.UsageString}}{{end}}")
	root.SetUsageTemplate(fitted(root.UsageTemplate()))
}

// bareValue is how the library shows a flag that may stand without its value: NAME[="what it is then"].
var bareValue = regexp.MustCompile(`([A-Z]+)\[="[^"]*"\]`)

// optional shows such values as manuals do, in as many columns: [=NAME].
func optional(usages string) string {
	return bareValue.ReplaceAllStringFunc(usages, func(all string) string {
		text := "[=" + bareValue.FindStringSubmatch(all)[1] + "]"
		return text + strings.Repeat(" ", max(0, len(all)-len(text)))
	})
}

// fitted returns a template of usage whose flags fit.
func fitted(usage string) string {
	for _, set := range []string{".LocalFlags", ".InheritedFlags"} {
		usage = strings.Replace(usage, set+".FlagUsages", "fitting "+set, 1)
	}
	return usage
}

// hanging breaks a line of a list; what does not fit stands below its last column.
func hanging(line string, width int) []string {
	at := len(line) - len(strings.TrimLeft(line, " "))
	if i := strings.LastIndex(line, "  "); i > at {
		at = i + 2
	}
	var out []string
	for i, l := range report.Wrap(line[at:], width-at) {
		if i == 0 {
			out = append(out, line[:at]+l)
			continue
		}
		out = append(out, strings.Repeat(" ", at)+l)
	}
	return out
}

// reflow breaks the lines of a text anew. A line that is indented, or follows one that ends a sentence or a heading, begins
// anew where it did.
func reflow(text string, width int) string {
	var out []string
	open := ""
	end := func() {
		if open != "" {
			out = append(out, report.Wrap(open, width)...)
		}
		open = ""
	}
	for _, line := range strings.Split(strings.TrimSpace(text), "\n") {
		switch {
		case strings.TrimSpace(line) == "":
			end()
			out = append(out, "")
			continue
		case strings.HasPrefix(line, " "):
			end()
			out = append(out, hanging(line, width)...)
			continue
		case open == "":
			open = line
		default:
			open += " " + line
		}
		if strings.HasSuffix(line, ".") || strings.HasSuffix(line, ":") {
			end()
		}
	}
	end()
	return strings.Join(out, "\n")
}

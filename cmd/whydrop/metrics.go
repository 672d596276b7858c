package main

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"whydrop/cmd/internal/app"
	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices/snmp"
)

// metricFormats are the forms in which the table of metrics is printed.
var metricFormats = map[string]func(io.Writer, []timeline.Description) error{
	"text": metricsText, "md": metricsMarkdown, "json": metricsJSON,
}

func newMetrics() *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "metrics [PART-OF-A-NAME...]",
		Short: "List every figure that is kept: unit, meaning, source",
		Long: `Lists every metric: its name, its unit, what it is a metric of, what it counts, and the MIB objects, command line
fields and probes that it comes from. With arguments, only those whose name or sources hold one of them.

A MIB object marked "not seen on a real device" is read as its MIB describes it: none of the recordings of real devices
that it was tested with has it. --format md without arguments also lists the SNMP tables.`,
		RunE: func(_ *cobra.Command, args []string) error {
			print, ok := metricFormats[format]
			if !ok {
				return app.Usagef("--format %s: want text, md or json", format)
			}
			list := chosen(timeline.Metrics(), args)
			if len(list) == 0 {
				return app.Usagef("no metric has %s in its name or sources", strings.Join(args, " or "))
			}
			if err := print(os.Stdout, list); err != nil || format != "md" || len(args) > 0 {
				return err
			}
			return tablesMarkdown(os.Stdout)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "text, md (a table for a document) or json")
	return cmd
}

// chosen returns the metrics of which any argument is part of the name or the sources; all, if there are none.
func chosen(all []timeline.Description, args []string) (out []timeline.Description) {
	for _, d := range all {
		keep := len(args) == 0
		for _, a := range args {
			a = strings.ToLower(a)
			keep = keep || strings.Contains(strings.ToLower(string(d.Metric)+"\n"+d.Name+"\n"+d.Sources), a)
		}
		if keep {
			out = append(out, d)
		}
	}
	return out
}

func metricsText(w io.Writer, list []timeline.Description) error {
	const row = "%-26s %-9s %-7s %s\n"
	var b strings.Builder
	fmt.Fprintf(&b, row, "METRIC", "UNIT", "OF", "NAME, and below it the sources")
	for _, d := range list {
		fmt.Fprintf(&b, row, d.Metric, d.Unit, d.Kind, d.Name)
		for _, line := range report.Wrap(marked(d.Sources), report.Columns-4) {
			b.WriteString("    " + line + "\n")
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

const notSeen = "not seen on a real device"

var sourceWord = regexp.MustCompile(`[a-z][A-Za-z0-9]+`)

// unseen returns the MIB objects among a metric's sources that no real device was seen to have.
func unseen(sources string) []string {
	out := []string{}
	for _, w := range sourceWord.FindAllString(sources, -1) {
		if snmp.Unseen(w) && !slices.Contains(out, w) {
			out = append(out, w)
		}
	}
	return out
}

// marked returns the sources with those marked.
func marked(sources string) string {
	return sourceWord.ReplaceAllStringFunc(sources, func(w string) string {
		if snmp.Unseen(w) {
			return w + " (" + notSeen + ")"
		}
		return w
	})
}

// cadences are how often tables are read, for a reader.
var cadences = map[snmp.Cadence]string{
	snmp.Counters: "each poll, watched ports", snmp.States: "states each poll, all rows every 30 s", snmp.Slow: "once a minute", snmp.Once: "once",
}

// tablesMarkdown lists the SNMP tables.
func tablesMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("\n| SNMP table | MIB | read | seen on |\n|---|---|---|---|\n")
	for _, t := range snmp.Tables {
		seen := "real devices"
		if t.Unseen {
			seen = notSeen
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", t.Name, markdownCell.Replace(t.MIB), cadences[t.Cadence], seen)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// markdownCell keeps a text within its cell.
var markdownCell = strings.NewReplacer("|", `\|`, "*", `\*`, "_", `\_`, "<", `\<`, "`", "\\`")

func metricsMarkdown(w io.Writer, list []timeline.Description) error {
	var b strings.Builder
	b.WriteString("| metric | unit | of | name | what it counts | sources |\n|---|---|---|---|---|---|\n")
	for _, d := range list {
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s | %s |\n", d.Metric, d.Unit, d.Kind, markdownCell.Replace(d.Name), markdownCell.Replace(d.Help), markdownCell.Replace(marked(d.Sources)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func metricsJSON(w io.Writer, list []timeline.Description) error {
	type metric struct {
		Metric  timeline.Metric `json:"metric"`
		Name    string          `json:"name"`
		Unit    string          `json:"unit"`
		Of      string          `json:"of"`
		Help    string          `json:"help"`
		Sources string          `json:"sources"`
		Unseen  []string        `json:"not_seen_on_a_real_device"`
	}
	out := make([]metric, 0, len(list))
	for _, d := range list {
		out = append(out, metric{d.Metric, d.Name, d.Unit, d.Kind.String(), d.Help, d.Sources, unseen(d.Sources)})
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(out)
}

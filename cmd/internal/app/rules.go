package app

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"whydrop/cmd/internal/report"
	"whydrop/rules"
)

// ruleLine is one rule in a list.
type ruleLine struct {
	ID       string   `json:"id"`
	Title    string   `json:"title"`
	Scopes   []string `json:"scopes"`  // of the rule and of its further ways
	AtMost   string   `json:"at_most"` // the strongest verdict that it reaches
	Harmless bool     `json:"harmless"`
	Own      bool     `json:"own"` // a user's
}

func lineOf(r rules.Rule) ruleLine {
	l := ruleLine{ID: r.ID, Title: r.Title, AtMost: string(capOf(r)), Harmless: r.Harmless}
	l.Own = !slices.ContainsFunc(rules.Default(), func(d rules.Rule) bool { return d.ID == r.ID })
	l.Scopes = []string{string(r.Scope)}
	for _, w := range r.Ways() {
		if s := string(w.Scope); s != "" && !slices.Contains(l.Scopes, s) {
			l.Scopes = append(l.Scopes, s)
		}
	}
	return l
}

// capOf returns the strongest verdict that any way of a rule reaches.
func capOf(r rules.Rule) rules.Verdict {
	order := []rules.Verdict{rules.Holds, rules.Suspected, rules.CannotTell}
	best := max(0, slices.Index(order, r.AtMost))
	for _, w := range r.Ways() {
		own := r.AtMost
		if w.AtMost != "" {
			own = w.AtMost
		}
		best = min(best, max(0, slices.Index(order, own)))
	}
	return order[best]
}

// ListRules writes the catalogue, one rule a line, as text or json.
func ListRules(w io.Writer, format string) error {
	var lines []ruleLine
	for _, r := range Catalogue() {
		lines = append(lines, lineOf(r))
	}
	switch format {
	case "json":
		return writeIndented(w, lines)
	case "text":
		tw := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
		fmt.Fprintln(tw, "ID\tAT MOST\tTITLE")
		for _, l := range lines {
			title := l.Title
			if l.Harmless {
				title += " (no fault)"
			}
			if l.Own {
				title += " (your own)"
			}
			id, most := l.ID, l.AtMost
			for _, line := range report.Wrap(title, 40) { // of 80 columns
				fmt.Fprintf(tw, "%s\t%s\t%s\n", id, most, line)
				id, most = "", ""
			}
		}
		return tw.Flush()
	}
	return Usagef("--format %s: want text or json", format)
}

func writeIndented(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// ruleText is everything about a rule that a person asks for.
type ruleText struct {
	ruleLine
	About      string          `json:"about"`
	Needs      []string        `json:"needs,omitempty"`
	Thresholds []ruleThreshold `json:"thresholds,omitempty"`
	Ways       []ruleWay       `json:"ways"` // the first is the rule's own
	Follows    []string        `json:"follows,omitempty"`
	YieldsTo   []string        `json:"yields_to,omitempty"`
	Rivals     []string        `json:"rivals,omitempty"`
	Next       []string        `json:"next"`
}

type ruleThreshold struct {
	Name   string  `json:"name"`
	Value  float64 `json:"value"`
	Source string  `json:"source"`
}

type ruleWay struct {
	Scope   string       `json:"scope"`
	AtMost  string       `json:"at_most"`
	Must    []ruleClause `json:"must"`
	For     []ruleClause `json:"for,omitempty"`
	Against []ruleClause `json:"against,omitempty"`
	Missing []ruleClause `json:"missing,omitempty"`
	Summary string       `json:"summary"`
}

// ruleClause is a condition, and what it says where it holds, or where it does not (of what must be there).
type ruleClause struct {
	If     string  `json:"if"`
	Weight float64 `json:"weight,omitempty"`
	Says   string  `json:"says,omitempty"`
}

// ExplainRule writes one rule with its thresholds and their sources, what must be there, what supports and contradicts it,
// its rivals and what to do next, as text or json.
func ExplainRule(w io.Writer, id, format string) error {
	i := slices.IndexFunc(Catalogue(), func(r rules.Rule) bool { return r.ID == id })
	if i < 0 {
		return Usagef("there is no rule %q%s (whydrop rules list names them)", id, nearestRule(id))
	}
	t := textOf(Catalogue()[i])
	switch format {
	case "json":
		return writeIndented(w, t)
	case "text":
		_, err := io.WriteString(w, folded(t.String()))
		return err
	}
	return Usagef("--format %s: want text or json", format)
}

// nearestRule names the rule whose id holds the words of another or is a typing mistake away, "" if there is none.
func nearestRule(id string) string {
	var ids []string
	for _, r := range Catalogue() {
		if strings.Contains(r.ID, id) || strings.Contains(id, r.ID) {
			return fmt.Sprintf("; did you mean %s?", r.ID)
		}
		ids = append(ids, r.ID)
	}
	if n := nearest(id, ids); n != "" {
		return fmt.Sprintf("; did you mean %s?", n)
	}
	return ""
}

func textOf(r rules.Rule) ruleText {
	t := ruleText{ruleLine: lineOf(r), About: oneLine(r.About), Needs: r.Needs, YieldsTo: r.YieldsTo, Rivals: r.Rivals}
	for name, x := range r.Thresholds {
		t.Thresholds = append(t.Thresholds, ruleThreshold{name, x.Value, x.Source})
	}
	slices.SortFunc(t.Thresholds, func(a, b ruleThreshold) int { return strings.Compare(a.Name, b.Name) })
	for _, f := range r.Follows {
		t.Follows = append(t.Follows, f.Cause)
	}
	for _, n := range r.Next {
		t.Next = append(t.Next, oneLine(n.Text))
	}
	add := func(scope rules.Scope, most rules.Verdict, symptom, when []rules.Condition, pro, con, missing []rules.Weight, summary string) {
		if scope == "" {
			scope = r.Scope
		}
		if most == "" {
			most = r.AtMost
		}
		if most == "" {
			most = rules.Holds
		}
		w := ruleWay{Scope: string(scope), AtMost: string(most), Summary: oneLine(summary), For: clauses(pro), Against: clauses(con), Missing: clauses(missing)}
		for _, c := range slices.Concat(symptom, when) {
			w.Must = append(w.Must, ruleClause{If: oneLine(c.If.Text), Says: oneLine(c.Otherwise.Text)})
		}
		t.Ways = append(t.Ways, w)
	}
	add(r.Scope, r.AtMost, r.Symptom, r.When, r.For, r.Against, r.Missing, r.Summary.Text)
	for _, w := range r.Ways() {
		add(w.Scope, w.AtMost, w.Symptom, w.When, w.For, w.Against, w.Missing, w.Summary.Text)
	}
	return t
}

func clauses(list []rules.Weight) []ruleClause {
	var out []ruleClause
	for _, w := range list {
		out = append(out, ruleClause{If: oneLine(w.If.Text), Weight: w.Weight, Says: oneLine(w.Say.Text)})
	}
	return out
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

// String writes the explanation as a person reads it. What stands in braces is filled in when the rule speaks.
func (t ruleText) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\n%s\n", t.ID, t.Title, t.About)
	if t.Harmless {
		b.WriteString("It explains what was seen, but nothing is broken.\n")
	}
	if len(t.Needs) > 0 {
		fmt.Fprintf(&b, "\nRests on: %s\n", strings.Join(t.Needs, ", "))
	}
	if len(t.Thresholds) > 0 {
		b.WriteString("\nThresholds:\n")
		for _, x := range t.Thresholds {
			fmt.Fprintf(&b, "  t.%s = %g: %s\n", x.Name, x.Value, x.Source)
		}
	}
	for i, w := range t.Ways {
		if i > 0 {
			b.WriteString("\nAnother way in which it shows")
		} else {
			b.WriteString("\nHow it shows")
		}
		fmt.Fprintf(&b, " (of a %s; at most %q):\n  says: %s\n", w.Scope, w.AtMost, w.Summary)
		ruleClauses(&b, "must be there", w.Must, "else: ")
		ruleClauses(&b, "supports it", w.For, "")
		ruleClauses(&b, "contradicts it", w.Against, "")
		ruleClauses(&b, "would settle it", w.Missing, "")
	}
	for _, x := range []struct {
		name string
		ids  []string
	}{{"May follow from", t.Follows}, {"Better explained by", t.YieldsTo}, {"Looks like", t.Rivals}} {
		if len(x.ids) > 0 {
			fmt.Fprintf(&b, "\n%s: %s\n", x.name, strings.Join(x.ids, ", "))
		}
	}
	b.WriteString("\nNext:\n")
	for i, n := range t.Next {
		fmt.Fprintf(&b, "  %d. %s\n", i+1, n)
	}
	return b.String()
}

// folded breaks the lines of a text so that they fit a terminal; what is broken off stands deeper than its line.
func folded(text string) string {
	var b strings.Builder
	for _, line := range strings.Split(strings.TrimRight(text, "\n"), "\n") {
		words := strings.TrimLeft(line, " ")
		indent := len(line) - len(words)
		head := line[:indent]
		for _, part := range report.Wrap(words, report.Columns-indent-2) {
			b.WriteString(strings.TrimRight(head+part, " ") + "\n")
			head = strings.Repeat(" ", indent+2)
			if indent == 0 {
				head = "" // prose
			}
		}
	}
	return b.String()
}

func ruleClauses(b *strings.Builder, name string, list []ruleClause, before string) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(b, "  %s:\n", name)
	for _, c := range list {
		weight := ""
		if c.Weight != 0 {
			weight = fmt.Sprintf(" (%+.2f)", c.Weight)
			if name == "contradicts it" {
				weight = fmt.Sprintf(" (%+.2f)", -c.Weight)
			}
		}
		fmt.Fprintf(b, "    %s%s\n", c.If, weight)
		if c.Says != "" {
			fmt.Fprintf(b, "      %s%s\n", before, c.Says)
		}
	}
}

// TestRules loads the rules of a directory beside the catalogue, and asks them about the cases in its testdata. It writes
// what is wrong; ok is false if anything is.
func TestRules(w io.Writer, dir string) (ok bool, err error) {
	refused, err := UseRules(dir)
	if err != nil {
		return false, err
	}
	for _, line := range refused {
		fmt.Fprintln(w, "refused: "+line)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.yaml"))
	if err != nil {
		return false, Exit{Code: ExitUsage, Err: err}
	}
	var ids []string
	for _, f := range files {
		id := strings.TrimSuffix(filepath.Base(f), ".yaml")
		if slices.ContainsFunc(Catalogue(), func(r rules.Rule) bool { return r.ID == id && lineOf(r).Own }) {
			ids = append(ids, id)
		}
	}
	bad := 0
	results := rules.CheckCases(Catalogue(), os.DirFS(dir), ids)
	for _, r := range results {
		name := r.Rule
		if r.Case != "" {
			name += ": " + r.Case
		}
		if len(r.Bad) == 0 {
			fmt.Fprintf(w, "ok      %s (%s)\n", name, r.Kind)
			continue
		}
		bad++
		for _, b := range r.Bad {
			fmt.Fprintf(w, "WRONG   %s: %s\n", name, b)
		}
	}
	fmt.Fprintf(w, "%s, %s, %d wrong, %s in files\n", rules.Plural(len(ids), "rule"), rules.Plural(len(results), "case"), bad, rules.Plural(len(refused), "mistake"))
	return bad == 0 && len(refused) == 0, nil
}

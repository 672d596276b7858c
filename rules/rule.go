package rules

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"go.yaml.in/yaml/v4"
)

// Scope says what one finding of a rule is about, and so which facts its expressions can use: run and path
// always, and the one of the same name.
type Scope string

// The scopes of a rule.
const (
	ScopePath   Scope = "path"   // a probed path as a whole
	ScopePort   Scope = "port"   // a port on a path
	ScopeMove   Scope = "move"   // spanning tree moving a path between two ports of a bridge, over all its occurrences
	ScopeFlap   Scope = "flap"   // a link on a path losing its carrier, over all its occurrences
	ScopeDevice Scope = "device" // a device on a path
	ScopeChange Scope = "change" // what devices told of one gateway group, address, guarded port or routing neighbour, over all its occurrences
	ScopeNode   Scope = "node"   // a device on a path by its tables and counters
)

// Rule is one cause: how it shows, what speaks for and against it, and what to do about it. It is read from one
// file of the catalogue; see catalog/README.md for how to write one.
type Rule struct {
	ID    string `yaml:"id"`    // the cause's stable id, the file's name
	Title string `yaml:"title"` // the cause in words, for a headline
	About string `yaml:"about"` // what it is and how it shows, with sources

	Scope Scope `yaml:"scope"`
	// Harmless says that it explains what was seen although nothing is broken.
	Harmless bool `yaml:"harmless"`
	// Residual rules look only at what no other rule explained.
	Residual bool `yaml:"residual"`
	// Names says which readings the rule rests on, for people and tests: metrics and event types.
	Needs []string `yaml:"needs"`
	// Thresholds are the figures that expressions use as t.<name>, each with where it comes from.
	Thresholds map[string]Threshold `yaml:"thresholds"`

	// Symptom must hold, and be known, for the rule to speak at all.
	Symptom []Condition `yaml:"symptom"`
	// When must hold for the cause; one that is not known makes the finding "cannot tell".
	When []Condition `yaml:"when"`
	// Host is the name of the host that the finding is about, where it is a host and not the scope's own subject.
	Host Expression `yaml:"host"`
	// Span is the time the cause was at work, where the scope's own occurrences are not meant.
	Span Expression `yaml:"span"`
	// Base is the confidence when Symptom and When hold and nothing else is known.
	Base float64 `yaml:"base"`
	// For and Against weigh further evidence, added to and taken from Base.
	For     []Weight `yaml:"for"`
	Against []Weight `yaml:"against"`
	// HoldsAt and SuspectedAt are the least confidences of the two verdicts; 0 means 0.7 and 0.35.
	HoldsAt     float64 `yaml:"holds_at"`
	SuspectedAt float64 `yaml:"suspected_at"`
	// AtMost caps the verdict, for what can be seen but never proven.
	AtMost Verdict `yaml:"at_most"`
	// Missing is said when the finding is "cannot tell" or suspected, beside the readings that are not known.
	Missing []Weight `yaml:"missing"`

	// Follows names causes of which this one is a consequence when it comes shortly after them.
	Follows []Follow `yaml:"follows"`
	// YieldsTo names causes that explain the same better when they hold at the same time.
	YieldsTo []string `yaml:"yields_to"`
	// Rivals are causes that look alike; the finding says why they were not chosen.
	Rivals []string `yaml:"rivals"`
	// OnePerPath says that several candidates of one path at one time are the same trouble seen at several
	// places (both ends of a link): the best is told.
	OnePerPath bool `yaml:"one_per_path"`

	Summary     Text   `yaml:"summary"`     // as a finding of its own
	Consequence Text   `yaml:"consequence"` // as a link of a chain
	Next        []Text `yaml:"next"`

	// Told is the way in which it is suspected because people tell of it.
	Told *Told `yaml:"told"`
	// Also are further ways in which the same cause shows.
	Also []Way `yaml:"also"`

	file   string
	ways   []*Rule // Also, each with what it has from the rule
	told   string  // of a way: the topic by which people tell of the cause; "" if figures do
	last   bool    // of a way: told only if nothing else is found at all
	abroad bool    // of a way: its scope is not the rule's
}

// Way is a further way in which a rule's cause shows, asked beside the first, with conditions and evidence of its own.
// What it leaves out of title, scope, host, span, verdict limits, consequence and (in the same scope) next it has from the rule,
// and always the rule's id, thresholds, follows, yields_to, rivals and harmless.
type Way struct {
	Title       string      `yaml:"title"`
	Scope       Scope       `yaml:"scope"`
	Symptom     []Condition `yaml:"symptom"`
	When        []Condition `yaml:"when"`
	Host        Expression  `yaml:"host"`
	Span        Expression  `yaml:"span"`
	Base        float64     `yaml:"base"`
	For         []Weight    `yaml:"for"`
	Against     []Weight    `yaml:"against"`
	HoldsAt     float64     `yaml:"holds_at"`
	SuspectedAt float64     `yaml:"suspected_at"`
	AtMost      Verdict     `yaml:"at_most"`
	Last        bool        `yaml:"last"` // told only if nothing else is found at all
	Missing     []Weight    `yaml:"missing"`
	Summary     Text        `yaml:"summary"`
	Consequence Text        `yaml:"consequence"`
	Next        []Text      `yaml:"next"`
}

// Ways returns the further ways in which the cause shows, that of Told last.
func (r *Rule) Ways() []Way {
	if r.Told == nil {
		return r.Also
	}
	return append(slices.Clone(r.Also), r.Told.spelled())
}

// way returns the rule with the conditions and texts of one of its ways.
func (r *Rule) way(w Way) *Rule {
	out := *r
	out.Also, out.Told, out.ways, out.Needs = nil, nil, nil, nil
	out.Symptom, out.When, out.Base, out.For, out.Against, out.Missing, out.Summary = w.Symptom, w.When, w.Base, w.For, w.Against, w.Missing, w.Summary
	out.Host, out.Span, out.Title, out.last = w.Host, w.Span, cmp.Or(w.Title, r.Title), w.Last
	if w.Scope != "" && w.Scope != r.Scope {
		out.Scope, out.Consequence, out.Next = w.Scope, Text{}, nil
		out.abroad = true
	}
	if w.Consequence.Text != "" {
		out.Consequence = w.Consequence
	}
	if len(w.Next) > 0 {
		out.Next = w.Next
	}
	out.Next = slices.Clone(out.Next)
	for i, n := range out.Next {
		out.Next[i] = Text{Text: n.Text, Line: n.Line} // compiled anew
	}
	out.Consequence = Text{Text: out.Consequence.Text, Line: out.Consequence.Line}
	if w.HoldsAt != 0 {
		out.HoldsAt = w.HoldsAt
	}
	if w.SuspectedAt != 0 {
		out.SuspectedAt = w.SuspectedAt
	}
	if w.AtMost != "" {
		out.AtMost = w.AtMost
	}
	return &out
}

// Threshold is a figure and where it comes from.
type Threshold struct {
	Value  float64 `yaml:"value"`
	Source string  `yaml:"source"`
}

// Condition must hold.
type Condition struct {
	If        Expression `yaml:"if"`
	Otherwise Text       `yaml:"otherwise"` // why the cause was not chosen, if this does not hold
}

// Weight is one piece of evidence.
type Weight struct {
	If     Expression `yaml:"if"`
	Weight float64    `yaml:"weight"`
	Say    Text       `yaml:"say"`
	// Required evidence that is not known keeps the finding from more than "suspected".
	Required bool `yaml:"required"`
	// Metric and Value make it a figure of the report: a metric's id or an event's type, and an expression in
	// its unit. Of names whose: path or the scope (the default).
	Metric string     `yaml:"metric"`
	Value  Expression `yaml:"value"`
	Of     Scope      `yaml:"of"`
}

// Follow says after which cause, how long after it at most, and on what condition; without one, on none.
type Follow struct {
	Cause  string     `yaml:"cause"`
	Within Duration   `yaml:"within"`
	If     Expression `yaml:"if"`
}

// Duration is a length of time as YAML writes it: 8s.
type Duration time.Duration

// UnmarshalYAML reads a duration.
func (d *Duration) UnmarshalYAML(n *yaml.Node) error {
	v, err := time.ParseDuration(n.Value)
	if err != nil {
		return fmt.Errorf("%q is no duration like 8s", n.Value)
	}
	*d = Duration(v)
	return nil
}

// holdsAt and suspectedAt return the least confidences of the verdicts.
func (r *Rule) holdsAt() float64 { return orDefault(r.HoldsAt, 0.7) }

func (r *Rule) suspectedAt() float64 { return orDefault(r.SuspectedAt, 0.35) }

func orDefault(v, def float64) float64 {
	if v == 0 {
		return def
	}
	return v
}

package rules

import (
	"regexp"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
)

// Told is a way in which a cause is suspected because somebody tells of it in plain words, beside an event or a test, and no figure
// does: "the port is err-disabled". It can never hold; figures and events that are dated say more where there are any.
type Told struct {
	Says    string     `yaml:"says"`    // a topic of sightings.yaml or words.yaml
	If      Expression `yaml:"if"`      // what must hold besides, over the facts of the path; "": nothing
	Base    float64    `yaml:"base"`    // 0: 0.42
	Summary Text       `yaml:"summary"` // has {tests.teller('TOPIC')} for where it is told of
	Missing Text       `yaml:"missing"` // what to read to settle it
	Next    []Text     `yaml:"next"`    // as in a [Way]; may be left out where the rule's scope is the path
}

const (
	hearsayBase = 0.42
	// Each of these makes it likelier that something was wrong at all.
	hearsayLoss = 0.05
	hearsaySlow = 0.03
)

// spelled returns it as a way like others.
func (t Told) spelled() Way {
	line := t.If.Line
	w := Way{
		Scope:   ScopePath,
		Symptom: []Condition{{If: Expression{Text: "tests.watched == 0 and tests.tells('" + t.Says + "') and not surely(tests.well == 1)", Line: line}, Otherwise: Text{Text: "nobody tells of it, or the path is well", Line: line}}},
		Base:    orDefault(t.Base, hearsayBase),
		AtMost:  Suspected,
		For: []Weight{
			{If: Expression{Text: "true", Line: line}, Say: Text{Text: "it was written: {tests.quote('" + t.Says + "')}", Line: line}},
			{If: Expression{Text: "surely(tests.loss_max >= 0.005)", Line: line}, Weight: hearsayLoss, Say: Text{Text: "tests lost up to {percent(tests.loss_max)}", Line: line}, Metric: string(timeline.EventResult), Value: Expression{Text: "tests.loss_max", Line: line}},
			{If: Expression{Text: "surely(tests.unmet > 0 or tests.stops == 1 or tests.hangs == 1)", Line: line}, Weight: hearsaySlow, Say: Text{Text: "a transfer was slow or stood", Line: line}},
		},
		Missing: []Weight{{If: Expression{Text: "true", Line: line}, Say: t.Missing}},
		Summary: t.Summary,
		Next:    t.Next,
	}
	if !t.If.IsZero() {
		w.Symptom = append(w.Symptom, Condition{If: t.If})
	}
	return w
}

// teller is a sentence that a person wrote down, and what of: a path, a host, a device or a port.
type teller struct {
	words   string // as they were written
	said    string // in small letters
	text    string // the same with the names of what it is about in front
	subject timeline.Subject
}

func tellerOf(e timeline.Event) teller {
	said := heard(e.Text)
	return teller{e.Text, said, strings.ToLower(strings.TrimLeft(e.Device+" "+e.Name+": ", " :")) + said, e.Subject}
}

// quoted returns a sentence as a quotation, the beginning of a long one.
func quoted(s string) string {
	const longest = 120
	s = strings.Join(strings.Fields(s), " ")
	if r := []rune(s); len(r) > longest {
		s = string(r[:longest-3]) + "..."
	}
	return `"` + s + `"`
}

// longAgo are words for a time that explains nothing of today.
var longAgo = regexp.MustCompile(`^.{0,30}\b((weeks?|months?|years?) ago|last (month|year))\b`)

// inVain are words for what was tried and did not help.
var inVain = regexp.MustCompile(`\b((nothing|none of (it|them|that|these|this)|neither|never)( \w+)? (help|solv|fix|cur)\w*|(no|without( any)?) (difference|effect|improvement)|n't (help|solve|fix|cure)|not (help|solve|fix|cure)\w*)\b`)

// toldOf returns the first sentence of a person, or else the note of one of these tests, that tells that the topic is the case;
// its subject is none if it was a test.
func (t *hearsay) toldOf(name string, tests []result) (_ teller, ok bool) {
	topic := topics[name]
	if topic == nil {
		return teller{}, false
	}
	claims := func(text string) bool {
		if inVain.MatchString(text) {
			return false // it tells what was tried
		}
		return slices.ContainsFunc(topic.FindAllStringSubmatchIndex(text, -1), func(loc []int) bool {
			return !deniedWords.MatchString(clause(text[:loc[2]], true)) && !longAgo.MatchString(text[loc[3]:])
		})
	}
	for _, x := range t.tellers {
		if claims(x.text) {
			return x, true
		}
	}
	for _, r := range tests {
		if claims(r.words) {
			return teller{words: r.event.Attrs["note"]}, true
		}
	}
	return teller{}, false
}

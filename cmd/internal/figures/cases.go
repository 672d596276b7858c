package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"

	"whydrop/cmd/internal/app"
	"whydrop/rules"
)

// Where the cases' labels and their facts lie, seen from the module's root.
const (
	labelsDir = "../shared/cases"
	factsDir  = "cmd/internal/app/testdata/cases"
)

// labelled are the causes that stand behind the labels which are no ids; of all others, underscores are hyphens.
var labelled = map[string][]string{
	"autonegotiation":            {"duplex-mismatch", "speed-fallback"},
	"averaging_hides_saturation": {"microburst"},
	"bottleneck_100m":            {"speed-fallback"},
	"bufferbloat_or_burst":       {"shaper"},
	"flow_control_hol":           {"flow-control"},
	"flow_control_off":           {"flow-control"},
	"forwarding_fault":           {"silent-drop"},
	"half_duplex_medium":         {"half-duplex-segment"},
	"host_cpu":                   {"host-limit"},
	"loss_localised_midpath":     {"silent-drop"},
	"microburst_small_buffer":    {"microburst"},
	"middlebox_inline":           {"inline-middlebox"},
	"physical_layer":             {"bad-cable", "optics-low-power", "bad-port"},
	"qos_default_queue":          {"qos-queue"},
	"router_cpu_or_memory":       {"input-queue-overrun", "control-plane-cpu"},
	"saturated_link_no_fault":    {"link-saturated"},
	"sender_bursts_policer":      {"sender-burst", "policer"},
	"shaper_queue":               {"shaper"},
	"speed_step_small_buffer":    {"shallow-buffer"},
	"tester_limit":               {"host-limit", "tester-artefact"},
	"userspace_encap":            {"encapsulation-overhead"},
	"window_limited":             {"tcp-window"},
}

func causesOf(label string) []string {
	if ids, ok := labelled[label]; ok {
		return ids
	}
	return []string{strings.ReplaceAll(label, "_", "-")}
}

// caseLabel is what a case turned out to be.
type caseLabel struct {
	ID     string `yaml:"id"`
	Label  string `yaml:"label"`
	Expect string `yaml:"expect"` // cause, family, abstain
}

// casesTarget are the shares that are asked for, by what is expected.
var casesTarget = map[string]float64{"cause": 0.85, "family": 0.85, "abstain": 1}

// cases judges the catalogue by the cases.
func cases(_ context.Context, w io.Writer, _ bool) error {
	files, err := filepath.Glob(filepath.Join(labelsDir, "*.yaml"))
	if err != nil {
		return err
	}
	if len(files) == 0 {
		return fmt.Errorf("%w: %s is not there: run it from the module's root, with the cases beside it", errNotHere, labelsDir)
	}
	right, all := map[string]int{}, map[string]int{}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		var label caseLabel
		if err := yaml.Unmarshal(text, &label); err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		found, err := diagnoseCase(label.ID)
		if err != nil {
			return err
		}
		ok := judgeCase(label, found)
		all[label.Expect]++
		word := "WRONG"
		if ok {
			right[label.Expect]++
			word = "right"
		}
		fmt.Fprintf(w, "%s %-7s %-30s want %-40s got %s\n", word, label.Expect, label.ID, strings.Join(causesOf(label.Label), "|"), firstThree(found))
	}
	for _, e := range []string{"cause", "family", "abstain"} {
		if all[e] > 0 {
			fmt.Fprintf(w, "%-7s %d of %d right (%.0f %%), wanted %.0f %%\n", e, right[e], all[e], 100*float64(right[e])/float64(all[e]), 100*casesTarget[e])
		}
	}
	for e, n := range all {
		if float64(right[e]) < casesTarget[e]*float64(n) {
			return fmt.Errorf("%w: %s", errMissed, e)
		}
	}
	return nil
}

func diagnoseCase(id string) ([]rules.Diagnosis, error) {
	name := filepath.Join(factsDir, id+".yaml")
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	f, err := app.ParseFacts(name, text)
	if err != nil {
		return nil, err
	}
	return f.Diagnose(), nil
}

// judgeCase says whether the findings are right: the cause first, the family among the first three, or for a case that
// nobody solved and for a harmless one nothing above suspected that blames something.
func judgeCase(c caseLabel, found []rules.Diagnosis) bool {
	wanted := causesOf(c.Label)
	is := func(d rules.Diagnosis) bool {
		return d.Verdict != rules.CannotTell && slices.ContainsFunc(wanted, func(id string) bool { return slices.Contains(d.Chain, id) })
	}
	switch c.Expect {
	case "cause":
		return len(found) > 0 && is(found[0])
	case "family":
		return slices.ContainsFunc(found[:min(3, len(found))], is)
	}
	return !slices.ContainsFunc(found, func(d rules.Diagnosis) bool { return d.Verdict == rules.Holds && d.Fault && !is(d) })
}

func firstThree(found []rules.Diagnosis) string {
	var out []string
	for _, d := range found[:min(3, len(found))] {
		out = append(out, fmt.Sprintf("%s %s %.2f", strings.Join(d.Chain, ">"), d.Verdict, d.Confidence))
	}
	if len(out) == 0 {
		return "nothing"
	}
	return strings.Join(out, ", ")
}

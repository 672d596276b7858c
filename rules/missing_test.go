package rules

import (
	"reflect"
	"testing"

	"whydrop/correlate/timeline"
)

func TestEveryWantedTestIsOfAFact(t *testing.T) {
	facts := map[string]bool{}
	for f := range reflect.TypeFor[testFacts]().Fields() {
		facts[f.Tag.Get("expr")] = true
	}
	for name := range wantedTest {
		if !facts[name] {
			t.Errorf("there is no fact tests.%s", name)
		}
	}
}

func TestWhatIsMissingIsATestThatSomebodyCanRun(t *testing.T) {
	m := &match{cand: &candidate{env: map[string]any{"tests": &testFacts{WindowFit: nan}}}}
	m.miss(timeline.Snapshot{}, Expression{reads: []string{"tests.window_fit"}})
	if len(m.missing) != 1 || m.missing[0] != wantedTest["window_fit"] {
		t.Errorf("missing %q", m.missing)
	}
}

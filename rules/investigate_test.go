package rules

import (
	"slices"
	"testing"
)

func TestTrials(t *testing.T) {
	tests := []struct {
		name       string
		open, done []string
		want       string // the first; "" none
	}{
		{"a policer from a shaper", []string{"policer", "shaper"}, nil, "direction"},
		{"a policer from a shaper, both ways known", []string{"policer", "shaper"}, []string{"direction"}, "rate"},
		{"a cable from bursts", []string{"bad-cable", "microburst"}, []string{"direction", "rate"}, "pacing"},
		{"a member from a silent drop", []string{"lag-member", "silent-drop"}, []string{"direction", "rate", "streams"}, "ports"},
		{"one cause is settled", []string{"bad-cable"}, nil, ""},
		{"causes that no experiment tells apart", []string{"bad-cable", "optics-low-power"}, nil, ""},
		{"everything done", []string{"policer", "shaper"}, Experiments(), ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := ""
			if list := Trials(tt.open, tt.done); len(list) > 0 {
				got = list[0].Experiment
				if list[0].Apart <= 0 || list[0].Why == "" {
					t.Errorf("%+v", list[0])
				}
			}
			if got != tt.want {
				t.Errorf("first %q, want %q: %+v", got, tt.want, Trials(tt.open, tt.done))
			}
		})
	}
}

func TestUndecided(t *testing.T) {
	catalogue := []Rule{{ID: "policer", Rivals: []string{"shaper"}}, {ID: "bad-cable"}, {ID: "silent-drop", Residual: true}}
	one := func(id string, v Verdict, c float64) Diagnosis {
		return Diagnosis{Chain: []string{id}, Verdict: v, Confidence: c}
	}
	tests := []struct {
		name  string
		found []Diagnosis
		want  []string
	}{
		{"nothing found", nil, nil},
		{"one that holds", []Diagnosis{one("policer", Suspected, 0.5), one("bad-cable", Holds, 0.9)}, []string{"bad-cable"}},
		{"a suspicion and its rival", []Diagnosis{one("policer", Suspected, 0.5)}, []string{"policer", "shaper"}},
		{"the likelier first", []Diagnosis{one("bad-cable", Suspected, 0.4), one("policer", Suspected, 0.6)}, []string{"policer", "shaper", "bad-cable"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Undecided(tt.found, catalogue); !slices.Equal(got, tt.want) {
				t.Errorf("%v, want %v", got, tt.want)
			}
		})
	}
	if got := slices.Sorted(slices.Values(cheapest)); !slices.Equal(got, Experiments()) {
		t.Errorf("experiments %v, and %v", got, Experiments())
	}
	open := Undecided([]Diagnosis{one("silent-drop", Suspected, 0.5)}, catalogue)
	if open[0] != "silent-drop" || !slices.Contains(open, "policer") || !slices.Contains(open, "lag-member") {
		t.Errorf("loss without a cause leaves %v", open)
	}
}

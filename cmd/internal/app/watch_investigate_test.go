package app

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/probe/runner"
	"whydrop/rules"
)

// watching is a watch of one path whose far end is this host, with nothing running.
func watching(records ...timeline.Record) *watch {
	store := &timeline.Store{}
	for _, r := range records {
		store.Put(r)
	}
	plan := Plan{
		Topology: correlate.Topology{Paths: []correlate.Path{{Name: "a-b", To: "127.0.0.1"}}},
		Probes:   []runner.Spec{{Path: "a-b", To: "127.0.0.1", Port: 9}},
	}
	return &watch{plan: plan, store: store, out: store, catalogue: rules.Default()}
}

func TestAWatchIsInvestigatedByWhatItKnows(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)
	var lossy []timeline.Record
	for i := range 60 {
		loss := 0.0
		if i > 20 {
			loss = 0.03
		}
		sp := timeline.Span{From: at.Add(time.Duration(i) * time.Second), To: at.Add(time.Duration(i+1) * time.Second)}
		lossy = append(lossy, timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.LossForward, Span: sp, Value: loss})
	}
	for _, tt := range []struct {
		name  string
		known []timeline.Record
		first string // of what is asked
		says  string
	}{
		{"nothing is known: whether anything is wrong at all", nil, "Experiment 1, direction", "No experiment was carried out"},
		{"it loses: what tells most of the causes apart", lossy, "Experiment 1, ", "still possible: "},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var asked, said []string
			err := watching(tt.known...).investigate(t.Context(), "a-b",
				func(q string) bool { asked = append(asked, q); return false },
				func(line string) { said = append(said, line) })
			if err != nil {
				t.Fatal(err)
			}
			if len(asked) == 0 || !strings.HasPrefix(asked[0], tt.first) || strings.Contains(asked[0], "-b bounds") {
				t.Errorf("asked %q, want %q first", asked, tt.first)
			}
			if all := strings.Join(said, "\n"); !strings.Contains(all, tt.says) {
				t.Errorf("said\n%s\nwant %q in it", all, tt.says)
			}
		})
	}
}

func TestAPathWithoutAProbeCannotBeInvestigated(t *testing.T) {
	err := watching().investigate(t.Context(), "c-d", nil, nil)
	if err == nil || !strings.Contains(err.Error(), "c-d") {
		t.Errorf("got %v", err)
	}
}

func TestWhatIsWrittenIsSaidInLines(t *testing.T) {
	var got []string
	l := &lines{say: func(s string) { got = append(got, s) }}
	for _, s := range []string{"one\ntw", "o", "\n", "\nrest"} {
		fmt.Fprint(l, s)
	}
	l.end()
	if want := []string{"one", "two", "", "rest"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

package tui

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gdamore/tcell/v2"
	"github.com/google/go-cmp/cmp"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// at returns the model of a case at so many seconds after its beginning; diagnoses are known from the moment their
// first outage or their span has begun.
func at(c reporttest.Case, seconds float64) *Model {
	now := reporttest.At(seconds)
	var ds []rules.Diagnosis
	for _, d := range c.Diagnoses {
		if now.Sub(d.Span.From) > 6*time.Second || now.After(d.Span.To) {
			ds = append(ds, d)
		}
	}
	return NewModel(c.Snapshot().Until(now), c.Topology, ds, now)
}

// screenOf draws the model through the primitive on a simulated terminal and returns its text.
func screenOf(t *testing.T, m *Model, width, height int, set func(*state)) string {
	t.Helper()
	screen := tcell.NewSimulationScreen("UTF-8")
	if err := screen.Init(); err != nil {
		t.Fatal(err)
	}
	defer screen.Fini()
	screen.SetSize(width, height)
	u := newUI(Config{Mark: func(string) {}, Report: func() (string, error) { return "", nil }, Investigate: noExperiments}, fancy)
	u.model = m
	if set != nil {
		set(&u.state)
	}
	u.root.SetRect(0, 0, width, height)
	u.root.Draw(screen)
	screen.Show()
	return textOf(screen)
}

// textOf returns what stands on a simulated terminal, without trailing blanks.
func textOf(screen tcell.SimulationScreen) string {
	cells, width, height := screen.GetContents()
	var b strings.Builder
	for y := range height {
		var line strings.Builder
		for x := 0; x < width; x++ {
			c := cells[y*width+x]
			if len(c.Runes) == 0 {
				line.WriteByte(' ')
				continue
			}
			line.WriteString(string(c.Runes))
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}

func noExperiments(context.Context, string, func(string) bool, func(string)) error { return nil }

func page(i int) func(*state) { return func(s *state) { s.page = i } }

// shots are the screens of the goldens.
var shots = []struct {
	name    string
	story   func() reporttest.Case
	seconds float64
	set     func(*state)
}{
	{"overview before anything", reporttest.Failover, 12, page(0)},
	{"overview while it is down", reporttest.Failover, 34, page(0)},
	{"overview after it came back", reporttest.Failover, 60, page(0)},
	{"overview at the end", reporttest.Failover, 90, page(0)},
	{"overview of a bad cable", reporttest.BadCable, 60, page(0)},
	{"overview of a blind switch", reporttest.Blind, 60, page(0)},
	{"overview of a healthy path", reporttest.Healthy, 90, page(0)},
	{"overview of nothing", reporttest.Nothing, 0, page(0)},
	{"overview of hostile text", reporttest.Hostile, 20, page(0)},
	{"ports", reporttest.Failover, 60, page(1)},
	{"ports by errors", reporttest.BadCable, 60, func(s *state) { s.page, s.column = 1, 5 }},
	{"ports of hostile text", reporttest.Hostile, 20, page(1)},
	{"events", reporttest.Failover, 90, page(2)},
	{"events filtered", reporttest.Failover, 90, func(s *state) { s.page, s.filter = 2, "outage" }},
	{"events of hostile text", reporttest.Hostile, 20, page(2)},
	{"findings", reporttest.Failover, 90, page(3)},
	{"findings of a healthy path", reporttest.Healthy, 90, page(3)},
	{"findings of hostile text", reporttest.Hostile, 20, page(3)},
	{"port", reporttest.BadCable, 60, func(s *state) { s.page, s.over, s.port = 1, portOverlay, timeline.Port("dist-a", "Gi1/0/24") }},
	{"port with everything", everything, 60, func(s *state) { s.page, s.over, s.port = 1, portOverlay, timeline.Port("dist-a", "Gi1/0/1") }},
	{"port of hostile text", reporttest.Hostile, 20, func(s *state) {
		s.page, s.over, s.port = 1, portOverlay, reporttest.Hostile().Snapshot().Events()[0].Subject
	}},
	{"investigation to begin", reporttest.BadCable, 60, func(s *state) { s.over = inquiryOverlay }},
	{"investigation that asks", reporttest.BadCable, 60, func(s *state) { s.over, s.inquiry = inquiryOverlay, &inquiry{course: asking} }},
	{"investigation that is over", reporttest.BadCable, 60, func(s *state) { s.over, s.inquiry = inquiryOverlay, &inquiry{course: over} }},
	{"overview while it is asked", reporttest.BadCable, 60, func(s *state) { s.inquiry = &inquiry{course: asking} }},
	{"help", reporttest.Failover, 60, func(s *state) { s.over = helpOverlay }},
	{"frozen replay", reporttest.Failover, 60, func(s *state) { s.replay, s.frozen = true, true }},
}

func TestScreens(t *testing.T) {
	for _, shot := range shots {
		for _, size := range [][2]int{{80, 24}, {120, 40}} {
			t.Run(fmt.Sprintf("%s %dx%d", shot.name, size[0], size[1]), func(t *testing.T) {
				got := screenOf(t, at(shot.story(), shot.seconds), size[0], size[1], shot.set)
				file := filepath.Join("testdata", fmt.Sprintf("%s.%dx%d.txt", strings.ReplaceAll(shot.name, " ", "-"), size[0], size[1]))
				if *update {
					if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), got); diff != "" {
					t.Errorf("%s differs (-want +got); if it should, run go test -update:\n%s", file, diff)
				}
			})
		}
	}
}

// TestPortColumnsAreWhole: a column that does not fit is left out; a half would look like another figure.
func TestPortColumnsAreWhole(t *testing.T) {
	m := at(reporttest.BadCable(), 60)
	for width := 80; width <= 140; width++ {
		got := screenOf(t, m, width, 24, page(1))
		for _, title := range []string{"Drop/s", "Err 1 min", "Drop 1 min"} {
			half := strings.Contains(got, title[:len(title)-2]) && !strings.Contains(got, title)
			if half {
				t.Errorf("at %d columns %q is cut off:\n%s", width, title, got)
			}
		}
	}
	if !strings.Contains(screenOf(t, m, 116, 24, page(1)), "Drop 1 min") {
		t.Error("the last column is not shown where there is room for it")
	}
}

// TestNarrowFindingsAreWhole: what is looked at is told to its end, and nothing of the text stands behind the hint that
// there is more.
func TestNarrowFindingsAreWhole(t *testing.T) {
	m := at(reporttest.Healthy(), 90)
	if got := screenOf(t, m, 40, 40, page(3)); !strings.Contains(got, "path read") {
		t.Errorf("the end of what is looked at is cut off:\n%s", got)
	}
	for width := 30; width <= 60; width++ {
		for line := range strings.Lines(screenOf(t, m, width, 12, page(3))) {
			if _, after, found := strings.Cut(line, "more lines"); found && after != "\n" {
				t.Errorf("at %d columns %q stands behind the hint", width, after)
			}
		}
	}
}

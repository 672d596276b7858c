package app

import (
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/sim"
	"whydrop/correlate/timeline"
)

var demoBegun = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func demoOutage(from, to int, direction, seenBy string) report.Outage {
	ms := func(n int) time.Time { return demoBegun.Add(time.Duration(n) * time.Millisecond) }
	return report.Outage{From: ms(from), To: ms(to), DurationMS: float64(to - from), Direction: direction, SeenBy: seenBy}
}

func finding(verdict, device, port string, chain ...string) report.Finding {
	return report.Finding{ID: chain[0], Chain: chain, Verdict: verdict, Subject: report.PortName{Device: device, Port: port}}
}

func TestJudge(t *testing.T) {
	truth := sim.Truth{
		Chain: []string{"a", "b"}, Device: "sw1", Port: "Gi1", Verdict: "holds",
		Outages: []sim.Outage{{From: time.Second, To: 2 * time.Second, Direction: timeline.Forward, SeenBy: timeline.SeenByHeartbeat}},
	}
	blind := sim.Truth{Chain: []string{"collector-blind"}, Device: "sw1", Verdict: "cannot-tell"}
	right := finding("holds", "sw1", "Gi1", "a", "b")
	seen := []report.Outage{demoOutage(1010, 2030, timeline.Forward, timeline.SeenByHeartbeat)}
	for _, c := range []struct {
		name     string
		truth    sim.Truth
		findings []report.Finding
		outages  []report.Outage
		verdict  string
		wrong    string // "" if it is right
	}{
		{"the right chain, place and outage", truth, []report.Finding{right}, seen, "found", ""},
		{"a second finding does not matter", truth, []report.Finding{right, finding("holds", "x", "", "c")}, seen, "found", ""},
		{"a suspicion of the right cause is right", truth, []report.Finding{finding("suspected", "sw1", "Gi1", "a", "b")}, seen, "suspected", ""},
		{"nothing found", truth, nil, seen, "cannot-tell", "nothing was found"},
		{"another chain", truth, []report.Finding{finding("holds", "sw1", "Gi1", "a")}, seen, "found", "the chain is a, not a > b"},
		{"another port", truth, []report.Finding{finding("holds", "sw1", "Gi2", "a", "b")}, seen, "found", "the subject is sw1 Gi2"},
		{"told although it cannot be", blind, []report.Finding{finding("holds", "sw1", "", "collector-blind")}, nil, "found", "it holds"},
		{"not told although it can be", truth, []report.Finding{finding("cannot-tell", "sw1", "Gi1", "a", "b")}, seen, "cannot-tell", "it can't be told"},
		{"what cannot be told is right to be open", blind, []report.Finding{finding("cannot-tell", "sw1", "", "collector-blind")}, nil, "cannot-tell", ""},
		{"an outage that was missed", truth, []report.Finding{right}, nil, "found", "was not found"},
		{"an outage of the wrong direction", truth, []report.Finding{right}, []report.Outage{demoOutage(1010, 2030, timeline.Both, timeline.SeenByHeartbeat)}, "found", "was not found"},
		{"an outage seen by the other probe", truth, []report.Finding{right}, []report.Outage{demoOutage(1010, 2030, timeline.Forward, timeline.SeenByTCP)}, "found", "was not found"},
		{"an outage of which most was missed", truth, []report.Finding{right}, []report.Outage{demoOutage(1010, 1400, timeline.Forward, timeline.SeenByHeartbeat)}, "found", "was not found"},
		{"an outage that did not happen", truth, []report.Finding{right}, append(seen, demoOutage(5000, 5150, timeline.Forward, timeline.SeenByTCP)), "found", "that did not happen"},
		{"a false outage too short to matter", truth, []report.Finding{right}, append(seen, demoOutage(5000, 5090, timeline.Forward, timeline.SeenByTCP)), "found", ""},
		{"healthy", sim.Truth{}, nil, nil, "healthy", ""},
		{"healthy but not looked at", sim.Truth{}, nil, nil, "cannot-tell", "the verdict is cannot-tell"},
		{"a finding where nothing was wrong", sim.Truth{}, []report.Finding{right}, nil, "found", "nothing was wrong"},
	} {
		t.Run(c.name, func(t *testing.T) {
			j := judge(&sim.Story{Truth: c.truth}, demoBegun, Result{Document: report.Document{Findings: c.findings, Outages: c.outages, Verdict: c.verdict}})
			if j.Right != (c.wrong == "") || c.wrong != "" && !strings.Contains(strings.Join(j.Wrong, "\n"), c.wrong) {
				t.Errorf("right %v, %q; want %q", j.Right, j.Wrong, c.wrong)
			}
		})
	}
}

func TestJudgeMeasuresTheWorseEndOfAnOutageAndTheBestDatedEvent(t *testing.T) {
	at := demoBegun.Add(4 * time.Second)
	port := timeline.Port("sw1", "Gi1")
	oper := func(mid time.Time, width time.Duration, to string) timeline.Event {
		return timeline.Event{Subject: port, Type: timeline.EventOper, Span: timeline.Around(mid, width/2), Attrs: map[string]string{"to": to}}
	}
	story := &sim.Story{Truth: sim.Truth{
		Outages: []sim.Outage{{From: time.Second, To: 2 * time.Second, Direction: timeline.Forward, SeenBy: timeline.SeenByTCP}},
		Events: []sim.Moment{
			{Device: "sw1", Port: "Gi1", Type: timeline.EventOper, To: "down", At: 4 * time.Second},
			{Device: "sw1", Port: "Gi1", Type: timeline.EventOper, To: "up", At: 20 * time.Second},
		},
	}}
	j := judge(story, demoBegun, Result{
		Document: report.Document{Outages: []report.Outage{demoOutage(990, 2070, timeline.Forward, timeline.SeenByTCP)}},
		Snapshot: timeline.NewSnapshot(oper(at.Add(5*time.Millisecond), time.Second, "down"), oper(at.Add(30*time.Millisecond), 20*time.Millisecond, "down"), oper(at, time.Millisecond, "up")),
	})
	if !slices.Equal(j.Outage, []time.Duration{70 * time.Millisecond}) {
		t.Errorf("outage errors %v, want 70ms", j.Outage)
	}
	if !slices.Equal(j.Dating, []time.Duration{30 * time.Millisecond, datingWindow}) {
		t.Errorf("dating errors %v, want 30ms and, for what was not found, %v", j.Dating, datingWindow)
	}
}

func TestBusyHostExcusesOutagesAndNothingElse(t *testing.T) {
	truth := sim.Truth{
		Chain: []string{"a"}, Device: "sw1", Port: "Gi1", Verdict: "holds",
		Outages: []sim.Outage{{From: time.Second, To: 2 * time.Second, Direction: timeline.Forward, SeenBy: timeline.SeenByTCP}},
	}
	found := demoOutage(1000, 2000, timeline.Forward, timeline.SeenByTCP)
	more := demoOutage(5000, 5400, timeline.Forward, timeline.SeenByHeartbeat)
	for _, c := range []struct {
		name        string
		chain       string
		outages     []report.Outage
		gap         float64 // seconds, of this host
		at          int     // second of the story
		right, late bool
	}{
		{"an outage beside a stall of this host", "a", []report.Outage{found, more}, 0.15, 5, true, true},
		{"an outage that was drawn out by it", "a", []report.Outage{demoOutage(1000, 3900, timeline.Forward, timeline.SeenByTCP)}, 0.15, 4, true, true},
		{"an outage far from it", "a", []report.Outage{found, more}, 0.15, 9, false, false},
		{"an outage while this host ran", "a", []report.Outage{found, more}, 0.005, 5, false, false},
		{"another cause", "b", []report.Outage{found}, 0.15, 1, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := demoBegun.Add(time.Duration(c.at) * time.Second)
			j := judge(&sim.Story{Truth: truth}, demoBegun, Result{
				Document: report.Document{Findings: []report.Finding{finding("holds", "sw1", "Gi1", c.chain)}, Outages: c.outages, Verdict: "found"},
				Snapshot: timeline.NewSnapshot(timeline.Sample{Subject: timeline.Host(timeline.LocalHost), Metric: timeline.HostSchedGap, Span: timeline.Span{From: at, To: at.Add(time.Second)}, Value: c.gap}),
			})
			if j.Right != c.right || (len(j.Late) > 0) != c.late {
				t.Errorf("right %v, wrong %q, late %q", j.Right, j.Wrong, j.Late)
			}
		})
	}
}

func TestDemoListHasTheKeysOfItsContract(t *testing.T) {
	d, err := DemoList(5)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := WriteDemo(&b, d, "json"); err != nil {
		t.Fatal(err)
	}
	var got struct {
		SchemaVersion int `json:"schema_version"`
		Seed          uint64
		Scenarios     []map[string]any
	}
	if err := json.Unmarshal(b.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.SchemaVersion != report.SchemaVersion || got.Seed != 5 || len(got.Scenarios) != 10 {
		t.Errorf("version %d, seed %d, %d scenarios", got.SchemaVersion, got.Seed, len(got.Scenarios))
	}
	for _, s := range got.Scenarios {
		e, _ := s["expected"].(map[string]any)
		_, chain := e["chain"].([]any)
		_, outages := e["outages"].([]any)
		if len(s) != 2 || s["name"] == "" || len(e) != 4 || !chain || !outages {
			t.Errorf("scenario %v", s)
		}
	}
	var again bytes.Buffer
	d, _ = DemoList(5)
	if err := WriteDemo(&again, d, "json"); err != nil || again.String() != b.String() {
		t.Errorf("the same seed lists differently (%v)", err)
	}
}

// TestDemoFindsWhatHappened runs the default story, shortened, through the whole pipeline.
func TestDemoFindsWhatHappened(t *testing.T) {
	if testing.Short() {
		t.Skip("runs in real time")
	}
	var run DemoRun
	// On a host that is busy with something else, what the story does happens late now and then, but not always.
	for range 2 {
		var log bytes.Buffer
		var err error
		run, err = Demo(t.Context(), sim.Default, DemoOptions{Seed: 1, Quick: true, Progress: &log, Dir: t.TempDir()})
		if err != nil {
			t.Fatal(err)
		}
		if run.Complete && run.Judgement.Right {
			break
		}
		t.Logf("complete %v, wrong: %q\n%s", run.Complete, run.Judgement.Wrong, log.String())
	}
	if !run.Complete || !run.Judgement.Right {
		t.Error("the answer differs from what happened")
	}
	if len(run.Result.Document.Problems) > 0 {
		t.Errorf("problems: %q", run.Result.Document.Problems)
	}
	off := 0
	for _, e := range run.Result.Document.Examined {
		if !e.OnPath && e.Device != "" {
			off++
		}
	}
	if off == 0 {
		t.Error("the ports off the path were not examined")
	}
}

// TestDemoFindsWhatHappenedInEveryScenario runs every story, shortened. It takes most of a minute, so only where
// everything is tested.
func TestDemoFindsWhatHappenedInEveryScenario(t *testing.T) {
	if os.Getenv("WHYDROP_REQUIRE_PEERS") != "1" || testing.Short() {
		t.Skip("runs for most of a minute: set WHYDROP_REQUIRE_PEERS=1")
	}
	var d DemoDocument
	var verdict error
	for range 2 {
		var err error
		if d, err = DemoAll(t.Context(), DemoOptions{Seed: 2, Quick: true, Dir: t.TempDir()}); err != nil {
			t.Fatal(err)
		}
		if verdict = d.Exit(); verdict == nil {
			break
		}
		var b bytes.Buffer
		_ = WriteDemo(&b, d, "text")
		t.Log(b.String())
	}
	if verdict != nil || len(d.Scenarios) != 10 {
		t.Errorf("of %d scenarios not all were answered right", len(d.Scenarios))
	}
}

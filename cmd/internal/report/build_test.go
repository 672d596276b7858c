package report_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

func diagnosis(v rules.Verdict, title string) rules.Diagnosis {
	return rules.Diagnosis{Chain: []string{"some-cause"}, Title: title, Verdict: v, Fault: true, Subject: timeline.Device("dist-a")}
}

func TestVerdictAndHeadline(t *testing.T) {
	healthy, blind := reporttest.Healthy(), reporttest.Blind()
	pathOnly := &timeline.Store{}
	pathOnly.Put(timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: timeline.At(reporttest.Start), Value: 0.001})
	silent := &timeline.Store{}
	silent.Put(timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: timeline.At(reporttest.Start), Value: 0.001})
	silent.Put(timeline.Sample{Subject: timeline.Device("dist-a"), Metric: timeline.Reachable, Span: timeline.At(reporttest.Start), Value: 0})
	second := timeline.Span{From: time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC), To: time.Date(2026, 3, 1, 14, 2, 1, 0, time.UTC)}
	ownCard := timeline.NewSnapshot(
		timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: second, Value: 0.01},
		timeline.Sample{Subject: timeline.Port(timeline.LocalHost, "eth0"), Metric: timeline.InBits, Span: second, Value: 1e6},
	)
	tests := []struct {
		name          string
		in            report.Input
		verdict, line string
	}{
		{"one finding holds", report.Input{Topology: healthy.Topology, Snapshot: healthy.Snapshot(),
			Diagnoses: []rules.Diagnosis{diagnosis(rules.CannotTell, "x"), diagnosis(rules.Suspected, "y"), diagnosis(rules.Holds, "A cable is bad")}},
			"found", "A cable is bad (dist-a)"},
		{"nothing but a suspicion", report.Input{Topology: healthy.Topology, Snapshot: healthy.Snapshot(),
			Diagnoses: []rules.Diagnosis{diagnosis(rules.CannotTell, "x"), diagnosis(rules.Suspected, "dist-a is slow.")}},
			"suspected", "Suspected: dist-a is slow"},
		{"a reading is missing", report.Input{Topology: blind.Topology, Snapshot: blind.Snapshot(), Diagnoses: blind.Diagnoses},
			"cannot-tell", "Cannot tell: dist-b did not answer while the path was down: a-b down 5.50 s, at 14:02:40 UTC"},
		{"an outage that no rule explains is not health", report.Input{Topology: blind.Topology, Snapshot: blind.Snapshot()},
			"cannot-tell", "Cannot tell why: a-b down 5.50 s, at 14:02:40 UTC"},
		{"nothing was measured", report.Input{Topology: healthy.Topology},
			"cannot-tell", "Cannot tell: no probe measured the path, no device could be read"},
		{"nothing was measured and nothing was asked for", report.Input{}, "cannot-tell", "Cannot tell: nothing was measured"},
		{"no device could be read", report.Input{Topology: healthy.Topology, Snapshot: pathOnly.Snapshot()},
			"cannot-tell", "Cannot tell: no device could be read"},
		{"a device that only says no is not read", report.Input{Topology: healthy.Topology, Snapshot: silent.Snapshot()},
			"cannot-tell", "Cannot tell: no device could be read"},
		{"this host's own card is no device", report.Input{Topology: healthy.Topology, Snapshot: ownCard},
			"cannot-tell", "Cannot tell: no device could be read"},
		{"this host's own card is not counted", report.Input{Snapshot: ownCard}, "healthy", "Nothing found: 2 series examined over 1 s"},
		{"what was not read is no health", report.Input{Snapshot: pathOnly.Snapshot(), Problems: []string{"sw1 could not be read"}}, "healthy", "Nothing found: 1 series examined; not all could be read"},
		{"a file has no site", report.Input{Snapshot: pathOnly.Snapshot()}, "healthy", "Nothing found: 1 series examined"},
		{"all was examined", report.Input{Topology: healthy.Topology, Snapshot: healthy.Snapshot()},
			"healthy", "Nothing found: 4 devices, 12 ports, 159 series examined over 1 min 30 s"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			d := report.Build(tt.in)
			if d.Verdict != tt.verdict || d.Headline != tt.line {
				t.Errorf("got %s, %q\nwant %s, %q", d.Verdict, d.Headline, tt.verdict, tt.line)
			}
		})
	}
}

func TestFindingsStandStrongestFirst(t *testing.T) {
	d := report.Build(report.Input{Diagnoses: []rules.Diagnosis{
		diagnosis(rules.Suspected, "b"), diagnosis(rules.CannotTell, "d"), diagnosis(rules.Holds, "a"), diagnosis(rules.Suspected, "c")}})
	var got []string
	for _, f := range d.Findings {
		got = append(got, f.Title)
	}
	if want := []string{"a", "b", "c", "d"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func find(t *testing.T, d report.Document, device, port, metric string) report.Examined {
	t.Helper()
	for _, e := range d.Examined {
		if e.Device == device && e.Port == port && e.Metric == metric {
			return e
		}
	}
	t.Fatalf("examined has no row for %q %q %q", device, port, metric)
	return report.Examined{}
}

func TestExamined(t *testing.T) {
	story, blind, nothing := document(reporttest.Failover()), document(reporttest.Blind()), document(reporttest.Nothing())
	tests := []struct {
		name            string
		row             report.Examined
		samples, gaps   int
		events          int
		onPath          bool
		reason, hasUnit string
	}{
		{"a port on the path", find(t, story, "dist-a", "Gi1/0/23", "if.in.errors"), 90, 0, 0, true, "", "packet/s"},
		{"a path stands under its own name", find(t, story, "", "a-b", "path.goodput.forward"), 90, 0, 0, true, "", "bit/s"},
		{"a host stands under its own name", find(t, story, "", "local", "host.cpu"), 90, 0, 0, true, "", "ratio"},
		{"events of a port off the path", find(t, story, "dist-a", "Gi1/0/7", "events"), 0, 0, 2, false, "", ""},
		{"events of a device", find(t, story, "fw2", "", "events"), 0, 0, 1, true, "", ""},
		{"a gap of everything counts in each series", find(t, blind, "dist-b", "", "device.reachable"), 90, 90, 0, true, "timeout", "state"},
		{"a port that was never read", find(t, blind, "dist-b", "Gi1/0/1", "*"), 0, 0, 0, true, "", ""},
		{"a device of which nothing was heard", find(t, nothing, "fw1", "", "*"), 0, 0, 0, true, "", ""},
		{"a path of which nothing was heard", find(t, nothing, "", "a-b", "*"), 0, 0, 0, true, "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r := tt.row
			if r.Samples != tt.samples || r.Gaps != tt.gaps || r.Events != tt.events || r.OnPath != tt.onPath || r.Unit != tt.hasUnit {
				t.Errorf("got %+v", r)
			}
			if r.Reasons[tt.reason] != tt.gaps {
				t.Errorf("got reasons %v, want %d of %q", r.Reasons, tt.gaps, tt.reason)
			}
			if (r.Min != nil) != (tt.samples > 0) || (r.Max != nil) != (tt.samples > 0) {
				t.Errorf("got min %v and max %v", r.Min, r.Max)
			}
		})
	}
}

func TestIncidentsJoinWhatOverlaps(t *testing.T) {
	at := func(s float64) time.Time { return reporttest.At(s) }
	beat, tcp := timeline.SeenByHeartbeat, timeline.SeenByTCP
	outage := func(path, by string, from, to float64) report.Outage {
		return report.Outage{Path: path, SeenBy: by, From: at(from), To: at(to)}
	}
	tests := []struct {
		name string
		in   []report.Outage
		want []report.Incident
	}{
		{"none", nil, []report.Incident{}},
		{"the heartbeat's length counts", []report.Outage{outage("p", tcp, 1, 9), outage("p", beat, 2, 5)},
			[]report.Incident{{Path: "p", From: at(2), To: at(5), Dark: true, Stall: 8 * time.Second}}},
		{"two directions are one incident", []report.Outage{outage("p", beat, 1, 4), outage("p", beat, 2, 6)},
			[]report.Incident{{Path: "p", From: at(1), To: at(6), Dark: true}}},
		{"two paths are two", []report.Outage{outage("p", beat, 1, 4), outage("q", beat, 2, 6)},
			[]report.Incident{{Path: "p", From: at(1), To: at(4), Dark: true}, {Path: "q", From: at(2), To: at(6), Dark: true}}},
		{"a later one is its own, even right after a long stall", []report.Outage{outage("p", tcp, 1, 9), outage("p", beat, 1, 4), outage("p", beat, 12, 13)},
			[]report.Incident{{Path: "p", From: at(1), To: at(4), Dark: true, Stall: 8 * time.Second}, {Path: "p", From: at(12), To: at(13), Dark: true}}},
		{"only the flow stalled", []report.Outage{outage("p", tcp, 1, 2)}, []report.Incident{{Path: "p", From: at(1), To: at(2), Stall: time.Second}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := report.Incidents(tt.in); !slices.Equal(got, tt.want) {
				t.Errorf("got %+v\nwant %+v", got, tt.want)
			}
		})
	}
}

func TestBuildCleansEveryText(t *testing.T) {
	c := reporttest.Hostile()
	d := report.Build(report.Input{Topology: c.Topology, Snapshot: c.Snapshot(), Diagnoses: c.Diagnoses, Problems: c.Problems,
		Blocks: []report.Block{{Where: reporttest.Evil, Kind: reporttest.Evil, What: reporttest.Evil}}, Session: c.Session})
	raw, err := report.EncodeJSON(d)
	if err != nil {
		t.Fatal(err)
	}
	// JSON would hide a character that acts behind a \u escape of its own: those have one backslash, ours two.
	for _, escape := range []string{`\u00`, `\u20`, `\ufffd`, `\n`, `\r`, `\t`} {
		for i := range len(raw) {
			if strings.HasPrefix(string(raw[i:min(len(raw), i+8)]), escape) && raw[i-1] != '\\' {
				t.Fatalf("a text was not cleaned: %s", raw[max(0, i-80):i+20])
			}
		}
	}
}

func TestWarningsOfDevicesAreToldOnce(t *testing.T) {
	topo := correlate.Topology{Devices: []correlate.Device{{Name: "sw1", Warnings: []string{"any host key is accepted", "any host key is accepted"}}}}
	d := report.Build(report.Input{Topology: topo, Warnings: []string{"sw1: any host key is accepted"}})
	if want := []string{"sw1: any host key is accepted"}; !slices.Equal(d.Warnings, want) {
		t.Errorf("got %q, want %q", d.Warnings, want)
	}
}

func TestOneObservationIsOneLineOfEvidence(t *testing.T) {
	sub, other := timeline.Device("sw1"), timeline.Device("sw2")
	sp := timeline.Span{From: time.Unix(1e9, 0), To: time.Unix(1e9+5, 0)}
	late := timeline.Span{From: sp.To, To: sp.To.Add(time.Second)}
	for _, tt := range []struct {
		name string
		in   []rules.Evidence
		want int
	}{
		{"the same words within others", []rules.Evidence{{Subject: sub, Metric: "if.in.bits", Text: "it changed: a fell, b rose", Span: sp}, {Subject: sub, Metric: "if.in.bits", Text: "a fell, b rose", Span: sp}}, 1},
		{"the shorter one first", []rules.Evidence{{Subject: sub, Text: "a fell", Span: sp}, {Subject: sub, Text: "then a fell", Span: sp}}, 1},
		{"the same words at another time", []rules.Evidence{{Subject: sub, Text: "a fell", Span: sp}, {Subject: sub, Text: "a fell", Span: late}}, 2},
		{"twice the same", []rules.Evidence{{Subject: sub, Text: "a fell", Span: sp}, {Subject: sub, Text: "a fell", Span: sp}}, 1},
		{"of another device", []rules.Evidence{{Subject: sub, Text: "a fell", Span: sp}, {Subject: other, Text: "a fell", Span: sp}}, 2},
		{"figures without words", []rules.Evidence{{Subject: sub, Metric: "x", Span: sp}, {Subject: sub, Metric: "x", Span: sp}}, 2},
	} {
		if got := report.Findings([]rules.Diagnosis{{Evidence: tt.in}})[0].Evidence; len(got) != tt.want {
			t.Errorf("%s: got %d lines, want %d", tt.name, len(got), tt.want)
		}
	}
}

func TestADeviceThatAnswersFromElsewhereIsAWarning(t *testing.T) {
	e := timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSettings, Attrs: map[string]string{"answered_from": "192.0.2.9"}}
	d := report.Build(report.Input{Snapshot: timeline.NewSnapshot(e, e)})
	want := []string{"sw1: its answers come from 192.0.2.9, not from the address that was asked; any_source allows that"}
	if !slices.Equal(d.Warnings, want) {
		t.Errorf("got %q, want %q", d.Warnings, want)
	}
}

func TestThePlaceOfARecordingIsOneLine(t *testing.T) {
	path := "/home/operations/.local/state/whydrop/sessions/a site with a long name-20260301T140200.000Z.whydrop"
	var b strings.Builder
	if err := report.Text(&b, report.Build(report.Input{Session: path})); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(b.String(), "\nRecording  "+path+"\n") {
		t.Errorf("got\n%s", b.String())
	}
}

package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"whydrop/probe/experiment"
	"whydrop/probe/iperf3"
	"whydrop/probe/tcpinfo"
)

// someRows are a plan of each kind with rows that measured, one that failed and one of which little is known.
func someRows(t *testing.T, k experiment.Kind) (experiment.Plan, []experiment.Row) {
	t.Helper()
	p, err := experiment.New(k, experiment.Options{Test: iperf3.Test{Address: "192.0.2.1:5201"}, Line: 1e9, MTU: 1500, File: filepath.Join(t.TempDir(), "f")})
	if err != nil {
		t.Fatal(err)
	}
	var rows []experiment.Row
	for i, s := range p.Steps {
		r := experiment.Row{Step: s, Sent: float64(100e6 * (i + 1)), Arrived: float64(97e6 * (i + 1)), Counted: true, Seconds: 2, IdleRTT: time.Millisecond, LoadedRTT: 2 * time.Millisecond}
		switch {
		case i == 1:
			r = experiment.Row{Step: s, Reason: "connection refused\x1b[31m"}
		case s.Test.UDP:
			r.Size, r.Loss, r.Total, r.Lost = 1448, tcpinfo.Opt[float64]{Value: 0.03, OK: true}, 1000, 30
		default:
			r.MSS, r.PeerWindow, r.TCPRTT, r.Granted = 1448, 65536, time.Millisecond, 131072
			r.Retransmits = tcpinfo.Opt[uint64]{Value: 50, OK: true}
		}
		if s.Test.Bidirectional {
			r.Back = 20e6
		}
		rows = append(rows, r)
	}
	return p, append(rows, experiment.Row{Step: p.Steps[0]})
}

func TestEveryExperimentHasTableChartAndDocument(t *testing.T) {
	for k := range experiment.Plans {
		t.Run(string(k), func(t *testing.T) {
			p, rows := someRows(t, k)
			var b strings.Builder
			experimentText(&b, p, rows)
			text := b.String()
			if strings.ContainsRune(text, '\x1b') || !strings.Contains(text, rows[1].Step.Name+": connection refused") {
				t.Errorf("the failed step is not told, or not cleaned:\n%s", text)
			}
			if !strings.Contains(text, "█") || !strings.Contains(text, "failed") || !strings.Contains(text, "In theory: the own link (1 Gbit/s, MTU 1500)") {
				t.Errorf("something is missing:\n%s", text)
			}
			for _, line := range strings.Split(experimentChart(p, rows), "\n") {
				if n := utf8.RuneCountInString(line); n > 80 {
					t.Errorf("%d columns: %s", n, line)
				}
			}
			raw, err := json.Marshal(experimentDocument(PathOptions{Host: "far"}, p, rows, pathTarget, time.Now(), nil))
			if err != nil {
				t.Fatal(err)
			}
			var doc struct {
				Measured bool
				Rows     []map[string]any
			}
			if err := json.Unmarshal(raw, &doc); err != nil || !doc.Measured || len(doc.Rows) != len(rows) {
				t.Fatalf("%d rows: %v", len(doc.Rows), err)
			}
			if doc.Rows[1]["error"] == nil || doc.Rows[1]["arrived_bits_per_second"] != nil || doc.Rows[0]["error"] != nil || doc.Rows[0]["arrived_bits_per_second"] == nil {
				t.Errorf("%v", doc.Rows[:2])
			}
			if last := doc.Rows[len(rows)-1]; last["loss"] != nil || last["retransmits"] != nil || last["arrived_bits_per_second"] != nil {
				t.Errorf("of what nobody counted: %v", last)
			}
		})
	}
}

func TestADocumentWithoutRowsHasAnEmptyList(t *testing.T) {
	raw, err := json.Marshal(experimentDocument(PathOptions{}, experiment.Plan{Kind: experiment.Rate}, nil, pathTarget, time.Now(), errors.New("nothing answers")))
	if err != nil || !bytes.Contains(raw, []byte(`"rows":[]`)) || !bytes.Contains(raw, []byte(`"error":"nothing answers"`)) {
		t.Errorf("%s: %v", raw, err)
	}
}

func TestABarEndsWhereItsValueIs(t *testing.T) {
	tests := []struct {
		name string
		row  chartRow
		want string
	}{
		{"empty", chartRow{label: "a"}, "a"},
		{"half", chartRow{label: "a", full: 0.5}, "a              " + strings.Repeat("█", 24)},
		{"an eighth of a column", chartRow{label: "a", full: 1.0 / 8 / 48 * 1.001}, "a              ▏"},
		{"too much", chartRow{label: "a", full: 7}, "a              " + strings.Repeat("█", 48)},
		{"with what was lost", chartRow{label: "a", full: 0.25, hollow: 0.5}, "a              " + strings.Repeat("█", 12) + strings.Repeat("░", 12)},
		{"theory behind the end", chartRow{label: "a", full: 0.25, theory: 0.5}, "a              " + strings.Repeat("█", 12) + strings.Repeat(" ", 12) + "│"},
		{"a long label", chartRow{label: "0123456789abcdefgh", value: "1"}, "0123456789abcd " + strings.Repeat(" ", 48) + " 1"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := strings.TrimRight(draw([]chartRow{tt.row}), "\n"); got != tt.want {
				t.Errorf("got  %q\nwant %q", got, tt.want)
			}
		})
	}
}

func TestAnExperimentThatCannotBeIsUsage(t *testing.T) {
	test := ProbeOptions{Test: iperf3.Test{Address: "127.0.0.1:1"}, Format: "text", Out: io.Discard}
	for _, opt := range []ExperimentOptions{{Kind: "luck", Probe: test}, {Kind: "disk", Probe: test}, {Kind: "window", Probe: test, Most: 3 * time.Second}} {
		if err := Experiment(context.Background(), opt); CodeOf(err) != ExitUsage {
			t.Errorf("%s: %v", opt.Kind, err)
		}
	}
	err := Experiment(context.Background(), ExperimentOptions{Kind: "window", Probe: test, Most: 12 * time.Second})
	if err == nil || !strings.Contains(err.Error(), "at least 1") {
		t.Errorf("got %v, want how long it takes at least", err)
	}
}

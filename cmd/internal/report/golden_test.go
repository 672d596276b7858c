package report_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"

	"whydrop/cmd/internal/report"
	"whydrop/cmd/internal/report/reporttest"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func document(c reporttest.Case) report.Document {
	return report.Build(report.Input{
		Topology: c.Topology, Snapshot: c.Snapshot(), Diagnoses: c.Diagnoses,
		Problems: c.Problems, Warnings: c.Warnings, Notes: c.Notes, Session: c.Session,
	})
}

func write(t *testing.T, format string, d report.Document) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := report.Formats[format](&b, d); err != nil {
		t.Fatalf("%s: %v", format, err)
	}
	return b.Bytes()
}

func TestGoldens(t *testing.T) {
	for _, c := range reporttest.Cases() {
		d := document(c)
		for _, format := range report.FormatNames() {
			t.Run(c.Name+" as "+format, func(t *testing.T) {
				got := write(t, format, d)
				file := filepath.Join("testdata", c.Name+"."+format)
				if *update {
					if err := os.WriteFile(file, got, 0o644); err != nil {
						t.Fatal(err)
					}
				}
				want, err := os.ReadFile(file)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(string(want), string(got)); diff != "" {
					t.Errorf("%s differs (-want +got); if it should, run go test -update:\n%s", file, diff)
				}
			})
		}
	}
}

func TestTheSameInputGivesTheSameBytesInAnyTimeZone(t *testing.T) {
	zone := time.FixedZone("elsewhere", -9*3600-1800)
	old := time.Local
	defer func() { time.Local = old }()
	for _, format := range report.FormatNames() {
		time.Local = time.UTC
		want := write(t, format, document(reporttest.Failover()))
		time.Local = zone
		got := write(t, format, document(reporttest.Failover()))
		if !bytes.Equal(want, got) {
			t.Errorf("%s depends on the time zone or on chance", format)
		}
	}
}

func TestTextFitsATicket(t *testing.T) {
	for _, c := range reporttest.Cases() {
		for i, line := range strings.Split(string(write(t, "text", document(c))), "\n") {
			if w := uniseg.StringWidth(line); w > report.Columns {
				t.Errorf("%s: line %d has %d columns: %q", c.Name, i+1, w, line)
			}
			if strings.HasSuffix(line, " ") {
				t.Errorf("%s: line %d ends with a blank: %q", c.Name, i+1, line)
			}
		}
	}
}

func TestTextTellsTheOffsetOnlyIfAsked(t *testing.T) {
	d := document(reporttest.Failover())
	var with bytes.Buffer
	if err := report.TextIn(&with, d, time.FixedZone("x", 2*3600)); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(strings.Join(strings.Fields(with.String()), " "), "local time is UTC+02:00") {
		t.Errorf("got %s, want the offset", with.String())
	}
	if strings.Contains(string(write(t, "text", d)), "local time") {
		t.Error("the offset is told though nobody asked")
	}
}

package devices

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestATableThatIsMissingIsAGapOfWhatItWouldGive(t *testing.T) {
	start := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	lacks := Reading{
		Device: "fw1", Span: timeline.Span{From: start, To: start.Add(time.Second)},
		Missing: []Missing{
			{Table: "ipSystemStatsTable", Reason: timeline.ReasonUnsupported, Text: "the device does not have it", Metrics: []timeline.Metric{timeline.FragFails}},
			{Table: "lldpRemTable", Reason: timeline.ReasonUnsupported, Text: "nothing is missed"},
		},
	}
	gaps := func(d *Differ, r Reading) (out []timeline.Gap) {
		for _, rec := range d.Records(r) {
			if g, ok := rec.(timeline.Gap); ok {
				out = append(out, g)
			}
		}
		return out
	}
	var d Differ
	got := gaps(&d, lacks)
	if len(got) != 1 || got[0].Subject != timeline.Device("fw1") || got[0].Metric != timeline.FragFails || got[0].Reason != timeline.ReasonUnsupported {
		t.Errorf("gaps %+v, want one of %s", got, timeline.FragFails)
	}
	lacks.Missing = nil
	if got := gaps(&d, lacks); len(got) != 0 {
		t.Errorf("said again: %+v", got)
	}
}

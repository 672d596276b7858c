package rules

import (
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

func TestRhythmsInWords(t *testing.T) {
	for _, tt := range []struct {
		r    correlate.Recurrence
		want string
	}{
		{correlate.Recurrence{Period: 24 * time.Hour, Phase: 2*time.Hour + 10*time.Minute, Daily: true}, "every day at 02:10:00 UTC"},
		{correlate.Recurrence{Period: time.Hour, Phase: 10*time.Minute + 5*time.Second, Daily: true}, "every hour at 00:10:05 UTC and so on"},
		{correlate.Recurrence{Period: 5 * time.Minute, Phase: 70 * time.Second, Daily: true}, "every 5 minutes, 01:10 after the full"},
		{correlate.Recurrence{Period: 7 * 24 * time.Hour}, "every week"},
		{correlate.Recurrence{Period: 30 * time.Second, Daily: true}, "every 30 s"},
		{correlate.Recurrence{Period: 47300 * time.Millisecond}, "every 47.3 s"},
	} {
		if got := rhythmText(tt.r); got != tt.want {
			t.Errorf("%s: got %q, want %q", tt.r.Period, got, tt.want)
		}
	}
}

// Whatever is found, and even if nothing is, a finding tells in which rhythm its trouble comes back.
func TestAFindingTellsItsRhythm(t *testing.T) {
	start := time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)
	topology := correlate.Topology{Paths: []correlate.Path{{Name: "a-b", To: "b", Hops: [][]string{{"sw"}}}}, Devices: []correlate.Device{{Name: "sw", Role: "switch", Ports: []string{"1"}}}}
	for _, tt := range []struct {
		name   string
		at     []int // seconds
		rhythm bool
	}{
		{"every minute", []int{70, 130, 190, 250, 310, 370}, true},
		{"at any time", []int{71, 102, 195, 233, 331, 359}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var store timeline.Store
			for i := range 420 {
				at := start.Add(time.Duration(i) * time.Second)
				store.Put(timeline.Sample{Subject: timeline.Path("a-b"), Metric: timeline.RTT, Span: timeline.Span{From: at, To: at.Add(time.Second)}, Value: 0.001})
			}
			for _, s := range tt.at {
				at := start.Add(time.Duration(s) * time.Second)
				store.Put(timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventOutage, Span: timeline.Span{From: at, To: at.Add(800 * time.Millisecond)},
					Attrs: map[string]string{"direction": timeline.Both, "seen_by": timeline.SeenByHeartbeat, "error_ms": "20", "lost": "40"}})
			}
			ds := Evaluate(Default(), store.Snapshot(), topology)
			if len(ds) == 0 {
				t.Fatal("nothing was found of six outages")
			}
			said, next := false, false
			for _, e := range ds[0].Evidence {
				said = said || strings.Contains(e.Text, "it comes back every minute, 00:10 after the full: 6 times on 6 beats")
			}
			for _, n := range ds[0].Next {
				next = next || strings.Contains(n, "every minute")
			}
			if said != tt.rhythm || next != tt.rhythm {
				t.Errorf("told %v, followed up %v, want %v: %+v", said, next, tt.rhythm, ds[0])
			}
		})
	}
}

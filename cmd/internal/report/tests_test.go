package report

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

func TestTestsThatEnded(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)
	sp := timeline.Span{From: at, To: at.Add(8 * time.Second)}
	result := func(attrs map[string]string, text string) timeline.Event {
		return timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventResult, Span: sp, Text: text, Attrs: attrs}
	}
	for _, tt := range []struct {
		name string
		in   timeline.Event
		want htmlTest
	}{
		{"a step of a sweep", result(map[string]string{"experiment": "rate", "proto": "udp", "direction": "forward", "offered_bps": "5e7", "rate_bps": "49.4e6", "loss_ratio": "0.012", "rtt_ms": "0.84"}, "rate sweep, UDP there: 50 Mbit/s"),
			htmlTest{"2026-03-01 14:02:00.000", "rate sweep, UDP there: 50 Mbit/s", "50.0 Mbit/s", "49.4 Mbit/s", "1.2 %", "–", "0.84 ms"}},
		{"what was not measured is not 0", result(map[string]string{"proto": "tcp", "direction": "reverse", "rate_bps": "NaN"}, ""),
			htmlTest{"2026-03-01 14:02:00.000", "tcp from the far end", "–", "–", "–", "–", "–"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := Build(Input{Topology: correlate.Topology{Paths: []correlate.Path{{Name: "a-b"}}}, Snapshot: timeline.NewSnapshot(tt.in)})
			if len(d.Tests) != 1 {
				t.Fatalf("got %d tests", len(d.Tests))
			}
			if got := htmlTestOf(d.Tests[0]); got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
			var b bytes.Buffer
			if err := HTML(&b, d); err != nil {
				t.Fatal(err)
			}
			if page := b.String(); strings.Count(page, "<h2>Tests</h2>") != 1 || !strings.Contains(page, tt.want.What) {
				t.Error("the page does not list it")
			}
		})
	}
}

func TestDropsOfTheReceivingHostAreKept(t *testing.T) {
	told := testOf(timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventResult, Attrs: map[string]string{"host_drops": "317"}})
	if told.HostDrops == nil || *told.HostDrops != 317 {
		t.Errorf("got %v, want 317", told.HostDrops)
	}
	if none := testOf(timeline.Event{Attrs: map[string]string{}}); none.HostDrops != nil {
		t.Errorf("what was not counted is %v", *none.HostDrops)
	}
}

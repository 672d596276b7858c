package app

import (
	"slices"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestPortsThatAreNotThereAreToldWithTheReason(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 0, 0, 0, time.UTC)
	sp := timeline.Span{From: at, To: at.Add(time.Second)}
	here, gone, dark := timeline.Port("sw1", "Gi1"), timeline.Port("sw1", "Gi9"), timeline.Port("sw2", "Gi1")
	s := timeline.NewSnapshot(
		timeline.Sample{Subject: timeline.Device("sw1"), Metric: timeline.Reachable, Span: sp, Value: 1},
		timeline.Sample{Subject: here, Metric: timeline.InFCS, Span: sp},
		timeline.Gap{Subject: here, Span: sp, Reason: timeline.ReasonPartial, Text: "cut short"},
		timeline.Gap{Subject: gone, Span: sp, Reason: timeline.ReasonPartial, Text: `port "Gi9" not found; the device has "Gi1"`},
		timeline.Gap{Subject: dark, Span: sp, Reason: timeline.ReasonTimeout, Text: "no answer"},
		timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSlow, Span: sp, Text: "it is asked every 4s now"},
		timeline.Event{Subject: timeline.Device("sw1"), Type: timeline.EventSlow, Span: sp.Widen(0, time.Second), Text: "it is asked every 8s now"},
	)
	if got, want := unreadPorts(s, []timeline.Subject{here, gone, dark}), []string{`sw1 Gi9 could not be read: port "Gi9" not found; the device has "Gi1"`}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := slowed(s, []string{"sw1", "sw2"}), []string{"sw1 was backed off from: it is asked every 8s now"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

package devices

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestAnotherAddressThatAnswersIsToldOnce(t *testing.T) {
	var d Differ
	var got []string
	at := time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)
	for i, from := range []string{"", "192.0.2.9", "192.0.2.9", "", "192.0.2.9", "192.0.2.10"} {
		now := at.Add(time.Duration(i) * time.Second)
		r := Reading{Device: "sw1", Span: timeline.Span{From: now, To: now.Add(10 * time.Millisecond)}, Origin: timeline.Origin{Collector: "snmp:sw1"}, AnsweredFrom: from}
		told := ""
		for _, rec := range d.Records(r) {
			if e, ok := rec.(timeline.Event); ok && e.Type == timeline.EventSettings && e.Subject == timeline.Device("sw1") {
				told = e.Attrs[AnsweredFrom]
			}
		}
		got = append(got, told)
	}
	want := []string{"", "192.0.2.9", "", "", "192.0.2.9", "192.0.2.10"}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("reading %d: got %q, want %q", i, got[i], want[i])
		}
	}
}

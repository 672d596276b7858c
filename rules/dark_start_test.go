package rules

import (
	"strings"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

func TestAPathThatNeverAnsweredIsLookedAtFromThisHost(t *testing.T) {
	at := time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)
	dark := func(seconds int, attrs map[string]string) timeline.Event {
		attrs["direction"], attrs["seen_by"], attrs["open"] = timeline.Both, timeline.SeenByHeartbeat, "true"
		return timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventOutage, Span: timeline.Span{From: at, To: at.Add(time.Duration(seconds) * time.Second)}, Attrs: attrs}
	}
	const check = "nobody answers ARP for the first hop 10.0.0.1"
	for _, tt := range []struct {
		name  string
		attrs map[string]string
		want  string
	}{
		{"dark since the start", map[string]string{"since": "start", "check": check}, "Look at this host and its first hop (" + check},
		{"dark later", map[string]string{}, "Count the probe's packets"},
	} {
		s := timeline.NewSnapshot(dark(30, tt.attrs))
		found := Evaluate(Default(), s, correlate.Topology{Paths: []correlate.Path{{Name: "a-b", To: "10.9.9.9"}}})
		if len(found) != 1 || found[0].ID() != "silent-drop" || !strings.HasPrefix(found[0].Next[0], tt.want) {
			t.Errorf("%s: got %+v", tt.name, found)
		}
	}
}

package rules

import (
	"testing"

	"whydrop/correlate/timeline"
)

func TestAnEventInWords(t *testing.T) {
	port := timeline.Port("acc", "Gi1/0/1")
	for _, tt := range []struct {
		name     string
		of       timeline.EventType
		text     string
		from, to string
		want     string
	}{
		{"a port", timeline.EventOper, "", "up", "down", "acc Gi1/0/1 went down"},
		{"a speed has its unit", timeline.EventSpeed, "", "1000000000", "100000000", "acc Gi1/0/1: speed went from 1 Gbit/s to 100 Mbit/s"},
		{"a speed that is no number", timeline.EventSpeed, "", "", "auto", "acc Gi1/0/1: speed went from an unknown one to auto"},
		{"a duplex", timeline.EventDuplex, "", "full", "half", "acc Gi1/0/1: duplex went full to half"},
		{"the state before is not known", timeline.EventSTPState, "", "", "forwarding", "acc Gi1/0/1: spanning tree went to forwarding"},
		{"the device's own words", timeline.EventOper, "%LINK-3-UPDOWN: down", "up", "down", `acc Gi1/0/1 went down ("%LINK-3-UPDOWN: down")`},
	} {
		e := timeline.Event{Subject: port, Type: tt.of, Text: tt.text, Attrs: map[string]string{"from": tt.from, "to": tt.to}}
		if got := wordsOf(e); got != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got, tt.want)
		}
	}
}

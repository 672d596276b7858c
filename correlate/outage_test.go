package correlate

import (
	"testing"

	"whydrop/correlate/timeline"
)

func TestOutages(t *testing.T) {
	fwd := outage(timeline.Forward, timeline.SeenByHeartbeat, span(20, 22))
	cases := []struct {
		name  string
		parts []any
		want  string
	}{
		{"a port of the path went down as it began", []any{fwd, oper("sw1", "a", "down", span(19.8, 20.8), "snmp:sw1")}, timeline.Both},
		{"nothing went down", []any{fwd}, timeline.Forward},
		{"a port went down in the middle of it", []any{outage(timeline.Forward, timeline.SeenByHeartbeat, span(20, 40)), oper("sw1", "a", "down", span(30, 30.1), "snmp:sw1")}, timeline.Forward},
		{"a port off the path went down", []any{fwd, oper("sw1", "x", "down", span(20, 20.1), "snmp:sw1")}, timeline.Forward},
		{"a port came back", []any{fwd, oper("sw1", "a", "up", span(20, 20.1), "snmp:sw1")}, timeline.Forward},
		{"the flow's stall keeps the data's direction", []any{outage(timeline.Forward, timeline.SeenByTCP, span(20, 23)), oper("sw1", "a", "down", span(20, 20.1), "snmp:sw1")}, timeline.Forward},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Outages(snap(c.parts...), site)
			if len(got) != 1 || got[0].Direction != c.want {
				t.Fatalf("got %v, want one of direction %s", got, c.want)
			}
			if got[0].Event.Attrs["direction"] == timeline.Both && c.want != timeline.Both {
				t.Error("the record was changed")
			}
		})
	}
}

func TestIncidentInWhichNothingWasLost(t *testing.T) {
	late := outage("forward", "heartbeat", span(20, 20.4))
	late.Attrs["lost"] = "0"
	lost := outage("forward", "heartbeat", span(20, 20.4))
	lost.Attrs["lost"] = "3"
	cases := []struct {
		name   string
		events []any
		want   bool
	}{
		{"heartbeats came late", []any{late}, false},
		{"and one segment was sent again", []any{late, outage("forward", "tcp", span(20.1, 20.5))}, false},
		{"and the flow stalled on", []any{late, outage("forward", "tcp", span(20.1, 23.2))}, true},
		{"heartbeats were lost", []any{lost}, true},
		{"how many were lost is not told", []any{outage("forward", "heartbeat", span(20, 20.4))}, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Incidents(Outages(snap(c.events...), site))
			if len(got) != 1 || got[0].Dropped() != c.want {
				t.Errorf("got %v, want one with dropped %v", got, c.want)
			}
		})
	}
}

func TestOutagesAreOrderedByTheirBeginning(t *testing.T) {
	got := Outages(snap(outage("both", "tcp", span(20, 23)), outage("both", "heartbeat", span(19.9, 20.2)), outage("both", "tcp", span(5, 40))), site)
	for i, want := range []float64{5, 19.9, 20} {
		if !got[i].Span.From.Equal(at(want)) {
			t.Errorf("outage %d begins at %v, want %v", i, got[i].Span.From, at(want))
		}
	}
}

func TestIncidents(t *testing.T) {
	s := snap(
		outage("forward", "heartbeat", span(20, 20.3)), outage("reverse", "heartbeat", span(20, 20.4)), outage("forward", "tcp", span(20.1, 23.2)),
		outage("forward", "heartbeat", span(24, 24.2)), outage("forward", "tcp", span(40, 43)),
	)
	got := Incidents(Outages(s, site))
	if len(got) != 2 {
		t.Fatalf("%d incidents, want 2 (the heartbeat 0.8 s after the stall belongs to it)", len(got))
	}
	if d := got[0].Dark(timeline.Reverse).Width().Seconds(); d != 0.4 {
		t.Errorf("reverse dark %v s, want 0.4", d)
	}
	if d := got[0].Stall().Width().Seconds(); d != 3.1 {
		t.Errorf("stall %v s, want 3.1", d)
	}
	if !got[1].DarkAny().IsZero() {
		t.Error("the second incident was not dark")
	}
}

func TestAnOpenOutageGrows(t *testing.T) {
	open := func(from, to float64) timeline.Event {
		e := outage(timeline.Both, timeline.SeenByHeartbeat, span(from, to))
		e.Attrs["open"] = "true"
		return e
	}
	for _, c := range []struct {
		name  string
		parts []any
		want  int
		ends  float64
	}{
		{"it was told twice while it lasted", []any{open(0, 5), open(0, 60)}, 1, 60},
		{"it ended", []any{open(0, 5), outage(timeline.Both, timeline.SeenByHeartbeat, span(0, 14))}, 1, 14},
		{"another began later", []any{open(0, 5), open(8, 60)}, 2, 60},
	} {
		got := Outages(snap(c.parts...), site)
		if len(got) != c.want || !got[len(got)-1].Span.To.Equal(span(0, c.ends).To) {
			t.Errorf("%s: got %v", c.name, got)
		}
	}
}

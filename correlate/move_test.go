package correlate

import (
	"testing"

	"whydrop/correlate/timeline"
)

func TestMoves(t *testing.T) {
	type want struct {
		stopped, started string
		root             bool
	}
	tc := func(dev string, t float64) timeline.Event {
		return event(timeline.Device(dev), timeline.EventTopologyChange, span(t-0.02, t+0.02), "snmp:"+dev, "count", "1")
	}
	cases := []struct {
		name   string
		events []any
		want   []want
	}{
		{"two ports of one bridge swap", []any{stp("sw2", "a", "forwarding", "blocking", 20), stp("sw2", "b", "blocking", "forwarding", 20.2)},
			[]want{{"sw2 a", "sw2 b", false}}},
		{"the root port says it too", []any{stp("sw2", "a", "forwarding", "blocking", 20), stp("sw2", "b", "blocking", "forwarding", 20.2), rootPort("sw2", "a", "b", 20)},
			[]want{{"sw2 a", "sw2 b", true}}},
		{"only the root port was read", []any{rootPort("sw2", "a", "b", 20)}, []want{{"sw2 a", "sw2 b", true}}},
		{"roles alone", []any{
			event(timeline.Port("sw2", "a"), timeline.EventSTPRole, span(20, 20.1), "snmp:sw2", "from", "root", "to", "alternate"),
			event(timeline.Port("sw2", "b"), timeline.EventSTPRole, span(20, 20.1), "snmp:sw2", "from", "alternate", "to", "root")},
			[]want{{"sw2 a", "sw2 b", true}}},
		{"there and back", []any{
			stp("sw2", "a", "forwarding", "blocking", 20), stp("sw2", "b", "blocking", "forwarding", 20),
			stp("sw2", "b", "forwarding", "blocking", 40), stp("sw2", "a", "blocking", "forwarding", 40)},
			[]want{{"sw2 a", "sw2 b", false}, {"sw2 b", "sw2 a", false}}},
		{"back while the old port already forwards as designated", []any{
			stp("sw2", "a", "forwarding", "blocking", 20), stp("sw2", "b", "blocking", "forwarding", 20), rootPort("sw2", "a", "b", 20),
			stp("sw2", "a", "learning", "forwarding", 24), stp("sw2", "b", "forwarding", "blocking", 40), rootPort("sw2", "b", "a", 40)},
			[]want{{"sw2 a", "sw2 b", true}, {"sw2 b", "sw2 a", true}}},
		{"timers run before the other port forwards", []any{stp("sw2", "a", "forwarding", "blocking", 20), stp("sw2", "b", "learning", "forwarding", 50)},
			[]want{{"sw2 a", "sw2 b", false}}},
		{"two bridges at one time: the one whose root port moved", []any{
			stp("sw1", "a", "forwarding", "blocking", 20), stp("sw1", "b", "blocking", "forwarding", 20), rootPort("sw1", "a", "b", 20),
			stp("sw2", "a", "forwarding", "blocking", 20.3), stp("sw2", "b", "blocking", "forwarding", 20.3)},
			[]want{{"sw1 a", "sw1 b", true}}},
		{"a port goes and comes back itself", []any{stp("sw1", "a", "forwarding", "disabled", 20), stp("sw1", "a", "disabled", "forwarding", 21)}, nil},
		{"another link comes up meanwhile", []any{stp("sw1", "a", "forwarding", "disabled", 20), stp("sw1", "b", "disabled", "forwarding", 21)}, nil},
		{"a port off the path begins to forward meanwhile", []any{stp("sw1", "a", "forwarding", "disabled", 20), stp("sw1", "x", "learning", "forwarding", 21)}, nil},
		{"a better link came back and is the root port", []any{stp("sw2", "b", "forwarding", "blocking", 20), stp("sw2", "a", "disabled", "forwarding", 20), rootPort("sw2", "b", "a", 20)},
			[]want{{"sw2 b", "sw2 a", true}}},
		{"a bridge loses its root port and becomes the root", []any{rootPort("sw1", "a", "", 20)}, nil},
		{"a log says the root port anew", []any{rootPort("sw1", "a", "a", 20), stp("sw1", "a", "forwarding", "disabled", 20), stp("sw1", "a", "disabled", "forwarding", 21)}, nil},
		{"a topology change alone", []any{tc("sw1", 20), tc("sw2", 20)}, nil},
		{"ports off the path", []any{stp("sw1", "x", "forwarding", "blocking", 20), stp("sw1", "y", "blocking", "forwarding", 20)}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := Moves(site, Changes(snap(c.events...), site))
			if len(got) != len(c.want) {
				t.Fatalf("%d moves, want %d: %v", len(got), len(c.want), got)
			}
			for i, w := range c.want {
				if g := got[i]; g.Stopped.String() != w.stopped || g.Started.String() != w.started || g.Root != w.root {
					t.Errorf("move %d: %s to %s (root %v), want %s to %s (root %v)", i, g.Stopped, g.Started, g.Root, w.stopped, w.started, w.root)
				}
			}
		})
	}
}

func TestMoveIsDatedByTheNarrowestOfItsBridge(t *testing.T) {
	wide := event(timeline.Port("sw2", "a"), timeline.EventSTPState, span(19.6, 20.6), "snmp:sw2", "from", "forwarding", "to", "blocking")
	wide2 := event(timeline.Port("sw2", "b"), timeline.EventSTPState, span(19.6, 20.6), "snmp:sw2", "from", "blocking", "to", "forwarding")
	tc := event(timeline.Device("sw2"), timeline.EventTopologyChange, span(20.18, 20.22), "snmp:sw2", "count", "1")
	other := event(timeline.Device("sw1"), timeline.EventTopologyChange, span(20.31, 20.32), "snmp:sw1", "count", "1")
	got := Moves(site, Changes(snap(wide, wide2, tc, other), site))
	if len(got) != 1 || got[0].At != tc.Span {
		t.Fatalf("got %v, want it at %v", got, tc.Span)
	}
	if len(got[0].Bridges) != 2 {
		t.Errorf("bridges %v, want both", got[0].Bridges)
	}
}

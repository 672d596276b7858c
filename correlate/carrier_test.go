package correlate

import (
	"math"
	"testing"

	"whydrop/correlate/timeline"
)

func TestCarrierGroupsNameThePortToLookAtFirst(t *testing.T) {
	cases := []struct {
		name string
		down []any
		want []string
	}{
		{"a switch and a firewall: the switch", []any{oper("fw1", "out", "down", span(20, 20.1), "snmp:fw1"), oper("sw2", "a", "down", span(20.5, 21.5), "snmp:sw2")}, []string{"sw2 a"}},
		{"a firewall alone", []any{oper("fw1", "out", "down", span(20, 20.1), "snmp:fw1")}, []string{"fw1 out"}},
		{"a firewall lost both links: the switch nearest the far end", []any{
			oper("sw1", "b", "down", span(20, 20.1), "snmp:sw1"), oper("fw1", "in", "down", span(20, 20.1), "snmp:fw1"),
			oper("fw1", "out", "down", span(20, 20.1), "snmp:fw1"), oper("sw2", "a", "down", span(20, 20.1), "snmp:sw2")}, []string{"sw2 a"}},
		{"two links at different times", []any{oper("sw1", "b", "down", span(20, 20.1), "snmp:sw1"), oper("sw2", "a", "down", span(25, 25.1), "snmp:sw2")}, []string{"sw1 b", "sw2 a"}},
		{"off the path", []any{oper("sw1", "x", "down", span(20, 20.1), "snmp:sw1")}, nil},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := snap(c.down...)
			got := CarrierGroups(CarrierLosses(s, site, Changes(s, site)), site, s.Span().To)
			if len(got) != len(c.want) {
				t.Fatalf("%d groups, want %d", len(got), len(c.want))
			}
			for i, w := range c.want {
				if got[i].Main.Port.String() != w {
					t.Errorf("group %d is led by %s, want %s", i, got[i].Main.Port, w)
				}
			}
		})
	}
}

func TestCarrierLossKnowsWhenItEndedAndWhatThePortCarried(t *testing.T) {
	s := snap(
		oper("sw1", "a", "down", span(20, 20.1), "snmp:sw1"), oper("sw1", "a", "up", span(22, 22.1), "snmp:sw1"),
		oper("sw1", "b", "down", span(40, 40.1), "snmp:sw1"),
		rate(timeline.Path("p"), timeline.GoodputForward, 0, 60, 50e6),
		rate(timeline.Port("sw1", "a"), timeline.InBits, 0, 20, 52e6),
		rate(timeline.Port("sw1", "b"), timeline.InBits, 0, 40, 1e4),
	)
	got := CarrierLosses(s, site, Changes(s, site))
	if len(got) != 2 {
		t.Fatalf("%d losses, want 2", len(got))
	}
	if got[0].Up == nil || got[0].Lasted(at(60)).Width().Seconds() != 2.1 || math.Abs(got[0].Carried-1.04) > 1e-9 {
		t.Errorf("first: %+v", got[0])
	}
	if got[1].Up != nil || got[1].Lasted(at(60)).To != at(60) || got[1].Carried > 0.01 {
		t.Errorf("second: %+v", got[1])
	}
}

func TestShiftBetween(t *testing.T) {
	probe := rate(timeline.Path("p"), timeline.GoodputForward, 0, 60, 50e6)
	in := func(dev string, from, to int, v float64) []timeline.Record {
		return rate(timeline.Port(dev, "in"), timeline.InBits, from, to, v)
	}
	pre, post := Around(span(20, 23), at(0), at(60))
	cases := []struct {
		name        string
		parts       []any
		known, went bool
		from, to    string
	}{
		{"from one to the other", []any{probe, in("fw1", 0, 20, 52e6), in("fw1", 20, 60, 1e4), in("fw2", 0, 23, 1e4), in("fw2", 23, 60, 52e6)}, true, true, "fw1", "fw2"},
		{"and the other way round", []any{probe, in("fw2", 0, 20, 52e6), in("fw2", 20, 60, 1e4), in("fw1", 0, 23, 1e4), in("fw1", 23, 60, 52e6)}, true, true, "fw2", "fw1"},
		{"under other traffic that stays", []any{probe, in("fw1", 0, 20, 92e6), in("fw1", 20, 60, 40e6), in("fw2", 0, 23, 200e6), in("fw2", 23, 60, 250e6)}, true, true, "fw1", "fw2"},
		{"it stayed", []any{probe, in("fw1", 0, 60, 52e6), in("fw2", 0, 60, 1e4)}, true, false, "", ""},
		{"one unit is not read", []any{probe, in("fw1", 0, 60, 52e6)}, false, false, "", ""},
		{"no probe ran", []any{in("fw1", 0, 60, 52e6), in("fw2", 0, 60, 1e4)}, false, false, "", ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			got := ShiftBetween(snap(c.parts...), site, "p", []string{"fw1", "fw2"}, pre, post)
			if got.Known != c.known || got.Moved != c.went || got.From != c.from || got.To != c.to {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestAroundEndsAtTheNextDisturbance(t *testing.T) {
	pre, post := Around(span(20, 23), at(17), at(26))
	if pre != span(17, 18.5) || post != span(24.5, 26) {
		t.Errorf("got %v and %v", pre, post)
	}
}

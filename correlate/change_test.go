package correlate

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestChangesMergeWhatSeveralCollectorsSaw(t *testing.T) {
	log := oper("sw1", "a", "down", span(10.29, 10.31), "ssh:sw1")
	log.Text = "%LINK-3-UPDOWN: Interface a, changed state to down"
	cases := []struct {
		name   string
		events []timeline.Event
		want   []time.Duration // the widths of the datings, in order
	}{
		{"a poll and the log of one change", []timeline.Event{oper("sw1", "a", "down", span(10, 11), "snmp:sw1"), log}, []time.Duration{20 * time.Millisecond}},
		{"a log that lies a second from the poll", []timeline.Event{oper("sw1", "a", "down", span(11.4, 12.4), "snmp:sw1"), log}, []time.Duration{20 * time.Millisecond}},
		{"too far apart", []timeline.Event{oper("sw1", "a", "down", span(12, 13), "snmp:sw1"), log}, []time.Duration{20 * time.Millisecond, time.Second}},
		{"down is not up", []timeline.Event{oper("sw1", "a", "up", span(10, 11), "snmp:sw1"), log}, []time.Duration{20 * time.Millisecond, time.Second}},
		{"another port", []timeline.Event{oper("sw1", "b", "down", span(10, 11), "snmp:sw1"), log}, []time.Duration{20 * time.Millisecond, time.Second}},
		{"one collector never tells one change twice", []timeline.Event{
			oper("sw1", "a", "down", span(10, 10.2), "snmp:sw1"), oper("sw1", "a", "down", span(11, 11.2), "snmp:sw1")}, []time.Duration{200 * time.Millisecond, 200 * time.Millisecond}},
		{"a poll, the log, a message and a trap of one failover, each with words of its own", []timeline.Event{
			event(timeline.Device("fw1"), timeline.EventFailover, span(10, 11), "snmp:fw1", "from", "standby", "to", "active", "reason", "peer silent"),
			event(timeline.Device("fw1"), timeline.EventFailover, span(10.2, 10.7), "trap:fw1"),
			event(timeline.Device("fw1"), timeline.EventFailover, span(10.1, 10.6), "ssh:fw1", "to", "active", "unit", "primary"),
			event(timeline.Device("fw1"), timeline.EventFailover, span(10.3, 10.35), "syslog:fw1", "from", "standby", "to", "active", "reason", "HELLO not heard from mate")}, []time.Duration{50 * time.Millisecond}},
		{"the log knows only what it became", []timeline.Event{
			oper("sw1", "a", "down", span(10, 11), "snmp:sw1"),
			event(timeline.Port("sw1", "a"), timeline.EventOper, span(10.2, 10.3), "ssh:sw1", "to", "down")}, []time.Duration{100 * time.Millisecond}},
		{"topology changes counted differently", []timeline.Event{
			event(timeline.Device("sw1"), timeline.EventTopologyChange, span(10, 11), "snmp:sw1", "count", "2"),
			event(timeline.Device("sw1"), timeline.EventTopologyChange, span(10.5, 10.6), "ssh:sw1")}, []time.Duration{100 * time.Millisecond}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var all []timeline.Record
			for _, e := range c.events {
				all = append(all, e)
			}
			got := Changes(timeline.NewSnapshot(all...), site)
			if len(got) != len(c.want) {
				t.Fatalf("%d changes, want %d", len(got), len(c.want))
			}
			for i, w := range c.want {
				if got[i].Span.Width() != w {
					t.Errorf("change %d is dated to %v, want %v", i, got[i].Span.Width(), w)
				}
			}
		})
	}
}

func TestMergedChangeKeepsTheDevicesWordsAndAllAttributes(t *testing.T) {
	poll := oper("sw1", "a", "down", span(10, 10.1), "snmp:sw1")
	poll.Text = "ifOperStatus went from up to down"
	log := event(timeline.Port("sw1", "a"), timeline.EventOper, span(9.6, 10.6), "ssh:sw1", "to", "down")
	log.Text = "%LINK-3-UPDOWN: Interface a, changed state to down"
	got := Changes(snap(poll, log), site)
	if len(got) != 1 {
		t.Fatalf("%d changes, want 1", len(got))
	}
	c := got[0]
	if c.Text != log.Text || c.Attrs["from"] != "up" || c.Span != poll.Span || len(c.Seen) != 2 || !c.OnPath {
		t.Errorf("got %q %v %v", c.Text, c.Attrs, c.Span)
	}
	if poll.Attrs["to"] != "down" || len(log.Attrs) != 1 {
		t.Error("the records were changed")
	}
}

func TestChangesTellTheFlapsThatOneCollectorSawApart(t *testing.T) {
	got := Changes(snap(
		oper("sw1", "a", "down", span(10.1, 10.12), "ssh:sw1"), oper("sw1", "a", "up", span(10.5, 10.52), "ssh:sw1"),
		oper("sw1", "a", "down", span(10.9, 10.92), "ssh:sw1"), oper("sw1", "a", "down", span(10, 11), "snmp:sw1"),
	), site)
	if len(got) != 3 {
		t.Errorf("%d changes, want down, up, down", len(got))
	}
}

func TestChangesLeaveOutWhatHappenedBeforeAnythingWasWatched(t *testing.T) {
	figures := rate(timeline.Path("p"), timeline.RTT, 0, 60, 0.002)
	old := oper("sw1", "a", "down", span(-90000, -89999), "ssh:sw1")
	got := Changes(snap(figures, old, oper("sw1", "a", "down", span(-1, 0), "snmp:sw1"), oper("sw1", "a", "up", span(60.5, 61), "snmp:sw1")), site)
	if len(got) != 2 {
		t.Errorf("%d changes, want the two at the edges: %v", len(got), got)
	}
	if w := Watched(snap(figures, old)); w != span(0, 60) {
		t.Errorf("watched %v to %v", w.From, w.To)
	}
}

func TestOrderAndLeads(t *testing.T) {
	cases := []struct {
		name   string
		a, b   timeline.Span
		order  Ordering
		within time.Duration
		leads  bool
	}{
		{"clearly before", span(1, 2), span(3, 4), Before, 2 * time.Second, true},
		{"clearly before, but too long", span(1, 2), span(9, 10), Before, 2 * time.Second, false},
		{"clearly after", span(6, 7), span(3, 4), After, 2 * time.Second, false},
		{"after by less than a device may be late", span(5, 5.1), span(3, 4), After, 2 * time.Second, true},
		{"overlapping datings", span(1, 3), span(2, 4), Unclear, 0, true},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if got := Order(c.a, c.b); got != c.order {
				t.Errorf("order is %v, want %v", got, c.order)
			}
			if got := Leads(c.a, c.b, c.within); got != c.leads {
				t.Errorf("leads is %v, want %v", got, c.leads)
			}
		})
	}
}

package correlate

import (
	"fmt"
	"strings"
	"testing"

	"whydrop/correlate/timeline"
)

func TestAFailoverIsTakenApart(t *testing.T) {
	ha := func(at float64) timeline.Event {
		return event(timeline.Device("fw2"), timeline.EventFailover, span(at-0.05, at+0.05), "ssh:fw2", "from", "standby", "to", "active")
	}
	stall := func(from, to float64, backoff string) timeline.Event {
		e := outage(timeline.Forward, timeline.SeenByTCP, span(from, to))
		if backoff != "" {
			e.Attrs["backoff_ms"] = backoff
		}
		return e
	}
	dark := func(direction string, from, to float64) timeline.Event {
		return outage(direction, timeline.SeenByHeartbeat, span(from, to))
	}
	for _, tt := range []struct {
		name   string
		events []any
		want   string // each kind of traffic: terms and their lengths; "" if nothing went over
		most   string // what lasted longest of the last kind
	}{
		{"the ports are quick, and what was learned is old", []any{
			dark(timeline.Both, 20, 25), stp("sw2", "a", "forwarding", "blocking", 20.2), stp("sw2", "b", "blocking", "forwarding", 20.4)},
			"heartbeat both: detection 0.2, spanning-tree forwarding 0.2, MAC and ARP relearning 4.6", "MAC and ARP relearning"},
		{"timers run until the other port forwards", []any{
			dark(timeline.Both, 20, 51), stp("sw2", "a", "forwarding", "blocking", 20.2), stp("sw2", "b", "learning", "forwarding", 50.2)},
			"heartbeat both: detection 0.2, spanning-tree forwarding 30.0, MAC and ARP relearning 0.8", "spanning-tree forwarding"},
		{"the firewall that takes over does not know the flow", []any{
			dark(timeline.Forward, 20, 20.2), stall(20, 23.2, "1600"), stp("sw2", "a", "forwarding", "blocking", 20.1), stp("sw2", "b", "blocking", "forwarding", 20.1)},
			"heartbeat forward: detection 0.1, spanning-tree forwarding 0.0, MAC and ARP relearning 0.1; " +
				"tcp forward: detection 0.1, spanning-tree forwarding 0.0, MAC and ARP relearning 0.1, state rebuilding 1.4 at least, TCP back-off 1.6 at most", "state rebuilding"},
		{"the flow alone stood still", []any{
			stall(20, 23.2, "1600"), stp("sw2", "a", "forwarding", "blocking", 20.1), stp("sw2", "b", "blocking", "forwarding", 20.1)},
			"tcp forward: state rebuilding 1.6 at least, TCP back-off 1.6 at most", "state rebuilding"},
		{"the flow's timer alone ran on", []any{
			dark(timeline.Both, 20, 22), stall(20, 23, "1000"), stp("sw2", "a", "forwarding", "blocking", 20.1), stp("sw2", "b", "blocking", "forwarding", 21.1)},
			"heartbeat both: detection 0.1, spanning-tree forwarding 1.0, MAC and ARP relearning 0.9; " +
				"tcp forward: detection 0.1, spanning-tree forwarding 1.0, MAC and ARP relearning 0.9, TCP back-off 1.0 at most", "spanning-tree forwarding"},
		{"the timer ran once", []any{
			stall(20, 20.22, "208"), stp("sw2", "a", "forwarding", "blocking", 20.1), stp("sw2", "b", "blocking", "forwarding", 20.1)},
			"tcp forward: TCP back-off 0.2 at most", "TCP back-off"},
		{"nobody says how long the timer ran", []any{
			dark(timeline.Both, 20, 20.5), stall(20, 23, ""), stp("sw2", "a", "forwarding", "blocking", 20.1), stp("sw2", "b", "blocking", "forwarding", 20.1)},
			"heartbeat both: detection 0.1, spanning-tree forwarding 0.0, MAC and ARP relearning 0.4; " +
				"tcp forward: detection 0.1, spanning-tree forwarding 0.0, MAC and ARP relearning 0.4, state rebuilding and TCP back-off 2.5", "state rebuilding and TCP back-off"},
		{"firewalls without spanning tree", []any{dark(timeline.Both, 20, 26), ha(25)},
			"heartbeat both: HA role 5.0, MAC and ARP relearning 1.0", "HA role"},
		{"a link is lost, and the other unit takes over", []any{dark(timeline.Both, 20, 26), oper("sw1", "a", "down", span(20.4, 20.6), "snmp:sw1"), ha(25)},
			"heartbeat both: detection 0.5, HA role 4.5, MAC and ARP relearning 1.0", "HA role"},
		{"each way was dark for its own time", []any{
			dark(timeline.Forward, 20, 21), dark(timeline.Reverse, 20, 23), stp("sw2", "a", "forwarding", "blocking", 20.2), stp("sw2", "b", "blocking", "forwarding", 20.2)},
			"heartbeat forward: detection 0.2, spanning-tree forwarding 0.0, MAC and ARP relearning 0.8; " +
				"heartbeat reverse: detection 0.2, spanning-tree forwarding 0.0, MAC and ARP relearning 2.8", "MAC and ARP relearning"},
		{"a poll dates the move later than heartbeats pass again", []any{
			dark(timeline.Both, 20, 20.4), stp("sw2", "a", "forwarding", "blocking", 20.6), stp("sw2", "b", "blocking", "forwarding", 20.6)},
			"heartbeat both: detection 0.4, spanning-tree forwarding 0.0, MAC and ARP relearning 0.0", "detection"},
		{"nothing took over", []any{dark(timeline.Both, 20, 26), oper("sw1", "a", "down", span(20.4, 20.6), "snmp:sw1")}, "", ""},
		{"a move long before", []any{dark(timeline.Both, 20, 26), stp("sw2", "a", "forwarding", "blocking", 10), stp("sw2", "b", "blocking", "forwarding", 10)}, "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := snap(tt.events...)
			changes := Changes(s, site)
			i := Incidents(Outages(s, site))[0]
			f, ok := TakeApart(i, site.Paths[0], Moves(site, changes), changes)
			if ok != (tt.want != "") {
				t.Fatalf("something took over: %v", ok)
			}
			if !ok {
				return
			}
			if got := apartText(f); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
			for _, a := range f.Apart {
				at := a.Span.From
				for _, p := range a.Parts {
					if !p.Span.From.Equal(at) || p.Span.To.Before(at) || p.Error < 0 {
						t.Errorf("a part from %v to %v ± %v after %v", p.Span.From, p.Span.To, p.Error, at)
					}
					at = p.Span.To
				}
				if !at.Equal(a.Span.To) {
					t.Errorf("the parts end at %v, the interruption at %v", at, a.Span.To)
				}
			}
			most, _ := f.Apart[len(f.Apart)-1].Largest()
			if got := termsText(most); got != tt.most {
				t.Errorf("longest is %s, want %s", got, tt.most)
			}
		})
	}
}

func termsText(p Part) string {
	var out []string
	for _, t := range p.Terms {
		out = append(out, string(t))
	}
	return strings.Join(out, " and ")
}

func apartText(f Failover) string {
	var kinds []string
	for _, a := range f.Apart {
		var parts []string
		for _, p := range a.Parts {
			text := fmt.Sprintf("%s %.1f", termsText(p), p.Span.Width().Seconds())
			if p.AtLeast {
				text += " at least"
			}
			if p.AtMost {
				text += " at most"
			}
			parts = append(parts, text)
		}
		kinds = append(kinds, a.SeenBy+" "+a.Direction+": "+strings.Join(parts, ", "))
	}
	return strings.Join(kinds, "; ")
}

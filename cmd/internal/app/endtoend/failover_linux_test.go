package endtoend

import (
	"fmt"
	"testing"
	"time"

	"whydrop/cmd/internal/report"
)

// watchFor is how long the watch of the failover runs: the tree needs 4 s, the flow comes back at its retransmission
// timer's 12.6 s.
const watchFor = 34 * time.Second

// agreement is how far an outage may differ from the capture at the receiver.
const agreement = 100 * time.Millisecond

func TestASpanningTreeMoveIsToldFromWhatItCausedInARealNetwork(t *testing.T) {
	for _, tt := range []struct {
		name   string
		ageing int // of the switches' forwarding entries, seconds
		chain  []string
	}{
		{"a firewall that does not know the flow", 3, []string{"stp-reconvergence", "firewall-failover"}},
		{"a switch that goes on sending to the old place", 300, []string{"stp-reconvergence", "stale-arp-fdb"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := newCampus(t, tt.ageing)
			c.start("b", "serve.log", nil, c.whydrop, "serve", "--listen", addressB, "-p", "5201")
			segments := c.capture("b", "segments", "tcp dst port 5201 and greater 600")
			beats := c.capture("b", "heartbeats", "udp dst port 5202")
			done := make(chan report.Document, 1)
			go func() { done <- c.watch("a", c.site(), watchFor, "LAB_COMMUNITY="+community) }()
			time.Sleep(10 * time.Second)
			moved := c.move()
			doc := <-done
			judge(t, doc, labFault{Chain: tt.chain, Device: "swb", IfName: "p1"})
			if len(doc.Findings) > 0 {
				if from := doc.Findings[0].Span.From; from == nil || from.Sub(moved).Abs() > 2*time.Second {
					t.Errorf("begins at %v, the cost was changed at %v", from, moved)
				}
			}
			compare(t, doc, "tcp", segments())
			compare(t, doc, "heartbeat", beats())
		})
	}
}

// move raises the cost of the path through fw1, waits until the tree has moved, and lets fw2 adopt the flows 3 s
// later. It returns when the cost was changed.
func (c *campus) move() time.Time {
	c.t.Helper()
	at := time.Now()
	c.in("swb", "bridge", "link", "set", "dev", "p1", "cost", "400")
	c.eventually(10*time.Second, "the tree to move", func() bool { return c.portState("swb", "p2") == "3" })
	time.Sleep(3 * time.Second)
	c.pickUp("fw2", true)
	return at
}

// compare holds the outage of a kind that belongs to the longest gap in a capture at the receiver against that gap.
func compare(t *testing.T, doc report.Document, seenBy string, times []time.Time) {
	t.Helper()
	from, to := longestGap(times)
	if to.Sub(from) < time.Second {
		t.Fatalf("%s: the capture's longest gap is only %v (%d packets)", seenBy, to.Sub(from), len(times))
	}
	var best *report.Outage // the one that begins nearest to the gap: two may be as long as each other
	for i, o := range doc.Outages {
		if o.SeenBy == seenBy && (best == nil || o.From.Sub(from).Abs() < best.From.Sub(from).Abs()) {
			best = &doc.Outages[i]
		}
	}
	if best == nil {
		t.Fatalf("%s: no outage; the capture has a gap of %v", seenBy, to.Sub(from))
	}
	got, want := time.Duration(best.DurationMS*1e6), to.Sub(from)
	t.Logf("%s outage: %v, in the capture %v", seenBy, got, want)
	if (got - want).Abs() > agreement {
		t.Errorf("%s outage: got %v, want %v", seenBy, got, want)
	}
	if best.From.Sub(from).Abs() > agreement {
		t.Errorf("%s outage: begins %v from the capture's gap", seenBy, best.From.Sub(from))
	}
}

// site describes the campus to the program under test.
func (c *campus) site() string {
	text := "site: lab\ndevices:\n"
	for _, d := range []struct{ name, role, peer, ports string }{
		{"swa", "switch", "", "p1, p2, p3"}, {"swb", "switch", "", "p1, p2, p3"},
		{"fw1", "firewall", "fw2", "in, out"}, {"fw2", "firewall", "fw1", "in, out"},
	} {
		text += fmt.Sprintf("  - {name: %s, address: %s, role: %s, peer: %q, snmp: {version: 2c, community: env:LAB_COMMUNITY}, ports: [%s]}\n",
			d.name, managed[d.name], d.role, d.peer, d.ports)
	}
	return text + "paths:\n  - name: a-b\n    hops: [swa, [fw1, fw2], swb]\n    probe: {to: " + addressB + ", rate: 20M}\n"
}

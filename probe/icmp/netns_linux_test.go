package icmp

import (
	"context"
	"errors"
	"net/netip"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage/outagetest"
)

// Echo over a real path whose kernel answers, with a datagram socket and with a raw one, IPv4 and IPv6: an outage is
// what a capture of the answers shows.
func TestOutagesAgreeWithACapture(t *testing.T) {
	tests := []struct {
		name, to, filter, groups string
	}{
		{"datagram socket", outagetest.B, "icmp[icmptype] = icmp-echoreply", "0 0"},
		{"raw socket", outagetest.B, "icmp[icmptype] = icmp-echoreply", "1 0"},
		{"datagram socket, IPv6", outagetest.B6, "icmp6 and ip6[40] = 129", "0 0"},
		{"raw socket, IPv6", outagetest.B6, "icmp6 and ip6[40] = 129", "1 0"},
	}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := outagetest.NewPath(t, "wdstampi"+string(rune('0'+i))+"-")
			p.Exec("a", "sysctl", "-qw", "net.ipv4.ping_group_range="+tt.groups)
			// IPv6 takes a second or two before its addresses are in use.
			for up := errors.New("not tried"); up != nil && t.Context().Err() == nil; {
				p.Do("a", func() { up = Check(t.Context(), tt.to) })
			}
			back := p.Capture("a", "in", tt.filter)
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			var running sync.WaitGroup
			var store timeline.Store
			running.Go(func() {
				p.Do("a", func() {
					if s, err := openSocket(netip.MustParseAddr(tt.to)); err != nil || s.raw != (tt.groups == "1 0") {
						t.Errorf("socket %+v, %v", s, err)
					} else {
						_ = s.conn.Close()
					}
					if err := (&Pinger{Name: "a-b", To: tt.to, Heartbeat: 10 * ms}).Probe(ctx, &store); err != nil {
						t.Errorf("Probe: %v", err)
					}
				})
			})
			time.Sleep(500 * ms)
			p.Drop("b", 300*ms)
			time.Sleep(1500 * ms)
			cancel()
			running.Wait()
			es := store.Snapshot().EventsOf(timeline.Path("a-b"), timeline.EventOutage)
			gaps := outagetest.Gaps(back(), 100*ms)
			if len(es) != 1 || len(gaps) != 1 {
				t.Fatalf("%d outages, captured %v; want one of either", len(es), gaps)
			}
			e, g := es[0], gaps[0]
			if e.Attrs["direction"] != timeline.Both || e.Span.From.Sub(g.From).Abs() > 10*ms || e.Span.To.Sub(g.To).Abs() > 10*ms {
				t.Errorf("outage %s to %s, %v; captured %v", e.Span.From, e.Span.To, e.Attrs, g)
			}
			for _, x := range store.Snapshot().Series(timeline.Path("a-b"), timeline.RTT) {
				if x.Value <= 0 || x.Value > 0.1 {
					t.Errorf("round trip of %v s", x.Value)
				}
			}
		})
	}
}

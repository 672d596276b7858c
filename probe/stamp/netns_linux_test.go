package stamp

import (
	"context"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/pathtest"
)

// far is a heartbeat in the namespaces, and what was captured of it at either end.
type far struct {
	beat  time.Duration
	port  uint16
	sends func() []time.Time // stops the capture of what a sends
	there func() []time.Time // stops the capture at b
	back  func() []time.Time // stops the capture at a
	s     timeline.Snapshot
}

// Outages of a real path, dated by the heartbeat and by a capture at the receiver: they agree within two heartbeats
// or 10 ms, whichever is more. Two heartbeats run at the same time, of 5 ms and of 20 ms.
func TestOutagesAgreeWithACapture(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdstamp-")
	fars := []*far{{beat: 5 * ms, port: 8625}, {beat: 20 * ms, port: 8620}}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	for _, f := range fars {
		var conn net.PacketConn
		p.Do("b", func() { conn = listen(t, fmt.Sprintf("0.0.0.0:%d", f.port)) })
		serve(t, new(Reflector), conn)
		f.sends = p.Capture("a", "out", fmt.Sprintf("udp dst port %d", f.port))
		f.there = p.Capture("b", "in", fmt.Sprintf("udp dst port %d", f.port))
		f.back = p.Capture("a", "in", fmt.Sprintf("udp src port %d", f.port))
		running.Go(func() {
			p.Do("a", func() {
				var store timeline.Store
				s := Sender{Name: "a-b", To: p.Address("b", false), Port: f.port, Heartbeat: f.beat}
				if err := s.Probe(ctx, &store); err != nil {
					t.Errorf("Probe: %v", err)
				}
				f.s = store.Snapshot()
			})
		})
	}
	pause := func() { time.Sleep(400 * ms) }
	pause()
	for _, d := range []time.Duration{50 * ms, 200 * ms, time.Second} {
		p.Drop("a", d)
		pause()
	}
	p.Drop("b", 300*ms)
	pause()
	p.DropBoth(300*ms, 300*ms)
	pause()
	p.Down("b", 200*ms)
	time.Sleep(2500 * ms) // a link needs up to a second after it is up, and a verdict one more
	cancel()
	running.Wait()
	for _, f := range fars {
		t.Run(f.beat.String(), func(t *testing.T) { f.compare(t) })
	}
}

// The probing host's own link goes down, its routes with it, and comes back with another address: the heartbeat
// says that it could not send, and goes on.
func TestTheHostsOwnLinkGoesDown(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdstampl-")
	var conn net.PacketConn
	p.Do("b", func() { conn = listen(t, "0.0.0.0:862") })
	serve(t, new(Reflector), conn)
	there := p.Capture("b", "in", "udp dst port 862")
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	var store timeline.Store
	running.Go(func() {
		p.Do("a", func() {
			s := Sender{Name: "a-b", To: p.Address("b", false)}
			if err := s.Probe(ctx, &store); err != nil {
				t.Errorf("Probe: %v", err)
			}
		})
	})
	time.Sleep(400 * ms)
	p.Exec("a", "ip", "link", "set", "right", "down")
	time.Sleep(300 * ms)
	p.Exec("a", "ip", "addr", "del", p.Address("a", false)+"/24", "dev", "right")
	p.Exec("a", "ip", "addr", "add", "10.78.0.3/24", "dev", "right")
	p.Exec("a", "ip", "link", "set", "right", "up")
	p.Exec("a", "ip", "route", "add", "default", "via", p.Address("r1", false))
	time.Sleep(3200 * ms)
	cancel()
	running.Wait()
	es := store.Snapshot().EventsOf(timeline.Path("a-b"), timeline.EventOutage)
	gaps := pathtest.Gaps(there(), 500*ms)
	if len(es) != 1 || len(gaps) != 1 {
		t.Fatalf("outages %q, captured gaps %v, want one of either", texts(es), gaps)
	}
	if _, ok := near(gaps, es[0].Span, 200*ms, nil, 20*ms); !ok || es[0].Attrs["direction"] != timeline.Forward || !strings.Contains(es[0].Text, "could not send") {
		t.Errorf("outage %s to %s %q %v, captured %v", es[0].Span.From, es[0].Span.To, es[0].Text, es[0].Attrs, gaps)
	}
	if c := es[0].Attrs["carrier"]; !strings.Contains(c, "right down at ") || !strings.Contains(c, "right up at ") {
		t.Errorf("carrier %q, want right down and up again", c)
	}
}

// A firewall that refuses what it does not let through is not the far end: that is an outage, and it says who.
func TestAFirewallThatRefusesIsNotTheFarEnd(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdstampr-")
	var conn net.PacketConn
	p.Do("b", func() { conn = listen(t, "0.0.0.0:862") })
	serve(t, new(Reflector), conn)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var running sync.WaitGroup
	var store timeline.Store
	running.Go(func() {
		p.Do("a", func() {
			s := Sender{Name: "a-b", To: p.Address("b", false)}
			if err := s.Probe(ctx, &store); err != nil {
				t.Errorf("Probe: %v", err)
			}
		})
	})
	time.Sleep(400 * ms)
	p.Reject("a", 600*ms)
	time.Sleep(1300 * ms)
	cancel()
	running.Wait()
	es := store.Snapshot().EventsOf(timeline.Path("a-b"), timeline.EventOutage, timeline.EventProbeProblem)
	if len(es) != 1 || es[0].Type != timeline.EventOutage || es[0].Attrs["direction"] != timeline.Forward || !strings.Contains(es[0].Text, p.Address("r1", false)+" said \"port unreachable\"") {
		t.Errorf("got %q, want one outage that names %s", texts(es), p.Address("r1", false))
	}
}

// compare holds every outage against the captured gaps, and every long captured gap against the outages. What the
// capture shows that this host did not send is no fault of the path's, and the outage does not contain it.
func (f *far) compare(t *testing.T) {
	slack := max(10*ms, 2*f.beat)
	sends := f.sends()
	gaps := map[string][]pathtest.Gap{timeline.Forward: pathtest.Gaps(f.there(), 45*ms), timeline.Reverse: pathtest.Gaps(f.back(), 45*ms)}
	counts := map[string]int{}
	for _, e := range f.s.EventsOf(timeline.Path("a-b"), timeline.EventOutage) {
		dir := e.Attrs["direction"]
		counts[dir]++
		if dir == timeline.Both {
			dir = timeline.Forward
		}
		g, ok := near(gaps[dir], e.Span, slack, sends, f.beat)
		if !ok {
			t.Errorf("outage %s to %s (%s), %s %v: no such gap was captured: %v", clock(e.Span.From), clock(e.Span.To), e.Span.Width(), e.Text, e.Attrs, gaps[dir])
			continue
		}
		t.Logf("%-7s %8.1f ms, captured %8.1f ms, begins %+5.1f ms off: %s %v", e.Attrs["direction"], msOf(e.Span.Width()), msOf(g.To.Sub(g.From)), msOf(e.Span.From.Sub(g.From)), e.Text, e.Attrs)
	}
	want := 0
	for _, g := range gaps[timeline.Forward] {
		if g.To.Sub(g.From)-g.Unsent(sends, f.beat) > max(50*ms, 7*f.beat/2) {
			want++
		}
	}
	// 50 ms at a heartbeat of 20 ms is two or three heartbeats: an outage or not.
	if got := counts[timeline.Forward] + counts[timeline.Both]; got < want || want < 4 {
		t.Errorf("%d outages of the way there, %d gaps were captured: %v", got, want, gaps[timeline.Forward])
	}
	if got := counts[timeline.Reverse]; got < 2 {
		t.Errorf("%d outages of the way back, want 2 at least", got)
	}
}

// near returns the gap that agrees with a span in both ends.
func near(gaps []pathtest.Gap, sp timeline.Span, slack time.Duration, sends []time.Time, beat time.Duration) (pathtest.Gap, bool) {
	for _, g := range gaps {
		slack := slack + g.Unsent(sends, beat)
		if sp.From.Sub(g.From).Abs() <= slack && sp.To.Sub(g.To).Abs() <= slack && (sp.Width()-g.To.Sub(g.From)).Abs() <= slack {
			return g, true
		}
	}
	return pathtest.Gap{}, false
}

func msOf(d time.Duration) float64 { return float64(d) / float64(ms) }
func clock(t time.Time) string     { return t.Format("05.000") }

func texts(es []timeline.Event) (out []string) {
	for _, e := range es {
		out = append(out, e.Text)
	}
	return out
}

package stamp

import (
	"fmt"
	"net"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
)

// far is a heartbeat in the namespaces, and what was captured of it at either end.
type far struct {
	beat  time.Duration
	port  uint16
	sends func() []time.Time // stops the capture of what a sends
	there func() []time.Time // stops the capture at b
	back  func() []time.Time // stops the capture at a
	h     *peertest.Running
}

// fromA runs a sender at a, to b, and waits until it measures.
func fromA(t *testing.T, p *pathtest.Line, s Sender) *peertest.Running {
	t.Helper()
	s.Name, s.To = "a-b", p.Address("b", false)
	h := peertest.RunIn(t, func(f func()) { p.Do("a", f) }, &s)
	h.Measures(1)
	return h
}

// Outages of a real path, dated by the heartbeat and by a capture at the receiver: they agree within two heartbeats
// or 10 ms, whichever is more. Two heartbeats run at the same time, of 5 ms and of 20 ms.
func TestOutagesAgreeWithACapture(t *testing.T) {
	t.Parallel()
	p := pathtest.NewPath(t, "wdstamp-")
	fars := []*far{{beat: 5 * ms, port: 8625}, {beat: 20 * ms, port: 8620}}
	for _, f := range fars {
		var conn net.PacketConn
		p.Do("b", func() { conn = listen(t, fmt.Sprintf("0.0.0.0:%d", f.port)) })
		serve(t, new(Reflector), conn)
		f.sends = p.Capture("a", "out", fmt.Sprintf("udp dst port %d", f.port))
		f.there = p.Capture("b", "in", fmt.Sprintf("udp dst port %d", f.port))
		f.back = p.Capture("a", "in", fmt.Sprintf("udp src port %d", f.port))
		f.h = fromA(t, p, Sender{Port: f.port, Heartbeat: f.beat})
	}
	pause := func() { time.Sleep(400 * ms) }
	for _, d := range []time.Duration{50 * ms, 200 * ms, time.Second} {
		p.Drop("a", d)
		pause()
	}
	p.Drop("b", 300*ms)
	pause()
	p.DropBoth(300*ms, 300*ms)
	pause()
	for _, f := range fars {
		f.h.Measures(3)
	}
	p.Down("b", 200*ms)
	for _, f := range fars {
		f.h.Await("seven outages, or as many as a slow heartbeat sees", func(s timeline.Snapshot) bool {
			es := s.EventsOf(path, timeline.EventOutage)
			return len(es) > 0 && es[len(es)-1].Span.To.After(p.Darkened())
		})
		f.h.Stop()
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
	h := fromA(t, p, Sender{})
	p.Exec("a", "ip", "link", "set", "right", "down")
	time.Sleep(300 * ms)
	p.Exec("a", "ip", "addr", "del", p.Address("a", false)+"/24", "dev", "right")
	p.Exec("a", "ip", "addr", "add", "10.78.0.3/24", "dev", "right")
	p.Exec("a", "ip", "link", "set", "right", "up")
	p.Exec("a", "ip", "route", "add", "default", "via", p.Address("r1", false))
	h.Tells(timeline.EventOutage)
	es := h.Stop().EventsOf(path, timeline.EventOutage)
	gaps := pathtest.Gaps(there(), 500*ms)
	if len(es) != 1 || len(gaps) != 1 {
		t.Fatalf("outages %q, captured gaps %v, want one of either", texts(es), gaps)
	}
	if _, ok := near(gaps, es[0].Span, 200*ms, func(pathtest.Gap) time.Duration { return 0 }); !ok || es[0].Attrs["direction"] != timeline.Forward || !strings.Contains(es[0].Text, "could not send") {
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
	h := fromA(t, p, Sender{})
	p.Reject("a", 600*ms)
	h.Tells(timeline.EventOutage)
	es := h.Stop().EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem)
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
	for _, e := range f.h.Store.Snapshot().EventsOf(path, timeline.EventOutage) {
		dir := e.Attrs["direction"]
		counts[dir]++
		if dir == timeline.Both {
			dir = timeline.Forward
		}
		var others []pathtest.Gap
		if dir == timeline.Reverse {
			others = gaps[timeline.Forward]
		}
		g, ok := near(gaps[dir], e.Span, slack, func(g pathtest.Gap) time.Duration { return explained(g, sends, f.beat, others) })
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

// near returns the gap that an outage lies in, and fills but for what is explained.
func near(gaps []pathtest.Gap, sp timeline.Span, slack time.Duration, explained func(pathtest.Gap) time.Duration) (pathtest.Gap, bool) {
	for _, g := range gaps {
		within := sp.From.Sub(g.From) >= -slack && g.To.Sub(sp.To) >= -slack
		if within && g.To.Sub(g.From)-sp.Width() <= slack+explained(g) {
			return g, true
		}
	}
	return pathtest.Gap{}, false
}

// explained returns how much of a captured gap need not be in the outage: what this host did not send, and of the way
// back what did not get there.
func explained(g pathtest.Gap, sends []time.Time, beat time.Duration, others []pathtest.Gap) time.Duration {
	sum := g.Unsent(sends, beat)
	for _, o := range others {
		from, to := o.From, o.To
		if from.Before(g.From) {
			from = g.From
		}
		if to.After(g.To) {
			to = g.To
		}
		sum += max(to.Sub(from), 0)
	}
	return sum
}

func msOf(d time.Duration) float64 { return float64(d) / float64(ms) }
func clock(t time.Time) string     { return t.Format("05.000") }

func texts(es []timeline.Event) (out []string) {
	for _, e := range es {
		out = append(out, e.Text)
	}
	return out
}

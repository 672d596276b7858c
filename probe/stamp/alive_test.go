package stamp

import (
	"net/netip"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/pathtest"
)

// A translator on the path gives the heartbeat another port: it goes on, and nothing is called an outage.
func TestATranslatorRebinds(t *testing.T) {
	long(t)
	t.Parallel()
	var r Reflector
	nat := pathtest.NewNAT(t, serve(t, &r, listen(t, "127.0.0.1:0")))
	s := beat(t, &Sender{To: "127.0.0.1", Port: nat.Addr().Port(), Heartbeat: 10 * ms}, 1200*ms, func() {
		time.Sleep(300 * ms)
		nat.Rebind()
		time.Sleep(300 * ms)
		nat.Rebind()
	})
	path := timeline.Path("a-b")
	if st := r.Stats(); st.Sessions != 3 {
		t.Errorf("the reflector saw %d sessions, want 3", st.Sessions)
	}
	if es := s.EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem); len(es) > 0 {
		t.Errorf("%s: %s", es[0].Type, es[0].Text)
	}
	if n := len(s.Series(path, timeline.RTT)); n < 8 {
		t.Errorf("%d samples of the round trip in 1.2 s", n)
	}
}

// The far end's host is away for a while, and its reflector begins to count anew: one outage, then the ways are told apart
// as before.
func TestTheFarEndReboots(t *testing.T) {
	long(t)
	t.Parallel()
	before, after := serve(t, new(Reflector), listen(t, "127.0.0.1:0")), serve(t, new(Reflector), listen(t, "127.0.0.1:0"))
	nat := pathtest.NewNAT(t, before)
	s := beat(t, &Sender{To: "127.0.0.1", Port: nat.Addr().Port(), Heartbeat: 10 * ms}, 2700*ms, func() {
		time.Sleep(900 * ms) // more heartbeats than may be out of order
		nat.Lead(netip.AddrPort{})
		time.Sleep(500 * ms)
		nat.Lead(after)
	})
	path := timeline.Path("a-b")
	es := s.EventsOf(path, timeline.EventOutage)
	if len(es) == 0 {
		t.Fatal("no outage")
	}
	if len(es) != 1 || es[0].Span.Width() < 400*ms || !strings.Contains(es[0].Text, "began anew") {
		t.Fatalf("%d outages, want one of half a second: %q %v", len(es), es[0].Text, es[0].Span)
	}
	told := 0
	for _, x := range s.Series(path, timeline.LossForward) {
		if x.Span.From.After(es[0].Span.To.Add(200*ms)) && x.Value == 0 {
			told++
		}
	}
	if told == 0 {
		t.Error("the ways were not told apart afterwards")
	}
}

package stamp

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/pathtest"
	"whydrop/probe/peertest"
)

// A translator on the path gives the heartbeat another port: it goes on, and nothing is called an outage.
func TestATranslatorRebinds(t *testing.T) {
	long(t)
	t.Parallel()
	var r Reflector
	nat := pathtest.NewNAT(t, serve(t, &r, listen(t, "127.0.0.1:0")))
	h := beat(t, Sender{To: "127.0.0.1", Port: nat.Addr().Port(), Heartbeat: 10 * ms})
	for range 2 {
		h.Measures(3)
		nat.Rebind()
	}
	h.Measures(3)
	s := h.Stop()
	if st := r.Stats(); st.Sessions != 3 {
		t.Errorf("the reflector saw %d sessions, want 3", st.Sessions)
	}
	if es := s.EventsOf(path, timeline.EventOutage, timeline.EventProbeProblem); len(es) > 0 {
		t.Errorf("%s: %s", es[0].Type, es[0].Text)
	}
}

// The far end's host is away for a while, and its reflector begins to count anew: one outage, then the ways are told apart
// as before.
func TestTheFarEndReboots(t *testing.T) {
	long(t)
	t.Parallel()
	first := new(Reflector)
	before, after := serve(t, first, listen(t, "127.0.0.1:0")), serve(t, new(Reflector), listen(t, "127.0.0.1:0"))
	nat := pathtest.NewNAT(t, before)
	h := beat(t, Sender{To: "127.0.0.1", Port: nat.Addr().Port(), Heartbeat: 10 * ms})
	peertest.Await(t, "more heartbeats are answered than may be out of order", func() bool { return first.Stats().Reflected > 80 })
	nat.Lead(netip.AddrPort{})
	time.Sleep(500 * ms)
	nat.Lead(after)
	end := h.Tells(timeline.EventOutage).Span.To
	h.Await("the ways are told apart afterwards", func(s timeline.Snapshot) bool {
		return slices.ContainsFunc(s.Series(path, timeline.LossForward), func(x timeline.Sample) bool {
			return x.Span.From.After(end.Add(200*ms)) && x.Value == 0
		})
	})
	s := h.Stop()
	es := s.EventsOf(path, timeline.EventOutage)
	if len(es) != 1 || es[0].Span.Width() < 100*ms || !strings.Contains(es[0].Text, "began anew") {
		t.Fatalf("%d outages, want one of half a second: %q %v", len(es), es[0].Text, es[0].Span)
	}
}

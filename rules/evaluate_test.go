package rules

import (
	"fmt"
	"math"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// failover is the signature story with distractors around it.
func failover() story {
	return story{
		Via: "0..20: fw1, 20..40: fw2, 40..: fw1",
		Series: []series{
			{Of: "acc " + gi(9), Metric: "if.in.fcs", Values: "5..50: 300"},
			{Of: "acc " + gi(7), Metric: "if.out.drops", Values: "5..50: 50"},
		},
		Outages: []outage{
			{From: 20.0, To: 20.3, SeenBy: "heartbeat", Direction: "forward"}, {From: 20.0, To: 20.4, SeenBy: "heartbeat", Direction: "reverse"},
			{From: 20.0, To: 23.1, SeenBy: "tcp", Direction: "forward"},
			{From: 40.0, To: 43.2, SeenBy: "tcp", Direction: "forward"},
		},
		Events: []happens{
			{Of: "swB " + gi(1), Type: "stp.state", At: 20.2, Width: 1, Attrs: map[string]string{"from": "forwarding", "to": "blocking"}},
			{Of: "swB " + gi(1), Type: "stp.state", At: 20.01, Width: 0.02, Attrs: map[string]string{"from": "forwarding", "to": "blocking"}, By: "ssh:swB", Text: "%SPANTREE-6-PORT_STATE: Port Gi1/0/1 moving from forwarding to blocking"},
			{Of: "swB " + gi(2), Type: "stp.state", At: 20.2, Width: 1, Attrs: map[string]string{"from": "blocking", "to": "forwarding"}},
			{Of: "swB", Type: "stp.topology_change", At: 20.3, Width: 0.1, Attrs: map[string]string{"count": "1"}},
			{Of: "swB " + gi(2), Type: "stp.state", At: 40.2, Width: 1, Attrs: map[string]string{"from": "forwarding", "to": "blocking"}},
			{Of: "swB " + gi(1), Type: "stp.state", At: 40.2, Width: 1, Attrs: map[string]string{"from": "blocking", "to": "forwarding"}},
			{Of: "acc " + gi(7), Type: "if.oper", At: 19.5, Attrs: map[string]string{"from": "up", "to": "down"}},
			{Of: "acc " + gi(7), Type: "if.oper", At: 21.0, Attrs: map[string]string{"from": "down", "to": "up"}},
			{Of: "acc", Type: "stp.topology_change", At: 21.0, Attrs: map[string]string{"count": "1"}},
		},
	}
}

func TestSameSnapshotGivesSameFindings(t *testing.T) {
	snap, topo := failover().build(t)
	first := Evaluate(Default(), snap, topo)
	if len(first) == 0 {
		t.Fatal("nothing was found")
	}
	for range 5 {
		again, topo := failover().build(t) // maps in another order
		if diff := cmp.Diff(first, Evaluate(Default(), again, topo)); diff != "" {
			t.Fatalf("differs: %s", diff)
		}
	}
}

func TestFindingIsFitForATicket(t *testing.T) {
	snap, topo := failover().build(t)
	got := Evaluate(Default(), snap, topo)
	if len(got) != 1 {
		t.Fatalf("%d findings, want 1", len(got))
	}
	d := got[0]
	if d.Span.From.After(at(20.01)) || d.Span.To.Before(at(43.2)) {
		t.Errorf("span %v-%v does not hold both occurrences", d.Span.From, d.Span.To)
	}
	if len(d.Outages) != 4 {
		t.Errorf("explains %d outages, want 4", len(d.Outages))
	}
	for _, e := range d.Events {
		if e.Subject == subject("acc "+gi(7)) {
			t.Error("an event off the path is among what it rests on")
		}
	}
	if len(d.Next) == 0 || len(d.Evidence) == 0 {
		t.Error("no next step or no evidence")
	}
	for _, want := range []string{"acc " + gi(9) + " counted 13500 FCS errors, but is not on the path", "acc " + gi(7) + " counted 2250 output drops and went down once, but is not on the path"} {
		if !contains(d.Against, want) {
			t.Errorf("against %q lacks %q", d.Against, want)
		}
	}
	for _, e := range d.Evidence {
		if e.Metric == "stp.state" && e.Subject == subject("swB "+gi(1)) && e.Span.Width() > 100*time.Millisecond && e.Span.From.Before(at(30)) {
			t.Errorf("evidence is dated by the poll (%v), not by the device's log", e.Span.Width())
		}
	}
}

func contains(list []string, s string) bool {
	for _, x := range list {
		if x == s {
			return true
		}
	}
	return false
}

func TestNothingIsFoundWhereNothingIsWrong(t *testing.T) {
	up := map[string]string{"from": "down", "to": "up"}
	down := map[string]string{"from": "up", "to": "down"}
	cases := map[string]story{
		"a quiet minute": {},
		"trouble on ports off the path": {
			Series: []series{
				{Of: "acc " + gi(9), Metric: "if.in.fcs", Values: "0..: 500"},
				{Of: "acc " + gi(9), Metric: "if.late_collisions", Values: "0..: 5"},
				{Of: "acc " + gi(7), Metric: "if.speed", Values: "10..: 100e6"},
				{Of: "acc " + gi(7), Metric: "if.utilisation", Values: "0..: 1"},
				{Of: "acc " + gi(7), Metric: "if.out.drops", Values: "0..: 900"},
			},
			Events: []happens{
				{Of: "acc " + gi(7), Type: "if.oper", At: 10, Attrs: down}, {Of: "acc " + gi(7), Type: "if.oper", At: 12, Attrs: up},
				{Of: "acc", Type: "stp.topology_change", At: 12, Attrs: map[string]string{"count": "1"}},
				{Of: "swA", Type: "stp.topology_change", At: 12, Attrs: map[string]string{"count": "1"}},
			},
		},
		"the idle way's ports flap": {
			Events: []happens{
				{Of: "fw2 out", Type: "if.oper", At: 10, Attrs: down}, {Of: "swB " + gi(2), Type: "if.oper", At: 10.2, Attrs: down},
				{Of: "fw2 out", Type: "if.oper", At: 14, Attrs: up}, {Of: "swB " + gi(2), Type: "if.oper", At: 14.2, Attrs: up},
			},
		},
		"a trace of errors and drops on the path": {
			Series: []series{
				{Of: "swA " + gi(1), Metric: "if.in.fcs", Values: "7..8: 1, 33..34: 1"},
				{Of: "swB " + gi(3), Metric: "if.out.drops", Values: "12..13: 4"},
				{Of: "path a-b", Metric: "path.loss.forward", Values: "40..41: 0.02"},
			},
		},
		"a busy host that still does its work": {
			Series: []series{
				{Of: "host local", Metric: "host.process_cpu", Values: "0..: 1.6"}, {Of: "host far", Metric: "host.cpu", Values: "0..: 1"},
				{Of: "path a-b", Metric: "path.goodput.forward", Values: "10..11: 20e6, 30..32: 35e6"},
				{Of: "path a-b", Metric: "path.rtt", Values: "10..12: 0.03"},
				{Of: "path a-b", Metric: "tcp.rwnd_limited", Values: "10..12: 1"},
			},
		},
		"a receiver's window that is often waited for, and yet all that was offered passes": {
			Series: []series{{Of: "path a-b", Metric: "tcp.rwnd_limited", Values: "0..: 0.95"}, {Of: "path a-b", Metric: "tcp.send_window", Values: "0..: 16000"}},
		},
		"a line with many drops that the probe does not feel": {
			Series: []series{{Of: "swB " + gi(3), Metric: "if.out.drops", Values: "0..: 20"}},
		},
		"readings that a device does not have": {
			Without: []series{{Of: "fw1 in", Metric: "if.in.fcs"}, {Of: "fw1 out", Metric: "if.half_duplex"}, {Of: "swA " + gi(1), Metric: "if.speed_max"}},
		},
	}
	for name, st := range cases {
		t.Run(name, func(t *testing.T) {
			snap, topo := st.build(t)
			for _, d := range Evaluate(Default(), snap, topo) {
				t.Errorf("%v %s %.2f: %s", d.Chain, d.Verdict, d.Confidence, d.Summary)
			}
		})
	}
}

func TestTwoTroublesAreTwoFindings(t *testing.T) {
	st := failover()
	st.Seconds = 120
	st.Series = append(st.Series,
		series{Of: "swA " + gi(1), Metric: "if.in.fcs", Values: "70..100: 40"},
		series{Of: "path a-b", Metric: "path.loss.forward", Values: "70..100: 0.02"},
		series{Of: "path a-b", Metric: "path.goodput.forward", Values: "70..100: 25e6"},
	)
	snap, topo := st.build(t)
	got := Evaluate(Default(), snap, topo)
	if len(got) != 2 {
		t.Fatalf("%d findings, want 2: %v", len(got), got)
	}
	chains := map[string]bool{}
	for _, d := range got {
		chains[fmt.Sprint(d.Chain, d.Verdict)] = true
	}
	if !chains["[stp-reconvergence firewall-failover]holds"] || !chains["[bad-cable]holds"] {
		t.Errorf("got %v", chains)
	}
}

func TestEvaluateBearsAnEmptyTimelineAndNoTopology(t *testing.T) {
	if got := Evaluate(Default(), timeline.Snapshot{}, correlate.Topology{}); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	snap, _ := failover().build(t)
	Evaluate(Default(), snap, correlate.Topology{})
	_, topo := failover().build(t)
	if got := Evaluate(Default(), timeline.Snapshot{}, topo); len(got) != 0 {
		t.Errorf("got %v", got)
	}
	if got := Evaluate(nil, snap, topo); len(got) != 0 {
		t.Errorf("without rules: %v", got)
	}
}

func TestFindingsHaveNoStrangeFigures(t *testing.T) {
	snap, topo := failover().build(t)
	for _, d := range Evaluate(Default(), snap, topo) {
		for _, e := range d.Evidence {
			if e.Value != nil && (math.IsNaN(*e.Value) || math.IsInf(*e.Value, 0)) {
				t.Errorf("%s: %v", e.Metric, *e.Value)
			}
		}
		if d.Confidence < 0 || d.Confidence > 1 {
			t.Errorf("confidence %v", d.Confidence)
		}
	}
}

// BenchmarkEvaluate evaluates ten minutes of six devices with the probe's figures ten times a second: what the
// terminal UI asks for every second. It must stay well below 100 ms.
func BenchmarkEvaluate(b *testing.B) {
	st := failover()
	st.Seconds = 600
	st.Silence = []silence{{Of: "fw2", From: 300, To: 320, Reason: "timeout"}}
	snap, topo := st.build(b)
	var records []timeline.Record
	for i := range 6000 {
		for _, m := range []timeline.Metric{timeline.GoodputForward, timeline.RTT, timeline.TCPRTT, timeline.TCPRwndLimited, timeline.TCPRetransmits} {
			s := snap.Series(timeline.Path("a-b"), m)[i/10]
			s.Span = span(float64(i)/10, float64(i+1)/10)
			records = append(records, s)
		}
	}
	for _, k := range snap.Keys() {
		if k.Subject.Kind == timeline.KindPath {
			switch k.Metric {
			case timeline.GoodputForward, timeline.RTT, timeline.TCPRTT, timeline.TCPRwndLimited, timeline.TCPRetransmits:
				continue
			}
		}
		for _, s := range snap.Series(k.Subject, k.Metric) {
			records = append(records, s)
		}
	}
	for _, e := range snap.Events() {
		records = append(records, e)
	}
	for _, g := range snap.Gaps() {
		records = append(records, g)
	}
	snap = timeline.NewSnapshot(records...)
	rules := Default()
	b.ResetTimer()
	for b.Loop() {
		Evaluate(rules, snap, topo)
	}
}

func TestManyOccurrencesAreToldInShort(t *testing.T) {
	if got, want := tell([]string{"a", "b", "c", "d"}), "a; b; c; d"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := tell([]string{"a", "b", "c", "d", "e", "f"}), "a; b; c; 2 more; the last f"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestEvaluateIsQuickEnoughForEverySecond(t *testing.T) {
	if testing.Short() {
		t.Skip("takes a second")
	}
	st := failover()
	st.Seconds = 600
	snap, topo := st.build(t)
	best := time.Hour
	for range 5 { // the best of some: the machine may be busy
		begun := time.Now()
		Evaluate(Default(), snap, topo)
		best = min(best, time.Since(begun))
	}
	if best > 100*time.Millisecond {
		t.Errorf("ten minutes of six devices take %v, want less than 100 ms", best)
	}
}

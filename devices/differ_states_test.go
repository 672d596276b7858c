package devices

import (
	"slices"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestAnEventSaysWhatARoleWasDerivedFrom(t *testing.T) {
	var d Differ
	at := time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)
	var sources []string
	for n, role := range []string{"alternate", "root"} {
		sp := timeline.Span{From: at.Add(time.Duration(n) * time.Second), To: at.Add(time.Duration(n) * time.Second)}
		i := Interface{Name: "p", STPState: Some("forwarding"), STPRole: Some(role)}
		i.STPRoleFrom = "dot1dStpRootPort"
		tree := Tree{Name: "mst 2", Ports: []TreePort{{Port: "p", Role: Some(role), RoleFrom: "ieee8021SpanningTreeRootPort"}}}
		for _, rec := range d.Records(Reading{Device: "d", Span: sp, Origin: timeline.Origin{Collector: "snmp:d"}, Interfaces: []Interface{i}, Trees: []Tree{tree}}) {
			if e, ok := rec.(timeline.Event); ok && e.Type == timeline.EventSTPRole {
				sources = append(sources, e.Attrs["source"])
			}
		}
	}
	if want := []string{"dot1dStpRootPort", "ieee8021SpanningTreeRootPort"}; !slices.Equal(sources, want) {
		t.Errorf("sources %q, want %q", sources, want)
	}
}

func TestAnAgentThatNoticesLateDatesNothing(t *testing.T) {
	netSNMP := func(r *Reading) { r.SysObjectID = Some("1.3.6.1.4.1.8072.3.2.10") }
	p := newPolls()
	p.poll(time.Second, Interface{Oper: Some("up"), LastChange: Some[uint32](1000)}, netSNMP)
	got := eventsOf(p.poll(time.Second, Interface{Oper: Some("down"), LastChange: Some[uint32](360030)}, netSNMP), timeline.EventOper)
	if len(got) != 1 {
		t.Fatalf("events %+v, want one", got)
	}
	sp := got[0].Span
	if !sp.From.Equal(t0.Add(-noticeEvery)) || sp.To.Before(t0.Add(300*time.Millisecond)) || sp.To.After(t0.Add(350*time.Millisecond)) || got[0].Attrs["dated"] != "polls" {
		t.Errorf("dated from %s to %s, %v; want from a second before the last reading to when it was noticed, by polls", sp.From.Sub(t0), sp.To.Sub(t0), got[0].Attrs)
	}
}

func TestStatesBecomeEvents(t *testing.T) {
	up := Interface{Oper: Some("up"), LastChange: Some[uint32](1000), Speed: Some[uint64](1e9), Duplex: Some("full"), STPState: Some("forwarding"), STPRole: Some("root")}
	with := func(f func(*Interface)) Interface { i := up; f(&i); return i }
	for name, c := range map[string]struct {
		then     Interface
		event    timeline.EventType
		from, to string
		dated    time.Duration // after t0; -1: only between the polls
		width    time.Duration
		n        int
	}{
		"nothing":            {up, "", "", "", 0, 0, 0},
		"link down":          {with(func(i *Interface) { i.Oper, i.LastChange = Some("down"), Some[uint32](360030) }), timeline.EventOper, "up", "down", 300 * time.Millisecond, 22 * time.Millisecond, 1},
		"link down, no date": {with(func(i *Interface) { i.Oper = Some("down") }), timeline.EventOper, "up", "down", -1, 0, 1},
		"a date long ago is not believed": {
			with(func(i *Interface) { i.Oper, i.LastChange = Some("down"), Some[uint32](7) }), timeline.EventOper, "up", "down", -1, 0, 1},
		"an agent that dates a change by the question": {
			with(func(i *Interface) { i.Oper, i.LastChange = Some("down"), Some[uint32](360100) }), timeline.EventOper, "up", "down", -1, 0, 1},
		"a flap that an agent dates by the question": {with(func(i *Interface) { i.LastChange = Some[uint32](360100) }), timeline.EventOper, "up", "down", -1, 0, 2},
		"a flap between two polls":                   {with(func(i *Interface) { i.LastChange = Some[uint32](360080) }), timeline.EventOper, "up", "down", -1, 0, 2},
		"speed":                                      {with(func(i *Interface) { i.Speed = Some[uint64](1e8) }), timeline.EventSpeed, "1000000000", "100000000", -1, 0, 1},
		"speed of a port that is down": {
			with(func(i *Interface) { i.Speed, i.Oper = Some[uint64](1e7), Some("down") }), timeline.EventSpeed, "", "", 0, 0, 0},
		"duplex":   {with(func(i *Interface) { i.Duplex = Some("half") }), timeline.EventDuplex, "full", "half", -1, 0, 1},
		"state":    {with(func(i *Interface) { i.STPState = Some("blocking") }), timeline.EventSTPState, "forwarding", "blocking", -1, 0, 1},
		"role":     {with(func(i *Interface) { i.STPRole = Some("alternate") }), timeline.EventSTPRole, "root", "alternate", -1, 0, 1},
		"not said": {Interface{}, "", "", "", 0, 0, 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			p.poll(time.Second, up)
			recs := p.poll(time.Second, c.then)
			all := 0
			for _, r := range recs {
				if e, ok := r.(timeline.Event); ok {
					all++
					if e.Type != c.event {
						if c.event != timeline.EventSpeed && c.event != "" || c.n > 0 {
							t.Errorf("event %+v", e)
						}
					}
				}
			}
			got := eventsOf(recs, c.event)
			if c.event == "" && all > 0 || c.event != "" && len(got) != c.n {
				t.Fatalf("events %+v, want %d %q", got, c.n, c.event)
			}
			if c.n == 0 {
				return
			}
			e := got[0]
			if e.Attrs["from"] != c.from || e.Attrs["to"] != c.to {
				t.Errorf("attrs %v, want from %q to %q", e.Attrs, c.from, c.to)
			}
			if got, want := e.Attrs["dated"] == "polls", c.dated < 0 && c.n == 1; got != want && c.n == 1 {
				t.Errorf("attrs %v: dated by polls alone: %v, want %v", e.Attrs, got, want)
			}
			if e.Span.From.Before(t0) || e.Span.To.After(t0.Add(time.Second+p.rtt)) {
				t.Errorf("dated %v, outside of the two polls", e.Span)
			}
			if c.dated >= 0 {
				if off := e.Span.Mid().Sub(t0.Add(c.dated)); off.Abs() > 10*time.Millisecond {
					t.Errorf("dated %s after the poll, want %s", e.Span.Mid().Sub(t0), c.dated)
				}
				if e.Span.Width() > c.width {
					t.Errorf("dated to %s, want %s", e.Span.Width(), c.width)
				}
			}
		})
	}
}

func TestOperAndSpeedSamples(t *testing.T) {
	p := newPolls()
	i := Interface{Oper: Some("unknown(0)"), Speed: Some[uint64](1e8), SpeedMax: Some[uint64](1e9), Duplex: Some("half"), STPState: Some("learning")}
	recs := p.poll(time.Second, i)
	for m, want := range map[timeline.Metric]float64{timeline.Oper: 0, timeline.SpeedMax: 1e9, timeline.STPForwarding: 0, timeline.Reachable: 1, timeline.PollTime: 0.002} {
		if got := samplesOf(recs, m); len(got) != 1 || got[0].Value != want {
			t.Errorf("%s: %+v, want %v", m, got, want)
		}
	}
	i.Oper = Some("up")
	recs = p.poll(time.Second, i)
	for m, want := range map[timeline.Metric]float64{timeline.Oper: 1, timeline.Speed: 1e8, timeline.HalfDuplex: 1} {
		if got := samplesOf(recs, m); len(got) != 1 || got[0].Value != want {
			t.Errorf("%s: %+v, want %v", m, got, want)
		}
	}
}

func TestUtilisationIsOfTheNegotiatedSpeed(t *testing.T) {
	p := newPolls()
	p.poll(time.Second, Interface{InOctets: C64(0), OutOctets: C64(0), Speed: Some[uint64](100e6), Oper: Some("up")})
	recs := p.poll(time.Second, Interface{InOctets: C64(1e6), OutOctets: C64(10e6), Speed: Some[uint64](100e6), Oper: Some("up")})
	if got := samplesOf(recs, timeline.Utilisation); len(got) != 1 || !near(got[0].Value, 0.8) {
		t.Errorf("utilisation %+v, want 0.8 of the busier direction", got)
	}
}

func TestTopologyChangesAreDatedBetweenThePolls(t *testing.T) {
	br := func(n uint64, since time.Duration) func(*Reading) {
		return func(r *Reading) {
			r.Bridge = &Bridge{TopologyChanges: C32(n), SinceChange: Some(since), RootPort: Some("Gi1/0/1")}
		}
	}
	for name, c := range map[string]struct {
		n     uint64
		since time.Duration
		count string
		dated time.Duration // after the first poll; -1: between the polls
	}{
		"none":                                 {12, 5 * time.Second, "", 0},
		"one, the time since it agrees":        {13, 400 * time.Millisecond, "1", 600 * time.Millisecond},
		"one, the time since it runs not yet":  {13, 0, "1", -1},
		"one, the time since it is of another": {13, 90 * time.Second, "1", -1},
		"three":                                {15, 400 * time.Millisecond, "3", -1},
		"the count falls":                      {2, time.Second, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			p.poll(time.Second, Interface{}, br(12, time.Hour))
			recs := p.poll(time.Second, Interface{}, br(c.n, c.since))
			got := eventsOf(recs, timeline.EventTopologyChange)
			if c.count == "" {
				if len(got) > 0 {
					t.Errorf("events %+v, want none", got)
				}
				return
			}
			if len(got) != 1 || got[0].Attrs["count"] != c.count || got[0].Subject != timeline.Device("sw1") {
				t.Fatalf("events %+v, want one of the device with count %s", got, c.count)
			}
			e := got[0]
			if e.Span.From.Before(t0) || e.Span.To.After(t0.Add(time.Second+p.rtt)) {
				t.Errorf("dated %v, outside of the two polls", e.Span)
			}
			if c.dated >= 0 && (e.Span.Mid().Sub(t0)-c.dated).Abs() > 15*time.Millisecond {
				t.Errorf("dated %s after the first poll, want %s", e.Span.Mid().Sub(t0), c.dated)
			}
			if c.dated < 0 && e.Span.Width() < 500*time.Millisecond {
				t.Errorf("dated to %s, which nothing supports", e.Span.Width())
			}
		})
	}
}

func TestRootPortAndRootBridge(t *testing.T) {
	p := newPolls()
	br := func(port, root string) func(*Reading) {
		return func(r *Reading) { r.Bridge = &Bridge{RootPort: Some(port), DesignatedRoot: Some(root)} }
	}
	p.poll(time.Second, Interface{}, br("Gi1/0/1", "32769.aaaa.bbbb.cccc"))
	recs := p.poll(time.Second, Interface{}, br("Gi1/0/2", "32769.aaaa.bbbb.cccc"))
	if e := eventsOf(recs, timeline.EventRootPort); len(e) != 1 || e[0].Attrs["from"] != "Gi1/0/1" || e[0].Attrs["to"] != "Gi1/0/2" {
		t.Errorf("root port: %+v", e)
	}
	recs = p.poll(time.Second, Interface{}, br("", "4097.aaaa.bbbb.dddd"))
	if e := eventsOf(recs, timeline.EventRootBridge); len(e) != 1 || e[0].Attrs["to"] != "4097.aaaa.bbbb.dddd" {
		t.Errorf("root bridge: %+v", e)
	}
}

package reporttest

import (
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Failover is the default story: an off-path port flaps, another has CRC errors, then spanning tree moves the
// path to the other firewall, established flows stall, and later it moves back.
func Failover() Case {
	r := newRig()
	r.fw1 = func(s float64) bool { return s < 32 || s > 66 }
	r.darks = []dark{{31.84, 36.05}, {65.9, 69.02}}
	r.probes(10e6)
	r.devices(10e6)
	r.event(timeline.Port("dist-a", "Gi1/0/7"), timeline.EventOper, 14.2, 0.02, "%LINK-3-UPDOWN: Interface GigabitEthernet1/0/7, changed state to down", "from", "up", "to", "down")
	r.event(timeline.Port("dist-a", "Gi1/0/7"), timeline.EventOper, 18.9, 0.02, "%LINK-3-UPDOWN: Interface GigabitEthernet1/0/7, changed state to up", "from", "down", "to", "up")
	for s := 20.0; s <= 60; s += 4 {
		r.sample(timeline.Port("dist-a", "Gi1/0/9"), timeline.InFCS, s+0.5, 12, "snmp:dist-a")
	}
	first := []timeline.Event{
		r.event(timeline.Port("dist-a", "Gi1/0/23"), timeline.EventSTPState, 31.86, 0.04, "", "from", "forwarding", "to", "blocking"),
		r.event(timeline.Port("dist-a", "Gi1/0/24"), timeline.EventSTPState, 32.02, 0.04, "", "from", "blocking", "to", "forwarding"),
		r.event(timeline.Device("dist-a"), timeline.EventTopologyChange, 32.02, 0.04, "", "count", "1", "port", "Gi1/0/24"),
		r.event(timeline.Device("fw2"), timeline.EventFailover, 32.4, 0.5, "%ASA-1-104001: (Secondary) Switching to ACTIVE - HELLO not heard from mate.", "from", "standby", "to", "active"),
	}
	second := []timeline.Event{
		r.event(timeline.Port("dist-a", "Gi1/0/24"), timeline.EventSTPState, 65.93, 0.04, "", "from", "forwarding", "to", "blocking"),
		r.event(timeline.Device("dist-a"), timeline.EventTopologyChange, 66.01, 0.04, "", "count", "1", "port", "Gi1/0/23"),
		r.event(timeline.Device("fw1"), timeline.EventFailover, 66.5, 0.5, "%ASA-1-104001: (Primary) Switching to ACTIVE - Set by the config command.", "from", "standby", "to", "active"),
	}
	outages := []timeline.Event{
		r.outage(31.84, 36.05, "direction", "both", "seen_by", "heartbeat", "error_ms", "10", "lost", "210"),
		r.outage(31.82, 38.31, "direction", "forward", "seen_by", "tcp", "error_ms", "5", "backoff_ms", "2260", "rto", "5"),
		r.outage(65.9, 69.02, "direction", "both", "seen_by", "heartbeat", "error_ms", "10", "lost", "156"),
		r.outage(65.89, 70.24, "direction", "forward", "seen_by", "tcp", "error_ms", "5", "backoff_ms", "1220", "rto", "4"),
	}
	return Case{
		Name: "failover", Topology: r.topo, Store: r.store, Session: "campus.wds",
		Diagnoses: []rules.Diagnosis{failoverDiagnosis(append(first, second...), outages)},
	}
}

func failoverDiagnosis(events, outages []timeline.Event) rules.Diagnosis {
	port := timeline.Port("dist-a", "Gi1/0/23")
	return rules.Diagnosis{
		Chain: []string{"stp-reconvergence", "firewall-failover"}, Title: "Spanning tree moved the path to the other firewall",
		Verdict: rules.Holds, Confidence: 0.94, Fault: true, Subject: port, Span: span(31.82, 70.24),
		Summary: "dist-a stopped forwarding on Gi1/0/23 and moved the path from fw1 to fw2. fw2 did not know the established connections, so they stalled until the state was rebuilt. 34 s later the path moved back the same way.",
		Evidence: []rules.Evidence{
			{Source: "snmp:dist-a", Subject: port, Metric: string(timeline.EventSTPState), Span: span(31.82, 31.9), Text: "spanning tree forwarding to blocking, 20 ms after the path went dark"},
			{Source: "snmp:dist-a", Subject: timeline.Device("dist-a"), Metric: string(timeline.EventTopologyChange), Span: span(31.98, 32.06), Text: "topology change, from Gi1/0/24"},
			{Source: "ssh:fw2", Subject: timeline.Device("fw2"), Metric: string(timeline.EventFailover), Span: span(31.9, 32.9), Text: "%ASA-1-104001: (Secondary) Switching to ACTIVE - HELLO not heard from mate."},
			{Source: "stamp:a-b", Subject: timeline.Path("a-b"), Metric: string(timeline.LossForward), Value: ptr(1), Unit: "ratio", Span: span(31.84, 36.05)},
			{Source: "snmp:fw2", Subject: timeline.Port("fw2", "inside"), Metric: string(timeline.InBits), Value: ptr(10.4e6), Unit: "bit/s", Span: span(37, 66), Text: "carries 10.4 Mbit/s since, where it was idle before"},
			{Source: "correlate", Subject: timeline.Path("a-b"), Metric: "coincidence", Value: ptr(0.0004), Unit: "ratio", Span: span(31.82, 70.24), Text: "2 of 2 outages begin within 100 ms of a topology change; by chance 0.04 % would"},
		},
		Against: []string{
			"No port on the path lost carrier, so a cable or a port flap is not the root.",
			"dist-a Gi1/0/7 flapped at 14:02:14, 17 s before, off the path: not blamed.",
			"dist-a Gi1/0/9 takes CRC errors off the path: not blamed.",
		},
		Missing: []string{"The path cost before the change: show spanning-tree detail was not read in time."},
		Next: []string{
			"Ask who changed the spanning-tree cost of dist-a Gi1/0/23 at 14:02:31 UTC, and pin the root and the costs so that fw1 stays the path.",
			"Turn on session synchronisation between fw1 and fw2.",
			"If both firewalls shall forward, take the redundancy out of spanning tree.",
		},
		Events: events, Outages: outages, Failovers: []correlate.Failover{takenApart()},
	}
}

// takenApart is how the first of the interruptions spent its time.
func takenApart() correlate.Failover {
	part := func(from, to float64, wrong time.Duration, terms ...correlate.Term) correlate.Part {
		return correlate.Part{Terms: terms, Span: span(from, to), Error: wrong}
	}
	state, backoff := part(36.05, 36.05, 0, correlate.TermState), part(36.05, 38.31, 5*time.Millisecond, correlate.TermBackoff)
	state.Span.To, backoff.AtMost = span(36.05, 36.15).To, true
	state.AtLeast, backoff.Span.From = true, state.Span.To
	dark := []correlate.Part{
		part(31.84, 31.86, 30*time.Millisecond, correlate.TermDetection),
		part(31.86, 32.02, 60*time.Millisecond, correlate.TermForwarding),
		part(32.02, 32.4, 540*time.Millisecond, correlate.TermRole),
		part(32.4, 36.05, 510*time.Millisecond, correlate.TermRelearning),
	}
	return correlate.Failover{Path: "a-b", Span: span(31.82, 38.31), Apart: []correlate.Apart{
		{SeenBy: timeline.SeenByHeartbeat, Direction: timeline.Both, Span: span(31.84, 36.05), Parts: dark},
		{SeenBy: timeline.SeenByTCP, Direction: timeline.Forward, Span: span(31.82, 38.31), Parts: append(slices.Clone(dark), state, backoff)},
	}}
}

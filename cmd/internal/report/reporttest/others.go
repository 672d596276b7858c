package reporttest

import (
	"math"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// BadCable is a port with FCS errors on the path and losses that go with them, without an outage.
func BadCable() Case {
	r := newRig()
	r.loss = func(s float64) float64 {
		if s < 20 {
			return 0
		}
		return 0.02 + math.Abs(wave(s, 0.008))
	}
	r.probes(10e6)
	r.devices(10e6)
	bad := timeline.Port("dist-b", "Gi1/0/23")
	for s := 20.5; s <= 89; s++ {
		r.sample(bad, timeline.InFCS, s, 22+math.Abs(wave(s, 6)), "snmp:dist-b")
		r.sample(bad, timeline.InErrors, s, 22+math.Abs(wave(s, 6)), "snmp:dist-b")
	}
	return Case{
		Name: "bad-cable", Topology: r.topo, Store: r.store,
		Diagnoses: []rules.Diagnosis{{
			Chain: []string{"bad-cable"}, Title: "A bad cable corrupts frames", Verdict: rules.Suspected, Confidence: 0.7, Fault: true,
			Subject: bad, Span: span(20, 90), Summary: "dist-b Gi1/0/23 receives frames with a wrong check sequence whatever the load, and the path loses as many.",
			Evidence: []rules.Evidence{
				{Source: "snmp:dist-b", Subject: bad, Metric: string(timeline.InFCS), Value: ptr(24.1), Unit: "packet/s", Span: span(20, 90)},
				{Source: "stamp:a-b", Subject: timeline.Path("a-b"), Metric: string(timeline.LossForward), Value: ptr(0.0231), Unit: "ratio", Span: span(20, 90)},
			},
			Missing: []string{"The error counters of the other end, fw1 outside."},
			Next:    []string{"Replace the cable between dist-b Gi1/0/23 and fw1 outside, then watch if.in.fcs fall to 0.", "If it stays, move the link to another port."},
		}},
	}
}

// Blind is a switch that stops answering while the path is down.
func Blind() Case {
	r := newRig()
	r.darks = []dark{{40, 45.5}}
	r.probes(10e6)
	r.devices(10e6, "dist-b")
	for s := 1.0; s <= 90; s++ {
		gap := timeline.Gap{Subject: timeline.Device("dist-b"), Span: timeline.Span{From: At(s - 1), To: At(s)}, Reason: timeline.ReasonTimeout, Text: "no answer in 2s"}
		r.store.Put(gap)
		r.sample(timeline.Device("dist-b"), timeline.Reachable, s, 0, "snmp:dist-b")
	}
	outage := r.outage(40, 45.5, "direction", "forward", "seen_by", "heartbeat", "error_ms", "10", "lost", "275")
	return Case{
		Name: "cannot-tell", Topology: r.topo, Store: r.store,
		Problems: []string{"snmp: read dist-b at 10.99.0.13: no answer in 2s (check devices[3].address and devices[3].snmp)"},
		Diagnoses: []rules.Diagnosis{{
			Chain: []string{"collector-blind"}, Title: "dist-b did not answer while the path was down", Verdict: rules.CannotTell, Confidence: 0, Fault: true,
			Subject: timeline.Device("dist-b"), Span: span(40, 45.5), Summary: "The path was dark for 5.50 s and no reading of dist-b covers that time.",
			Missing: []string{"Port states and error counters of dist-b from 14:02:40 to 14:02:45.", "Its log."},
			Next:    []string{"Run whydrop check: can this host reach dist-b by SNMP at all?"},
			Outages: []timeline.Event{outage},
		}},
	}
}

// Healthy is a quiet path while an off-path port flaps.
func Healthy() Case {
	r := newRig()
	r.probes(10e6)
	r.devices(10e6)
	r.event(timeline.Port("dist-a", "Gi1/0/7"), timeline.EventOper, 14.2, 0.02, "%LINK-3-UPDOWN: Interface GigabitEthernet1/0/7, changed state to down", "from", "up", "to", "down")
	r.event(timeline.Port("dist-a", "Gi1/0/7"), timeline.EventOper, 18.9, 0.02, "", "from", "down", "to", "up")
	return Case{Name: "healthy", Topology: r.topo, Store: r.store}
}

// Evil is text that tries everything at once: escapes, markup of every format, bidi and zero-width characters,
// bytes that are no UTF-8, and a very long word.
var Evil = "\x1b]0;owned\x07\x1b[31m[red]<script>alert(1)</script>\r\n| a | ![x](http://192.0.2.1/x) ```" + strings.Repeat("`", 40) +
	" \u202egnp.exe\u2066 z\u200bero \x9b31m \u009b1m \x00\x7f `$(reboot)` --> ]]> \u2028<img src=x onerror=alert(1)> [a](javascript:alert(1)) <!-- " + strings.Repeat("W", 90)

// Hostile is a site whose every text is hostile.
func Hostile() Case {
	r := newRig()
	r.topo = correlate.Topology{
		Site:  Evil,
		Paths: []correlate.Path{{Name: Evil, To: Evil, Hops: [][]string{{Evil, "fw2"}}}},
		Devices: []correlate.Device{{Name: Evil, Role: Evil, Platform: Evil, Ports: []string{Evil}, OffPath: []string{"x" + Evil},
			Warnings: []string{Evil}}},
	}
	port, path := timeline.Port(Evil, Evil), timeline.Path(Evil)
	for s := 1.0; s <= 20; s++ {
		r.sample(path, timeline.GoodputForward, s, 1e6, Evil)
		r.sample(port, timeline.InErrors, s, s, Evil)
		r.sample(port, timeline.Metric(Evil), s, s, Evil)
	}
	e := r.event(port, timeline.EventSyslog, 7, 0.1, Evil, "mnemonic", Evil)
	r.event(timeline.Device(Evil), timeline.EventType(Evil), 8, 0.1, Evil)
	r.store.Put(timeline.Event{Subject: path, Type: timeline.EventMark, Span: timeline.At(At(9)), Text: Evil})
	o := timeline.Event{Subject: path, Type: timeline.EventOutage, Span: span(7, 9), Attrs: map[string]string{"direction": Evil, "seen_by": Evil, "lost": "1e99", "error_ms": Evil}}
	r.store.Put(o)
	r.store.Put(timeline.Gap{Subject: port, Metric: timeline.Metric(Evil), Span: span(1, 2), Reason: timeline.Reason(Evil), Text: Evil})
	return Case{
		Name: "hostile", Topology: r.topo, Store: r.store, Session: Evil, Problems: []string{Evil}, Warnings: []string{Evil}, Notes: []string{Evil},
		Diagnoses: []rules.Diagnosis{{
			Chain: []string{"bad-cable", Evil}, Title: Evil, Verdict: rules.Holds, Confidence: 7, Fault: true, Subject: port, Span: span(6, 9),
			Summary: Evil, Against: []string{Evil}, Missing: []string{Evil}, Next: []string{Evil, Evil}, Events: []timeline.Event{e}, Outages: []timeline.Event{o},
			Evidence: []rules.Evidence{{Source: Evil, Subject: port, Metric: Evil, Value: ptr(math.NaN()), Unit: Evil, Text: Evil}},
		}},
	}
}

// Nothing is a site of which nothing was measured.
func Nothing() Case {
	return Case{Name: "nothing", Topology: site(), Store: &timeline.Store{}}
}

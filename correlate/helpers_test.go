package correlate

import (
	"time"

	"whydrop/correlate/timeline"
)

var start = time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return start.Add(time.Duration(sec * float64(time.Second))) }

func span(from, to float64) timeline.Span { return timeline.Span{From: at(from), To: at(to)} }

// site is a small campus: sw1, a pair of firewalls, sw2.
var site = Topology{
	Paths: []Path{{Name: "p", To: "far", Hops: [][]string{{"sw1"}, {"fw1", "fw2"}, {"sw2"}}}},
	Devices: []Device{
		{Name: "sw1", Role: "switch", Ports: []string{"a", "b", "c"}, OffPath: []string{"x"}},
		{Name: "fw1", Role: "firewall", Ports: []string{"in", "out"}},
		{Name: "fw2", Role: "firewall", Ports: []string{"in", "out"}},
		{Name: "sw2", Role: "switch", Ports: []string{"a", "b", "c"}},
	},
}

func event(sub timeline.Subject, typ timeline.EventType, sp timeline.Span, by string, kv ...string) timeline.Event {
	e := timeline.Event{Subject: sub, Type: typ, Span: sp, Origin: timeline.Origin{Collector: by}, Attrs: map[string]string{}}
	for i := 0; i+1 < len(kv); i += 2 {
		e.Attrs[kv[i]] = kv[i+1]
	}
	return e
}

func oper(dev, port, to string, sp timeline.Span, by string) timeline.Event {
	from := map[string]string{"up": "down", "down": "up"}[to]
	return event(timeline.Port(dev, port), timeline.EventOper, sp, by, "from", from, "to", to)
}

func stp(dev, port, from, to string, t float64) timeline.Event {
	return event(timeline.Port(dev, port), timeline.EventSTPState, span(t-0.1, t+0.1), "snmp:"+dev, "from", from, "to", to)
}

func rootPort(dev, from, to string, t float64) timeline.Event {
	return event(timeline.Device(dev), timeline.EventRootPort, span(t-0.1, t+0.1), "snmp:"+dev, "from", from, "to", to)
}

func outage(direction, seenBy string, sp timeline.Span) timeline.Event {
	return event(timeline.Path("p"), timeline.EventOutage, sp, "stamp:p", "direction", direction, "seen_by", seenBy, "error_ms", "20")
}

// rate makes samples of one value a second.
func rate(sub timeline.Subject, m timeline.Metric, from, to int, v float64) []timeline.Record {
	var out []timeline.Record
	for i := from; i < to; i++ {
		out = append(out, timeline.Sample{Subject: sub, Metric: m, Span: span(float64(i), float64(i+1)), Value: v})
	}
	return out
}

func snap(parts ...any) timeline.Snapshot {
	var all []timeline.Record
	for _, p := range parts {
		switch p := p.(type) {
		case timeline.Record:
			all = append(all, p)
		case []timeline.Record:
			all = append(all, p...)
		}
	}
	return timeline.NewSnapshot(all...)
}

package tui

import (
	"strings"
	"testing"

	"whydrop/cmd/internal/report/reporttest"
	"whydrop/correlate/timeline"
)

// everything is a case whose first port has all that a device can tell of one.
func everything() reporttest.Case {
	c := reporttest.Healthy()
	sub := timeline.Port("dist-a", "Gi1/0/1")
	for m, v := range map[timeline.Metric]float64{
		timeline.SpeedMax: 10e9, timeline.NeighbourSpeed: 1e9, timeline.MTU: 9000, timeline.EEE: 1, timeline.LAGInSync: 0,
		timeline.RxPower: -17.3, timeline.RxLowWarn: -16.2, timeline.RxLowAlarm: -18, timeline.TxPower: -4.1, timeline.OpticsTemperature: 41,
		timeline.InFCS: 12, timeline.InSymbol: 0.5, timeline.StormDrops: 3,
	} {
		c.Store.Put(timeline.Sample{Subject: sub, Metric: m, Span: timeline.Span{From: reporttest.At(50), To: reporttest.At(60)}, Value: v})
	}
	event := func(s float64, t timeline.EventType, attrs map[string]string) {
		c.Store.Put(timeline.Event{Subject: sub, Type: t, Span: timeline.At(reporttest.At(s)), Attrs: attrs})
	}
	event(5, timeline.EventNeighbour, map[string]string{"protocol": "lldp", "from": "", "to": "acc-3 Te1/1/4"})
	event(31, timeline.EventErrDisabled, map[string]string{"from": "up", "to": "disabled", "cause": "bpduguard", "recovery_s": "300"})
	event(32, timeline.EventLAGMember, map[string]string{"aggregate": "Po1", "from": "bundled", "to": "down"})
	event(33, timeline.EventUDLD, map[string]string{"from": "bidirectional", "to": "unidirectional"})
	event(34, timeline.EventPower, map[string]string{"to": "denied", "reason": "overload"})
	event(35, timeline.EventStorm, map[string]string{"to": "active", "kind": "broadcast"})
	c.Store.Put(timeline.Gap{Subject: sub, Metric: timeline.InOverrun, Span: timeline.At(reporttest.At(30)), Reason: timeline.ReasonUnsupported})
	return c
}

func TestDetailsOfAPort(t *testing.T) {
	sub := timeline.Port("sw", "p1")
	sp := timeline.Span{From: reporttest.At(59), To: reporttest.At(60)}
	sample := func(m timeline.Metric, v float64) timeline.Record {
		return timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v}
	}
	event := func(t timeline.EventType, attrs map[string]string) timeline.Record {
		return timeline.Event{Subject: sub, Type: t, Span: sp, Attrs: attrs}
	}
	for _, tt := range []struct {
		name    string
		records []timeline.Record
		label   string
		want    string
		bad     bool
	}{
		{"nothing was read", nil, "State", "not known", false},
		{"nothing was read, and why", []timeline.Record{timeline.Gap{Subject: sub, Span: sp, Reason: timeline.ReasonAuth}}, "State", "not known (auth)", false},
		{"down", []timeline.Record{sample(timeline.Oper, 0)}, "State", "down", true},
		{"shut by the device, to stay", []timeline.Record{event(timeline.EventErrDisabled, map[string]string{"to": "disabled", "cause": "udld"})}, "Shut", "by the device itself: udld since 14:02:59 UTC", true},
		{"slower than both ends can", []timeline.Record{sample(timeline.Speed, 100e6), sample(timeline.HalfDuplex, 0), sample(timeline.SpeedMax, 1e9), sample(timeline.NeighbourSpeed, 1e9)}, "Link", "100 Mbit/s, full duplex; the port can 1 Gbit/s; the neighbour offers 1 Gbit/s", true},
		{"load without a speed", []timeline.Record{sample(timeline.Oper, 1), sample(timeline.InBits, 1e6)}, "Load", "in 1.0 Mbit/s, out ?; share of the speed not known: the device states no speed", false},
		{"load before the second reading", []timeline.Record{sample(timeline.Oper, 1)}, "Load", "not known: a rate needs two readings of the counters", false},
		{"load of a device without octets", []timeline.Record{sample(timeline.Oper, 1), timeline.Gap{Subject: sub, Metric: timeline.InBits, Span: sp, Reason: timeline.ReasonUnsupported}}, "Load", "not known: no octet counters (unsupported)", false},
		{"optics below their warning", []timeline.Record{sample(timeline.RxPower, -17), sample(timeline.RxLowWarn, -16)}, "Optics", "receives -17.0 dBm (warns below -16.0 dBm)", true},
		{"optics whose module names nothing", []timeline.Record{sample(timeline.RxPower, -17)}, "Optics", "receives -17.0 dBm (the module names no threshold)", false},
		{"counters that stand still", []timeline.Record{sample(timeline.InFCS, 0), sample(timeline.OutDrops, 0)}, "Errors", "none: 2 counters stood still since 14:02:59 UTC", false},
		{"a counter that moves", []timeline.Record{sample(timeline.InFCS, 12)}, "Errors", "FCS errors (CRC): now 12.0/s, in the last minute 12, since 14:02:59 UTC 12", true},
		{"no counter", nil, "Errors", "no counter was read", false},
		{"the neighbour", []timeline.Record{event(timeline.EventNeighbour, map[string]string{"protocol": "cdp", "to": "acc-1 Gi0/1"})}, "Neighbour", "acc-1 Gi0/1, by CDP since 14:02:59 UTC", false},
		{"storm control that ended", []timeline.Record{event(timeline.EventStorm, map[string]string{"to": "cleared"})}, "Storm", "storm control cleared since 14:02:59 UTC", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &Model{Now: reporttest.At(60), snap: timeline.NewSnapshot(tt.records...)}
			var labels []string
			for _, d := range m.PortDetails(sub) {
				if d.Label == tt.label {
					if d.Text != tt.want || d.Bad != tt.bad {
						t.Errorf("got %q, bad %v; want %q, bad %v", d.Text, d.Bad, tt.want, tt.bad)
					}
					return
				}
				labels = append(labels, d.Label)
			}
			t.Errorf("there is no line %q, only %s", tt.label, strings.Join(labels, ", "))
		})
	}
}

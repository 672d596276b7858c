package app

import (
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestProgressTellsOfASilenceOnce(t *testing.T) {
	at := time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)
	sw1 := timeline.Device("sw1")
	gap := func(collector string, reason timeline.Reason, text string) timeline.Gap {
		return timeline.Gap{Subject: sw1, Span: timeline.At(at), Reason: reason, Text: text, Origin: timeline.Origin{Collector: collector}}
	}
	reached := func(v float64, collector string) timeline.Sample {
		return timeline.Sample{Subject: sw1, Metric: timeline.Reachable, Span: timeline.At(at), Value: v, Origin: timeline.Origin{Collector: collector}}
	}
	port := gap("snmp:sw1", timeline.ReasonTimeout, "no answer")
	port.Subject = timeline.Port("sw1", "Gi1/0/1")
	lacks := gap("snmp:sw1", timeline.ReasonUnsupported, "no collector gives it")
	lacks.Metric = timeline.DeviceCPU
	for name, c := range map[string]struct {
		records []timeline.Record
		want    []string
	}{
		"a silence of many gaps": {[]timeline.Record{gap("snmp:sw1", timeline.ReasonTimeout, "no answer"), reached(0, "snmp:sw1"),
			gap("snmp:sw1", timeline.ReasonTimeout, "no answer"), port}, []string{"no reading: no answer"}},
		"two silences": {[]timeline.Record{gap("snmp:sw1", timeline.ReasonTimeout, "first"), reached(1, "snmp:sw1"),
			gap("snmp:sw1", timeline.ReasonTimeout, "second")}, []string{"no reading: first", "no reading: second"}},
		"two collectors": {[]timeline.Record{gap("ssh:sw1", timeline.ReasonAuth, "refused"), reached(1, "snmp:sw1"),
			gap("ssh:sw1", timeline.ReasonAuth, "refused"), gap("snmp:sw1", timeline.ReasonTimeout, "silent")},
			[]string{"no reading: refused", "no reading: silent"}},
		"an answer in part, again and again": {[]timeline.Record{gap("snmp:sw1", timeline.ReasonPartial, "no end"), reached(1, "snmp:sw1"),
			gap("snmp:sw1", timeline.ReasonPartial, "no end")}, []string{"not all is read: no end"}},
		"no silence": {[]timeline.Record{gap("snmp:sw1", timeline.ReasonReset, "restarted"), lacks, port}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var out strings.Builder
			p := newProgress(&out)
			for _, r := range c.records {
				p.Put(r)
			}
			var got []string
			for line := range strings.Lines(out.String()) {
				_, text, _ := strings.Cut(strings.TrimSpace(line), "sw1")
				got = append(got, strings.TrimSpace(text))
			}
			if strings.Join(got, "|") != strings.Join(c.want, "|") {
				t.Errorf("%q, want %q", got, c.want)
			}
		})
	}
}

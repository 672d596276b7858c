package correlate

import (
	"testing"

	"whydrop/correlate/timeline"
)

func TestBlindSpans(t *testing.T) {
	port := timeline.Port("sw1", "a")
	gap := func(dev string, from, to float64, r timeline.Reason) timeline.Gap {
		return timeline.Gap{Subject: timeline.Device(dev), Span: span(from, to), Reason: r, Text: "no answer in 1s"}
	}
	after := timeline.Sample{Subject: port, Metric: timeline.InBits, Span: span(20, 40), Value: 5} // a delta over the silence
	cases := []struct {
		name  string
		parts []any
		want  []timeline.Span
	}{
		{"silent for twenty seconds", []any{rate(port, timeline.InBits, 0, 20, 5), gap("sw1", 20, 40, timeline.ReasonTimeout), rate(port, timeline.InBits, 40, 60, 5)}, []timeline.Span{span(20, 40)}},
		{"a counter's delta over the silence does not make it seen", []any{rate(port, timeline.InBits, 0, 20, 5), gap("sw1", 20, 39, timeline.ReasonTimeout), after, rate(port, timeline.InBits, 40, 60, 5)}, []timeline.Span{span(20, 39)}},
		{"one missed poll", []any{rate(port, timeline.InBits, 0, 20, 5), gap("sw1", 20, 21, timeline.ReasonTimeout), rate(port, timeline.InBits, 21, 60, 5)}, nil},
		{"never answered", []any{rate(timeline.Path("p"), timeline.RTT, 0, 60, 0.002), gap("sw1", 0, 1, timeline.ReasonAuth)}, []timeline.Span{span(0, 60)}},
		{"a reading that the device does not have is no silence", []any{rate(timeline.Path("p"), timeline.RTT, 0, 60, 0.002), gap("sw1", 0, 60, timeline.ReasonUnsupported)}, nil},
		{"not asked at all", []any{rate(timeline.Path("p"), timeline.RTT, 0, 60, 0.002)}, nil},
		{"a device on no path", []any{rate(timeline.Path("p"), timeline.RTT, 0, 60, 0.002), gap("printer", 0, 60, timeline.ReasonTimeout)}, nil},
		{"another collector still answers", []any{rate(port, timeline.InBits, 0, 60, 5), gap("sw1", 20, 40, timeline.ReasonUnreachable)}, nil},
		{"a failed poll is a sample too, but no answer", []any{rate(port, timeline.InBits, 0, 20, 5), gap("sw1", 20, 40, timeline.ReasonTimeout),
			rate(timeline.Device("sw1"), timeline.PollTime, 20, 40, 1), rate(timeline.Device("sw1"), timeline.Reachable, 20, 40, 0), rate(port, timeline.InBits, 40, 60, 5)}, []timeline.Span{span(20, 40)}},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			s := snap(c.parts...)
			got := BlindSpans(s, site, s.Span())
			if len(got) != len(c.want) {
				t.Fatalf("got %v, want %v", got, c.want)
			}
			for i, w := range c.want {
				if got[i].Span != w || got[i].Device != "sw1" {
					t.Errorf("got %s %v to %v, want %v to %v", got[i].Device, got[i].Span.From, got[i].Span.To, w.From, w.To)
				}
			}
		})
	}
}

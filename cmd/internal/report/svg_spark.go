package report

import (
	"strings"

	"whydrop/correlate/timeline"
)

// The size of a sparkline in the table of ports.
const (
	sparkWidth  = 150.0
	sparkHeight = 22.0
)

// svgSpark is a small curve without axes; what it reaches at most stands beside it in words.
type svgSpark struct {
	Known         bool
	Bars          string // one path
	Most          string
	Quiet         bool   // known, and nothing but zero
	Why           string // why it is not known, in a word
	Width, Height string
}

// unknown says in a few words why there is no figure of a port.
func unknown(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) string {
	if gaps := s.GapsOf(sub, m); len(gaps) > 0 {
		return Clean(string(gaps[len(gaps)-1].Reason))
	}
	if _, read := s.Last(sub, timeline.Oper); read {
		return "not counted yet" // a rate needs two readings
	}
	return "not read"
}

// spark draws the largest value of each column as a bar, so that a single bad second is seen in a long day. The
// bars reach the top at scale, or at the largest value if scale is 0.
func spark(d Document, sub timeline.Subject, scale float64, metrics ...timeline.Metric) svgSpark {
	out := svgSpark{Width: px(sparkWidth), Height: px(sparkHeight)}
	span := d.Snapshot.Span()
	const step = 2.0
	n := int(sparkWidth / step)
	sum := make([]float64, n)
	for _, m := range metrics {
		v := d.Snapshot.Series(sub, m)
		out.Known = out.Known || len(v) > 0
		for i, b := range Buckets(v, span, n) {
			if b.N > 0 {
				sum[i] = max(sum[i], b.Max)
			}
		}
	}
	if !out.Known {
		out.Why = unknown(d.Snapshot, sub, metrics[0])
	}
	hi := 0.0
	for _, v := range sum {
		hi = max(hi, v)
	}
	out.Quiet = out.Known && hi == 0
	if hi == 0 {
		return out
	}
	if scale <= 0 {
		scale = hi
	}
	var b strings.Builder
	for i, v := range sum {
		if v > 0 {
			b.WriteString("M" + px(float64(i)*step+1) + " " + px(sparkHeight) + "v-" + px(max(1.5, min(v/scale, 1)*(sparkHeight-2))))
		}
	}
	out.Bars, out.Most = b.String(), Figure(string(metrics[0]), hi, "")
	return out
}

package report

import (
	"time"

	"whydrop/correlate/timeline"
)

// BlindSpan is a stretch in which nothing was read of a device.
type BlindSpan struct {
	Device string // as the device is called in the timeline, not cleaned
	Span   timeline.Span
	Reason timeline.Reason
}

// blindJoin is how far apart two failed polls of one device may lie and still be one blindness: twice the default
// interval of polls.
const blindJoin = 2 * time.Second

// BlindSpans joins the gaps that concern a whole device: polls that fail one after the other are one blindness.
// They are ordered by their beginning, as far as the gaps are.
func BlindSpans(s timeline.Snapshot) []BlindSpan {
	var out []BlindSpan
	last := map[string]int{}
	for _, g := range s.Gaps() {
		if g.Kind != timeline.KindDevice || g.Metric != "" && g.Metric != timeline.Reachable {
			continue
		}
		if i, ok := last[g.Device]; ok && !g.Span.From.After(out[i].Span.To.Add(blindJoin)) {
			out[i].Span = out[i].Span.Union(g.Span)
			continue
		}
		last[g.Device] = len(out)
		out = append(out, BlindSpan{g.Device, g.Span, g.Reason})
	}
	return out
}

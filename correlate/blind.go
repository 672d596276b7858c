package correlate

import (
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Blind is one stretch in which nothing was read from a device that was asked.
type Blind struct {
	Device string
	Span   timeline.Span
	Reason timeline.Reason // the most frequent reason given meanwhile
	Text   string          // the last thing the collector or the device said of it
}

// missedPolls is how many polls in a row must fail before a device counts as silent: one lost datagram is
// nothing, and a governor may skip a poll to spare the device.
const missedPolls = 3

// BlindSpans returns the stretches in which devices on a path were asked and gave nothing, in order of devices
// and time. Only a device with at least one gap or one failed poll was asked; one that is merely listed was not.
func BlindSpans(s timeline.Snapshot, t Topology, watched timeline.Span) []Blind {
	gaps := map[string][]timeline.Gap{}
	for _, g := range s.Gaps() {
		if silent(g.Reason) && g.Device != "" {
			gaps[g.Device] = append(gaps[g.Device], g)
		}
	}
	read := map[string][]timeline.Span{}
	for _, k := range s.Keys() {
		if k.Subject.Device == "" || !proves(k.Metric) || len(gaps[k.Subject.Device]) == 0 {
			continue
		}
		for _, x := range s.Series(k.Subject, k.Metric) {
			read[k.Subject.Device] = append(read[k.Subject.Device], x.Span)
		}
	}
	var out []Blind
	for _, d := range t.Devices {
		if len(gaps[d.Name]) > 0 && t.OnPath(timeline.Device(d.Name)) {
			out = append(out, blindOf(d.Name, read[d.Name], gaps[d.Name], watched)...)
		}
	}
	return out
}

// proves says whether a sample of the metric proves that the device answered: what every collector reads in every
// poll, and nothing about the asking itself.
func proves(m timeline.Metric) bool {
	switch m {
	case timeline.InBits, timeline.OutBits, timeline.InErrors, timeline.Oper, timeline.Speed, timeline.STPForwarding, timeline.TopologyChanges, timeline.DeviceCPU:
		return true
	}
	return false
}

// silent says whether a gap for this reason means that the device was asked and gave nothing.
func silent(r timeline.Reason) bool {
	switch r {
	case timeline.ReasonTimeout, timeline.ReasonUnreachable, timeline.ReasonAuth, timeline.ReasonBackoff:
		return true
	}
	return false
}

func blindOf(device string, read []timeline.Span, gaps []timeline.Gap, watched timeline.Span) []Blind {
	least := holeOf(read)
	for i, sp := range read {
		// A counter's sample after a silence covers the silence, but what happened in it is not known for that.
		if sp.Width() > least {
			read[i].From = sp.To.Add(-least / missedPolls)
		}
	}
	slices.SortFunc(read, func(a, b timeline.Span) int { return a.From.Compare(b.From) })
	var out []Blind
	add := func(sp timeline.Span) {
		b := Blind{Device: device, Span: sp}
		seen := map[timeline.Reason]int{}
		for _, g := range gaps {
			if g.Span.Overlaps(sp) {
				if seen[g.Reason]++; b.Reason == "" || seen[g.Reason] > seen[b.Reason] {
					b.Reason = g.Reason
				}
				if g.Text != "" {
					b.Text = g.Text
				}
			}
		}
		if sp.Width() >= least && b.Reason != "" {
			out = append(out, b)
		}
	}
	end := watched.From
	for _, sp := range read {
		if sp.From.After(end) {
			add(timeline.Span{From: end, To: sp.From})
		}
		if sp.To.After(end) {
			end = sp.To
		}
	}
	if watched.To.After(end) {
		add(timeline.Span{From: end, To: watched.To})
	}
	return out
}

// holeOf returns how long nothing must be read before it means anything: some polls, at the device's own
// cadence.
func holeOf(read []timeline.Span) time.Duration {
	var widths []time.Duration
	for _, sp := range read {
		if w := sp.Width(); w > 0 {
			widths = append(widths, w)
		}
	}
	if len(widths) == 0 {
		return missedPolls * time.Second
	}
	slices.Sort(widths)
	return missedPolls * max(time.Second, widths[len(widths)/2])
}

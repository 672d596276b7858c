package rules

import (
	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// shown returns the topology of a story that only tells what was measured and what some ports show: one path t over all
// of the ports' devices, and the other paths that were tested.
func (st story) shown() correlate.Topology {
	var topo correlate.Topology
	if len(st.Ports)+len(st.Tests) == 0 {
		return topo
	}
	topo.Paths = []correlate.Path{{Name: "t"}}
	at := map[string]int{}
	for _, p := range st.Ports {
		s := subject(p)
		i, ok := at[s.Device]
		if !ok {
			i = len(topo.Devices)
			at[s.Device] = i
			topo.Devices = append(topo.Devices, correlate.Device{Name: s.Device})
			topo.Paths[0].Hops = append(topo.Paths[0].Hops, []string{s.Device})
		}
		topo.Devices[i].Ports = append(topo.Devices[i].Ports, s.Name)
	}
	for _, x := range st.Tests {
		if _, ok := topo.Path(x["path"]); x["path"] != "" && !ok {
			topo.Paths = append(topo.Paths, correlate.Path{Name: x["path"]})
		}
	}
	for _, l := range st.Links {
		a, b := subject(l[0]), subject(l[1])
		topo.Links = append(topo.Links, correlate.Link{A: [2]string{a.Device, a.Name}, B: [2]string{b.Device, b.Name}})
	}
	return topo
}

// byHand returns the tests, totals and settings of a story.
func (st story) byHand(n int) []timeline.Record {
	var out []timeline.Record
	put := func(s timeline.Subject, t timeline.EventType, attrs map[string]string) {
		out = append(out, timeline.Event{Subject: s, Type: t, Span: span(0, float64(n)), Attrs: attrs, Origin: timeline.Origin{Collector: byHand + "story"}})
	}
	for _, x := range st.Tests {
		path := "a-b"
		if st.Empty {
			path = "t"
		}
		if x["path"] != "" {
			path = x["path"]
		}
		put(timeline.Path(path), timeline.EventResult, x)
	}
	for _, p := range keysOf(st.Totals) {
		put(subject(p), timeline.EventTotals, st.Totals[p])
	}
	for _, h := range keysOf(st.Settings) {
		put(timeline.Host(h), timeline.EventSettings, st.Settings[h])
	}
	return out
}

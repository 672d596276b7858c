package rules

import (
	"fmt"
	"maps"
	"slices"
	"testing"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// quietPorts are the ways in which the ports of a path look while nothing gets through, by what is counted in a second: they tell where
// the traffic stands, and by themselves of no fault.
var quietPorts = map[string]map[timeline.Metric]float64{
	"send and hear nothing": {timeline.InPackets: 0, timeline.InBits: 0, timeline.OutPackets: 50, timeline.OutBits: 3e4},
	"hear and send nothing": {timeline.InPackets: 50, timeline.InBits: 3e4, timeline.OutPackets: 0, timeline.OutBits: 0},
	"hellos only":           {timeline.InPackets: 0.5, timeline.InBits: 300, timeline.OutPackets: 0.5, timeline.OutBits: 300},
}

// TestPortsOfADarkPathFallSilent asks of every case with an outage what it says when the ports carry nothing meanwhile.
func TestPortsOfADarkPathFallSilent(t *testing.T) {
	if testing.Short() {
		t.Skip("every case of the catalogue again")
	}
	rules := Default()
	for i, r := range rules {
		for _, c := range loadCases(t, r.ID).Cases {
			for name, values := range quietPorts {
				dark, ok := c.Story.withQuietPorts(values)
				if !ok {
					continue
				}
				t.Run(r.ID+"/"+c.Name+"/"+name, func(t *testing.T) {
					snap, topo := dark.build(t)
					for _, bad := range c.judge(&rules[i], Evaluate(rules, snap, topo)) {
						t.Error(bad)
					}
				})
			}
		}
	}
}

// withQuietPorts returns the story with these values of each port while the path is dark; ok is false if it never is for
// long, or if the story itself says what its ports carry.
func (st story) withQuietPorts(values map[timeline.Metric]float64) (_ story, ok bool) {
	const long = 2 * time.Second
	if st.Empty || slices.ContainsFunc(st.Series, func(x series) bool {
		return x.Metric == string(timeline.InPackets) || x.Metric == string(timeline.OutPackets)
	}) {
		return st, false
	}
	st.Series = slices.Clone(st.Series)
	for _, o := range st.Outages {
		if at(o.To).Sub(at(o.From)) < long {
			continue
		}
		for _, port := range portsOf(campus) {
			for _, m := range slices.Sorted(maps.Keys(values)) {
				st.Series = append(st.Series, series{Of: port, Metric: string(m), Values: fmt.Sprintf("%g..%g: %g", o.From, o.To, values[m])})
				ok = true
			}
		}
	}
	return st, ok
}

func portsOf(t correlate.Topology) []string {
	var out []string
	for _, d := range t.Devices {
		for _, p := range d.Ports {
			out = append(out, d.Name+" "+p)
		}
	}
	return out
}

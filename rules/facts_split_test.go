package rules

import (
	"slices"
	"testing"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// A firewall announced itself in one VLAN alone: the path of that VLAN is well at once, that of another stays dark.
func TestAPathThatIsWellMuchSoonerTellsThatAnotherWasNotAnnounced(t *testing.T) {
	topo := correlate.Topology{
		Site:    "two VLANs",
		Paths:   []correlate.Path{{Name: "native", To: "far", Hops: [][]string{{"sw"}, {"fw1", "fw2"}}}, {Name: "tagged", To: "far", Hops: [][]string{{"sw"}, {"fw1", "fw2"}}}},
		Devices: []correlate.Device{{Name: "sw", Role: "switch"}, {Name: "fw1", Role: "firewall", Peer: "fw2"}, {Name: "fw2", Role: "firewall", Peer: "fw1"}},
	}
	for _, c := range []struct {
		name   string
		native float64 // until when the native VLAN's path was dark
		told   bool
	}{
		{"the native VLAN is well at once", 21.1, true},
		{"both VLANs stay dark: what took over forwards nothing", 78, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var records []timeline.Record
			for name, to := range map[string]float64{"native": c.native, "tagged": 80} {
				records = append(records, timeline.Event{Subject: timeline.Path(name), Type: timeline.EventOutage, Span: span(20, to),
					Attrs: outage{SeenBy: timeline.SeenByHeartbeat, Direction: timeline.Both}.attrs(), Origin: timeline.Origin{Collector: "stamp:" + name}})
			}
			records = append(records, timeline.Event{Subject: timeline.Device("fw2"), Type: timeline.EventFailover, Span: span(20.1, 20.3),
				Attrs: map[string]string{"from": "standby", "to": "active"}, Origin: timeline.Origin{Collector: "snmp:fw2"}})
			records = append(records, timeline.Event{Subject: timeline.Path("native"), Type: timeline.EventMark, Span: span(99, 100)})
			found := Evaluate(Default(), timeline.NewSnapshot(records...), topo)
			told := slices.ContainsFunc(found, func(d Diagnosis) bool { return d.ID() == "stale-arp-fdb" })
			if told != c.told {
				t.Errorf("an old entry on the path of the tagged VLAN: %v, want %v: %s", told, c.told, brief(found))
			}
		})
	}
}

package correlate

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// booked lays series of packets a second over a minute on the ports of a path through x1 and x2.
func booked(rates map[string]float64) (timeline.Snapshot, Topology, timeline.Span) {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	subject := map[string]timeline.Subject{"x1 a": timeline.Port("x1", "a"), "x1 b": timeline.Port("x1", "b"), "x2 a": timeline.Port("x2", "a"), "x2 b": timeline.Port("x2", "b")}
	var records []timeline.Record
	for key, rate := range rates {
		m := timeline.Metric(key[5:])
		for i := range 60 {
			jitter := float64(i%3 - 1) // a poll comes a little earlier or later
			sp := timeline.Span{From: start.Add(time.Duration(i) * time.Second), To: start.Add(time.Duration(i+1) * time.Second)}
			v := rate
			if m == timeline.OutPackets || m == timeline.InPackets {
				v += jitter
			}
			records = append(records, timeline.Sample{Subject: subject[key[:4]], Metric: m, Span: sp, Value: v})
		}
	}
	t := Topology{
		Paths:   []Path{{Name: "p", Hops: [][]string{{"x1"}, {"x2"}}}},
		Devices: []Device{{Name: "x1", Ports: []string{"a", "b"}}, {Name: "x2", Ports: []string{"a", "b"}}},
		Links:   []Link{{A: [2]string{"x1", "b"}, B: [2]string{"x2", "a"}}},
	}
	return timeline.NewSnapshot(records...), t, timeline.Span{From: start, To: start.Add(time.Minute)}
}

func TestLedgerFindsWherePacketsVanish(t *testing.T) {
	for name, c := range map[string]struct {
		rates map[string]float64
		lost  float64
		from  string // "": nowhere
		n     float64
	}{
		"inside a device":                     {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 980, "x2 a if.in.packets": 980, "x2 b if.out.packets": 980}, 0.02, "x1 a", 1200},
		"on a link":                           {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 1000, "x2 a if.in.packets": 990, "x2 b if.out.packets": 990}, 0.01, "x1 b", 600},
		"on a link whose far end admits them": {map[string]float64{"x1 b if.out.packets": 1000, "x2 a if.in.packets": 990, "x2 a if.in.fcs": 10}, 0.01, "", 0},
		"in a device that drops and says so":  {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 980, "x1 b if.out.drops": 20}, 0.02, "", 0},
		"to ports that are not watched: the probe lost nothing like it": {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 600}, 0.02, "", 0},
		"in a device that other ports feed":                             {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 980, "x1 b if.in.packets": 100, "x1 a if.out.packets": 900}, 0.02, "", 0},
		"nowhere":                                                       {map[string]float64{"x1 a if.in.packets": 1000, "x1 b if.out.packets": 1000, "x2 a if.in.packets": 1000, "x2 b if.out.packets": 1000}, 0.02, "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			s, topo, sp := booked(c.rates)
			got := Ledger(s, topo, topo.Paths[0], sp, c.lost)
			if c.from == "" {
				if len(got) > 0 {
					t.Fatalf("got %+v, want nothing", got)
				}
				return
			}
			if len(got) != 1 || got[0].From.String() != c.from || got[0].Lost < c.n-got[0].Doubt-1 || got[0].Lost > c.n+got[0].Doubt+1 {
				t.Fatalf("got %+v, want %v packets after %s", got, c.n, c.from)
			}
		})
	}
}

// Counters that were read by hand may have been read a second apart: what passes in a second is no loss.
func TestLedgerDoubtsSingleReadings(t *testing.T) {
	start := time.Date(2026, 3, 2, 0, 0, 0, 0, time.UTC)
	sp := timeline.Span{From: start, To: start.Add(time.Minute)}
	_, topo, _ := booked(nil)
	for arrived, want := range map[float64]int{990: 0, 900: 1} {
		s := timeline.NewSnapshot(
			timeline.Sample{Subject: timeline.Port("x1", "b"), Metric: timeline.OutPackets, Span: sp, Value: 1000},
			timeline.Sample{Subject: timeline.Port("x2", "a"), Metric: timeline.InPackets, Span: sp, Value: arrived})
		if got := Ledger(s, topo, topo.Paths[0], sp, 0.1); len(got) != want {
			t.Errorf("%v of 1000 arrive: got %+v, want %d places", arrived, got, want)
		}
	}
}

// Package reporttest holds made-up timelines and diagnoses for the tests of whoever shows them: the common
// documents. They are written by hand after the demo's stories; nothing in them was measured.
package reporttest

import (
	"math"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Case is what a report or a screen is made from.
type Case struct {
	Name      string
	Topology  correlate.Topology
	Store     *timeline.Store
	Diagnoses []rules.Diagnosis
	Problems  []string
	Warnings  []string
	Notes     []string
	Session   string
}

// Snapshot returns the whole timeline of the case.
func (c Case) Snapshot() timeline.Snapshot { return c.Store.Snapshot() }

// Start is the moment at which every case begins.
var Start = time.Date(2026, 3, 1, 14, 2, 0, 0, time.UTC)

// Length is how long every case lasts.
const Length = 90 * time.Second

// At returns the moment so many seconds after Start.
func At(seconds float64) time.Time {
	return Start.Add(time.Duration(math.Round(seconds*1e6)) * time.Microsecond)
}

// Cases returns the common cases, made anew.
func Cases() []Case {
	return []Case{Failover(), BadCable(), Blind(), Healthy(), Hostile(), Nothing()}
}

// site is the campus of every case: two switches, two firewalls between them, one of them blocked.
func site() correlate.Topology {
	return correlate.Topology{
		Site: "campus",
		Paths: []correlate.Path{{
			Name: "a-b", To: "10.10.0.20", Rate: 10e6,
			Hops: [][]string{{"dist-a"}, {"fw1", "fw2"}, {"dist-b"}},
		}},
		Devices: []correlate.Device{
			{Name: "dist-a", Role: "switch", Platform: "cisco_iosxe", Ports: []string{"Gi1/0/1", "Gi1/0/23", "Gi1/0/24"}, OffPath: []string{"Gi1/0/7", "Gi1/0/9"}},
			{Name: "fw1", Role: "firewall", Platform: "cisco_iosxe", Peer: "fw2", Ports: []string{"inside", "outside"}},
			{Name: "fw2", Role: "firewall", Platform: "cisco_iosxe", Peer: "fw1", Ports: []string{"inside", "outside"}},
			{Name: "dist-b", Role: "switch", Platform: "cisco_iosxe", Ports: []string{"Gi1/0/1", "Gi1/0/23", "Gi1/0/24"},
				Warnings: []string{"legacy SSH algorithms are allowed (diffie-hellman-group1-sha1, aes128-cbc)"}},
		},
	}
}

// dark is a stretch of seconds in which the path does not deliver.
type dark struct{ from, to float64 }

// rig fills a store.
type rig struct {
	store *timeline.Store
	topo  correlate.Topology
	fw1   func(s float64) bool // does fw1 forward at that second? Otherwise fw2 does
	darks []dark
	loss  func(s float64) float64 // heartbeat loss to the far end outside the dark stretches
}

func (r *rig) sample(sub timeline.Subject, m timeline.Metric, s float64, v float64, from string) {
	sp := timeline.Span{From: At(s - 1), To: At(s)}
	r.store.Put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v, Origin: timeline.Origin{Collector: from, Exchange: uint64(s) + 1}})
}

func (r *rig) darkShare(s float64) float64 {
	share := 0.0
	for _, d := range r.darks {
		share += max(0, min(s, d.to)-max(s-1, d.from))
	}
	return min(share, 1)
}

// wave is a small steady unrest, so that charts look like life and are the same each time.
func wave(s, size float64) float64 { return size * (math.Sin(s*0.9) + 0.5*math.Sin(s*2.3)) }

// probes writes the path's figures for every second.
func (r *rig) probes(rate float64) {
	path := timeline.Path("a-b")
	r.store.Put(timeline.Event{Subject: path, Type: timeline.EventProbeStart, Span: timeline.At(At(0)), Text: "iperf3 to 10.10.0.20",
		Attrs: map[string]string{"kind": "iperf3", "to": "10.10.0.20", "rate_bps": "10000000"}})
	for s := 1.0; s <= Length.Seconds(); s++ {
		gone := r.darkShare(s)
		loss := r.loss(s)
		good := rate * (1 - gone) * (1 - min(1, loss*8))
		r.sample(path, timeline.GoodputForward, s, max(0, good+wave(s, rate*0.004)*(1-gone)), "iperf3:a-b")
		r.sample(path, timeline.OfferedForward, s, rate, "iperf3:a-b")
		r.sample(path, timeline.LossForward, s, max(gone, loss), "stamp:a-b")
		r.sample(path, timeline.LossReverse, s, 0, "stamp:a-b")
		r.sample(path, timeline.TCPRetransmits, s, gone*4+loss*300, "iperf3:a-b")
		if gone < 1 {
			r.sample(path, timeline.RTT, s, 0.0008+math.Abs(wave(s, 0.00005))+gone*0.002, "stamp:a-b")
		}
		r.sample(timeline.Host(timeline.LocalHost), timeline.HostCPU, s, 0.11+wave(s, 0.01), "host")
	}
}

// devices writes every port's figures for every second.
func (r *rig) devices(rate float64, except ...string) {
	for _, d := range r.topo.Devices {
		if len(except) > 0 && d.Name == except[0] {
			continue
		}
		for s := 1.0; s <= Length.Seconds(); s++ {
			from := "snmp:" + d.Name
			r.sample(timeline.Device(d.Name), timeline.Reachable, s, 1, from)
			r.sample(timeline.Device(d.Name), timeline.PollTime, s, 0.004+math.Abs(wave(s, 0.001)), from)
			for i, p := range d.Ports {
				on := r.darkShare(s) < 0.5 && r.carries(d, i, s)
				r.port(timeline.Port(d.Name, p), s, on, rate, from)
			}
			for _, p := range d.OffPath {
				r.port(timeline.Port(d.Name, p), s, false, rate, from)
			}
		}
	}
}

// carries says whether the i-th port of the device is on the branch that forwards.
func (r *rig) carries(d correlate.Device, i int, s float64) bool {
	switch {
	case d.Name == "fw1":
		return r.fw1(s)
	case d.Name == "fw2":
		return !r.fw1(s)
	case i == 1:
		return r.fw1(s)
	case i == 2:
		return !r.fw1(s)
	}
	return true
}

func (r *rig) port(p timeline.Subject, s float64, on bool, rate float64, from string) {
	bits := 2400 + math.Abs(wave(s, 600))
	if on {
		bits += rate * 1.04
	}
	r.sample(p, timeline.InBits, s, bits, from)
	r.sample(p, timeline.OutBits, s, bits*0.06+900, from)
	r.sample(p, timeline.InPackets, s, math.Round(bits/11800), from)
	r.sample(p, timeline.OutPackets, s, math.Round(bits/24000), from)
	for _, m := range []timeline.Metric{timeline.InErrors, timeline.OutErrors, timeline.InDrops, timeline.OutDrops, timeline.InFCS} {
		r.sample(p, m, s, 0, from)
	}
	r.sample(p, timeline.Oper, s, 1, from)
	r.sample(p, timeline.Speed, s, 1e9, from)
	r.sample(p, timeline.Utilisation, s, bits/1e9, from)
}

func (r *rig) event(sub timeline.Subject, t timeline.EventType, s, half float64, text string, attrs ...string) timeline.Event {
	e := timeline.Event{Subject: sub, Type: t, Span: timeline.Span{From: At(s - half), To: At(s + half)}, Text: text, Attrs: pairs(attrs)}
	r.store.Put(e)
	return e
}

func (r *rig) outage(from, to float64, attrs ...string) timeline.Event {
	e := timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventOutage, Span: timeline.Span{From: At(from), To: At(to)}, Attrs: pairs(attrs)}
	r.store.Put(e)
	return e
}

func pairs(kv []string) map[string]string {
	m := make(map[string]string, len(kv)/2)
	for i := 0; i+1 < len(kv); i += 2 {
		m[kv[i]] = kv[i+1]
	}
	return m
}

func newRig() *rig {
	return &rig{
		store: &timeline.Store{}, topo: site(),
		fw1:  func(float64) bool { return true },
		loss: func(float64) float64 { return 0 },
	}
}

func ptr(v float64) *float64 { return &v }

func span(from, to float64) timeline.Span { return timeline.Span{From: At(from), To: At(to)} }

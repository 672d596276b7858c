package rules

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// failer is where a case that can't be read ends: a test, or one of [CheckCases].
type failer interface {
	Helper()
	Fatal(args ...any)
	Fatalf(format string, args ...any)
}

// The campus of the catalogue's cases: acc - swA - fw1 or fw2 - swB, a probe of 50 Mbit/s from a host at acc to
// one at swB, two ports of acc that are watched but on no path.
var campus = correlate.Topology{
	Site:  "campus",
	Paths: []correlate.Path{{Name: "a-b", To: "far", Hops: [][]string{{"acc"}, {"swA"}, {"fw1", "fw2"}, {"swB"}}, Rate: 50e6}},
	Devices: []correlate.Device{
		{Name: "acc", Role: "switch", Ports: []string{gi(1), gi(24)}, OffPath: []string{gi(7), gi(9)}},
		{Name: "swA", Role: "switch", Ports: []string{gi(1), gi(2), gi(3)}},
		{Name: "fw1", Role: "firewall", Peer: "fw2", Ports: []string{"in", "out"}},
		{Name: "fw2", Role: "firewall", Peer: "fw1", Ports: []string{"in", "out"}},
		{Name: "swB", Role: "switch", Ports: []string{gi(1), gi(2), gi(3)}},
	},
}

func gi(n int) string { return "GigabitEthernet1/0/" + strconv.Itoa(n) }

// start is when the cases begin.
var start = time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)

func at(sec float64) time.Time { return start.Add(time.Duration(sec * float64(time.Second))) }

func span(from, to float64) timeline.Span { return timeline.Span{From: at(from), To: at(to)} }

// units lists the ports that carry the traffic through each firewall.
var units = map[string][]string{
	"fw1": {"fw1 in", "fw1 out", "swA " + gi(2), "swB " + gi(1)},
	"fw2": {"fw2 in", "fw2 out", "swA " + gi(3), "swB " + gi(2)},
}

// story is one timeline as a case tells it.
type story struct {
	Seconds  float64                      `yaml:"seconds"` // 0: 60
	Rate     float64                      `yaml:"rate"`    // what the probe offers; 0: 50e6; negative: unlimited
	Line     float64                      `yaml:"line"`    // speed of every port; 0: 1e9
	Via      string                       `yaml:"via"`     // "0..20: fw1, 20..40: fw2"; "": fw1 always
	Series   []series                     `yaml:"series"`  // laid over the healthy base
	Events   []happens                    `yaml:"events"`
	Outages  []outage                     `yaml:"outages"`
	Silence  []silence                    `yaml:"silence"`
	Without  []series                     `yaml:"without"`  // readings that the device does not have
	Empty    bool                         `yaml:"empty"`    // no healthy base, and no devices but those of ports
	Ports    []string                     `yaml:"ports"`    // with empty: ports on path t
	Links    [][]string                   `yaml:"links"`    // pairs of them at the ends of one link
	Tests    []map[string]string          `yaml:"tests"`    // tests of path t (a-b, if it is not empty), as an EventResult tells them; path: another one
	Totals   map[string]map[string]string `yaml:"totals"`   // what counters of ports stand at, as an EventTotals tells them
	Settings map[string]map[string]string `yaml:"settings"` // of hosts
}

type series struct {
	Of     string `yaml:"of"`
	Metric string `yaml:"metric"`
	Values string `yaml:"values"` // "10..20: 8.7e6, 30..31: 0"
	By     string `yaml:"by"`
}

type happens struct {
	Of    string            `yaml:"of"`
	Type  string            `yaml:"type"`
	At    float64           `yaml:"at"`    // the middle of its dating
	Width float64           `yaml:"width"` // of its dating; 0: 0.1
	Attrs map[string]string `yaml:"attrs"`
	Text  string            `yaml:"text"`
	By    string            `yaml:"by"`
}

type outage struct {
	From      float64 `yaml:"from"`
	To        float64 `yaml:"to"`
	SeenBy    string  `yaml:"seen_by"`
	Lost      string  `yaml:"lost"` // "": not told
	Direction string  `yaml:"direction"`
}

func (o outage) attrs() map[string]string {
	m := map[string]string{"seen_by": o.SeenBy, "direction": o.Direction, "error_ms": "20"}
	if o.Lost != "" {
		m["lost"] = o.Lost
	}
	return m
}

type silence struct {
	Of     string  `yaml:"of"`
	From   float64 `yaml:"from"`
	To     float64 `yaml:"to"`
	Reason string  `yaml:"reason"`
}

// pieces reads "10..20: 5, 20..: 6" as a function of the second; ok is false where nothing is said.
func pieces(t failer, text string) func(float64) (string, bool) {
	type piece struct {
		from, to float64
		value    string
	}
	var all []piece
	for _, part := range strings.Split(text, ",") {
		span, value, ok := strings.Cut(part, ":")
		from, to, ok2 := strings.Cut(span, "..")
		if !ok || !ok2 {
			t.Fatalf("%q is not like 10..20: 5", part)
		}
		p := piece{parse(t, from, 0), parse(t, to, math.Inf(1)), strings.TrimSpace(value)}
		all = append(all, p)
	}
	return func(s float64) (string, bool) {
		for _, p := range slices.Backward(all) {
			if s >= p.from && s < p.to {
				return p.value, true
			}
		}
		return "", false
	}
}

func parse(t failer, s string, def float64) float64 {
	s = strings.TrimSpace(s)
	if s == "" {
		return def
	}
	v, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// subject reads "path a-b", "host far", "swB" or "swB GigabitEthernet1/0/1".
func subject(s string) timeline.Subject {
	first, rest, _ := strings.Cut(s, " ")
	switch {
	case first == "path":
		return timeline.Path(rest)
	case first == "host":
		return timeline.Host(rest)
	case rest == "":
		return timeline.Device(first)
	}
	return timeline.Port(first, rest)
}

// build makes the snapshot and the topology of a story.
func (st story) build(t failer) (timeline.Snapshot, correlate.Topology) {
	topo := campus
	n := int(orDefault(st.Seconds, 60))
	rate := orDefault(st.Rate, 50e6)
	topo.Paths = slices.Clone(campus.Paths)
	topo.Paths[0].Rate = max(0, rate)
	all := map[timeline.Key][]timeline.Sample{}
	if st.Empty {
		topo = st.shown()
	} else {
		st.base(t, all, topo, n, rate)
	}
	for _, x := range st.Series {
		st.lay(t, all, x, n)
	}
	var records []timeline.Record
	for _, x := range st.Without {
		delete(all, timeline.Key{Subject: subject(x.Of), Metric: timeline.Metric(x.Metric)})
		records = append(records, timeline.Gap{Subject: subject(x.Of), Metric: timeline.Metric(x.Metric), Span: span(0, float64(n)), Reason: timeline.ReasonUnsupported})
	}
	for _, q := range st.Silence {
		records = append(records, st.quiet(all, q)...)
	}
	records = append(records, st.byHand(n)...)
	for _, v := range all {
		for _, s := range v {
			records = append(records, s)
		}
	}
	return timeline.NewSnapshot(append(records, st.happenings()...)...), topo
}

// base is a minute in which nothing is wrong.
func (st story) base(t failer, all map[timeline.Key][]timeline.Sample, topo correlate.Topology, n int, rate float64) {
	via := func(float64) (string, bool) { return "fw1", true }
	if st.Via != "" {
		via = pieces(t, st.Via)
	}
	put := func(of string, m timeline.Metric, i int, v float64) {
		k := timeline.Key{Subject: subject(of), Metric: m}
		all[k] = append(all[k], timeline.Sample{Subject: k.Subject, Metric: m, Span: span(float64(i), float64(i+1)), Value: v, Origin: timeline.Origin{Collector: "test:" + of}})
	}
	goodput := max(rate, 0)
	if rate < 0 {
		goodput = 400e6
	}
	for i := range n {
		wave := 1 + 0.02*math.Sin(float64(i)*1.7)
		g := goodput * (1 - 0.01*math.Abs(math.Sin(float64(i))))
		for m, v := range map[timeline.Metric]float64{
			timeline.GoodputForward: g, timeline.RTT: 2e-3 * wave, timeline.LossForward: 0, timeline.LossReverse: 0,
			timeline.TCPRTT: 3e-3 * wave, timeline.TCPRetransmits: 0, timeline.TCPRwndLimited: 0, timeline.TCPSndbufLimited: 0,
			timeline.TCPBusy: 0.6, timeline.TCPSendWindow: 3e6,
		} {
			put("path a-b", m, i, v)
		}
		if rate > 0 {
			put("path a-b", timeline.OfferedForward, i, rate)
		}
		for _, h := range []string{"host far", "host local"} {
			put(h, timeline.HostCPU, i, 0.2)
			put(h, timeline.HostProcessCPU, i, 0.1)
		}
		for m, v := range map[timeline.Metric]float64{
			timeline.HostSchedGap: 2e-3, timeline.HostSteal: 0, timeline.HostSoftirq: 0.02, timeline.HostCoreBusy: 0.3,
			timeline.HostUDPDrops: 0, timeline.HostNICDrops: 0, timeline.HostQueueDrops: 0,
		} {
			put("host local", m, i, v)
		}
		put("host far", timeline.HostReadStall, i, 0.02)
		put("host far", timeline.HostUDPDrops, i, 0)
		unit, _ := via(float64(i))
		for _, d := range topo.Devices {
			put(d.Name, timeline.Reachable, i, 1)
			for _, p := range slices.Concat(d.Ports, d.OffPath) {
				of := d.Name + " " + p
				bits := g * 1.05
				if slices.Contains(d.OffPath, p) || slices.Contains(slices.Concat(units["fw1"], units["fw2"]), of) && !slices.Contains(units[unit], of) {
					bits = 2e4
				}
				line := orDefault(st.Line, 1e9)
				for m, v := range map[timeline.Metric]float64{
					timeline.InBits: bits, timeline.OutBits: bits / 30, timeline.InPackets: bits / 12000, timeline.OutPackets: bits / 24000,
					timeline.InErrors: 0, timeline.OutErrors: 0, timeline.InDrops: 0, timeline.OutDrops: 0, timeline.InFCS: 0,
					timeline.LateCollisions: 0, timeline.Speed: line, timeline.SpeedMax: line, timeline.HalfDuplex: 0, timeline.Oper: 1,
					timeline.Utilisation: bits / line,
				} {
					put(of, m, i, v)
				}
			}
		}
	}
}

// lay puts a series over what is there.
func (st story) lay(t failer, all map[timeline.Key][]timeline.Sample, x series, n int) {
	k := timeline.Key{Subject: subject(x.Of), Metric: timeline.Metric(x.Metric)}
	if _, ok := timeline.Describe(k.Metric); !ok {
		t.Fatalf("%s is no metric", x.Metric)
	}
	said := pieces(t, x.Values)
	kept := map[int]timeline.Sample{}
	for _, s := range all[k] {
		kept[int(s.Span.From.Sub(start).Seconds())] = s
	}
	by := x.By
	if by == "" {
		by = "test:" + x.Of
	}
	var out []timeline.Sample
	for i := range n {
		if v, ok := said(float64(i)); ok {
			out = append(out, timeline.Sample{Subject: k.Subject, Metric: k.Metric, Span: span(float64(i), float64(i+1)), Value: parse(t, v, 0), Origin: timeline.Origin{Collector: by}})
		} else if s, ok := kept[i]; ok {
			out = append(out, s)
		}
	}
	all[k] = out
}

// quiet takes away what a silent device would have said, and leaves gaps.
func (st story) quiet(all map[timeline.Key][]timeline.Sample, q silence) []timeline.Record {
	for k, v := range all {
		if k.Subject.Device == q.Of && q.Reason != "host" {
			all[k] = slices.DeleteFunc(v, func(s timeline.Sample) bool {
				return s.Span.From.Before(at(q.To)) && at(q.From).Before(s.Span.To)
			})
		}
	}
	var out []timeline.Record
	for s := q.From; s < q.To; s++ {
		out = append(out, timeline.Gap{Subject: subject(q.Of), Span: span(s, s+1), Reason: timeline.Reason(q.Reason), Text: "no answer in 1s", Origin: timeline.Origin{Collector: "snmp:" + q.Of}})
	}
	return out
}

func (st story) happenings() []timeline.Record {
	var out []timeline.Record
	for _, e := range st.Events {
		w := orDefault(e.Width, 0.1)
		by := e.By
		if by == "" {
			by = "snmp:" + subject(e.Of).Device
		}
		out = append(out, timeline.Event{Subject: subject(e.Of), Type: timeline.EventType(e.Type), Span: span(e.At-w/2, e.At+w/2), Attrs: e.Attrs, Text: e.Text, Origin: timeline.Origin{Collector: by}})
	}
	for _, o := range st.Outages {
		out = append(out, timeline.Event{Subject: timeline.Path("a-b"), Type: timeline.EventOutage, Span: span(o.From, o.To),
			Attrs:  o.attrs(),
			Origin: timeline.Origin{Collector: fmt.Sprintf("%s:a-b", map[string]string{"tcp": "iperf3", "heartbeat": "stamp"}[o.SeenBy])}})
	}
	return out
}

package rules

import (
	"math"
	"regexp"
	"slices"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// nodeFacts are about one device of a path as a whole: its tables and what it counts beside its ports.
type nodeFacts struct {
	Name string `expr:"name"`
	Role string `expr:"role"` // switch, router, firewall
	Peer string `expr:"peer"` // the other unit of a redundant pair

	// Of any metric of devices by its name: what was counted while the record ran, when it rose, its greatest value.
	Counted func(string) float64       `expr:"counted"`
	Rose    func(string) timeline.Span `expr:"rose"`
	Peak    func(string) float64       `expr:"peak"`
	// What a counter of the device stood at when it was read once, and for how long it had been counting, s: no evidence of now.
	Total func(string) float64 `expr:"total"`
	Age   float64              `expr:"age"`

	Full     float64       `expr:"full" metric:"session.count,session.limit"` // the greatest share of its sessions that was taken
	FullSpan timeline.Span `expr:"full_span"`                                 // when at least nine tenths were
	// The device takes in one direction of the path's packets and the other unit of its pair the other one.
	OneWay    float64         `expr:"one_way" metric:"if.in.packets"`
	OtherUnit string          `expr:"other_unit"`
	WayBack   float64         `expr:"way_back"`                             // it is the one that takes in the way back: the fewer packets
	Strays    float64         `expr:"strays" metric:"session.denied"`       // lines of its log about packets that belong to no session, while a flow stood
	FlowOnly  float64         `expr:"flow_only" metric:"path.loss.forward"` // incidents of the path in which an established flow stood while heartbeats passed
	FlowSpans []timeline.Span `expr:"flow_spans"`
	Emptied   float64         `expr:"emptied" metric:"stp.topology_change"` // 1 if addresses found no room only while the table was filling again after a topology change
	Flooded   float64         `expr:"flooded" metric:"if.out.bits"`         // ports off the path that sent at least half of what the probe brings meanwhile
}

// strayWords are those of firewalls for a packet of a connection that they saw no beginning of: IOS, ASA (106015), PAN-OS and Check
// Point, Junos, netfilter.
var strayWords = regexp.MustCompile(`(?i)stray segment|\(no connection\)|out[ -]of[ -]state|non-syn|first packet isn't syn|tcp_no_syn|invalid state`)

// fullShare is the share of its sessions at which a device begins to refuse some: limits per source and half-open sessions come first.
const fullShare = 0.9

func (sc *scene) nodeCandidates() []*candidate {
	var out []*candidate
	for _, ps := range sc.paths {
		for _, d := range sc.topo.Devices {
			if !ps.Path.Crosses(d.Name) {
				continue
			}
			c := &candidate{scope: ScopeNode, path: ps.Path.Name, subject: timeline.Device(d.Name), env: sc.env(ps), span: sc.span}
			c.times = []timeline.Span{sc.span}
			c.env["node"] = ps.node(sc, d)
			out = append(out, c)
		}
	}
	return out
}

// node returns the facts of a device on the path; they are computed once.
func (ps *pathScene) node(sc *scene, d correlate.Device) *nodeFacts {
	if ps.nodes[d.Name] == nil {
		if ps.nodes == nil {
			ps.nodes = map[string]*nodeFacts{}
		}
		ps.nodes[d.Name] = sc.nodeFacts(ps, d)
	}
	return ps.nodes[d.Name]
}

func (sc *scene) nodeFacts(ps *pathScene, d correlate.Device) *nodeFacts {
	f := &nodeFacts{Name: d.Name, Role: d.Role, Peer: d.Peer, Full: nan, OneWay: nan, Flooded: nan, Emptied: nan}
	sub := timeline.Device(d.Name)
	f.Counted = func(m string) float64 { return correlate.Total(sc.snap.Series(sub, timeline.Metric(m)), sc.span) }
	f.Rose = func(m string) timeline.Span { return sc.activity(sc.snap.Series(sub, timeline.Metric(m)), nil).Span }
	f.Peak = func(m string) float64 {
		most := nan
		for _, x := range sc.snap.Series(sub, timeline.Metric(m)) {
			most = max(x.Value, orZero(most))
		}
		return most
	}
	totals := sc.totals(sub)
	f.Total = func(m string) float64 { return figure(totals, m) }
	f.Age = f.Total("age_s")
	f.FlowOnly = sc.heartbeatsKnown(ps)
	for _, i := range ps.Incidents {
		if i.Dropped() && i.Stall().Width() > 0 && i.DarkAny().IsZero() {
			f.FlowOnly++
			f.FlowSpans = append(f.FlowSpans, i.Span)
		}
	}
	for _, e := range sc.snap.EventsOf(sub, timeline.EventSyslog) {
		if strayWords.MatchString(e.Text) && slices.ContainsFunc(f.FlowSpans, e.Span.Overlaps) {
			f.Strays++
		}
	}
	sc.fullness(f, sub)
	sc.halves(f, ps, d)
	if f.Counted(string(timeline.LearnDiscards)) > 0 {
		sc.flooding(f, ps, d)
		f.Emptied = truth(sc.emptied(f.Rose(string(timeline.LearnDiscards))))
	}
	return f
}

// fullness compares the sessions of a device with its limit.
func (sc *scene) fullness(f *nodeFacts, sub timeline.Subject) {
	limit, ok := sc.snap.Last(sub, timeline.SessionLimit)
	if !ok || limit.Value <= 0 {
		return
	}
	for _, x := range sc.snap.Series(sub, timeline.Sessions) {
		share := x.Value / limit.Value
		f.Full = max(share, orZero(f.Full))
		if share >= fullShare {
			f.FullSpan = f.FullSpan.Union(x.Span)
		}
	}
}

// halves says whether the path's packets reach the device in one direction only and its pair's other unit in the other:
// every TCP segment or heartbeat one way has its acknowledgement or reflection the other way, at least one for two.
func (sc *scene) halves(f *nodeFacts, ps *pathScene, d correlate.Device) {
	const apart = 10 // times as many packets in one direction
	own, ok := sc.balance(ps, d)
	if !ok {
		return
	}
	f.OneWay = 0
	for _, hop := range ps.Path.Hops {
		if !slices.Contains(hop, d.Name) {
			continue
		}
		for _, name := range hop {
			other, _ := sc.topo.Device(name)
			theirs, ok := sc.balance(ps, other)
			if name == d.Name || !ok {
				continue
			}
			// The probe's packets are most of those in at least one direction of each.
			if (own[0] > apart*own[1] || own[1] > apart*own[0]) && (theirs[0] > apart*theirs[1] || theirs[1] > apart*theirs[0]) {
				f.OneWay, f.OtherUnit, f.WayBack = 1, name, truth(own[0]+own[1] < theirs[0]+theirs[1])
			}
		}
	}
}

// balance returns how many packets a device with two ports on the path received on each, if it was read.
func (sc *scene) balance(ps *pathScene, d correlate.Device) (in [2]float64, ok bool) {
	if len(d.Ports) != 2 {
		return in, false
	}
	for i, p := range d.Ports {
		in[i] = sc.port(ps, timeline.Port(d.Name, p)).Counted(string(timeline.InPackets))
		if math.IsNaN(in[i]) {
			return in, false
		}
	}
	return in, in[0]+in[1] >= leastPackets
}

// leastPackets is how many packets a device must have received to say anything of their directions.
const leastPackets = 500

// flooding counts ports of a switch off the path that send what the probe sends.
func (sc *scene) flooding(f *nodeFacts, ps *pathScene, d correlate.Device) {
	probe := correlate.ProbeRate(sc.snap, ps.Path.Name, sc.span)
	if !(probe > 0) {
		return
	}
	for _, p := range d.OffPath {
		sub := timeline.Port(d.Name, p)
		v := known64(sc.snap.Series(sub, timeline.OutBits))
		if len(v) == 0 || sc.topo.OnPath(sub) {
			continue
		}
		f.Flooded = orZero(f.Flooded) + truth(correlate.Quantile(v, 0.9) >= probe/2)
	}
}

// refill is how long a table that a topology change emptied fills again: the change is told for max age and forward delay (802.1D: 20 s and
// 15 s), and for so long addresses age early.
const refill = 35 * time.Second

// emptied says whether a span lies within the time in which a table fills again after a topology change that any device told.
func (sc *scene) emptied(span timeline.Span) bool {
	return !span.IsZero() && slices.ContainsFunc(sc.snap.Events(), func(e timeline.Event) bool {
		return e.Type == timeline.EventTopologyChange && !e.Span.From.After(span.From) && !span.To.After(e.Span.To.Add(refill))
	})
}

func known64(samples []timeline.Sample) []float64 {
	out := make([]float64, len(samples))
	for i, x := range samples {
		out[i] = x.Value
	}
	return out
}

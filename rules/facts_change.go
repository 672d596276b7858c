package rules

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
)

// changeFacts are about one kind of event that devices told of one thing on a path, over all its occurrences: a gateway
// group, a pair of ports between which addresses move, an IP address, a guarded port, a routing neighbour.
type changeFacts struct {
	Type    string   `expr:"type"`    // the type of the events, like fhrp.state
	About   string   `expr:"about"`   // the group, pair, address or neighbour, in words
	Device  string   `expr:"device"`  // to look at first
	Port    string   `expr:"port"`    // likewise; "" if none is told
	Devices []string `expr:"devices"` // all that told it
	Count   float64  `expr:"count"`   // how often it happened, as the devices count
	Busiest float64  `expr:"busiest"` // the most within ten seconds
	Over    float64  `expr:"over"`    // from the first to the last, s
	Hit     float64  `expr:"disturbed"`
	Hurt    float64  `expr:"hurt"` // occurrences with an outage or with heartbeats lost
	Told    string   `expr:"told"` // each occurrence with the lengths of what it did
	First   string   `expr:"first"`

	Dark    float64 `expr:"dark" metric:"path.loss.forward"`     // the longest time dark for heartbeats at one
	Stall   float64 `expr:"stall" metric:"path.goodput.forward"` // the longest stall of the flow
	OneDark float64 `expr:"one_way_dark"`                        // by how much longer one direction was dark than the other at one, s
	// Other paths across the same devices that were well again in a third of that time.
	Elsewhere []string `expr:"elsewhere"`
	Lasted    float64  `expr:"lasted"` // the longest time until its opposite was told, or the record ended, s
	Open      bool     `expr:"open"`   // its opposite was not told
	// The least time between one of the changes and the beginning or end of an outage that it touches, s, beyond how well it is dated.
	Edge float64 `expr:"edge" metric:"path.outage"`
	Step float64 `expr:"rtt_step" metric:"path.rtt"` // round trip in the seconds after the last over that before the first
	// The greatest rate of broadcasts that a port of the devices received meanwhile, packets/s, and its share of all packets.
	Broadcasts float64 `expr:"broadcasts" metric:"if.in.broadcasts"`
	Share      float64 `expr:"broadcast_share" metric:"if.in.broadcasts"`
	Storm      float64 `expr:"storm"` // storm control acted on a port of the devices meanwhile
	// For how long two units of the group were the active one at once, by what they told, s; NaN if they do not tell when they give up.
	Split     float64       `expr:"split"`
	SplitSpan timeline.Span `expr:"split_span"` // when

	Met    float64 `expr:"met"`
	Of     float64 `expr:"of"`
	Expect float64 `expr:"expected"`
	Chance float64 `expr:"chance"`

	Virtual  bool                         `expr:"virtual"`  // it went to an address that routers share, or only such addresses moved
	Attr     func(string) string          `expr:"attr"`     // the last that was told of an attribute; "" if nothing was
	Distinct func(string) float64         `expr:"distinct"` // how many values of an attribute were told
	With     func(string, string) float64 `expr:"with"`     // how many changes told a value of an attribute
}

// changeKinds says which events are told as changes, and what of one path's belongs together.
var changeKinds = []struct {
	Type  timeline.EventType
	about func(correlate.Change) string
	// opposite says whether the later change ends what the earlier began.
	opposite func(earlier, later correlate.Change) bool
}{
	{timeline.EventGateway, func(c correlate.Change) string {
		return strings.ToUpper(c.Attrs["protocol"]) + " group " + c.Attrs["group"]
	}, nil},
	{timeline.EventMACMove, func(c correlate.Change) string {
		pair := []string{c.Attrs["from"], c.Attrs["to"]}
		slices.Sort(pair)
		return c.Device + " " + list(pair)
	}, nil},
	{timeline.EventFailover, func(correlate.Change) string { return "the redundant firewalls" }, nil},
	{timeline.EventBinding, func(c correlate.Change) string { return c.Attrs["ip"] }, nil},
	{timeline.EventInconsistent, func(c correlate.Change) string { return c.Subject.String() }, ends("to", "cleared")},
	{timeline.EventTopologyChange, func(c correlate.Change) string { return "spanning tree of " + c.Device }, nil},
	{timeline.EventSTPState, func(c correlate.Change) string { return "spanning tree of " + c.Device }, nil},
	{timeline.EventSTPRole, func(c correlate.Change) string { return "spanning tree of " + c.Device }, nil},
	{timeline.EventRootPort, func(c correlate.Change) string { return "spanning tree of " + c.Device }, nil},
	{timeline.EventRoute, func(c correlate.Change) string {
		return strings.TrimSpace(strings.ToUpper(c.Attrs["protocol"]) + " " + cmp.Or(c.Attrs["neighbour"], c.Attrs["prefix"]))
	}, ends("to", "up", "full")},
}

func ends(key string, values ...string) func(a, b correlate.Change) bool {
	return func(a, b correlate.Change) bool {
		return !slices.Contains(values, a.Attrs[key]) && slices.Contains(values, b.Attrs[key])
	}
}

// changeCandidates groups what devices of a path told by what it is about.
func (sc *scene) changeCandidates() []*candidate {
	var out []*candidate
	for _, ps := range sc.paths {
		for _, kind := range changeKinds {
			var groups [][]correlate.Change
			at := map[string]int{}
			for _, c := range sc.changes {
				if c.Type != kind.Type || !sc.concerns(ps, c) {
					continue
				}
				key := kind.about(c)
				i, ok := at[key]
				if !ok {
					i = len(groups)
					at[key] = i
					groups = append(groups, nil)
				}
				groups[i] = append(groups[i], c)
			}
			for _, g := range groups {
				out = append(out, sc.changeCandidate(ps, g, kind.about(g[0]), kind.opposite))
			}
		}
	}
	return out
}

// concerns says whether a change is about a device of the path, and if about a port, about one of the path's.
func (sc *scene) concerns(ps *pathScene, c correlate.Change) bool {
	return ps.Path.Crosses(c.Device) && (c.Kind == timeline.KindDevice || c.OnPath)
}

func (sc *scene) changeCandidate(ps *pathScene, g []correlate.Change, about string, opposite func(a, b correlate.Change) bool) *candidate {
	f := &changeFacts{Type: string(g[0].Type), About: about, First: clockText(g[0].Span.Mid()), Dark: sc.heartbeatsKnown(ps), Stall: sc.flowKnown(ps), Edge: nan}
	c := &candidate{scope: ScopeChange, path: ps.Path.Name, env: sc.env(ps), subject: sc.changeSubject(g)}
	var told []string
	for i, x := range g {
		if !slices.Contains(f.Devices, x.Device) {
			f.Devices = append(f.Devices, x.Device)
		}
		f.Count += countOf(x)
		c.events = append(c.events, x.Event)
		if opposite != nil && slices.ContainsFunc(g[:i], func(e correlate.Change) bool { return opposite(e, x) }) {
			continue // the end of an earlier one
		}
		c.times = append(c.times, x.Span)
		hits, stalls := f.happened(sc, ps, x, f.until(sc, g[i:], opposite))
		c.hits = append(c.hits, hits...)
		told = append(told, clockText(x.Span.Mid())+lengths(stalls))
	}
	switch t := sc.testFacts(ps); {
	case ps.facts.Untold == 1:
		f.Hurt = float64(len(c.times))
	case t.Watched == 0 && (t.LossMax >= lossyFrom || t.Retrans >= lossyFrom || t.Stops == 1 || sc.protoFacts(ps).Blocked > 0):
		// Nothing over time that it could coincide with, but tests that lost: a change that came after the last of them did it no harm.
		f.Hurt = float64(len(slices.DeleteFunc(slices.Clone(c.times), func(sp timeline.Span) bool { return sp.From.After(sc.lossyUntil(ps)) })))
	}
	f.Told, f.Over, f.Busiest = tell(told), hull(c.times, nil).Width().Seconds(), busiest(g)
	sig := correlate.Coincidence(spansOf(ps.Incidents), c.times, sc.span)
	f.Met, f.Of, f.Expect, f.Chance = float64(sig.Met), float64(sig.Episodes), sig.Expected, sig.Chance
	c.hits = uniqueEpisodes(c.hits)
	c.span = hull(c.times, c.hits)
	if f.Device = c.subject.Device; c.subject.Kind == timeline.KindPort {
		f.Port = c.subject.Name
	}
	f.Step = sc.step(ps, c.span)
	f.Elsewhere = sc.soonerWell(ps, f, c.times)
	f.SplitSpan, f.Split = sc.bothActive(g)
	sc.broadcasts(f, hull(c.times, nil).Widen(correlate.Slack, correlate.Slack))
	f.ask(g)
	c.env["change"] = f
	return c
}

// lossyUntil returns the end of the last test of a path that lost, or the end of the record if none says when.
func (sc *scene) lossyUntil(ps *pathScene) time.Time {
	var last time.Time
	for _, r := range sc.results(ps.Path.Name) {
		if r.lossy() || r.failed() {
			last = laterOf(last, r.event.Span.To)
		}
	}
	if last.IsZero() {
		return sc.span.To
	}
	return last
}

// until returns the time from the first of the changes to the one that ends it, or to the record's end; of a kind that has no
// opposite, the change itself.
func (f *changeFacts) until(sc *scene, g []correlate.Change, opposite func(a, b correlate.Change) bool) timeline.Span {
	sp := g[0].Span
	if opposite == nil {
		return sp
	}
	end := sc.span.To
	f.Open = true
	if i := slices.IndexFunc(g, func(y correlate.Change) bool { return opposite(g[0], y) }); i > 0 {
		end, f.Open = g[i].Span.To, false
	}
	sp.To = laterOf(sp.To, end)
	f.Lasted = maxSeconds(f.Lasted, sp.Width())
	return sp
}

// happened notes what the path did at one occurrence that lasted for sp.
func (f *changeFacts) happened(sc *scene, ps *pathScene, x correlate.Change, sp timeline.Span) (hits, stalls []correlate.Episode) {
	hits, stalls = ps.touched([]timeline.Span{sp}), ps.touched([]timeline.Span{sp}, correlate.Stall)
	f.Hit += truth(len(stalls) > 0)
	f.Hurt += truth(len(hits) > 0 || sc.lossAt(ps, x.Span))
	for _, h := range stalls {
		if d := edgeOf(x.Span, h.Span); !(d >= f.Edge) {
			f.Edge = d
		}
		if !math.IsNaN(f.Dark) {
			f.Dark = maxSeconds(f.Dark, h.Incident.DarkAny().Width())
		}
		alone := h.Incident.Dark(timeline.Forward).Width() - h.Incident.Dark(timeline.Reverse).Width()
		f.OneDark = maxSeconds(f.OneDark, alone.Abs())
		if !math.IsNaN(f.Stall) {
			f.Stall = maxSeconds(f.Stall, h.Incident.Stall().Width())
		}
	}
	return hits, stalls
}

// edgeOf returns how many seconds a change lies from the nearer end of an outage, beyond its dating.
func edgeOf(change, outage timeline.Span) float64 {
	from, to := change.Mid().Sub(outage.From).Abs(), change.Mid().Sub(outage.To).Abs()
	return max(0, (min(from, to) - change.Width()/2).Seconds())
}

// countOf returns how often it happened, by the device's own count.
func countOf(c correlate.Change) float64 {
	if n, err := strconv.ParseFloat(c.Attrs["count"], 64); err == nil && n > 0 {
		return n
	}
	return 1
}

// busiest returns the most that one device counted within ten seconds.
func busiest(g []correlate.Change) float64 {
	most := 0.0
	for i, x := range g {
		sum := 0.0
		for _, y := range g[i:] {
			if y.Device == x.Device && y.Span.Mid().Sub(x.Span.Mid()) <= 10*time.Second {
				sum += countOf(y)
			}
		}
		most = max(most, sum)
	}
	return most
}

// changeSubject says where to look first. Of a gateway group it is the router that lost its part, or, if it did not say so, the one
// that took it over. A topology change comes from a port: that of an access port before one that leads to another switch. Of the
// rest it is what the changes are about.
func (sc *scene) changeSubject(g []correlate.Change) timeline.Subject {
	switch g[0].Type {
	case timeline.EventGateway:
		for _, want := range []string{"from", "to"} {
			for _, c := range g {
				if c.Attrs[want] == "active" || c.Attrs[want] == "master" {
					return timeline.Device(c.Device)
				}
			}
		}
	case timeline.EventTopologyChange:
		return sc.changesFrom(g)
	}
	return g[0].Subject
}

// changesFrom returns the port that most topology changes came from, and that leads to no other device of the path.
func (sc *scene) changesFrom(g []correlate.Change) timeline.Subject {
	votes := map[timeline.Subject]float64{}
	best := timeline.Device(g[0].Device)
	for _, c := range g {
		for _, e := range c.Seen {
			port := e.Attrs["port"]
			sub := timeline.Port(c.Device, port)
			d, _ := sc.topo.Device(c.Device)
			if port == "" || slices.Contains(d.Ports, port) {
				continue
			}
			if votes[sub] += countOf(c); votes[sub] > votes[best] {
				best = sub
			}
		}
	}
	if best.Kind == timeline.KindPort {
		return best
	}
	// Not told: the port of the device off the path that came up at most of the changes.
	for _, o := range sc.changes {
		if o.Device != best.Device || o.Type != timeline.EventOper || o.Attrs["to"] != "up" || o.OnPath {
			continue
		}
		if slices.ContainsFunc(g, func(c correlate.Change) bool { return c.Span.Overlaps(o.Span.Widen(time.Second, time.Second)) }) {
			votes[o.Subject]++
		}
	}
	for _, sub := range slices.SortedFunc(maps.Keys(votes), timeline.Subject.Compare) {
		if votes[sub] >= float64(len(g))/2 && votes[sub] > votes[best] {
			best = sub
		}
	}
	return best
}

// step returns by how much the round trip is longer after the span than before it, in seconds; NaN if it is not known.
func (sc *scene) step(ps *pathScene, sp timeline.Span) float64 {
	const look = 10 * time.Second
	before := ps.RTT.Within(timeline.Span{From: sp.From.Add(-look), To: sp.From.Add(-correlate.Slack)})
	after := ps.RTT.Within(timeline.Span{From: sp.To.Add(correlate.Slack), To: sp.To.Add(look)})
	if len(before) < 3 || len(after) < 3 {
		return nan
	}
	return correlate.Quantile(after, 0.5) - correlate.Quantile(before, 0.5)
}

// broadcasts finds the port of the devices that received most broadcasts within the span, and what storm control did.
func (sc *scene) broadcasts(f *changeFacts, sp timeline.Span) {
	f.Broadcasts, f.Share = nan, nan
	for _, k := range sc.keys() {
		if k.Metric != timeline.InBroadcasts || !slices.Contains(f.Devices, k.Subject.Device) {
			continue
		}
		for _, x := range sc.snap.Between(k.Subject, k.Metric, sp) {
			if x.Value > orZero(f.Broadcasts) || math.IsNaN(f.Broadcasts) {
				f.Broadcasts = x.Value
				if all := correlate.Mean(sc.snap.Between(k.Subject, timeline.InPackets, x.Span), x.Span); all > 0 {
					f.Share = min(1, x.Value/all)
				}
			}
		}
	}
	for _, c := range sc.changes {
		if c.Type == timeline.EventStorm && c.Attrs["to"] == "active" && slices.Contains(f.Devices, c.Device) && c.Span.Overlaps(sp) {
			f.Storm = 1
		}
	}
}

// sharedMACs are how the addresses of gateways that several routers share begin, as hexadecimal digits: VRRP for IPv4 and IPv6
// (RFC 9568, section 7.3), HSRP 1 and 2, GLBP.
var sharedMACs = []string{"00005e0001", "00005e0002", "00000c07ac", "00000c9ff", "0005073a", "0007b400"}

// virtualMAC says whether an address is one that routers share, however it is written.
func virtualMAC(mac string) bool {
	digits := strings.NewReplacer(":", "", "-", "", ".", "").Replace(strings.ToLower(mac))
	return slices.ContainsFunc(sharedMACs, func(s string) bool { return strings.HasPrefix(digits, s) })
}

// ask gives what can be asked of the changes' attributes.
func (f *changeFacts) ask(g []correlate.Change) {
	f.Attr = func(key string) string {
		for _, c := range slices.Backward(g) {
			if v := c.Attrs[key]; v != "" {
				return v
			}
		}
		return ""
	}
	f.Virtual = virtualMAC(f.Attr("to")) || allVirtual(g)
	f.Distinct = func(key string) float64 {
		seen := map[string]bool{}
		for _, c := range g {
			if v := c.Attrs[key]; v != "" {
				seen[v] = true
			}
		}
		return float64(len(seen))
	}
	f.With = func(key, value string) float64 {
		n := 0.0
		for _, c := range g {
			n += truth(c.Attrs[key] == value)
		}
		return n
	}
}

package correlate

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"time"
)

// LearnPath finds the way from a to b through the devices whose tables are given: neighbour caches tell the two ends'
// MAC addresses and the routers between them, forwarding tables the ports, LLDP and CDP the device behind a port. links
// are the cables that the site file states. What the tables do not say is not guessed: Unknown tells it, and the path
// is not Complete.
func LearnPath(a, b PathEnd, tables []PathTables, links []Link) LearntPath {
	l := &pathLearner{boxes: boxes{all: tables, links: links}, out: LearntPath{From: a, To: b}}
	for _, t := range tables {
		for _, m := range t.Missing {
			l.unknown("%s: %s", t.Device, m)
		}
		// IEEE 802.1D-2004, section 17.22: after a change entries are flushed or age within the forward delay of 15 s.
		const settled = 15 * time.Second
		if t.SinceChange > 0 && t.SinceChange < settled {
			l.warn("%s: its spanning tree changed %.0f s ago, so that entries of forwarding tables may still point the old way", t.Device, t.SinceChange.Seconds())
		}
	}
	l.learn()
	return l.out
}

// roleHost is the role of a device that forwards nothing.
const roleHost = "host"

type pathLearner struct {
	boxes
	out LearntPath
}

func (l *pathLearner) unknown(format string, args ...any) {
	l.out.Unknown = addText(l.out.Unknown, fmt.Sprintf(format, args...))
}

func (l *pathLearner) warn(format string, args ...any) {
	l.out.Warnings = addText(l.out.Warnings, fmt.Sprintf(format, args...))
}

func (l *pathLearner) evidence(format string, args ...any) {
	l.out.Evidence = addText(l.out.Evidence, fmt.Sprintf(format, args...))
}

func addText(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}

// endpoint is what is known of one end.
type endpoint struct {
	PathEnd
	macs    []string
	routers []gateway // which have the end in their neighbour cache
	box     *PathTables
}

// gateway is a device that has an end in its neighbour cache.
type gateway struct {
	box  *PathTables
	port string // its interface towards the end
}

// learn decides between a path that is bridged all the way and one with routers in it.
func (l *pathLearner) learn() {
	a, okA := l.endpoint(l.out.From)
	b, okB := l.endpoint(l.out.To)
	if !okA || !okB {
		return
	}
	chain, routed, ok := l.routers(a, b)
	switch {
	case !ok: // what is known is in the path already
	case !routed:
		l.bridged(a, b)
	default:
		l.routed(a, b, chain)
	}
	l.out.Hops = l.finish(l.out.Hops)
}

// endpoint finds an end's MAC address and its routers.
func (l *pathLearner) endpoint(e PathEnd) (endpoint, bool) {
	p := endpoint{PathEnd: e}
	who := e.Name
	if who == "" {
		who = e.IP.String()
	}
	if e.MAC != "" {
		p.macs = []string{e.MAC}
		l.evidence("%s is %s", who, e.MAC)
	}
	for i := range l.all {
		t := &l.all[i]
		if slices.Contains(t.Addresses, e.IP) {
			p.box = t
			l.evidence("%s is an address of %s itself", who, t.Device)
		}
		for _, x := range t.Bindings {
			if x.IP != e.IP || x.MAC == "" || x.Kind == "invalid" {
				continue
			}
			if o := l.owner(x.MAC); o != nil && o.Role != roleHost && !slices.Contains(o.Addresses, e.IP) && o != t {
				l.evidence("%s has %s for %s, which is an address of %s: it answers for it", t.Device, x.MAC, who, o.Device)
				continue
			}
			if x.Kind != "local" && p.box != t {
				p.routers = append(p.routers, gateway{t, x.Port})
			}
			p.macs = addText(p.macs, x.MAC)
			l.evidence("%s has %s for %s at %s (%s)", t.Device, x.MAC, who, orUnknown(x.Port), orUnknown(x.Kind))
		}
	}
	if p.box != nil {
		if p.macs = p.box.macs(); p.box.Role != roleHost {
			p.routers = []gateway{{p.box, ""}}
		}
		return p, true
	}
	switch len(p.macs) {
	case 0:
		l.unknown("no device has %s in its neighbour cache, so that its MAC address is not known; does anything send to it?", who)
		return p, false
	case 1:
		return p, true
	}
	l.unknown("%s has several MAC addresses: %s; an entry is old, or two hosts have one address", who, strings.Join(p.macs, ", "))
	return p, false
}

// routers returns the routers between the ends in order; routed is false if both ends are in one network.
func (l *pathLearner) routers(a, b endpoint) (chain []gateway, routed, ok bool) {
	for _, x := range a.routers {
		for _, y := range b.routers {
			if x.box == y.box && x.port == y.port {
				l.evidence("%s has both ends at %s: they are in one network", x.box.Device, orUnknown(x.port))
				return nil, false, true
			}
		}
	}
	if len(a.routers) == 0 && len(b.routers) == 0 || l.sameVLAN(a, b) && !l.shareRouter(a, b) {
		return nil, false, true
	}
	if len(a.routers) == 0 || len(b.routers) == 0 {
		if l.sameVLAN(a, b) {
			return nil, false, true
		}
		missing := b
		if len(a.routers) == 0 {
			missing = a
		}
		l.unknown("no router has %s in its neighbour cache, so that where it leaves its network is not known", nameOf(missing.PathEnd))
		return nil, false, false
	}
	ways := l.chains(a, b)
	switch len(ways) {
	case 0:
		l.unknown("%s is behind %s and %s behind %s, and no neighbour cache says what is between these", nameOf(a.PathEnd), gatewaysText(a.routers), nameOf(b.PathEnd), gatewaysText(b.routers))
		return nil, true, false
	case 1:
		return ways[0], true, true
	}
	if way := l.carries(ways); way != nil {
		return way, true, true
	}
	l.undecided(a, b, ways)
	return nil, true, false
}

// undecided keeps what is known of a path of which it is not known which unit of a group carries: the two ends'
// switches, and the group without ports.
func (l *pathLearner) undecided(a, b endpoint, ways [][]gateway) {
	edge := func(e endpoint, in bool) {
		if t, port, ok := l.attached(e); ok {
			h := LearntHop{Device: t.Device, In: port, Evidence: []string{fmt.Sprintf("%s is attached to %s at %s", nameOf(e.PathEnd), t.Device, orUnknown(port))}}
			if !in {
				h.In, h.Out = "", port
			}
			l.out.Hops = append(l.out.Hops, h)
		}
	}
	edge(a, true)
	for i := range ways[0] {
		var names []string
		for _, w := range ways {
			if i < len(w) {
				names = addText(names, w[i].box.Device)
			}
		}
		l.out.Hops = append(l.out.Hops, LearntHop{Device: names[0], Others: names[1:], Undecided: len(names) > 1})
	}
	edge(b, false)
}

func nameOf(e PathEnd) string {
	if e.Name != "" {
		return e.Name
	}
	return e.IP.String()
}

func gatewaysText(gs []gateway) string {
	var out []string
	for _, g := range gs {
		out = addText(out, g.box.Device)
	}
	return strings.Join(out, ", ")
}

func (l *pathLearner) shareRouter(a, b endpoint) bool {
	return slices.ContainsFunc(a.routers, func(x gateway) bool {
		return slices.ContainsFunc(b.routers, func(y gateway) bool { return x.box == y.box })
	})
}

// sameVLAN says whether a switch has both ends in one VLAN.
func (l *pathLearner) sameVLAN(a, b endpoint) bool {
	for i := range l.all {
		t := &l.all[i]
		pa, va, _ := t.seen(a.macs, 0)
		pb, vb, _ := t.seen(b.macs, 0)
		if len(pa) == 0 || len(pb) == 0 {
			continue
		}
		if len(va) == 0 && len(vb) == 0 || slices.ContainsFunc(va, func(v uint32) bool { return slices.Contains(vb, v) }) {
			return true
		}
	}
	return false
}

// chains returns the shortest ways from a router of a to one of b: a router leads to another if it has one of its
// addresses in its neighbour cache.
func (l *pathLearner) chains(a, b endpoint) [][]gateway {
	var level [][]gateway
	seen := map[*PathTables]bool{}
	for _, g := range a.routers {
		if !seen[g.box] {
			level, seen[g.box] = append(level, []gateway{g}), true
		}
	}
	for len(level) > 0 {
		var done, next [][]gateway
		reached := map[*PathTables]bool{}
		for _, way := range level {
			last := way[len(way)-1].box
			if slices.ContainsFunc(b.routers, func(g gateway) bool { return g.box == last }) {
				done = append(done, way)
				continue
			}
			for _, x := range last.Bindings {
				o := l.owner(x.MAC)
				if o == nil || o == last || seen[o] || x.Kind == "invalid" || !slices.Contains(o.Addresses, x.IP) {
					continue
				}
				if !o.Routes() && !slices.ContainsFunc(b.routers, func(g gateway) bool { return g.box == o }) {
					continue // a switch with an address of its own is no router
				}
				reached[o] = true
				next = append(next, append(slices.Clone(way), gateway{o, x.Port}))
			}
		}
		if len(done) > 0 {
			return done
		}
		for o := range reached {
			seen[o] = true
		}
		level = next
	}
	return nil
}

// Routes says whether the device may be a router: by its role, or because it has several addresses or a gateway's.
func (t *PathTables) Routes() bool {
	return t.Role == "router" || t.Role == "firewall" || t.Role != roleHost && (len(t.Addresses) > 1 || len(t.Groups) > 0)
}

// carries picks, of several ways that differ in the units of a redundant group, the one that carries. It is nil where nothing
// says which.
func (l *pathLearner) carries(ways [][]gateway) []gateway {
	var live [][]gateway
	for _, w := range ways {
		if !slices.ContainsFunc(w, func(g gateway) bool { return standby(g) }) {
			live = append(live, w)
		}
	}
	if len(live) == 1 {
		return live[0]
	}
	var pointed [][]gateway
	for _, w := range live {
		if !slices.ContainsFunc(w, func(g gateway) bool { return !l.pointsAt(g.box) }) {
			pointed = append(pointed, w)
		}
	}
	if len(live) > 1 && len(pointed) == 1 {
		return pointed[0]
	}
	var names []string
	for _, w := range ways {
		names = addText(names, gatewaysText(w))
	}
	l.unknown("several may carry: %s; neither their redundancy states nor the forwarding tables say which does", strings.Join(names, " or "))
	return nil
}

// standby says whether a unit says of itself that it does not carry.
func standby(g gateway) bool {
	for _, x := range g.box.Groups {
		switch {
		case x.Port != "" && portKey(x.Port) != portKey(g.port):
		case x.State == "standby" || x.State == "backup" || x.State == "failed" || x.State == "passive" || x.State == "secondary" || x.State == "listen" || x.State == "init":
			return true
		}
	}
	return false
}

// pointsAt says whether some other device's forwarding table has an address of the unit at the port where the unit is.
func (l *pathLearner) pointsAt(t *PathTables) bool {
	for i := range l.all {
		o := &l.all[i]
		if o == t {
			continue
		}
		ports, _, _ := o.seen(t.macs(), 0)
		for _, p := range ports {
			if slices.ContainsFunc(l.at(o, p), func(f far) bool { return f.box == t }) {
				return true
			}
		}
	}
	return false
}

// group returns the other units of a device's redundant group.
func (l *pathLearner) group(t *PathTables) []string {
	var out []string
	if t.Peer != "" {
		out = append(out, t.Peer)
	}
	for i := range l.all {
		o := &l.all[i]
		if o == t || slices.Contains(out, o.Device) {
			continue
		}
		if o.Peer == t.Device || slices.ContainsFunc(o.Groups, func(x PathGroup) bool {
			return x.Virtual.IsValid() && slices.ContainsFunc(t.Groups, func(y PathGroup) bool { return x.Virtual == y.Virtual && x.Protocol == y.Protocol })
		}) {
			out = append(out, o.Device)
		}
	}
	return out
}

// bindingPort returns the interface at which a device has an address in its neighbour cache; "" if it has not.
func (t *PathTables) bindingPort(ip netip.Addr, macs []string) string {
	for _, x := range t.Bindings {
		if x.Kind != "invalid" && x.Kind != "local" && (ip.IsValid() && x.IP == ip || slices.Contains(macs, x.MAC)) && x.MAC != "" {
			return x.Port
		}
	}
	return ""
}

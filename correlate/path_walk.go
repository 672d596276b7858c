package correlate

import (
	"fmt"
	"slices"
	"strings"
)

// target is what a walk goes to: a host by its address, or a device.
type target struct {
	end  endpoint
	box  *PathTables // nil: a host
	macs []string
	name string
}

func hostTarget(e endpoint) target {
	return target{end: e, box: e.box, macs: e.macs, name: nameOf(e.PathEnd)}
}

// bridged learns a path without routers: from where the first end is attached to where the second is.
func (l *pathLearner) bridged(a, b endpoint) {
	start, in, ok := l.attached(a)
	if !ok {
		return
	}
	var vlan uint32
	if _, vlans, _ := start.seen(a.macs, 0); len(vlans) == 1 {
		vlan = vlans[0]
	}
	hops, done := l.walk(start, in, hostTarget(b), vlan)
	l.out.Hops, l.out.Complete = hops, done
	if !done {
		l.fromTheOtherEnd(a, b, vlan)
	}
}

// fromTheOtherEnd adds what is known from the second end, where the walk from the first did not come through.
func (l *pathLearner) fromTheOtherEnd(a, b endpoint, vlan uint32) {
	start, in, ok := l.attached(b)
	if !ok || slices.ContainsFunc(l.out.Hops, func(h LearntHop) bool { return h.Device == start.Device }) {
		return
	}
	back, _ := l.walk(start, in, hostTarget(a), vlan)
	for i, h := range back { // up to where the two meet
		if slices.ContainsFunc(l.out.Hops, func(o LearntHop) bool { return o.Device == h.Device }) {
			back = back[:i]
			break
		}
	}
	back = turned(back)
	if len(back) > 0 {
		l.unknown("what is between %s and %s", lastName(l.out.Hops, nameOf(a.PathEnd)), back[0].Device)
		l.out.Hops = append(l.out.Hops, back...)
	}
}

func lastName(hops []LearntHop, otherwise string) string {
	if len(hops) == 0 {
		return otherwise
	}
	return hops[len(hops)-1].Device
}

// routed learns a path through routers: from the first of them back to the first end, from each to the next, and from
// the last to the second end.
func (l *pathLearner) routed(a, b endpoint, chain []gateway) {
	up, okUp := l.walk(chain[0].box, "", hostTarget(a), 0)
	hops := turned(up)
	ok := okUp
	for i := 0; i < len(chain); i++ {
		t := hostTarget(b)
		if i+1 < len(chain) {
			next := chain[i+1].box
			t = target{box: next, macs: next.macs(), name: next.Device}
		}
		down, done := l.walk(chain[i].box, "", t, 0)
		ok = ok && done
		if len(down) == 0 {
			continue
		}
		if n := len(hops) - 1; n >= 0 && hops[n].Device == down[0].Device {
			hops[n].Out, hops[n].Evidence = down[0].Out, joinTexts(hops[n].Evidence, down[0].Evidence)
			down = down[1:]
		}
		hops = append(hops, down...)
	}
	l.out.Hops, l.out.Complete = hops, ok
}

func joinTexts(a, b []string) []string {
	for _, s := range b {
		a = addText(a, s)
	}
	return a
}

// turned turns a way round.
func turned(hops []LearntHop) []LearntHop {
	out := slices.Clone(hops)
	slices.Reverse(out)
	for i := range out {
		out[i].In, out[i].Out = out[i].Out, out[i].In
	}
	return out
}

// attached finds the switch and port at which an end is: the port where its address was learnt and no device is behind.
func (l *pathLearner) attached(e endpoint) (*PathTables, string, bool) {
	if e.box != nil && e.box.Role != roleHost {
		return e.box, "", true
	}
	type place struct {
		box  *PathTables
		port string
	}
	var found, behind []place // behind: a system that is none of the devices is there too: a phone, a host of hosts, a switch
	for i := range l.all {
		t := &l.all[i]
		ports, _, stale := t.seen(e.macs, 0)
		for _, s := range stale {
			l.warn("%s", s)
		}
		for _, p := range ports {
			there := l.at(t, p)
			switch {
			case slices.ContainsFunc(there, func(f far) bool { return f.box != nil && f.box != e.box }):
			case slices.ContainsFunc(there, func(f far) bool { return f.box == nil && !e.heardAs(f.heard) }):
				behind = append(behind, place{t, p})
			default:
				found = append(found, place{t, p})
			}
		}
	}
	if len(found) == 0 {
		found = behind
	}
	switch len(found) {
	case 0:
		l.unknown("no switch has %s (%s) at a port without a device behind it, so that where it is attached is not known", nameOf(e.PathEnd), strings.Join(e.macs, ", "))
		return nil, "", false
	case 1:
		return found[0].box, found[0].port, true
	}
	var names []string
	for _, f := range found {
		names = append(names, f.box.Device+" "+f.port)
	}
	l.unknown("%s (%s) is seen at several ports without a known neighbour: %s; an entry is old, or switches between them say nothing of their neighbours",
		nameOf(e.PathEnd), strings.Join(e.macs, ", "), strings.Join(names, ", "))
	return nil, "", false
}

// walk goes from a device to the target, port by port. It says whether it arrived. What stopped it is told.
func (l *pathLearner) walk(at *PathTables, in string, to target, vlan uint32) (hops []LearntHop, done bool) {
	for been := map[*PathTables]bool{}; ; {
		if been[at] {
			l.unknown("the forwarding tables lead in a ring back to %s on the way to %s: a loop, or entries that are older than the last move", at.Device, to.name)
			return hops, false
		}
		been[at] = true
		h := LearntHop{Device: at.Device, In: in}
		if to.box == at {
			if at.Role == roleHost && len(hops) > 0 {
				return hops, true
			}
			return append(hops, h), true
		}
		out, why, ok := l.egress(at, in, to, &vlan)
		if !ok {
			return append(hops, h), false
		}
		h.Out, h.Evidence = out, append(h.Evidence, why...)
		next, end, ok := l.next(at, out, to, &h)
		hops = append(hops, h)
		switch {
		case !ok:
			return hops, false
		case end:
			return hops, true
		case next.box == nil:
			l.unknown("%s is behind %s at %s and its tables were not read", next.system, at.Device, out)
			return append(hops, LearntHop{Device: next.system, In: next.heard.PortID, Unwatched: true, Evidence: []string{next.evidence}}), false
		}
		if next.port == "" {
			l.unknown("the port of %s at which %s is attached", next.box.Device, at.Device)
		}
		at, in = next.box, next.port
	}
}

// egress finds the port by which a device sends to the target.
func (l *pathLearner) egress(at *PathTables, in string, to target, vlan *uint32) (port string, evidence []string, ok bool) {
	ports, vlans, stale := at.seen(to.macs, *vlan)
	for _, s := range stale {
		l.warn("%s", s)
	}
	if len(vlans) == 1 {
		*vlan = vlans[0]
	}
	switch {
	case len(ports) > 1:
		slices.Sort(ports)
		l.unknown("%s has %s (%s) at several ports: %s", at.Device, to.name, strings.Join(to.macs, ", "), strings.Join(ports, ", "))
		return "", nil, false
	case len(ports) == 1 && ports[0] == in:
		l.unknown("%s has %s at %s, where it comes from: the entry is older than the last move, or there is a loop", at.Device, to.name, in)
		return "", nil, false
	case len(ports) == 1:
		return ports[0], l.stationText(at, ports[0], to, *vlan), true
	}
	if p := at.bindingPort(to.end.IP, to.macs); p != "" && !virtualPort(p) {
		return at.whole(p), []string{fmt.Sprintf("%s has %s at %s in its neighbour cache", at.Device, to.name, p)}, true
	}
	if p, why, ok := l.byNeighbour(at, in, to); ok {
		return p, []string{why}, true
	}
	l.unknown("%s does not have %s (%s) in its forwarding table: not learnt there, or aged out", at.Device, to.name, strings.Join(to.macs, ", "))
	return "", nil, false
}

// virtualPort says whether a port is a VLAN's own interface, which is no port of the path.
func virtualPort(p string) bool {
	p = strings.ToLower(p)
	return strings.HasPrefix(p, "vl") || strings.HasPrefix(p, "irb") || strings.HasPrefix(p, "bvi") || strings.HasPrefix(p, "loopback")
}

// stationText is the evidence of a forwarding table, and the spanning tree's word of the port.
func (l *pathLearner) stationText(at *PathTables, port string, to target, vlan uint32) []string {
	text := fmt.Sprintf("%s forwards to %s (%s) at %s", at.Device, to.name, strings.Join(seenOf(at, to.macs), ", "), port)
	if vlan != 0 {
		text += fmt.Sprintf(", VLAN %d", vlan)
	}
	out := []string{text}
	if states, _ := at.states(port, vlan); len(states) > 0 {
		out = append(out, fmt.Sprintf("%s is %s in %s", port, states[0].State, orTree(states[0].Tree)))
	}
	return out
}

// seenOf returns those of the addresses that the device has learnt.
func seenOf(t *PathTables, macs []string) []string {
	var out []string
	for _, s := range t.Stations {
		if slices.Contains(macs, s.MAC) && s.Port != "" {
			out = addText(out, s.MAC)
		}
	}
	return out
}

// byNeighbour finds the only neighbour that is the target, or that has it at a port away from this device.
func (l *pathLearner) byNeighbour(at *PathTables, in string, to target) (port, why string, ok bool) {
	found := 0
	for _, p := range l.linked(at) {
		if p == in || at.blocked(p, 0) != "" {
			continue
		}
		for _, f := range l.at(at, p) {
			if f.box == nil {
				continue
			}
			away, _, _ := f.box.seen(to.macs, 0)
			switch {
			case f.box == to.box:
				port, why = p, fmt.Sprintf("%s is behind %s: %s", to.name, p, f.evidence)
			case len(away) == 1 && f.port != "" && away[0] != f.port:
				port, why = p, fmt.Sprintf("%s does not have %s, but %s behind %s has it at %s", at.Device, to.name, f.box.Device, p, away[0])
			default:
				continue
			}
			found++
		}
	}
	if found > 1 {
		l.unknown("%s has several ways to %s, and its tables do not say which it takes", at.Device, to.name)
	}
	return port, why, found == 1
}

// linked returns the ports of a device behind which a device is known.
func (l *pathLearner) linked(t *PathTables) []string {
	var out []string
	for _, n := range t.Neighbours {
		out = addText(out, t.whole(n.Port))
	}
	for i := range l.all {
		for _, n := range l.all[i].Neighbours {
			if f := l.identify(n); f.box == t && f.port != "" {
				out = addText(out, f.port)
			}
		}
	}
	for _, k := range l.links {
		for _, e := range [][2]string{k.A, k.B} {
			if e[0] == t.Device {
				out = addText(out, t.whole(e[1]))
			}
		}
	}
	slices.Sort(out)
	return out
}

// next finds what is behind a port on the way to the target. end says that it is the target, a host. It is not ok if
// several devices may be.
func (l *pathLearner) next(at *PathTables, port string, to target, h *LearntHop) (next far, end, ok bool) {
	all := l.at(at, port)
	known := slices.DeleteFunc(slices.Clone(all), func(f far) bool { return f.box == nil })
	if len(known) > 1 { // a firewall pair behind one port, or a switch that says nothing
		if i := slices.IndexFunc(known, func(f far) bool { return f.box == to.box && to.box != nil }); i >= 0 {
			known = known[i : i+1]
		}
	}
	switch {
	case len(known) > 1:
		var names []string
		for _, f := range known {
			names = append(names, f.box.Device)
		}
		l.unknown("several devices are behind %s at %s: %s", at.Device, port, strings.Join(names, ", "))
		return far{}, false, false
	case len(known) == 1:
		h.Evidence = addText(h.Evidence, known[0].evidence)
		return known[0], false, true
	}
	for _, f := range all {
		if to.box == nil && to.end.heardAs(f.heard) {
			h.Evidence = addText(h.Evidence, f.evidence)
			return far{}, true, true
		}
	}
	if len(all) == 1 {
		return all[0], false, true
	}
	if s, p, found := l.switchOf(at, port, to); found {
		h.Evidence = append(h.Evidence, fmt.Sprintf("%s hears no neighbours; %s has its address at %s, where no other device is", at.Device, s.Device, p))
		return far{box: s, port: p}, false, true
	}
	if to.box == nil {
		h.Evidence = append(h.Evidence, fmt.Sprintf("no device is known behind %s: %s is attached there", port, to.name))
		return far{}, true, true
	}
	if macs := seenOf(at, to.macs); len(macs) > 0 {
		h.Evidence = append(h.Evidence, fmt.Sprintf("no neighbour is heard at %s, and %s's address is learnt there: it is attached there", port, to.name))
		return far{box: to.box, port: to.box.portOf(macs)}, false, true
	}
	l.unknown("no neighbour is known behind %s at %s", at.Device, port)
	return far{}, false, false
}

// heardAs says whether a neighbour is the end itself.
func (e endpoint) heardAs(n PathNeighbour) bool {
	return slices.Contains(e.macs, n.Chassis) || slices.Contains(e.macs, n.PortID) || n.Address.IsValid() && n.Address == e.IP || sameHost(n.System, e.Name)
}

// portOf returns the port that has one of the addresses.
func (t *PathTables) portOf(macs []string) string {
	var out []string
	for p, m := range t.PortMACs {
		if slices.Contains(macs, m) {
			out = addText(out, t.whole(p))
		}
	}
	if len(out) != 1 {
		return ""
	}
	return out[0]
}

// switchOf finds the switch behind a port of a device that hears no neighbours, as firewalls do: the one at which the
// device's own address is seen at a port with nothing else behind it.
func (l *pathLearner) switchOf(at *PathTables, port string, to target) (*PathTables, string, bool) {
	if len(at.Stations) > 0 {
		return nil, "", false // a switch, which knows better what is behind its ports
	}
	macs := at.macs()
	if m := at.PortMACs[port]; m != "" {
		macs = []string{m}
	}
	var box *PathTables
	var where string
	for i := range l.all {
		t := &l.all[i]
		if t == at {
			continue
		}
		ports, _, _ := t.seen(macs, 0)
		toTarget, _, _ := t.seen(to.macs, 0)
		for _, p := range ports {
			behind := l.at(t, p)
			if slices.ContainsFunc(behind, func(f far) bool { return f.box != nil && f.box != at }) || slices.Contains(toTarget, p) {
				continue
			}
			if box != nil {
				return nil, "", false
			}
			box, where = t, p
		}
	}
	return box, where, box != nil
}

// finish adds what belongs to each hop: its bundle's members and the other units of its group.
func (l *pathLearner) finish(hops []LearntHop) []LearntHop {
	for i := range hops {
		h := &hops[i]
		t := l.named(h.Device)
		if t == nil || h.Unwatched || h.Undecided {
			continue
		}
		h.InMembers, h.OutMembers = t.members(h.In), t.members(h.Out)
		for _, p := range []string{h.In, h.Out} {
			if m := t.members(p); len(m) > 0 {
				h.Evidence = addText(h.Evidence, fmt.Sprintf("%s is a bundle of %s; which of them a flow takes is not in any table", p, strings.Join(m, ", ")))
			}
		}
		h.Others = l.group(t)
		for _, g := range t.Groups {
			if (g.Port == "" || portKey(g.Port) == portKey(h.In) || portKey(g.Port) == portKey(h.Out)) && g.State != "" {
				h.Evidence = addText(h.Evidence, strings.TrimSpace(fmt.Sprintf("%s is %s in %s %s", h.Device, g.State, g.Protocol, g.Group)))
			}
		}
	}
	l.beside(hops)
	return hops
}

// beside notes where the other units of the groups are attached to the path's devices.
func (l *pathLearner) beside(hops []LearntHop) {
	add := func(box *PathTables, port string) {
		i := slices.IndexFunc(hops, func(h LearntHop) bool { return box != nil && h.Device == box.Device })
		if i >= 0 && port != "" && !slices.Contains(hops[i].Ports(), port) {
			hops[i].Beside = addText(hops[i].Beside, port)
		}
	}
	for _, h := range slices.Clone(hops) {
		for _, name := range h.Others {
			o := l.named(name)
			if o == nil {
				continue
			}
			for _, p := range l.linked(o) {
				for _, f := range l.at(o, p) {
					add(f.box, f.port)
				}
			}
			for _, p := range o.Ports {
				if box, port, ok := l.switchOf(o, p, target{}); ok {
					add(box, port)
				}
			}
		}
	}
}

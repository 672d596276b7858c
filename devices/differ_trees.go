package devices

import (
	"whydrop/correlate/timeline"
)

// trees writes what each spanning tree of a device with several says of itself and of its ports.
func (w *writer) trees() {
	forwards := map[string][]bool{} // by port: in each tree
	var changes uint64
	var over timeline.Span
	for n := range w.reading.Trees {
		t := &w.reading.Trees[n]
		step, sp := w.tree(t)
		changes, over = changes+step, over.Union(sp)
		for i := range t.Ports {
			p := &t.Ports[i]
			w.treePort(t, p)
			if p.State.OK && p.State.Value != "disabled" {
				forwards[p.Port] = append(forwards[p.Port], p.State.Value == "forwarding")
			}
		}
	}
	if w.reading.Bridge == nil && !over.IsZero() {
		w.perSecond(w.device, timeline.TopologyChanges, changes, over)
	}
	for port, in := range forwards {
		if w.saysState(port) {
			continue
		}
		all := true
		any := false
		for _, f := range in {
			all, any = all && f, any || f
		}
		if all == any { // a port that forwards in some trees only is neither
			w.sample(timeline.Port(w.reading.Device, port), timeline.STPForwarding, w.now, truth(all))
		}
	}
}

// saysState says whether this collector gives the port's spanning-tree state apart from any tree.
func (w *writer) saysState(port string) bool {
	p := w.side.ports[port]
	return p != nil && p.state.OK
}

// common says whether a tree is the one that BRIDGE-MIB and the ports' own states speak of.
func common(t *Tree) bool { return t.Name == "vlan 1" || t.Name == "mst 0" }

// tree writes the changes of one tree as a whole and returns by how much its count of changes rose.
func (w *writer) tree(t *Tree) (changes uint64, over timeline.Span) {
	if common(t) && !w.side.bridge.at.IsZero() {
		return 0, over // told already
	}
	what := "tree " + t.Name
	if t.RootPort.OK {
		if before, between, news := w.turned(w.device, what+" root port", t.RootPort.Value); news {
			w.event(w.device, timeline.EventRootPort, between, "the root port of "+t.Name+" changed", map[string]string{"from": before, "to": t.RootPort.Value, "tree": t.Name})
		}
	}
	if t.DesignatedRoot.OK {
		if before, between, news := w.turned(w.device, what+" root", t.DesignatedRoot.Value); news {
			w.event(w.device, timeline.EventRootBridge, between, "the root bridge of "+t.Name+" changed", map[string]string{"from": before, "to": t.DesignatedRoot.Value, "tree": t.Name})
		}
	}
	before := w.side.tables.counters[tableKey{w.device, what + " changes"}].at
	step, over, ok := w.rose(w.device, what+" changes", timeline.TopologyChanges, t.TopologyChanges)
	if !ok || step == 0 || !w.owns(w.device, timeline.Metric(what+" changes")) {
		return step, over
	}
	between := timeline.Span{From: before.From, To: w.now.To}
	span := between
	if at, ok := w.changedAt(&t.Bridge, between); ok {
		if span.To = at.To; step == 1 {
			span = at
		}
	}
	w.event(w.device, timeline.EventTopologyChange, span, "spanning tree of "+t.Name+" counted topology changes",
		map[string]string{"count": count(step), "port": t.ChangeFrom.Value, "tree": t.Name})
	return step, over
}

// treePort writes a port's part in one tree.
func (w *writer) treePort(t *Tree, p *TreePort) {
	sub := timeline.Port(w.reading.Device, p.Port)
	what := "tree " + t.Name
	told := false
	own := common(t) && w.saysState(p.Port)
	if p.State.OK {
		before, between, news := w.turned(sub, what+" state", p.State.Value)
		if told = news; news && !own { // the port's own state tells it, too
			w.event(sub, timeline.EventSTPState, between, "spanning tree moved "+p.Port+" from "+before+" to "+p.State.Value+" in "+t.Name,
				map[string]string{"from": before, "to": p.State.Value, "tree": t.Name})
		}
	}
	if p.Role.OK && !own {
		if before, between, news := w.turned(sub, what+" role", p.Role.Value); news {
			w.event(sub, timeline.EventSTPRole, between, "spanning tree changed the role of "+p.Port+" from "+before+" to "+p.Role.Value+" in "+t.Name,
				map[string]string{"from": before, "to": p.Role.Value, "tree": t.Name, "source": p.RoleFrom})
		}
	}
	between := timeline.Span{From: w.side.tables.counters[tableKey{sub, what + " forwards"}].at.From, To: w.now.To}
	step, _, ok := w.rose(sub, what+" forwards", "", p.Forwards)
	if ok && step > 0 && !told && p.State.Value == "forwarding" && w.owns(sub, timeline.Metric(what+" state")) {
		w.event(sub, timeline.EventSTPState, between, p.Port+" stopped forwarding in "+t.Name+" and began again between two polls",
			map[string]string{"to": "forwarding", "tree": t.Name})
	}
	if before, between, news := w.turned(sub, what+" guard", p.Inconsistent); news {
		attrs := map[string]string{"guard": p.Inconsistent, "to": "blocked", "tree": t.Name}
		text := p.Inconsistent + " guard blocks " + p.Port + " in " + t.Name
		if p.Inconsistent == "" {
			attrs["guard"], attrs["to"] = before, "cleared"
			text = before + " guard no longer blocks " + p.Port + " in " + t.Name
		}
		w.event(sub, timeline.EventInconsistent, between, text, attrs)
	}
}

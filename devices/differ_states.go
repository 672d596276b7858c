package devices

import (
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// portState is what one collector said last of a port.
type portState struct {
	last        timeline.Span // of the last reading that had the port
	head        timeline.Span // of its states
	index       Opt[uint32]
	renumbered  bool
	oper        Opt[string]
	lastChange  Opt[uint32]
	up          bool
	negotiated  float64 // bit/s while up; 0 if not known
	speed       float64 // the highest speed of the last two polls
	duplex      string  // half or full, as last given while up
	state, role Opt[string]
	discontinue Opt[uint32]
	lastClear   Opt[string]
	figures     []*figureState // as figures
	owners      []portOwner
	errDisabled Opt[tableState]
	rest        restState
	copied      time.Time // when the hardware's counters were last copied, where the device says so
	unreliable  bool      // a counter fell again and again once
}

// port writes everything of one interface.
func (w *writer) port(i *Interface) {
	sub := timeline.Port(w.reading.Device, i.Name)
	p := w.side.ports[i.Name]
	if p == nil {
		p = &portState{figures: make([]*figureState, len(figures))}
		w.side.ports[i.Name] = p
	}
	p.renumbered = p.index.OK && i.Index.OK && p.index != i.Index
	if p.renumbered {
		w.event(sub, timeline.EventRenumbered, w.since(p), "the port moved to another ifIndex",
			map[string]string{"from": p.index.String(), "to": i.Index.String()})
	}
	w.operState(p, i, sub)
	w.speedAndDuplex(p, i, sub)
	w.spanningTree(p, i, sub)
	w.portMore(p, i, sub)
	w.agedCounters(p, i, sub)

	if i.Index.OK {
		p.index = i.Index
	}
	if i.Discontinue.OK {
		p.discontinue = i.Discontinue
	}
	if i.LastClear.OK {
		p.lastClear = i.LastClear
	}
	p.last, p.head = w.now, w.head
}

// since returns the span between the last reading of the port's states and this one.
func (w *writer) since(p *portState) timeline.Span {
	if p.head.IsZero() {
		return w.head
	}
	return timeline.Span{From: p.head.From, To: w.head.To}
}

// operState writes the operational state and its changes. ifLastChange dates a change to a hundredth of a second,
// and tells of one that came and went between two polls.
func (w *writer) operState(p *portState, i *Interface, sub timeline.Subject) {
	if !i.Oper.OK {
		return
	}
	before, changed := p.oper, p.lastChange
	p.oper, p.up = i.Oper, i.Oper.Value == "up"
	if i.LastChange.OK {
		p.lastChange = i.LastChange
	}
	w.portSample(p, sub, timeline.Oper, w.head, truth(p.up))
	if !before.OK || !w.portOwns(p, sub, timeline.Oper) {
		return
	}
	between := w.since(p)
	at, dated := w.dated(i.LastChange, between)
	dated = dated && (!changed.OK || changed != i.LastChange)
	switch {
	case before != i.Oper:
		sp := between
		if dated {
			sp = at
		}
		attrs := map[string]string{"from": before.Value, "to": i.Oper.Value}
		if w.noticesLate() {
			attrs["dated"] = "polls"
		}
		w.event(sub, timeline.EventOper, sp, sub.Name+" went from "+before.Value+" to "+i.Oper.Value, attrs)
	case dated && changed.OK && !w.restarted && !p.renumbered:
		// The same state as before, entered since: it was another one in between.
		other := "down"
		if !p.up {
			other = "up"
		}
		w.event(sub, timeline.EventOper, timeline.Span{From: between.From, To: at.To},
			sub.Name+" went from "+before.Value+" to "+other+" and back between two polls",
			map[string]string{"from": before.Value, "to": other})
		w.event(sub, timeline.EventOper, at, sub.Name+" went from "+other+" to "+i.Oper.Value+" (ifLastChange)",
			map[string]string{"from": other, "to": i.Oper.Value})
	}
}

// dated maps device ticks to the probe's clock, if they lie between the two polls. Some agents date a change with the
// moment at which they noticed it: ticks of the time since this reading began, which the question itself may have
// brought about, say no more than that there was a change; nor do those of an agent that looks now and then.
func (w *writer) dated(ticks Opt[uint32], between timeline.Span) (timeline.Span, bool) {
	if !ticks.OK || !w.reading.Clock.OK {
		return timeline.Span{}, false
	}
	at, ok := w.reading.Clock.Value.At(ticks.Value)
	if !ok || !at.Overlaps(between) {
		return timeline.Span{}, false
	}
	if w.noticesLate() {
		// What an earlier reading said was as old as that, too.
		return timeline.Span{From: between.From.Add(-max(noticeEvery, w.side.refresh.period)), To: within(at, between).To}, true
	}
	if !at.To.Before(w.now.From) {
		return between, true
	}
	if f := &w.side.refresh; f.slowerThan(between.Width()) {
		at.From = at.From.Add(-f.period)
	}
	return within(at, between), true
}

// noticeEvery is how often net-snmp looks at its ports, at least: lines of a log told of changes up to 0.8 s before the
// moment that it gave them.
const noticeEvery = time.Second

// noticesLate says whether the agent is net-snmp (1.3.6.1.4.1.8072), whose ifLastChange is when it noticed.
func (w *writer) noticesLate() bool {
	return strings.HasPrefix(w.reading.SysObjectID.Value, "1.3.6.1.4.1.8072.")
}

func truth(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

// speedAndDuplex writes what was negotiated, while the port is up: what a port that is down says of its speed is
// no news.
func (w *writer) speedAndDuplex(p *portState, i *Interface, sub timeline.Subject) {
	if i.SpeedMax.OK {
		w.portSample(p, sub, timeline.SpeedMax, w.head, float64(i.SpeedMax.Value))
	}
	if i.Oper.OK && i.Oper.Value != "up" {
		p.speed = max(p.negotiated, float64(i.Speed.Value))
		return
	}
	if i.Speed.OK && i.Speed.Value > 0 {
		now := float64(i.Speed.Value)
		w.portSample(p, sub, timeline.Speed, w.head, now)
		if p.negotiated > 0 && now != p.negotiated && w.portOwns(p, sub, timeline.Speed) {
			from, to := strconv.FormatFloat(p.negotiated, 'f', -1, 64), strconv.FormatUint(i.Speed.Value, 10)
			w.event(sub, timeline.EventSpeed, w.since(p), sub.Name+" changed its speed from "+from+" to "+to+" bit/s",
				map[string]string{"from": from, "to": to})
		}
		p.speed, p.negotiated = max(p.negotiated, now), now
	}
	if d := i.Duplex.Value; d == "half" || d == "full" {
		w.portSample(p, sub, timeline.HalfDuplex, w.head, truth(d == "half"))
		if p.duplex != "" && p.duplex != d && w.portOwns(p, sub, timeline.HalfDuplex) {
			w.event(sub, timeline.EventDuplex, w.since(p), sub.Name+" changed its duplex from "+p.duplex+" to "+d,
				map[string]string{"from": p.duplex, "to": d})
		}
		p.duplex = d
	}
}

// spanningTree writes a port's state and role.
func (w *writer) spanningTree(p *portState, i *Interface, sub timeline.Subject) {
	if i.STPState.OK {
		w.portSample(p, sub, timeline.STPForwarding, w.head, truth(i.STPState.Value == "forwarding"))
		if p.state.OK && p.state != i.STPState && w.portOwns(p, sub, timeline.STPForwarding) {
			w.event(sub, timeline.EventSTPState, w.since(p),
				"spanning tree moved "+sub.Name+" from "+p.state.Value+" to "+i.STPState.Value,
				map[string]string{"from": p.state.Value, "to": i.STPState.Value})
		}
		p.state = i.STPState
	}
	if i.STPRole.OK {
		if p.role.OK && p.role != i.STPRole && w.portOwns(p, sub, roleOwner) {
			w.event(sub, timeline.EventSTPRole, w.since(p),
				"spanning tree changed the role of "+sub.Name+" from "+p.role.Value+" to "+i.STPRole.Value,
				map[string]string{"from": p.role.Value, "to": i.STPRole.Value, "source": i.STPRoleFrom})
		}
		w.portOwns(p, sub, roleOwner)
		p.role = i.STPRole
	}
}

// Names under which ownership of what is no metric is kept.
const (
	roleOwner        timeline.Metric = "stp.role"
	errDisabledOwner timeline.Metric = "if.err_disabled"
	rootPortOwner    timeline.Metric = "stp.root_port"
	rootBridgeOwner  timeline.Metric = "stp.root_bridge"
)

// bridgeState is what one collector said last of the bridge.
type bridgeState struct {
	at         timeline.Span // of the last reading with a bridge
	changes    Opt[Counter]
	rootPort   Opt[string]
	rootBefore Opt[string] // the root port before this one
	root       Opt[string]
}

// bridge writes the spanning tree as a whole.
func (w *writer) bridge() {
	b, s := w.reading.Bridge, &w.side.bridge
	if b == nil {
		return
	}
	between := timeline.Span{From: s.at.From, To: w.head.To}
	first := s.at.IsZero()
	s.at = w.head
	if b.TopologyChanges.OK {
		before := s.changes
		s.changes = b.TopologyChanges
		if before.OK && !first {
			w.topologyChanges(before.Value, b, between)
		} else {
			w.owns(w.device, timeline.TopologyChanges)
		}
	}
	if b.RootPort.OK {
		mine := w.owns(w.device, rootPortOwner)
		if s.rootPort.OK && s.rootPort != b.RootPort && mine {
			w.event(w.device, timeline.EventRootPort, between, "the root port changed",
				map[string]string{"from": s.rootPort.Value, "to": b.RootPort.Value})
		}
		if s.rootPort != b.RootPort {
			s.rootBefore = s.rootPort
		}
		s.rootPort = b.RootPort
	}
	if b.DesignatedRoot.OK {
		mine := w.owns(w.device, rootBridgeOwner)
		if s.root.OK && s.root != b.DesignatedRoot && mine {
			w.event(w.device, timeline.EventRootBridge, between, "the root bridge changed",
				map[string]string{"from": s.root.Value, "to": b.DesignatedRoot.Value})
		}
		s.root = b.DesignatedRoot
	}
}

// topologyChanges writes how many changes the bridge counted since the last poll.
func (w *writer) topologyChanges(before Counter, b *Bridge, between timeline.Span) {
	now := b.TopologyChanges.Value
	step := now.Value - before.Value
	if now.Value < before.Value {
		if before.Bits != 32 || now.Bits != 32 || w.restarted || before.Value < 1<<31 {
			w.gap(w.device, timeline.TopologyChanges, between, timeline.ReasonReset, "the count of topology changes fell")
			return
		}
		step = now.Value + 1<<32 - before.Value
	}
	if w.restarted {
		w.gap(w.device, timeline.TopologyChanges, between, timeline.ReasonReset, "the device or its agent restarted")
		return
	}
	span := timeline.Span{From: between.From, To: between.To}
	if e := between.Width(); e >= minElapsed {
		w.sample(w.device, timeline.TopologyChanges, span, float64(step)/e.Seconds())
	}
	if step == 0 || !w.owns(w.device, timeline.TopologyChanges) {
		return
	}
	if at, ok := w.changedAt(b, between); ok {
		if step == 1 {
			span = at
		} else {
			span.To = at.To // the last of several
		}
	}
	attrs := map[string]string{"count": strconv.FormatUint(step, 10), "port": b.ChangeFrom.Value}
	w.event(w.device, timeline.EventTopologyChange, span, "spanning tree counted topology changes", attrs)
}

// changedAt dates the last topology change by the time since it. That time is used only where it agrees with the
// count: under RSTP some agents let it run from the end of the change's window, and leave it at 0 meanwhile.
func (w *writer) changedAt(b *Bridge, between timeline.Span) (timeline.Span, bool) {
	if !b.SinceChange.OK || b.SinceChange.Value <= tick {
		return timeline.Span{}, false
	}
	resolution := tick
	if b.SinceChange.Value%time.Second == 0 && !w.reading.Clock.OK {
		resolution = time.Second // the command line counts seconds
	}
	at := timeline.Span{From: w.head.From.Add(-b.SinceChange.Value - resolution), To: w.head.To.Add(-b.SinceChange.Value + tick)}
	if !at.Overlaps(between) {
		return timeline.Span{}, false
	}
	return within(at, between), true
}

func milliseconds(d time.Duration) string { return strconv.FormatInt(d.Milliseconds(), 10) }

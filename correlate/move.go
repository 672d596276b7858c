package correlate

import (
	"cmp"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// Move is one time that spanning tree moved traffic from one port of a bridge to another: one port stopped
// forwarding and another took over.
type Move struct {
	Stopped timeline.Subject // the port that stopped forwarding
	Started timeline.Subject // the port of the same bridge that forwards instead
	Root    bool             // Stopped was the bridge's root port, so the bridge's way towards the root moved
	Stop    timeline.Span    // when Stopped ceased to forward, or the root port changed
	Start   timeline.Span    // when Started began to forward; Stop if it did so before
	At      timeline.Span    // the best dating of the move: the narrowest of what the bridge itself told of it
	Span    timeline.Span    // from the first to the last change of state or role of the move
	Changes []Change         // those changes, and the topology changes counted meanwhile, in order of time
	Bridges []string         // the devices that counted a topology change, ordered by name
}

const (
	// oneMove is how far apart the halves of a move may be dated: RSTP's handshake takes milliseconds, but a
	// port that waits for an agreement forwards after twice the hello time (802.1D-2004, 17.20.5: 2 s).
	oneMove = 4500 * time.Millisecond
	// slowMove is how much later the other port forwards where timers run: maximum age and twice the forward delay
	// of 802.1D-1998 (20 s + 2 x 15 s).
	slowMove = 52 * time.Second
	// tcWhile is how long a bridge spreads a topology change: the hello time plus one second under RSTP
	// (802.1D-2004, 17.21.7), so the last bridge counts within it.
	tcWhile = 3 * time.Second
)

// Moves returns each time spanning tree moved a path, in order of time. A port that stops and later forwards
// again while no other took over is no move. Where several bridges changed at one time, the move is told of the one
// whose root port changed, else of the one that lies nearest the far end.
func Moves(t Topology, changes []Change) []Move {
	var all []Move
	for i, c := range changes {
		if m, ok := moveFrom(changes, i, c, t); ok {
			all = append(all, m)
		}
	}
	all = joinMoves(all, t)
	for i := range all {
		all[i].count(changes, t)
	}
	return all
}

// moveFrom looks at one change as the half of a move that tells which port stopped, and for the half that tells
// which one took over.
func moveFrom(changes []Change, i int, c Change, t Topology) (Move, bool) {
	stopped, rootTo, ok := stops(c)
	if !ok || !t.OnPath(stopped) {
		return Move{}, false
	}
	m := Move{Stopped: stopped, Stop: c.Span, Span: c.Span, Changes: []Change{c}, Root: c.Attrs["from"] == "root"}
	if rootTo != "" {
		m.Root, m.Started, m.Start = true, timeline.Port(c.Device, rootTo), c.Span
	}
	for j, o := range changes {
		late := oneMove
		if o.Attrs["from"] == "learning" || o.Attrs["from"] == "listening" {
			late = slowMove
		}
		if o.Device != c.Device || j == i || !o.Span.Overlaps(c.Span.Widen(Slack, late)) {
			continue // no port takes over before the other stopped: it forwarded already
		}
		if port, ok := starts(o); ok && port != stopped && t.OnPath(port) && (m.Started == timeline.Subject{} && !cameUp(o) || m.Started == port) {
			m.Started, m.Start = port, o.Span
			m.add(o)
		} else if s, _, ok := stops(o); ok && s == stopped {
			m.Root = m.Root || o.Type == timeline.EventRootPort || o.Attrs["from"] == "root"
			m.add(o)
		}
	}
	return m, m.Started != timeline.Subject{}
}

func (m *Move) add(c Change) {
	m.Span = m.Span.Union(c.Span)
	m.Changes = append(m.Changes, c)
}

// stops says whether the change tells that a port ceased to carry the way: it left forwarding or the root role, or
// the bridge's root port changed from it to another (rootTo).
func stops(c Change) (port timeline.Subject, rootTo string, ok bool) {
	switch c.Type {
	case timeline.EventSTPState:
		return c.Subject, "", c.Attrs["from"] == "forwarding"
	case timeline.EventSTPRole:
		return c.Subject, "", c.Attrs["from"] == "root"
	case timeline.EventRootPort:
		from, to := c.Attrs["from"], c.Attrs["to"]
		return timeline.Port(c.Device, from), to, from != "" && to != "" && from != to // a log may repeat the port it had
	}
	return timeline.Subject{}, "", false
}

// starts says whether the change tells that a port took over: it began to forward or became the root port.
func starts(c Change) (timeline.Subject, bool) {
	return c.Subject, c.Type == timeline.EventSTPState && c.Attrs["to"] == "forwarding" ||
		c.Type == timeline.EventSTPRole && c.Attrs["to"] == "root"
}

// cameUp says whether the port forwards because its link came up: that alone takes nothing over.
func cameUp(c Change) bool { return c.Type == timeline.EventSTPState && c.Attrs["from"] == "disabled" }

// joinMoves makes one move of what several changes and several bridges tell of one time.
func joinMoves(all []Move, t Topology) []Move {
	slices.SortStableFunc(all, func(a, b Move) int { return a.Stop.Mid().Compare(b.Stop.Mid()) })
	var out []Move
	for _, m := range all {
		if n := len(out); n > 0 && out[n-1].Stop.Overlaps(m.Stop.Widen(oneMove, oneMove)) && !reversed(out[n-1], m) {
			out[n-1] = better(out[n-1], m, t)
			continue
		}
		out = append(out, m)
	}
	return out
}

// reversed says whether b undoes a: the two are a move and the move back, however close.
func reversed(a, b Move) bool { return a.Stopped == b.Started && a.Started == b.Stopped }

func better(a, b Move, t Topology) Move {
	rank := func(m Move) int {
		n := 2*t.position(m.Stopped.Device) + min(len(m.Changes), 1)
		if m.Root {
			n += 1000
		}
		return n
	}
	if rank(b) > rank(a) {
		a, b = b, a
	}
	if a.Stopped == b.Stopped {
		for _, c := range b.Changes {
			if !slices.ContainsFunc(a.Changes, func(o Change) bool { return o.Type == c.Type && o.Subject == c.Subject && o.Span == c.Span }) {
				a.Changes = append(a.Changes, c)
			}
		}
		a.Root = a.Root || b.Root
	}
	a.Span = a.Span.Union(b.Span)
	return a
}

// tells says whether a change of the move's own bridge dates the move: the halves of it, and the topology change
// that a port raises as it begins to forward (802.1D-2004, 17.10).
func tells(c Change, m Move) bool {
	if c.Type == timeline.EventTopologyChange {
		return c.Span.Overlaps(m.Start) && c.Span.Overlaps(m.Stop.Widen(Slack, Slack))
	}
	if s, _, ok := stops(c); ok && s == m.Stopped {
		return c.Span.Overlaps(m.Stop)
	}
	s, ok := starts(c)
	return ok && s == m.Started && c.Span.Overlaps(m.Stop)
}

// count adds the topology changes and root changes that the devices on the path told meanwhile, and dates the
// stop by the narrowest of the move's changes that tells of it.
func (m *Move) count(changes []Change, t Topology) {
	m.At = m.Stop
	for _, c := range changes {
		if c.Device == m.Stopped.Device && tells(c, *m) && c.Span.Width() < m.At.Width() {
			m.At = c.Span
		}
		switch c.Type {
		case timeline.EventTopologyChange:
			if c.OnPath && c.Span.Overlaps(m.Span.Widen(Slack, tcWhile)) {
				m.Changes = append(m.Changes, c)
				if !slices.Contains(m.Bridges, c.Device) {
					m.Bridges = append(m.Bridges, c.Device)
				}
			}
		case timeline.EventSTPState, timeline.EventSTPRole, timeline.EventRootPort:
			s, _, ok := stops(c)
			if ok && s == m.Stopped && c.Span.Overlaps(m.Stop.Widen(Slack, Slack)) && c.Span.Width() < m.Stop.Width() {
				m.Stop = c.Span
			}
		}
	}
	slices.Sort(m.Bridges)
	slices.SortStableFunc(m.Changes, func(a, b Change) int {
		return cmp.Or(a.Span.Mid().Compare(b.Span.Mid()), a.Subject.Compare(b.Subject), cmp.Compare(a.Type, b.Type))
	})
}

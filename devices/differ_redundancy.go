package devices

import (
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// gateways are the protocols of a redundancy group that are a shared gateway address; mlags are those of two
// switches that act as one towards a LAG. Every other one is a pair of firewalls.
var (
	gateways = map[string]bool{"vrrp": true, "hsrp": true, "glbp": true, "carp": true}
	mlags    = map[string]bool{"vpc": true, "mlag": true, "mclag": true, "vss": true, "vsx": true, "irf": true}
)

// redundancies tells changes of state of each group.
func (w *writer) redundancies() {
	for n := range w.reading.Redundancy {
		r := &w.reading.Redundancy[n]
		what := strings.Join([]string{"redundancy", r.Protocol, r.Group, r.Port}, " ")
		told := false
		changed, over, counted := w.rose(w.device, what+" changes", "", r.Changes)
		if r.State != "" {
			before, between, news := w.turned(w.device, what+" state", r.State)
			if told = news && before != ""; told {
				w.redundancyTurned(r, before, w.changeOf(r, between))
			}
		}
		if counted && changed > 0 && !told && r.State != "" && w.owns(w.device, timeline.Metric(what+" state")) {
			// It was in another state in between, which is not known.
			w.redundancyTurned(r, "", w.changeOf(r, over))
		}
		if r.Peer != "" {
			if before, between, news := w.turned(w.device, what+" peer", r.Peer); news {
				w.event(w.device, timeline.EventMember, between, "the other unit of "+groupName(r)+" went from "+before+" to "+r.Peer,
					map[string]string{"unit": groupName(r) + " peer", "from": before, "to": r.Peer})
			}
		}
	}
}

func groupName(r *Redundancy) string {
	return strings.Join(strings.Fields(r.Protocol+" "+r.Group+" "+r.Port), " ")
}

// redundancyTurned tells that a group is in another state; before is "" where it came and went between two polls.
func (w *writer) redundancyTurned(r *Redundancy, before string, sp timeline.Span) {
	attrs := map[string]string{"from": before, "to": r.State, "reason": r.Reason}
	text := groupName(r) + " went from " + before + " to " + r.State
	if before == "" {
		text = groupName(r) + " changed and is " + r.State + " again"
	}
	t := timeline.EventFailover
	switch {
	case gateways[r.Protocol]:
		t = timeline.EventGateway
		attrs["protocol"], attrs["group"], attrs["port"] = r.Protocol, r.Group, r.Port
		if r.Virtual.IsValid() {
			attrs["virtual"] = r.Virtual.String()
		}
	case mlags[r.Protocol]:
		t = timeline.EventMember
		attrs["unit"] = groupName(r)
	}
	if r.Reason != "" {
		text += ": " + r.Reason
	}
	w.event(w.device, t, sp, text, attrs)
}

// changeOf dates a change of a group as narrowly as the device lets us: by how long ago it was, or by its clock.
func (w *writer) changeOf(r *Redundancy, between timeline.Span) timeline.Span {
	if r.Since.OK {
		resolution := tick
		if r.Since.Value%time.Second == 0 {
			resolution = time.Second // most count seconds; one that counts hundredths loses little
		}
		at := timeline.Span{From: w.now.From.Add(-r.Since.Value - resolution), To: w.now.To.Add(-r.Since.Value)}
		if at.Overlaps(between) {
			return within(at, between)
		}
	}
	if c := w.differ.clock; r.At.OK && c.OK {
		half := c.Value.Span.Width() / 2
		at := r.At.Value.Add(-c.Value.Offset())
		sp := timeline.Span{From: at.Add(-half - time.Second), To: at.Add(half + time.Second)} // both clocks count seconds
		if sp.Overlaps(between) {
			return within(sp, between)
		}
	}
	return between
}

// units tells that members of a stack or chassis came, went or changed.
func (w *writer) units() {
	if w.reading.Units == nil {
		return
	}
	now := map[string]string{}
	for _, u := range w.reading.Units {
		now[u.Name] = strings.TrimSpace(u.Role + " " + u.State)
	}
	w.rowsTurned("units", now, func(unit, from, to string, between timeline.Span) {
		from, to = firstOf(from, "absent"), firstOf(to, "absent")
		w.event(w.device, timeline.EventMember, between, unit+" went from "+from+" to "+to, map[string]string{"unit": unit, "from": from, "to": to})
	})
}

// aggregates writes which members of each group of links carry traffic.
func (w *writer) aggregates() {
	if w.reading.Aggregates == nil {
		return
	}
	now := map[string]string{}
	for _, a := range w.reading.Aggregates {
		for _, m := range a.Members {
			sync := m.InSync()
			if sync.OK {
				w.sample(timeline.Port(w.reading.Device, m.Port), timeline.LAGInSync, w.now, truth(sync.Value))
			}
			state := m.State
			switch {
			case state == "" && sync.OK && sync.Value:
				state = "bundled"
			case state == "" && sync.OK:
				state = "suspended"
			}
			if state != "" {
				now[m.Port+"\x00"+a.Port] = state
			}
			sub := timeline.Port(w.reading.Device, m.Port)
			if step, over, ok := w.rose(sub, "lag changes "+a.Port, "", m.Changes); ok && step > 0 && w.side.tables.rows["aggregates"][m.Port+"\x00"+a.Port] == state {
				w.event(sub, timeline.EventLAGMember, over, m.Port+" left "+a.Port+" and is "+state+" again", map[string]string{"aggregate": a.Port, "to": state})
			}
		}
	}
	w.rowsTurned("aggregates", now, func(key, from, to string, between timeline.Span) {
		port, group, _ := strings.Cut(key, "\x00")
		from, to = firstOf(from, "absent"), firstOf(to, "absent")
		w.event(timeline.Port(w.reading.Device, port), timeline.EventLAGMember, between, port+" went from "+from+" to "+to+" in "+group,
			map[string]string{"aggregate": group, "from": from, "to": to})
	})
}

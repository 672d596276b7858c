package devices

import (
	"slices"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// logState is what is known of a device's log, whichever collector reads it.
type logState struct {
	lines []string          // of the last reading, oldest first
	at    timeline.Span     // of the last reading; zero: none yet
	clock Opt[LocalClock]   // the last time the device told its own
	oper  map[string]string // by port key: the last state a line told
}

// logLines turns the lines that are new since the last reading into events, each once.
func (w *writer) logLines() {
	r, l := w.reading, &w.differ.log
	if r.LocalClock.OK {
		l.clock = r.LocalClock
	}
	if r.Log == nil {
		return
	}
	if l.oper == nil {
		l.oper = map[string]string{}
	}
	texts := make([]string, len(r.Log))
	for n, line := range r.Log {
		texts[n] = line.Text
	}
	from, cut := newFrom(l.lines, texts)
	fresh := slices.Clone(r.Log[from:])
	if from == 0 { // nothing in common with the last reading, unless the order was lost
		fresh = slices.DeleteFunc(fresh, func(line LogLine) bool { return slices.Contains(l.lines, line.Text) })
	}
	window := timeline.Span{From: w.differ.began, To: r.Span.To}
	if !l.at.IsZero() {
		window.From = l.at.From
	}
	precise := slices.ContainsFunc(r.Log, func(line LogLine) bool { return line.Time.OK && line.Time.Value.Nanosecond() != 0 })
	for _, line := range fresh {
		sp, ok := w.lineSpan(line, window, precise)
		if ok {
			w.lineEvent(line, sp)
		}
	}
	if len(texts) > 0 && !cut {
		l.lines = texts
	}
	l.at = r.Span
}

// newFrom returns where the new lines begin in now, before being the lines of the last reading: the buffer may
// have lost lines at its beginning, and equal lines may follow each other. cut says that the reading ends before
// the last one did.
func newFrom(before, now []string) (from int, cut bool) {
	for skip := range before {
		kept := before[skip:]
		if len(kept) <= len(now) {
			if slices.Equal(kept, now[:len(kept)]) {
				return len(kept), false
			}
		} else if slices.Equal(kept[:len(now)], now) {
			return len(now), true
		}
	}
	return 0, false
}

// lineSpan dates a line by the device's clock, corrected by its offset. A line that was written before the first
// reading is not ok. A clock that is off by whole quarters of an hour, as when a line lacks the zone that the
// clock has, is corrected by the time between the two readings in which the line must have been written.
func (w *writer) lineSpan(line LogLine, window timeline.Span, precise bool) (sp timeline.Span, ok bool) {
	l := &w.differ.log
	first := l.at.IsZero()
	if !line.Time.OK || !l.clock.OK {
		return window, !first
	}
	resolution, clockResolution := time.Second, time.Second
	if precise {
		resolution = time.Millisecond
	}
	c := l.clock.Value
	if c.Time.Nanosecond() != 0 {
		clockResolution = time.Millisecond
	}
	half := c.Span.Width() / 2
	at := line.Time.Value.Add(-c.Offset())
	sp = timeline.Span{From: at.Add(-half - clockResolution), To: at.Add(half + resolution)}
	if first {
		return sp, !sp.To.Before(window.From)
	}
	const zone, slack = 15 * time.Minute, 5 * time.Second
	if !sp.Overlaps(window.Widen(slack, slack)) {
		shift := window.Mid().Sub(sp.Mid()).Round(zone)
		sp = timeline.Span{From: sp.From.Add(shift), To: sp.To.Add(shift)}
		if !sp.Overlaps(window.Widen(slack, slack)) {
			return window, true // its clock says nothing that can be used
		}
	}
	return sp, true
}

// lineEvent writes the event that a line tells of.
func (w *writer) lineEvent(line LogLine, sp timeline.Span) {
	sub := w.device
	if line.Port != "" {
		sub = timeline.Port(w.reading.Device, w.knownPort(line.Port))
	}
	a := line.Attrs
	code := line.Facility + "-" + line.Mnemonic
	switch {
	case line.Port != "" && a["state"] != "" && a["layer"] != "":
		key := PortKey(line.Port)
		if before := w.differ.log.oper[key]; before != a["state"] {
			w.differ.log.oper[key] = a["state"]
			w.event(sub, timeline.EventOper, sp, line.Text, map[string]string{"from": opposite(a["state"]), "to": a["state"]})
			return
		}
		w.syslog(sub, line, sp) // the second layer says the same
	case code == "SPANTREE-TOPOTRAP" || code == "SPANTREE-TOPOCHANGE":
		attrs := map[string]string{"count": "1"}
		if line.Port != "" {
			attrs["port"] = sub.Name
		}
		w.event(w.device, timeline.EventTopologyChange, sp, line.Text, attrs)
	case line.Port != "" && code == "SPANTREE-PORT_STATE" && a["to"] != "":
		w.event(sub, timeline.EventSTPState, sp, line.Text, map[string]string{"from": a["from"], "to": a["to"]})
	case code == "SPANTREE-ROOTCHANGE" && a["root_port"] != "":
		w.rootPortLine(line, sp)
	case line.Port != "" && code == "CDP-DUPLEX_MISMATCH":
		w.event(sub, timeline.EventDuplexMismatch, sp, line.Text, nil)
	case a["role"] == "active" || a["role"] == "standby":
		w.event(w.device, timeline.EventFailover, sp, line.Text, map[string]string{"from": otherRole(a["role"]), "to": a["role"]})
	default:
		w.syslog(sub, line, sp)
	}
}

func (w *writer) syslog(sub timeline.Subject, line LogLine, sp timeline.Span) {
	attrs := map[string]string{"facility": line.Facility, "mnemonic": line.Mnemonic}
	if line.Severity.OK {
		attrs["severity"] = strconv.Itoa(line.Severity.Value)
	}
	w.event(sub, timeline.EventSyslog, sp, line.Text, attrs)
}

// rootPortLine writes a change of the root port; where it was before is known from the tables, if at all.
func (w *writer) rootPortLine(line LogLine, sp timeline.Span) {
	attrs := map[string]string{"to": w.knownPort(line.Attrs["root_port"])}
	for _, s := range w.differ.sides {
		for _, p := range []Opt[string]{s.bridge.rootPort, s.bridge.rootBefore} {
			if p.OK && p.Value != attrs["to"] && attrs["from"] == "" {
				attrs["from"] = p.Value
			}
		}
	}
	w.event(w.device, timeline.EventRootPort, sp, line.Text, attrs)
}

// knownPort returns the name under which a port is watched, whatever spelling a line has.
func (w *writer) knownPort(name string) string {
	key := PortKey(name)
	for _, s := range w.differ.sides {
		if _, ok := s.ports[name]; ok {
			return name
		}
	}
	for _, s := range w.differ.sides {
		for known := range s.ports {
			if PortKey(known) == key {
				return known
			}
		}
	}
	return name
}

func opposite(state string) string {
	if state == "up" {
		return "down"
	}
	return "up"
}

func otherRole(role string) string {
	if role == "active" {
		return "standby"
	}
	return "active"
}

package devices

import (
	"maps"
	"slices"
	"time"

	"whydrop/correlate/timeline"
)

// logState is what is known of a device's log as one collector reads it.
type logState struct {
	lines []string      // of the last reading, oldest first
	at    timeline.Span // of the last reading; zero: none yet
	// A device that has once shown a fraction of a second shows it always, .000 too.
	precise, clockPrecise bool
	Teller
}

// logLines turns the lines that are new since the last reading into events, each once.
func (w *writer) logLines() {
	r, l := w.reading, &w.side.log
	if r.LocalClock.OK {
		w.differ.clock = r.LocalClock
		l.clockPrecise = l.clockPrecise || r.LocalClock.Value.Time.Nanosecond() != 0
	}
	if r.Log == nil {
		return
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
	l.precise = l.precise || slices.ContainsFunc(r.Log, func(line LogLine) bool { return line.Time.OK && line.Time.Value.Nanosecond() != 0 })
	for _, line := range fresh {
		sp, ok := w.lineSpan(line, window)
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

// WrittenAfter is how long after something happened a device may take to write its line: switches wait 10 ms for a
// fibre's light to come back before they call a link down, one process tells another, and that one writes. Lines of real
// spanning tree software were measured up to 90 ms after the carrier changed.
const WrittenAfter = 100 * time.Millisecond

// lineSpan dates a line by the device's clock, corrected by its offset. A line that was written before the first
// reading is not ok. A clock that is off by whole quarters of an hour, as when a line lacks the zone that the
// clock has, is corrected by the time between the two readings in which the line must have been written.
func (w *writer) lineSpan(line LogLine, window timeline.Span) (sp timeline.Span, ok bool) {
	first, clock := w.side.log.at.IsZero(), w.differ.clock
	if !line.Span.IsZero() {
		return line.Span, !first || !line.Span.To.Before(window.From)
	}
	if !line.Time.OK || !clock.OK {
		return window, !first
	}
	resolution, clockResolution := time.Second, time.Second
	if w.side.log.precise {
		resolution = time.Millisecond
	}
	c := clock.Value
	if w.side.log.clockPrecise {
		clockResolution = time.Millisecond
	}
	half := c.Span.Width() / 2
	at := line.Time.Value.Add(-c.Offset())
	sp = timeline.Span{From: at.Add(-half - clockResolution - WrittenAfter), To: at.Add(half + resolution)}
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
	e := w.side.log.Tell(line, sub, w.knownPort)
	e.Span, e.Origin = sp, w.reading.Origin
	if e.Type == timeline.EventRootPort && e.Attrs["from"] == "" {
		e.Attrs["from"] = w.otherRootPort(e.Attrs["to"])
	}
	w.event(e.Subject, e.Type, e.Span, e.Text, e.Attrs)
}

// otherRootPort returns where the root port was before, by the tables; "" if they don't say.
func (w *writer) otherRootPort(now string) string {
	for _, s := range w.differ.sides {
		for _, p := range []Opt[string]{s.bridge.rootPort, s.bridge.rootBefore} {
			if p.OK && p.Value != now && p.Value != "" {
				return p.Value
			}
		}
	}
	return ""
}

// knownPort returns the name under which a port is watched, whatever spelling a line has; of one that is not, its name in
// the spelling of those that are.
func (w *writer) knownPort(name string) string {
	var ports []string
	for _, s := range w.differ.sides {
		if _, ok := s.ports[name]; ok {
			return name
		}
	}
	for _, s := range w.differ.sides {
		own := slices.Sorted(maps.Keys(s.ports))
		if known, ok := SamePort(own, name); ok {
			return known
		}
		ports = append(ports, own...)
	}
	return PortLike(ports, name)
}

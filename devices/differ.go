package devices

import (
	"maps"
	"slices"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// Differ turns the readings of one device into records: rates, states, events and gaps. It is the only place
// where counters are subtracted, so it is where wraps, restarts, clears, renumbered ports and agents that refresh
// their counters rarely are told apart. The zero value is ready; each device has its own, used by one goroutine
// at a time, which may come from several collectors.
//
// Counters of different collectors are never subtracted from one another. Where two collectors give the same
// figure of the same subject, SNMP's is kept and the command line's is left out, until SNMP falls silent.
type Differ struct {
	sides map[string]*side // by Origin.Collector
	began time.Time        // the start of the first reading
	owner map[timeline.Key]*ownership
	clock Opt[LocalClock] // the last time the device told its own

	lacks  map[timeline.Key]bool // figures that no collector has given yet
	lacked time.Time             // when the gaps for them were last written

	deltas []delta           // of one port; used again for the next
	wrote  int               // records of the last reading
	put    []timeline.Record // of the last call of Put; used again for the next
}

// side is what one collector said last.
type side struct {
	last    timeline.Span // of the last reading with interfaces
	head    timeline.Span // of the last reading: when states were read
	clock   Opt[Clock]
	boots   Opt[uint32]
	ports   map[string]*portState
	bridge  bridgeState
	refresh refresh
	tables  tables
	log     logState
}

// Records returns what the reading says beyond the one before it, in no particular order. A first reading gives
// states but no rates.
func (d *Differ) Records(r Reading) []timeline.Record {
	out := d.write(r, make([]timeline.Record, 0, d.wrote+d.wrote/8))
	d.wrote = len(out)
	return out
}

// Put writes what Records would return to out. It keeps nothing of the reading's lists.
func (d *Differ) Put(r Reading, out timeline.Sink) {
	d.put = d.write(r, d.put[:0])
	for _, rec := range d.put {
		out.Put(rec)
	}
	clear(d.put)
}

// write appends the records of a reading.
func (d *Differ) write(r Reading, out []timeline.Record) []timeline.Record {
	if d.sides == nil {
		d.sides, d.owner, d.lacks = map[string]*side{}, map[timeline.Key]*ownership{}, map[timeline.Key]bool{}
	}
	if d.began.IsZero() {
		d.began = r.Span.From
	}
	s := d.sides[r.Origin.Collector]
	if s == nil {
		s = &side{ports: map[string]*portState{}, tables: newTables()}
		d.sides[r.Origin.Collector] = s
	}
	w := &writer{differ: d, reading: r, side: s, device: timeline.Device(r.Device), out: out}
	w.now = r.Span
	if r.Clock.OK && !r.Clock.Value.Span.IsZero() {
		w.head = r.Clock.Value.Span
	} else {
		w.head = r.Span
	}
	w.restart()
	w.deviceSamples()
	for i := range r.Interfaces {
		w.port(&r.Interfaces[i])
	}
	w.bridge()
	w.tables()
	w.missing()
	w.refreshed()
	w.logLines()
	w.lacking()
	if len(r.Interfaces) > 0 {
		s.last = r.Span
	}
	s.head = w.head
	return w.out
}

// writer holds one call of Records.
type writer struct {
	differ    *Differ
	reading   Reading
	side      *side
	device    timeline.Subject
	now       timeline.Span // of the whole reading: when counters were read
	head      timeline.Span // of the device's clock: when states were read
	restarted bool
	out       []timeline.Record
	stretched stretch // the last one
}

// sample adds a figure, unless another collector gives it.
func (w *writer) sample(sub timeline.Subject, m timeline.Metric, sp timeline.Span, value float64) {
	w.sampleOf(sub, m, w.differ.owned(sub, m), sp, value)
}

// sampleOf is sample for who keeps the figure's ownership.
func (w *writer) sampleOf(sub timeline.Subject, m timeline.Metric, o *ownership, sp timeline.Span, value float64) {
	if w.takes(sub, m, o) {
		w.out = append(w.out, timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: value, Origin: w.reading.Origin})
	}
}

func (w *writer) event(sub timeline.Subject, t timeline.EventType, sp timeline.Span, text string, attrs map[string]string) {
	maps.DeleteFunc(attrs, func(_, v string) bool { return v == "" })
	if before := w.side.head; !before.IsZero() && !sp.From.After(before.From) && !sp.To.Before(w.head.To) {
		// All that is known is that it was so at one reading and not at the one before.
		attrs = withAttr(attrs, "dated", "polls")
	}
	w.out = append(w.out, timeline.Event{Subject: sub, Type: t, Span: sp, Text: text, Attrs: attrs, Origin: w.reading.Origin})
}

func withAttr(attrs map[string]string, key, value string) map[string]string {
	if attrs == nil {
		attrs = map[string]string{}
	}
	attrs[key] = value
	return attrs
}

func (w *writer) gap(sub timeline.Subject, m timeline.Metric, sp timeline.Span, reason timeline.Reason, text string) {
	w.out = append(w.out, timeline.Gap{Subject: sub, Metric: m, Span: sp, Reason: reason, Text: text, Origin: w.reading.Origin})
}

// restart notices that the device or its agent began anew: all its counters and ticks did too.
func (w *writer) restart() {
	s, r := w.side, w.reading
	before := s.clock
	if r.Clock.OK {
		s.clock = r.Clock
	}
	bootsRose := r.EngineBoot.OK && s.boots.OK && r.EngineBoot.Value != s.boots.Value
	if r.EngineBoot.OK {
		s.boots = r.EngineBoot
	}
	fell := before.OK && r.Clock.OK && before.Value.Restarted(r.Clock.Value)
	if !fell && !bootsRose {
		return
	}
	w.restarted = true
	sp := timeline.Span{To: w.head.To}
	if before.OK {
		sp.From = before.Value.Span.From
	} else {
		sp.From = w.head.From
	}
	text := "the SNMP agent restarted (snmpEngineBoots changed)"
	if fell {
		text = "the device rebooted or its SNMP agent restarted (sysUpTime fell)"
		if began, ok := r.Clock.Value.At(0); ok {
			sp = within(began, sp)
		}
	}
	w.event(w.device, timeline.EventRestart, sp, text, nil)
	w.gap(w.device, "", timeline.Span{From: sp.From, To: w.now.To}, timeline.ReasonReset, text)
}

// within returns the part of a that lies in b, or b where there is none: what is dated outside of the two polls
// between which it was seen is not believed.
func within(a, b timeline.Span) timeline.Span {
	if a.From.Before(b.From) {
		a.From = b.From
	}
	if a.To.After(b.To) {
		a.To = b.To
	}
	if a.To.Before(a.From) {
		return b
	}
	return a
}

// deviceSamples writes the figures of the device as a whole that need no subtraction.
func (w *writer) deviceSamples() {
	r := w.reading
	w.sample(w.device, timeline.Reachable, r.Span, 1)
	w.sample(w.device, timeline.PollTime, r.Span, max(0, r.Span.Width().Seconds()))
	if r.LocalClock.OK {
		w.sample(w.device, timeline.ClockOffset, r.LocalClock.Value.Span, r.LocalClock.Value.Offset().Seconds())
	}
	w.ratio(timeline.DeviceCPU, r.CPU)
	w.ratio(timeline.DeviceInterrupt, r.Interrupt)
	w.ratio(timeline.DeviceMemory, r.Memory)
}

func (w *writer) ratio(m timeline.Metric, v Opt[float64]) {
	if v.OK && v.Value >= 0 && v.Value <= 1 {
		w.sample(w.device, m, w.reading.Span, v.Value)
	}
}

// lackingAfter is how long a figure may be missing before a gap says so, and lackingEvery how often it is said.
const (
	lackingAfter = 10 * time.Second
	lackingEvery = time.Minute
)

// lacking says which figures of the ports no collector gives at all.
func (w *writer) lacking() {
	d := w.differ
	if len(w.reading.Interfaces) == 0 || len(d.lacks) == 0 || w.now.To.Sub(d.began) < lackingAfter {
		return
	}
	if !d.lacked.IsZero() && w.now.To.Sub(d.lacked) < lackingEvery {
		return
	}
	sp := timeline.Span{From: d.lacked, To: w.now.To}
	if d.lacked.IsZero() {
		sp.From = d.began
	}
	d.lacked = w.now.To
	keys := slices.SortedFunc(maps.Keys(d.lacks), func(a, b timeline.Key) int {
		if c := a.Subject.Compare(b.Subject); c != 0 {
			return c
		}
		return strings.Compare(string(a.Metric), string(b.Metric))
	})
	for _, k := range keys {
		w.gap(k.Subject, k.Metric, sp, timeline.ReasonUnsupported, "the device does not give this figure")
	}
}

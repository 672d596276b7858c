package devices

import (
	"fmt"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// tables is what one collector said last of everything that is neither a port's counter nor its own state.
type tables struct {
	states   map[tableKey]tableState
	counters map[tableKey]base
	rows     map[string]map[string]string // by table: key and value of each row
	rowsAt   map[string]timeline.Span
	drops    map[tableKey]*classDrops
	answered string // where answers came from, if from another address than was asked
}

// tableKey names one figure or state of a table's row.
type tableKey struct {
	subject timeline.Subject
	what    string
}

type tableState struct {
	value string
	at    timeline.Span
}

func newTables() tables {
	return tables{
		states: map[tableKey]tableState{}, counters: map[tableKey]base{}, rows: map[string]map[string]string{},
		rowsAt: map[string]timeline.Span{}, drops: map[tableKey]*classDrops{},
	}
}

// tables writes what the reading's tables say.
func (w *writer) tables() {
	w.answered()
	w.trees()
	w.neighbours()
	w.stations()
	w.bindings()
	w.aggregates()
	w.redundancies()
	w.units()
	w.sensors()
	w.queues()
	w.sessions()
	w.deviceCounter(timeline.LearnDiscards, w.reading.LearnDiscards)
	w.deviceCounter(timeline.FragFails, w.reading.FragFails)
	w.deviceCounter(timeline.ARPDrops, w.reading.ARPDrops)
}

// turned notes a state and says whether it is news: another one than this collector gave before, and no other
// collector's to tell. A state that is given for the first time is none. between is the time within which it turned.
func (w *writer) turned(sub timeline.Subject, what, now string) (before string, between timeline.Span, news bool) {
	k := tableKey{sub, what}
	old, known := w.side.tables.states[k]
	w.side.tables.states[k] = tableState{now, w.now}
	mine := w.owns(sub, timeline.Metric(what))
	if !known {
		return "", w.now, false
	}
	return old.value, timeline.Span{From: old.at.From, To: w.now.To}, mine && old.value != now
}

// rose returns by how much a counter of a table rose since it was last read, and within which time. It is not ok at
// first, and where the counter began anew: then a gap says so, unless metric is "".
func (w *writer) rose(sub timeline.Subject, what string, metric timeline.Metric, c Opt[Counter]) (step uint64, over timeline.Span, ok bool) {
	if !c.OK {
		return 0, over, false
	}
	k := tableKey{sub, what}
	b, known := w.side.tables.counters[k]
	w.side.tables.counters[k] = base{counter: c.Value, at: w.now}
	if !known {
		return 0, over, false
	}
	step, why := wrapped(b.counter, c.Value)
	if w.restarted {
		why = "the device or its agent restarted"
	}
	if why != "" {
		if metric != "" {
			w.gap(sub, metric, w.between(&b), timeline.ReasonReset, why)
		}
		return 0, over, false
	}
	return step, w.between(&b), true
}

// wrapped subtracts two values of a counter that rises slowly, so that a fall is a wrap only from the upper half of
// its range; why says why it can't.
func wrapped(before, now Counter) (step uint64, why string) {
	switch {
	case before.Bits != now.Bits:
		return 0, "the device counts in another width than before"
	case now.Value >= before.Value:
		return now.Value - before.Value, ""
	case now.Bits == 32 && before.Value >= 1<<31 && now.Value < 1<<31:
		return now.Value + 1<<32 - before.Value, ""
	}
	return 0, fmt.Sprintf("the counter fell from %d to %d", before.Value, now.Value)
}

// maxCount is a rate of packets or events that no device reaches: beyond it a counter is not believed. It is what
// the fastest line that is believed carries in the shortest frames.
var maxCount = packetsAtMost(maxLine)

// perSecond writes a step as a rate, unless it is absurd.
func (w *writer) perSecond(sub timeline.Subject, m timeline.Metric, step uint64, over timeline.Span) {
	elapsed := over.Width()
	if elapsed < minElapsed {
		return
	}
	rate := float64(step) / elapsed.Seconds()
	if rate > maxCount {
		w.gap(sub, m, over, timeline.ReasonSuspect, fmt.Sprintf("the counter rose by %d, which is more than a device can count", step))
		return
	}
	w.sample(sub, m, over, rate)
}

// deviceCounter writes the rate of a counter of the device as a whole.
func (w *writer) deviceCounter(m timeline.Metric, c Opt[Counter]) {
	if step, over, ok := w.rose(w.device, string(m), m, c); ok {
		w.perSecond(w.device, m, step, over)
	}
}

// rowsTurned compares a table of rows, each with a key and a value, with the one before it, and calls tell for each
// row that differs; from or to is "" where the row is not there. It tells nothing of a table read for the first time.
func (w *writer) rowsTurned(table string, now map[string]string, tell func(key, from, to string, between timeline.Span)) {
	t := &w.side.tables
	before, known := t.rows[table]
	between := timeline.Span{From: t.rowsAt[table].From, To: w.now.To}
	t.rows[table], t.rowsAt[table] = now, w.now
	if !w.owns(w.device, timeline.Metric("table "+table)) || !known {
		return
	}
	for _, k := range sortedKeys(before, now) {
		if before[k] != now[k] {
			tell(k, before[k], now[k], between)
		}
	}
}

// agedCounters writes the rates of a port whose counters may have been copied from the hardware some time before
// they were read, where the device says when: they are dated by that, and counters that were not copied anew since
// the last poll say nothing.
func (w *writer) agedCounters(p *portState, i *Interface, sub timeline.Subject) {
	age := i.CounterAgeing
	const oldest = 3600 // s; a copy that is older is no counter that is kept
	if !age.OK || age.Value < 0 || age.Value > oldest {
		w.counters(p, i, sub)
		return
	}
	read := w.now
	back := time.Duration(age.Value * float64(time.Second))
	w.now = timeline.Span{From: read.From.Add(-back), To: read.To.Add(-back)}
	const same = 100 * time.Millisecond // the age is given in hundredths, and read within the poll's own time
	if slack := same + read.Width(); p.copied.IsZero() || w.now.Mid().Sub(p.copied) > slack || w.restarted {
		p.copied = w.now.Mid()
		w.counters(p, i, sub)
	}
	w.now = read
}

func count(n uint64) string { return strconv.FormatUint(n, 10) }

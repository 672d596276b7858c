package app

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Facts is a file of facts by hand as rules can reason on it.
type Facts struct {
	Name     string
	Topology correlate.Topology
	Snapshot timeline.Snapshot
	Undated  bool     // an event has no time, so nothing is known of what came first
	MadeUp   bool     // no time was given at all: the records lie at a time that is none
	Notes    []string // what was assumed
	Counts   string   // how much was told, in words
}

// factsSource marks records that somebody wrote down.
const factsSource = "facts:"

// ParseFacts reads facts by hand, schema v1, and lays them out as records. Mistakes name file, line and key.
func ParseFacts(name string, text []byte) (Facts, error) {
	f, err := parseFacts(name, text)
	if err != nil {
		return Facts{}, err
	}
	f.readLines()
	b := &factsBuilder{file: f, origin: timeline.Origin{Collector: factsSource + name}}
	b.out.Name = name
	b.chooseDay()
	b.span()
	b.topology()
	b.findLiars()
	for _, p := range f.Ports {
		b.port(p)
	}
	for _, p := range f.Probes {
		b.probe(p)
	}
	for _, e := range f.Events {
		b.event(e)
	}
	for _, h := range f.Hosts {
		b.host(h)
	}
	b.out.Snapshot = timeline.NewSnapshot(b.records...)
	b.out.Counts = "facts by hand: " + f.summary()
	return b.out, nil
}

// summary says how many facts of each kind a file has.
func (f factsFile) summary() string {
	var out []string
	for _, c := range []struct {
		n    int
		noun string
	}{{len(f.Ports), "port"}, {len(f.Probes), "probe"}, {len(f.Events), "event"}, {len(f.Hosts), "host"}} {
		if c.n > 0 {
			out = append(out, rules.Plural(c.n, c.noun))
		}
	}
	return cmp.Or(strings.Join(out, ", "), "none")
}

// Diagnose evaluates the catalogue over the facts. Where an event has no time, what rests on events is no more than
// suspected: which came first is not known.
func (f Facts) Diagnose() []rules.Diagnosis {
	found := rules.Evaluate(Catalogue(), f.Snapshot, f.Topology)
	if !f.Undated {
		return found
	}
	for i := range found {
		d := &found[i]
		if d.Verdict == rules.Holds && len(d.Events) > 0 {
			d.Verdict = rules.Suspected
			d.Confidence = min(d.Confidence, undatedMost)
			d.Missing = append(d.Missing, "the times of the events: without them nothing tells which came first")
		}
	}
	return found
}

// undatedMost is the confidence that a finding reaches at most if its events have no times.
const undatedMost = 0.65

// factsBuilder lays out one file.
type factsBuilder struct {
	file    factsFile
	out     Facts
	all     timeline.Span // the time that everything without a time of its own lies in
	day     time.Time     // on which times of day alone lie
	origin  timeline.Origin
	records []timeline.Record
	liars   map[liar]bool
}

// liar is a counter that fell, although counters only count up: nothing that it counted is believed.
type liar struct{ device, port, metric string }

// findLiars finds the counters that fell between two readings.
func (b *factsBuilder) findLiars() {
	b.liars = map[liar]bool{}
	for _, p := range b.file.Ports {
		for _, r := range p.After.rows {
			if before, ok := p.Before.get(r.key); ok && counts(r.key) && risen(before, r.value) < 0 {
				b.liars[liar{p.name(), p.Port.text, r.key}] = true
			}
		}
	}
}

// risen returns how many a counter counted from one reading to the next; less than none if it fell.
func risen(before, after float64) float64 {
	// 2^32: counters of 32 bits wrap (RFC 2863, section 3.1.6); one that was near its end went round.
	const wrap = 4294967296.0
	if after < before && before < wrap && before > 0.75*wrap {
		return after - before + wrap
	}
	return after - before
}

// told reads a time with the day that was chosen.
func (b *factsBuilder) told(s string) (toldTime, error) {
	t, err := factsTime(s)
	return t.on(b.day), err
}

// chooseDay chooses on which day times of day alone lie: that of the first date told, else none.
func (b *factsBuilder) chooseDay() {
	b.day = report.NoDay
	var texts []string
	for _, e := range b.file.Events {
		texts = append(texts, e.Time.text)
	}
	for _, p := range b.file.Probes {
		texts = append(texts, p.When.text)
	}
	bare, dated, counted := false, false, false
	for _, s := range texts {
		switch t, err := factsTime(s); {
		case err != nil:
		case t.count:
			counted = true
		case !t.hasDay():
			bare = true
		case !dated:
			b.day, dated = t.at, true
		}
	}
	switch {
	case counted:
		b.out.Notes = append(b.out.Notes, "Times that are numbers are taken for seconds since a beginning that was not told.")
	case bare && dated:
		b.out.Notes = append(b.out.Notes, "Times of day without a date are taken for those of "+b.day.Format(time.DateOnly)+".")
	case bare:
		b.out.Notes = append(b.out.Notes, "Only times of day were told; where a form wants a date, it is "+report.NoDay.Format(time.DateOnly)+".")
	}
}

// span chooses the time in which everything without a time of its own lies: as long as the longest interval, and around
// all the times that are told.
func (b *factsBuilder) span() {
	length := time.Minute
	for _, p := range b.file.Ports {
		length = max(length, lengthOf(p.Interval.number))
	}
	for _, p := range b.file.Probes {
		length = max(length, lengthOf(p.DurationS.number))
	}
	var told timeline.Span
	for _, e := range b.file.Events {
		if t, err := b.told(e.Time.text); err == nil {
			told = told.Union(timeline.Around(t.at, t.exact))
		}
	}
	for _, p := range b.file.Probes {
		if t, err := b.told(p.When.text); err == nil {
			told = told.Union(timeline.Span{From: t.at.Add(-t.exact), To: t.at.Add(t.exact + lengthOf(p.DurationS.number))})
		}
	}
	b.out.Undated = slices.ContainsFunc(b.file.Events, func(e factsEvent) bool { return !e.Time.isSet() && e.Type.isSet() })
	b.out.MadeUp = told.IsZero()
	if told.IsZero() {
		b.all = timeline.Span{From: report.NoDay, To: report.NoDay.Add(length)}
		return
	}
	told = told.Widen(length/2, length/2)
	b.all = told
}

// lengthOf returns a number of seconds as a length, at most thirty years.
func lengthOf(v number) time.Duration {
	return time.Duration(min(v.value, 1e9) * float64(time.Second))
}

// aDevice stands for a device that is not named.
const aDevice = "device"

// name returns the device's name, or a word where it has none.
func (p factsPort) name() string { return cmp.Or(p.Device.text, aDevice) }

func (b *factsBuilder) put(r timeline.Record) { b.records = append(b.records, r) }

func (b *factsBuilder) sample(sub timeline.Subject, m timeline.Metric, sp timeline.Span, v float64) {
	b.put(timeline.Sample{Subject: sub, Metric: m, Span: sp, Value: v, Origin: b.origin})
}

func (b *factsBuilder) port(p factsPort) {
	sub := timeline.Port(p.name(), p.Port.text)
	if !p.Port.isSet() {
		sub = timeline.Device(p.name())
	}
	interval := b.all
	if d := lengthOf(p.Interval.number); d > 0 {
		interval.From = interval.To.Add(-d)
	}
	if p.Speed.isSet() {
		b.sample(sub, timeline.Speed, b.all, p.Speed.value)
	}
	if p.Duplex.isSet() {
		half := 0.0
		if p.Duplex.text == "half" {
			half = 1
		}
		b.sample(sub, timeline.HalfDuplex, b.all, half)
	}
	totals := map[string]string{}
	for _, r := range p.Now.rows {
		if counts(r.key) {
			totals[r.key] = strconv.FormatFloat(r.value, 'f', -1, 64)
			continue
		}
		sp := b.all
		if p.Interval.isSet() {
			sp = interval
		}
		b.sample(sub, timeline.Metric(r.key), sp, r.value)
	}
	for _, r := range p.After.rows {
		b.difference(sub, interval, p, r, totals)
	}
	for _, r := range p.Before.rows {
		if _, ok := p.After.get(r.key); !ok && !counts(r.key) {
			b.sample(sub, timeline.Metric(r.key), timeline.Span{From: interval.From, To: interval.From}, r.value)
		}
	}
	if len(totals) > 0 {
		if p.AgeS.isSet() {
			totals["age_s"] = strconv.FormatFloat(p.AgeS.value, 'f', -1, 64)
		}
		b.put(timeline.Event{Subject: sub, Type: timeline.EventTotals, Span: b.all, Attrs: totals, Origin: b.origin})
	}
}

// counts says whether a metric counts, rather than being a state: what devices show of it is a number of packets, or for the
// two rates of octets.
func counts(key string) bool {
	d, _ := timeline.Describe(timeline.Metric(key))
	return d.Unit == "packet/s" || d.Unit == "1/s" || octets(key)
}

func octets(key string) bool {
	return key == string(timeline.InBits) || key == string(timeline.OutBits)
}

// difference puts what a counter counted between before and after, and a state as it was at both.
func (b *factsBuilder) difference(sub timeline.Subject, sp timeline.Span, p factsPort, r metricRow, totals map[string]string) {
	m := timeline.Metric(r.key)
	before, ok := p.Before.get(r.key)
	if !counts(r.key) {
		if ok {
			b.sample(sub, m, timeline.Span{From: sp.From, To: sp.From.Add(sp.Width() / 2)}, before)
			sp.From = sp.From.Add(sp.Width() / 2)
		}
		b.sample(sub, m, sp, r.value)
		return
	}
	if !ok {
		if _, told := totals[r.key]; !told {
			totals[r.key] = strconv.FormatFloat(r.value, 'f', -1, 64)
		}
		return
	}
	n := risen(before, r.value)
	switch {
	case n < 0:
		b.put(timeline.Event{Subject: sub, Type: timeline.EventUnreliable, Span: sp, Attrs: map[string]string{"metric": r.key}, Origin: b.origin,
			Text: fmt.Sprintf("%s fell from %.0f to %.0f", r.key, before, r.value)})
		b.put(timeline.Gap{Subject: sub, Metric: m, Span: sp, Reason: timeline.ReasonSuspect, Text: "the counter fell", Origin: b.origin})
		return
	case b.liars[liar{p.name(), p.Port.text, r.key}]:
		b.put(timeline.Gap{Subject: sub, Metric: m, Span: sp, Reason: timeline.ReasonSuspect, Text: "the counter fell in another reading", Origin: b.origin})
		return
	}
	if octets(r.key) {
		n *= 8
	}
	b.sample(sub, m, sp, n/sp.Width().Seconds())
}

// sourcePort finds the source port in a person's words.
var sourcePort = regexp.MustCompile(`(?i)\b(?:source|src|local) port (\d+)\b`)

func (b *factsBuilder) probe(p factsProbe) {
	attrs := map[string]string{}
	for key, v := range map[string]scalar{"proto": p.Proto, "direction": p.Direction, "when": p.When, "note": p.Note} {
		if v.isSet() {
			attrs[key] = v.text
		}
	}
	for key, v := range map[string]number{
		"rate_bps": p.RateBps.number, "offered_bps": p.OfferedBps.number, "loss_ratio": p.LossRatio.number, "retransmits": p.Retransmits,
		"window_bytes": p.WindowBytes.number, "rtt_ms": p.RTTMs.number, "streams": p.Streams, "size_bytes": p.SizeBytes.number,
		"jitter_ms": p.JitterMs.number, "duration_s": p.DurationS.number,
	} {
		if v.isSet() {
			attrs[key] = strconv.FormatFloat(v.value, 'f', -1, 64)
		}
	}
	if m := sourcePort.FindStringSubmatch(p.Note.text); m != nil {
		attrs["port"] = m[1]
	}
	sp := b.all
	if t, err := b.told(p.When.text); err == nil {
		sp = timeline.Around(t.at, t.exact)
		sp.To = sp.To.Add(lengthOf(p.DurationS.number))
	}
	b.put(timeline.Event{Subject: timeline.Path(b.pathOf(p)), Type: timeline.EventResult, Span: sp, Attrs: attrs, Origin: b.origin})
}

func (b *factsBuilder) host(h factsHost) {
	name := h.Name.text
	if name == "" {
		name = "host"
	}
	sub, cpu := timeline.Host(name), timeline.HostCPU
	if _, device := b.out.Topology.Device(name); device {
		sub, cpu = timeline.Device(name), timeline.DeviceCPU
	}
	if h.CPURatio.isSet() {
		b.sample(sub, cpu, b.all, h.CPURatio.value)
	}
	if len(h.Settings) > 0 {
		b.put(timeline.Event{Subject: sub, Type: timeline.EventSettings, Span: b.all, Attrs: h.Settings, Origin: b.origin})
	}
}

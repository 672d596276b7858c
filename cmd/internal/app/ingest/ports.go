package ingest

import (
	"cmp"
	"fmt"
	"math"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/parse"
	"whydrop/devices/parse/cisco_ios"
	"whydrop/rules"
)

// snapshot is one show interfaces of one port.
type snapshot struct {
	parse.Found
	source string
	clock  time.Time // of the device, if it stands in front
	block  int
	shown  bool // by a platform whose rows are left to the rules of the catalogue as well

	host    bool   // a host's own card, no device on the path
	command string // what printed it, where several commands count the same port; "" of the others
}

// someDevice is the device whose name a text does not give.
const someDevice = "device"

// prompt is a device's prompt with a command behind it: "SW_2960#sh int gi0/1".
var prompt = regexp.MustCompile(`(?m)(?:^|\s)([A-Za-z][\w.-]{0,62})(?:\([\w-]{1,30}\))?(?:[#>][ \t]*(?:sh|show|do|ter|ping|exit|\n|\r)| # (?:get|diag|show|exec))`)

// deviceBefore returns the device whose prompt stands last in front of a place.
func (t *text) deviceBefore(at int) string {
	if t.prompts == nil {
		t.prompts = append([][]int{}, prompt.FindAllStringSubmatchIndex(t.body, -1)...)
	}
	return cmp.Or(t.lastOf(t.prompts, at), someDevice)
}

// lastOf returns the name in the last of the prompts that end in front of a place; "" if there is none.
func (t *text) lastOf(prompts [][]int, at int) string {
	i := sort.Search(len(prompts), func(i int) bool { return prompts[i][1] > at })
	if i == 0 {
		return ""
	}
	return t.body[prompts[i-1][2]:prompts[i-1][3]]
}

// port takes in one block of show interfaces.
func (b *builder) port(t *text, p parse.Found) {
	b.snapshot(t, t.deviceBefore(p.From), snapshot{Found: p})
}

// snapshot takes in what a device shows of one port.
func (b *builder) snapshot(t *text, device string, s snapshot) {
	var known []string
	for _, o := range b.order {
		if o.Device == device {
			known = append(known, o.Name)
		}
	}
	if name, ok := devices.SamePort(known, s.Interface.Name); ok { // "te1/1/4" of a command is the TenGigabitEthernet1/1/4 of its answer
		s.Interface.Name = name
	}
	if s.shown {
		shownRates(&s.Found)
	}
	p, sub := s.Found, timeline.Port(device, s.Interface.Name)
	s.source = t.source(p.From)
	if c, ok := cisco_ios.ShowClock(t.body[max(0, p.From-600):p.From]); ok {
		s.clock = c.Time
	}
	if b.ports == nil {
		b.ports = map[timeline.Subject][]snapshot{}
	}
	if b.ports[sub] == nil {
		b.order = append(b.order, sub)
	}
	s.block = b.block(t.where(p.From), "show-interfaces", portText(sub, p))
	b.ports[sub] = append(b.ports[sub], s)
}

// shownRates takes over the mean rates that parsers of other platforms keep as facts.
func shownRates(p *parse.Found) {
	for _, r := range []struct {
		fact string
		to   *devices.Opt[float64]
	}{{"in_rate", &p.Extra.InRate}, {"out_rate", &p.Extra.OutRate}, {"in_packet_rate", &p.Extra.InPacketRate}, {"out_packet_rate", &p.Extra.OutPacketRate}} {
		if v, err := strconv.ParseFloat(p.Interface.Fact(r.fact), 64); err == nil && !r.to.OK {
			*r.to = devices.Some(v)
		}
	}
	if m := interval.FindStringSubmatch(p.Interface.Fact("interval")); m != nil {
		n, _ := strconv.Atoi(m[1])
		unit := time.Second
		if strings.HasPrefix(m[2], "m") {
			unit = time.Minute
		}
		p.Extra.Interval = devices.Some(time.Duration(n) * unit)
	}
}

// interval is over what rates are a mean: "30 seconds", "5 minute", "Last 300 seconds".
var interval = regexp.MustCompile(`(\d{1,4}) ?(s|m)`)

// counters lists what show interfaces counts, as metrics. The last two are the packets, which are no trouble.
var counters = []struct {
	metric timeline.Metric
	get    func(devices.Interface) devices.Opt[devices.Counter]
}{
	{timeline.InErrors, func(i devices.Interface) devices.Opt[devices.Counter] { return i.InErrors }},
	{timeline.OutErrors, func(i devices.Interface) devices.Opt[devices.Counter] { return i.OutErrors }},
	{timeline.InFCS, func(i devices.Interface) devices.Opt[devices.Counter] { return i.FCS }},
	{timeline.InAlignment, func(i devices.Interface) devices.Opt[devices.Counter] { return i.Alignment }},
	{timeline.InRunts, func(i devices.Interface) devices.Opt[devices.Counter] { return i.Runts }},
	{timeline.InGiants, func(i devices.Interface) devices.Opt[devices.Counter] { return i.Giants }},
	{timeline.InOverrun, func(i devices.Interface) devices.Opt[devices.Counter] { return i.Overrun }},
	{timeline.InNoBuffer, func(i devices.Interface) devices.Opt[devices.Counter] { return i.NoBuffer }},
	{timeline.InDrops, func(i devices.Interface) devices.Opt[devices.Counter] { return i.InDrops }},
	{timeline.OutDrops, func(i devices.Interface) devices.Opt[devices.Counter] { return i.OutDrops }},
	{timeline.LateCollisions, func(i devices.Interface) devices.Opt[devices.Counter] { return i.LateCollisions }},
	{timeline.Collisions, func(i devices.Interface) devices.Opt[devices.Counter] { return i.Collisions }},
	{timeline.InPause, func(i devices.Interface) devices.Opt[devices.Counter] { return i.InPause }},
	{timeline.OutPause, func(i devices.Interface) devices.Opt[devices.Counter] { return i.OutPause }},
	{timeline.InPackets, func(i devices.Interface) devices.Opt[devices.Counter] { return i.InPackets }},
	{timeline.OutPackets, func(i devices.Interface) devices.Opt[devices.Counter] { return i.OutPackets }},
}

// finishPorts makes views of snapshots: one of a port shows states, two show what was counted in between.
func (b *builder) finishPorts() {
	for _, sub := range b.order {
		all := b.ports[sub]
		last := all[len(all)-1]
		v := rules.PortView{Subject: sub, Source: last.source, Host: last.host}
		for _, one := range all { // the last word of each command counts
			states(&v, one.Found)
		}
		for _, same := range byCommand(all) {
			b.counted(&v, same)
		}
		b.Pasted.Ports = append(b.Pasted.Ports, v)
		b.portRecords(v, last)
		if last.shown {
			b.shownTotals(v, last)
		}
	}
}

// byCommand parts the snapshots of a port by what printed them: only those of one command can be subtracted.
func byCommand(all []snapshot) [][]snapshot {
	var out [][]snapshot
	for _, s := range all {
		i := slices.IndexFunc(out, func(o []snapshot) bool { return o[0].command == s.command })
		if i < 0 {
			out = append(out, nil)
			i = len(out) - 1
		}
		out[i] = append(out[i], s)
	}
	return out
}

// counted adds to a view what snapshots of one command counted.
func (b *builder) counted(v *rules.PortView, all []snapshot) {
	last := all[len(all)-1]
	one := rules.PortView{Subject: v.Subject}
	if len(all) > 1 {
		b.between(&one, all[len(all)-2], last)
		if last.block >= 0 {
			b.Blocks[last.block].What += "; " + countsText(one)
		}
	} else if age, ok := clearedAgo(last.Interface.LastClear); ok {
		since(&one, last.Interface, age)
	} else {
		one.Totals = totals(last.Interface)
	}
	if len(one.Counts) > 0 {
		v.Octets, v.Seconds, v.Since = cmp.Or(v.Octets, one.Octets), cmp.Or(v.Seconds, one.Seconds), one.Since
	}
	v.Counts, v.Totals = added(v.Counts, one.Counts), added(v.Totals, one.Totals)
}

// added adds to a map what it does not hold yet.
func added(to, more map[timeline.Metric]float64) map[timeline.Metric]float64 {
	if to == nil {
		return more
	}
	for m, n := range more {
		if _, ok := to[m]; !ok {
			to[m] = n
		}
	}
	return to
}

// states takes over what a snapshot says of now.
func states(v *rules.PortView, p parse.Found) {
	i := p.Interface
	if i.Oper.OK {
		up := i.Oper.Value == "up"
		v.Oper = &up
	}
	if i.Duplex.OK && (i.Duplex.Value == "half" || i.Duplex.Value == "full") {
		half := i.Duplex.Value == "half"
		v.HalfDuplex = &half
	}
	if i.Speed.OK && i.Speed.Value > 0 {
		s := float64(i.Speed.Value)
		v.Speed = &s
	}
	if i.SpeedMax.OK && i.SpeedMax.Value > 0 {
		s := float64(i.SpeedMax.Value)
		v.SpeedMax = &s
	}
	if v.Speed != nil && (p.Extra.InRate.OK || p.Extra.OutRate.OK) {
		load := max(p.Extra.InRate.Or(0), p.Extra.OutRate.Or(0)) / *v.Speed
		v.Load, v.LoadSeconds = &load, p.Extra.Interval.Or(5*time.Minute).Seconds()
	}
}

func totals(i devices.Interface) map[timeline.Metric]float64 {
	out := map[timeline.Metric]float64{}
	for _, c := range counters {
		if o := c.get(i); o.OK {
			out[c.metric] = float64(o.Value.Value)
		}
	}
	return out
}

// recently is how long ago counters may have been cleared for their totals to be about now.
const recently = 24 * time.Hour

// clock is how long ago something was, as platforms write it: "00:12:33", "2:10:11 ago", "2026-03-02 11:20:05 UTC (01:04:11 ago)".
var clock = regexp.MustCompile(`(?:^|\()(\d{1,3}):(\d\d):(\d\d)(?: ago)?\)?$`)

// clearedAgo reads "Last clearing of counters 00:12:33"; never, days and weeks are too long ago.
func clearedAgo(s devices.Opt[string]) (time.Duration, bool) {
	m := clock.FindStringSubmatch(strings.TrimSpace(s.Or("")))
	if m == nil {
		return 0, false
	}
	h, _ := strconv.Atoi(m[1])
	min, _ := strconv.Atoi(m[2])
	sec, _ := strconv.Atoi(m[3])
	d := time.Duration(h)*time.Hour + time.Duration(min)*time.Minute + time.Duration(sec)*time.Second
	return d, d > 0 && d <= recently
}

// since takes totals for counts where the counters were cleared not long ago.
func since(v *rules.PortView, i devices.Interface, age time.Duration) {
	v.Counts = totals(i)
	s := age.Seconds()
	v.Seconds, v.Since = &s, fmt.Sprintf("since the counters were cleared %s before", report.RoundLength(age))
	if i.InOctets.OK {
		v.Octets = float64(i.InOctets.Value.Value)
	}
}

// unknownApart is how far apart two snapshots are taken to lie whose text does not say. It only carries counts
// through the differ and is never shown.
const unknownApart = 24 * time.Hour

// between lets the differ subtract two snapshots.
func (b *builder) between(v *rules.PortView, first, last snapshot) {
	apart, known := unknownApart, false
	if d := last.clock.Sub(first.clock); !first.clock.IsZero() && !last.clock.IsZero() && d > 0 && d < 366*24*time.Hour {
		apart, known = d, true
	}
	var d devices.Differ
	d.Records(reading(v.Subject, first, epoch))
	v.Since = "between the two snapshots"
	v.Counts = map[timeline.Metric]float64{}
	reset := false
	for _, r := range d.Records(reading(v.Subject, last, epoch.Add(apart))) {
		switch r := r.(type) {
		case timeline.Sample:
			w := r.Span.Width().Seconds()
			switch r.Metric {
			case timeline.InBits:
				v.Octets = math.Round(r.Value * w / 8)
			case timeline.OutBits, timeline.Utilisation, timeline.Speed, timeline.SpeedMax, timeline.Oper, timeline.HalfDuplex:
			default:
				v.Counts[r.Metric] = math.Round(r.Value * w)
			}
		case timeline.Gap:
			reset = reset || r.Reason == timeline.ReasonReset
		}
	}
	if known {
		s := apart.Seconds()
		v.Seconds, v.Since = &s, fmt.Sprintf("within %s between the two snapshots", report.RoundLength(apart))
	}
	if reset && len(v.Counts) == 0 {
		v.Since = "since the counters were cleared between the two snapshots"
		v.Totals = totals(last.Interface)
	}
}

func reading(sub timeline.Subject, s snapshot, at time.Time) devices.Reading {
	if s.shown { // "12 days, 2:10:11 ago" changes by itself; that counters fell tells that they were cleared
		s.Interface.LastClear = devices.Opt[string]{}
	}
	return devices.Reading{Device: sub.Device, Span: timeline.At(at), Origin: timeline.Origin{Collector: "ssh:" + sub.Device, Exchange: 1}, Interfaces: []devices.Interface{s.Interface}}
}

// portRecords writes the states of a port, and its rates where the text says over which time.
func (b *builder) portRecords(v rules.PortView, s snapshot) {
	at := s.clock
	b.dated = b.dated || !at.IsZero()
	if at.IsZero() {
		at, b.made = b.clock, true
	}
	o := timeline.Origin{Collector: s.source, Exchange: 1}
	put := func(m timeline.Metric, sp timeline.Span, value float64) {
		b.Records = append(b.Records, timeline.Sample{Subject: v.Subject, Metric: m, Span: sp, Value: value, Origin: o})
	}
	for _, st := range []struct {
		m timeline.Metric
		v *float64
	}{{timeline.Speed, v.Speed}, {timeline.SpeedMax, v.SpeedMax}, {timeline.Oper, number(v.Oper)}, {timeline.HalfDuplex, number(v.HalfDuplex)}} {
		if st.v != nil {
			put(st.m, timeline.At(at), *st.v)
		}
	}
	mean := timeline.Span{From: at.Add(-s.Extra.Interval.Or(5 * time.Minute)), To: at}
	for _, r := range []struct {
		m timeline.Metric
		v devices.Opt[float64]
	}{{timeline.InBits, s.Extra.InRate}, {timeline.OutBits, s.Extra.OutRate}, {timeline.InPackets, s.Extra.InPacketRate}, {timeline.OutPackets, s.Extra.OutPacketRate}} {
		if r.v.OK {
			put(r.m, mean, r.v.Value)
		}
	}
	if v.Seconds != nil && *v.Seconds > 0 {
		sp := timeline.Span{From: at.Add(-seconds(*v.Seconds)), To: at}
		for _, c := range counters {
			if n, ok := v.Counts[c.metric]; ok && c.metric != timeline.InPackets && c.metric != timeline.OutPackets {
				put(c.metric, sp, n / *v.Seconds)
			}
		}
	}
}

func number(b *bool) *float64 {
	if b == nil {
		return nil
	}
	v := 0.0
	if *b {
		v = 1
	}
	return &v
}

// portText says in one sentence what a snapshot shows.
func portText(sub timeline.Subject, p parse.Found) string {
	i := p.Interface
	parts := []string{fmt.Sprintf("%s is %s", sub, i.Oper.Or("in an unknown state"))}
	if i.Speed.OK {
		parts = append(parts, report.Speed(float64(i.Speed.Value)))
	}
	if i.Duplex.OK {
		parts = append(parts, i.Duplex.Value+" duplex")
	}
	if p.Extra.InRate.OK && p.Extra.OutRate.OK {
		parts = append(parts, fmt.Sprintf("%s in and %s out over %s", report.Rate(p.Extra.InRate.Value), report.Rate(p.Extra.OutRate.Value), report.RoundLength(p.Extra.Interval.Or(5*time.Minute))))
	}
	var bad []string
	read := 0
	for _, c := range counters[:len(counters)-2] {
		if o := c.get(i); o.OK {
			read++
			if o.Value.Value > 0 {
				bad = append(bad, fmt.Sprintf("%d %s", o.Value.Value, report.MetricName(string(c.metric))))
			}
		}
	}
	age := ""
	if d, ok := clearedAgo(i.LastClear); ok {
		age = " in " + report.RoundLength(d)
	}
	switch {
	case len(bad) > 0:
		parts = append(parts, "counted so far"+age+": "+strings.Join(bad, ", "))
	case read > 3:
		parts = append(parts, "no errors and no drops counted"+age)
	}
	return strings.Join(parts, ", ")
}

// countsText says what was counted between two snapshots.
func countsText(v rules.PortView) string {
	var out []string
	for _, c := range counters[:len(counters)-2] {
		if n := v.Counts[c.metric]; n > 0 {
			out = append(out, fmt.Sprintf("%.0f %s", n, report.MetricName(string(c.metric))))
		}
	}
	if len(out) == 0 {
		return v.Since + ": nothing bad was counted"
	}
	return v.Since + ": " + strings.Join(out, ", ")
}

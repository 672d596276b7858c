package tui

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Detail is one line of what is known of a port.
type Detail struct {
	Label string // what it is about; "" goes on with the one before
	Text  string
	Bad   bool // it deserves a look
}

// PortDetails says all that is known of a port at the model's moment: how it is set up, what its neighbour offers, what
// it carries, its optics and its error counters now and since the run began. What is not known is said to be so, with
// the reason where there is one.
func (m *Model) PortDetails(sub timeline.Subject) []Detail {
	d := details{s: m.snap, sub: sub, now: m.Now}
	d.state()
	d.link()
	d.load()
	d.told("Neighbour", timeline.EventNeighbour)
	d.told("Aggregate", timeline.EventLAGMember)
	d.told("One way", timeline.EventUDLD)
	d.told("Guard", timeline.EventInconsistent)
	d.told("Storm", timeline.EventStorm)
	d.told("Power", timeline.EventPower)
	d.told("Cable test", timeline.EventCable)
	d.optics()
	d.counters()
	d.recent()
	return d.out
}

// details gathers the lines.
type details struct {
	s   timeline.Snapshot
	sub timeline.Subject
	now time.Time
	out []Detail
}

func (d *details) add(label, text string, bad bool) {
	d.out = append(d.out, Detail{label, report.Clean(text), bad})
}

// value returns the newest reading of a metric, if it is fresh.
func (d *details) value(m timeline.Metric) *float64 {
	if v, ok := d.s.Last(d.sub, m); ok && d.now.Sub(v.Span.To) <= freshDevice {
		return &v.Value
	}
	return nil
}

// why says why a metric is not known, after a space and in brackets; "" if nothing tells.
func (d *details) why(m timeline.Metric) string {
	if gaps := d.s.GapsOf(d.sub, m); len(gaps) > 0 {
		return " (" + string(gaps[len(gaps)-1].Reason) + ")"
	}
	if last, ok := d.s.Last(d.sub, m); ok {
		return " (last read " + report.RoundLength(d.now.Sub(last.Span.To)) + " ago)"
	}
	return ""
}

// last returns the newest event of a type.
func (d *details) last(t timeline.EventType) (timeline.Event, bool) {
	e := d.s.EventsOf(d.sub, t)
	if len(e) == 0 {
		return timeline.Event{}, false
	}
	return e[len(e)-1], true
}

// since says when an event was.
func since(e timeline.Event) string { return " since " + report.ClockSecond(e.Span.Mid()) + " UTC" }

func (d *details) state() {
	text, bad := "not known"+d.why(timeline.Oper), false
	if up := d.value(timeline.Oper); up != nil {
		text, bad = map[bool]string{true: "up", false: "down"}[*up != 0], *up == 0
		if e, ok := d.last(timeline.EventOper); ok {
			text += since(e)
		}
	}
	if n := len(d.s.EventsOf(d.sub, timeline.EventOper)); n > 1 {
		text += fmt.Sprintf("; changed %d times", n)
	}
	d.add("State", text, bad)
	if e, ok := d.last(timeline.EventErrDisabled); ok && e.Attrs["to"] != "up" {
		text := "by the device itself: " + orUnknown(e.Attrs["cause"]) + since(e)
		if s := e.Attrs["recovery_s"]; s != "" && s != "0" {
			text += "; tried again after " + s + " s"
		}
		d.add("Shut", text, true)
	}
	if f := d.value(timeline.STPForwarding); f != nil {
		text := map[bool]string{true: "forwards", false: "does not forward"}[*f != 0]
		if e, ok := d.last(timeline.EventSTPState); ok {
			text += ": " + orUnknown(e.Attrs["to"]) + since(e)
		}
		if e, ok := d.last(timeline.EventSTPRole); ok {
			text += "; role " + orUnknown(e.Attrs["to"]) + since(e)
		}
		d.add("Tree", text, false)
	}
}

func orUnknown(s string) string {
	if s == "" {
		return "?"
	}
	return s
}

func (d *details) link() {
	speed, most, offered := d.value(timeline.Speed), d.value(timeline.SpeedMax), d.value(timeline.NeighbourSpeed)
	text := "speed not known" + d.why(timeline.Speed)
	if speed != nil {
		text = report.Speed(*speed)
	}
	half := d.value(timeline.HalfDuplex)
	switch {
	case half == nil:
		text += ", duplex not known" + d.why(timeline.HalfDuplex)
	case *half != 0:
		text += ", half duplex"
	default:
		text += ", full duplex"
	}
	slow := false
	below := func(v *float64) string {
		if speed != nil && *speed > 0 && *v > *speed {
			slow = true
		}
		return report.Speed(*v)
	}
	if most != nil {
		text += "; the port can " + below(most)
	}
	if offered != nil {
		text += "; the neighbour offers " + below(offered)
	}
	if mtu := d.value(timeline.MTU); mtu != nil {
		text += fmt.Sprintf("; MTU %.0f", *mtu)
	}
	if eee := d.value(timeline.EEE); eee != nil && *eee != 0 {
		text += "; energy-efficient Ethernet"
	}
	d.add("Link", text, slow || half != nil && *half != 0)
	if in := d.value(timeline.LAGInSync); in != nil {
		d.add("Member", map[bool]string{true: "of an aggregate, and in sync", false: "of an aggregate, and not in sync"}[*in != 0], *in == 0)
	}
}

func (d *details) load() {
	in, out := d.value(timeline.InBits), d.value(timeline.OutBits)
	if in == nil && out == nil {
		d.add("Load", "not known: "+d.noLoad(), false)
		return
	}
	text := "in " + figure(in, report.Rate) + ", out " + figure(out, report.Rate)
	if load := d.value(timeline.Utilisation); load != nil {
		text += fmt.Sprintf("; %.1f %% of the speed", *load*100)
	} else {
		text += "; share of the speed not known: " + d.noLoad()
	}
	if pin, pout := d.value(timeline.InPackets), d.value(timeline.OutPackets); pin != nil || pout != nil {
		text += "; packets/s in " + figure(pin, perSecond) + ", out " + figure(pout, perSecond)
	}
	d.add("Load", text, false)
}

// noLoad says why the load is not known.
func (d *details) noLoad() string {
	in := d.value(timeline.InBits)
	switch {
	case in == nil && d.value(timeline.Oper) == nil:
		return "the port was not read" + d.why(timeline.Oper)
	case in == nil && len(d.s.GapsOf(d.sub, timeline.InBits)) > 0:
		return "no octet counters" + d.why(timeline.InBits)
	case in == nil:
		return "a rate needs two readings of the counters"
	case d.value(timeline.Speed) == nil:
		return "the device states no speed" + d.why(timeline.Speed)
	}
	return "not told" + d.why(timeline.Utilisation)
}

// told says what the newest event of a type told, if there was one.
func (d *details) told(label string, t timeline.EventType) {
	e, ok := d.last(t)
	if !ok {
		return
	}
	bad := slices.Contains([]timeline.EventType{timeline.EventUDLD, timeline.EventInconsistent, timeline.EventStorm}, t)
	switch e.Attrs["to"] {
	case "bidirectional", "cleared", "bundled", "on", "ok":
		bad = false
	}
	text := report.EventText(e)
	if t == timeline.EventNeighbour && e.Attrs["to"] != "" {
		text = e.Attrs["to"] + ", by " + strings.ToUpper(orUnknown(e.Attrs["protocol"]))
	}
	d.add(label, text+since(e), bad)
}

func (d *details) optics() {
	dBm := func(v float64) string { return fmt.Sprintf("%.1f dBm", v) }
	limit := func(text string, v, warn *float64, alarm *float64) (string, bool) {
		var says []string
		bad := false
		if warn != nil {
			says, bad = append(says, "warns below "+dBm(*warn)), *v < *warn
		}
		if alarm != nil {
			says, bad = append(says, "alarm below "+dBm(*alarm)), bad || *v < *alarm
		}
		if len(says) == 0 {
			return text + " (the module names no threshold)", false
		}
		return text + " (" + strings.Join(says, ", ") + ")", bad
	}
	label := "Optics"
	if rx := d.value(timeline.RxPower); rx != nil {
		text, bad := limit("receives "+dBm(*rx), rx, d.value(timeline.RxLowWarn), d.value(timeline.RxLowAlarm))
		d.add(label, text, bad)
		label = ""
	}
	if tx := d.value(timeline.TxPower); tx != nil {
		text, bad := limit("sends "+dBm(*tx), tx, d.value(timeline.TxLowWarn), nil)
		d.add(label, text, bad)
		label = ""
	}
	if t := d.value(timeline.OpticsTemperature); t != nil {
		d.add(label, fmt.Sprintf("%.0f degC", *t), false)
	}
}

// carried are the metrics that count traffic, not trouble.
var carried = []timeline.Metric{
	timeline.InPackets, timeline.OutPackets, timeline.InBroadcasts, timeline.OutBroadcasts, timeline.InMulticasts, timeline.OutMulticasts,
}

// counters writes a line for each counter of trouble that moved, how many stood still and which were not read.
func (d *details) counters() {
	label, still, began := "Errors", 0, d.s.Span().From
	var unread []string
	for _, desc := range timeline.Metrics() {
		if desc.Kind != timeline.KindPort || desc.Unit != "packet/s" && desc.Unit != "1/s" || slices.Contains(carried, desc.Metric) {
			continue
		}
		series := d.s.Series(d.sub, desc.Metric)
		if len(series) == 0 {
			if len(d.s.GapsOf(d.sub, desc.Metric)) > 0 {
				unread = append(unread, desc.Name+d.why(desc.Metric))
			}
			continue
		}
		all := 0.0
		for _, v := range series {
			all += v.Value * v.Span.Width().Seconds()
		}
		if all < 0.5 {
			still++
			continue
		}
		minute := mostSeen(d.s, d.sub, []timeline.Metric{desc.Metric}, timeline.Span{From: d.now.Add(-recent), To: d.now})
		text := fmt.Sprintf("%s: now %s/s, in the last minute %s, since %s UTC %s", desc.Name, figure(d.value(desc.Metric), perSecond), count(minute), report.ClockSecond(began), count(all))
		d.add(label, text, minute >= attention)
		label = ""
	}
	switch {
	case still > 0 && label == "Errors":
		d.add(label, fmt.Sprintf("none: %s stood still since %s UTC", rules.Plural(still, "counter"), report.ClockSecond(began)), false)
	case still > 0:
		d.add("", rules.Plural(still, "more counter")+" stood still", false)
	case label == "Errors":
		d.add(label, "no counter was read"+d.why(timeline.InErrors), false)
	}
	if len(unread) > 0 {
		d.add("Not read", strings.Join(unread, ", "), false)
	}
}

// recent writes the newest events of the port.
func (d *details) recent() {
	const most = 5
	label := "Events"
	events := d.s.EventsOf(d.sub)
	for _, e := range events[max(0, len(events)-most):] {
		d.add(label, report.Clock(e.Span.Mid())+" "+report.EventText(e), false)
		label = ""
	}
	if label != "" {
		d.add(label, "none", false)
	}
}

package devices

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// portMore writes what a port says of itself beyond its counters, state, speed and duplex.
func (w *writer) portMore(p *portState, i *Interface, sub timeline.Subject) {
	if i.MTU.OK {
		w.portSample(p, sub, timeline.MTU, w.head, float64(i.MTU.Value))
	}
	if len(i.Offered) > 0 {
		w.portSample(p, sub, timeline.NeighbourSpeed, w.head, float64(slices.Max(i.Offered)))
	}
	if i.EEE.OK {
		w.portSample(p, sub, timeline.EEE, w.head, truth(i.EEE.Value))
	}
	w.errDisabled(p, i, sub)
	if i.UDLD.OK {
		if before, between, news := w.turned(sub, "udld.state", i.UDLD.Value); news {
			w.event(sub, timeline.EventUDLD, between, "UDLD sees "+sub.Name+" "+i.UDLD.Value, map[string]string{"from": before, "to": i.UDLD.Value})
		}
	}
	if len(i.Cable) > 0 {
		w.cable(i.Cable, sub)
	}
}

// errDisabled tells that the device shut a port by itself. That it gives no cause any more means that it opened the
// port only where the port is up again: it may not have been asked.
func (w *writer) errDisabled(p *portState, i *Interface, sub timeline.Subject) {
	cause := i.ErrDisabled
	if cause == "" && i.Oper.Value != "up" {
		return
	}
	old, now := p.errDisabled, tableState{cause, w.now}
	p.errDisabled = Some(now)
	mine := w.portOwns(p, sub, errDisabledOwner)
	if !old.OK || !mine || old.Value.value == cause {
		return
	}
	before, between := old.Value.value, timeline.Span{From: old.Value.at.From, To: w.now.To}
	attrs := map[string]string{"from": "up", "to": "disabled", "cause": cause}
	text := "the device shut " + sub.Name + " by itself: " + cause
	if i.ErrRecovers.OK {
		attrs["recovery_s"] = strconv.FormatUint(uint64(i.ErrRecovers.Value), 10)
	}
	if cause == "" {
		attrs = map[string]string{"from": "disabled", "to": "up", "cause": before}
		text = "the device opened " + sub.Name + " again"
	}
	w.event(sub, timeline.EventErrDisabled, between, text, attrs)
}

// cable tells each pair of a cable test whose result is another one than before.
func (w *writer) cable(pairs []CablePair, sub timeline.Subject) {
	for _, p := range pairs {
		metres := ""
		if p.Length.OK {
			metres = strconv.FormatFloat(p.Length.Value, 'f', -1, 64)
		}
		if _, between, news := w.turned(sub, "if.cable "+p.Pair, p.Status+" "+metres); news {
			w.event(sub, timeline.EventCable, between, "cable test of "+sub.Name+": pair "+p.Pair+" "+p.Status,
				map[string]string{"pair": p.Pair, "status": p.Status, "metres": metres})
		}
	}
}

// classDrops gathers the drops of one class until they are told.
type classDrops struct {
	count uint64
	span  timeline.Span
	told  time.Time
}

// classDropsEvery is how often the drops of one class are told, so that a policer that is always at work makes one
// event now and then; the rates have every second.
const classDropsEvery = 10 * time.Second

// queues writes the drops of classes, queues and policers: a rate for the port and an event for the class.
func (w *writer) queues() {
	type sum struct {
		step uint64
		over timeline.Span
	}
	sums := map[timeline.Subject]map[timeline.Metric]sum{}
	var order []timeline.Subject
	for _, q := range w.reading.Queues {
		sub := timeline.Port(w.reading.Device, q.Port)
		m := timeline.ClassDrops
		if q.Kind == "policer" {
			m = timeline.PolicerDrops
		}
		step, over, ok := w.rose(sub, "queue "+q.Way+" "+q.Kind+" "+q.Name, m, q.Drops)
		if !ok {
			continue
		}
		if sums[sub] == nil {
			sums[sub] = map[timeline.Metric]sum{}
			order = append(order, sub)
		}
		s := sums[sub][m]
		sums[sub][m] = sum{s.step + step, s.over.Union(over)}
		w.classDropped(q, sub, step, over)
	}
	for _, sub := range order {
		for m, s := range sums[sub] {
			if m != timeline.PolicerDrops || !w.countsPoliced(sub.Name) {
				w.perSecond(sub, m, s.step, s.over)
			}
		}
	}
}

// countsPoliced says whether the reading has the port's own counter of policed packets.
func (w *writer) countsPoliced(port string) bool {
	return slices.ContainsFunc(w.reading.Interfaces, func(i Interface) bool { return i.Name == port && i.PolicerDrops.OK })
}

func (w *writer) classDropped(q Queue, sub timeline.Subject, step uint64, over timeline.Span) {
	k := tableKey{sub, q.Way + " " + q.Kind + " " + q.Name}
	d := w.side.tables.drops[k]
	if d == nil {
		d = &classDrops{}
		w.side.tables.drops[k] = d
	}
	if step > 0 {
		d.count, d.span = d.count+step, d.span.Union(over)
	}
	if d.count == 0 || over.To.Sub(d.told) < classDropsEvery {
		return
	}
	attrs := map[string]string{"class": q.Name, "way": q.Way, "kind": q.Kind, "count": count(d.count)}
	if q.Rate.OK {
		attrs["rate_bps"] = count(q.Rate.Value)
	}
	w.event(sub, timeline.EventClassDrops, d.span, fmt.Sprintf("%s dropped %d packets on %s", strings.TrimSpace(q.Kind+" "+q.Name), d.count, sub.Name), attrs)
	*d = classDrops{told: over.To}
}

// sessions writes what a stateful device says of its flows.
func (w *writer) sessions() {
	if n := w.reading.StationCount; n.OK {
		w.sample(w.device, timeline.Stations, w.now, float64(n.Value))
	}
	s := w.reading.Sessions
	if s == nil {
		return
	}
	if s.Active.OK {
		w.sample(w.device, timeline.Sessions, w.now, float64(s.Active.Value))
	}
	if s.Limit.OK && s.Limit.Value > 0 {
		w.sample(w.device, timeline.SessionLimit, w.now, float64(s.Limit.Value))
	}
	w.deviceCounter(timeline.SessionRefused, s.Refused)
	w.deviceCounter(timeline.SessionDenied, s.Denied)
}

package outage

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// carrierSlack is how much later than what it did to heartbeats a change of the carrier may be read, and earlier.
const carrierSlack = 50 * time.Millisecond

// collect takes the gaps that the lines found, and reports them once neither line is in the middle of one: then
// it is known whether the two ways were dark together.
func (b *Book) collect() {
	for _, g := range b.forward.done {
		g.direction = timeline.Forward
		b.pending = append(b.pending, g)
	}
	for _, g := range b.reverse.done {
		g.direction = timeline.Reverse
		if g.unknown || !b.last.far {
			g.direction = timeline.Both
		}
		b.pending = append(b.pending, g)
	}
	b.forward.done, b.reverse.done = nil, nil
	if len(b.pending) > 0 && !b.forward.open && !b.reverse.open {
		b.report()
	}
}

// report writes what is pending; a gap forward and a gap back that coincide are one.
func (b *Book) report() {
	near := 2*b.cfg.Heartbeat + b.rtt.value()/2
	for i, g := range b.pending {
		if g.direction == "" {
			continue
		}
		for j := i + 1; j < len(b.pending); j++ {
			h := &b.pending[j]
			if h.direction != "" && h.direction != g.direction && (g.from-h.from).Abs() <= near && (g.to-h.to).Abs() <= near {
				g.from, g.to = min(g.from, h.from), max(g.to, h.to)
				g.seen, g.next, g.proven = min(g.seen, h.seen), max(g.next, h.next), max(g.proven, h.proven)
				g.lost, g.late, g.hostLate = g.lost+h.lost, g.late+h.late, max(g.hostLate, h.hostLate)
				g.direction, h.direction = timeline.Both, ""
			}
		}
		b.outage(g, b.describe(g), false)
	}
	b.pending = b.pending[:0]
}

func (b *Book) describe(g found) string {
	ms := (g.to - g.from).Round(time.Millisecond)
	var text string
	switch {
	case g.direction == timeline.Forward && g.lost == 0:
		text = fmt.Sprintf("no heartbeat arrived at the far end for %s; %d were delivered late, none was lost", ms, g.late)
	case g.direction == timeline.Forward:
		text = fmt.Sprintf("no heartbeat reached the far end for %s (%d lost); this says nothing about the way back", ms, g.lost)
	case g.direction == timeline.Reverse && g.lost == 0:
		text = fmt.Sprintf("no answer arrived for %s; %d were delivered late on the way back, none was lost", ms, g.late)
	case g.direction == timeline.Reverse:
		text = fmt.Sprintf("no answer came back for %s: %d heartbeats reached the far end and were lost on the way back", ms, g.lost)
	case g.unknown || !b.last.far:
		text = fmt.Sprintf("no heartbeat was answered for %s (%d lost, %d late); a round trip cannot tell which way was dark", ms, g.lost, g.late)
	default:
		text = fmt.Sprintf("no heartbeat reached the far end and no answer came back for %s (%d lost)", ms, g.lost)
	}
	return text + g.note
}

func (b *Book) outage(g found, text string, open bool) {
	sp := b.span(g.from, g.to)
	wrong := b.cfg.Heartbeat
	switch g.direction {
	case timeline.Forward:
		wrong += b.rtt.value() / 2 // the share of the round trip that is the way there
	case timeline.Both:
		wrong += b.rtt.value()
	}
	wrong += g.hostLate
	attrs := map[string]string{
		"direction": g.direction,
		"seen_by":   timeline.SeenByHeartbeat,
		"lost":      strconv.Itoa(g.lost),
		"error_ms":  millis(wrong),
		"dark_ms":   millis(g.proven),
		"last_seen": b.wall(g.seen).Format(time.RFC3339Nano),
	}
	if !open {
		attrs["gap_ms"] = millis(g.next - g.seen)
		attrs["first_seen"] = b.wall(g.next).Format(time.RFC3339Nano)
	}
	if said := b.carrierText(g); said != "" {
		attrs["carrier"] = said
		text += "; this host's own link: " + said
	}
	if g.hostLate > b.cfg.Heartbeat/2 {
		attrs["host_late_ms"] = millis(g.hostLate)
		text += fmt.Sprintf("; this host itself was late to send at its ends: it may be %s longer", g.hostLate.Round(time.Millisecond))
	}
	if g.late > 0 {
		attrs["late"] = strconv.Itoa(g.late)
	}
	if open {
		attrs["open"] = "true"
	}
	b.cfg.Out.Put(timeline.Event{Subject: b.cfg.Path, Type: timeline.EventOutage, Span: sp, Text: text, Attrs: attrs, Origin: b.origin()})
	if g.lost == 0 {
		return
	}
	b.gap(timeline.RTT, sp, timeline.ReasonTimeout, "no heartbeat was answered")
	if g.direction == timeline.Forward {
		b.gap(timeline.LossReverse, sp, timeline.ReasonTimeout, "no heartbeat reached the far end, so none could be lost on the way back")
	}
}

func millis(d time.Duration) string {
	return strconv.FormatFloat(float64(d)/float64(time.Millisecond), 'f', 1, 64)
}

// carrierText lists what became of the carrier of this host's own card about the time of a gap.
func (b *Book) carrierText(g found) string {
	var said []string
	for _, c := range b.carriers {
		if c.at < g.seen-carrierSlack || c.at > g.next+carrierSlack {
			continue
		}
		state := "down"
		if c.up {
			state = "up"
		}
		said = append(said, fmt.Sprintf("%s %s at %s", c.card, state, b.wall(c.at).Format("15:04:05.000")))
	}
	return strings.Join(said, ", ")
}

// reportOpen writes the outage that goes on when the heartbeat ends.
func (b *Book) reportOpen(now time.Duration) {
	if !b.have || b.next == b.lastNum+1 {
		return
	}
	s := segment{from: b.lastNum + 1, to: b.next, fromBeat: b.last, missing: b.next - b.lastNum - 1}
	s.toBeat = *b.beat(b.next - 1)
	g := found{from: b.last.back(), to: now, seen: b.last.back(), next: now, proven: s.toBeat.sent - b.beat(max(s.from, b.oldest())).sent + b.cfg.Heartbeat, lost: int(s.missing), direction: timeline.Both, unknown: true}
	switch {
	case b.isPeer(s):
		s.toBeat.rtt = max(now-s.toBeat.sent, 0)
		b.reportPeer(s)
	case g.lost >= minLost && g.to-g.from >= minDark(b.cfg.Heartbeat):
		text := fmt.Sprintf("no heartbeat has been answered for %s (%d lost); which way is dark cannot be told before one is",
			(g.to-g.from).Round(time.Millisecond), g.lost) + b.note(s)
		b.outage(g, text, true)
	}
}

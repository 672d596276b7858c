package report

import (
	"strconv"
	"strings"
	"time"

	"whydrop/correlate/timeline"
)

// eventWords is how each type of event is told: a new type is one line here. What is missing from an event is
// told as "?"; the device's own words follow.
var eventWords = map[timeline.EventType]func(timeline.Event) string{
	timeline.EventOutage:         outageWords,
	timeline.EventProbeStart:     func(e timeline.Event) string { return "probe started: " + attr(e, "kind") },
	timeline.EventProbeStop:      func(e timeline.Event) string { return "probe stopped" },
	timeline.EventProbeProblem:   func(e timeline.Event) string { return "probe problem: " + attr(e, "kind") },
	timeline.EventClockStep:      func(e timeline.Event) string { return "clock" },
	timeline.EventNIC:            func(e timeline.Event) string { return "network card" },
	timeline.EventMark:           func(e timeline.Event) string { return "mark" },
	timeline.EventOper:           change("link "),
	timeline.EventSpeed:          func(e timeline.Event) string { return "speed " + speedAttr(e, "from") + " to " + speedAttr(e, "to") },
	timeline.EventDuplex:         change("duplex "),
	timeline.EventSTPState:       change("spanning tree "),
	timeline.EventSTPRole:        change("spanning-tree role "),
	timeline.EventTopologyChange: topologyWords,
	timeline.EventRootPort:       change("spanning-tree root port "),
	timeline.EventRootBridge:     change("spanning-tree root bridge "),
	timeline.EventFailover:       change("failover: "),
	timeline.EventDuplexMismatch: func(e timeline.Event) string { return "neighbour's duplex differs" },
	timeline.EventSyslog:         func(e timeline.Event) string { return "log" },
	timeline.EventRestart:        func(e timeline.Event) string { return "device or its agent restarted" },
	timeline.EventCleared:        func(e timeline.Event) string { return "counters cleared" },
	timeline.EventUnreliable:     func(e timeline.Event) string { return "counters not believed" },
	timeline.EventRenumbered:     change("interface index "),
	timeline.EventSlow:           func(e timeline.Event) string { return "answers slowly, every " + attr(e, "period_ms") + " ms" },
}

// EventText tells an event in one clean line: what happened in our words, then the device's own words.
func EventText(e timeline.Event) string {
	words := string(e.Type)
	if f, ok := eventWords[e.Type]; ok {
		words = f(e)
	}
	if own := strings.TrimSpace(e.Text); own != "" {
		words += ": " + own
	}
	return Clean(words)
}

func attr(e timeline.Event, key string) string {
	if v := e.Attrs[key]; v != "" {
		return v
	}
	return "?"
}

func change(what string) func(timeline.Event) string {
	return func(e timeline.Event) string { return what + attr(e, "from") + " to " + attr(e, "to") }
}

func speedAttr(e timeline.Event, key string) string {
	if v, err := strconv.ParseFloat(e.Attrs[key], 64); err == nil && finite(v) {
		return Speed(v)
	}
	return attr(e, key)
}

func topologyWords(e timeline.Event) string {
	s := "spanning-tree topology change"
	if n := e.Attrs["count"]; n != "" && n != "1" {
		s += ", " + n + " times"
	}
	if p := e.Attrs["port"]; p != "" {
		s += ", from " + p
	}
	return s
}

// directionWords tell the direction of an outage.
var directionWords = map[string]string{
	timeline.Forward: "to the far end", timeline.Reverse: "from the far end", timeline.Both: "both ways",
}

// DirectionText tells the direction of an outage in words: "to the far end".
func DirectionText(direction string) string {
	if w, ok := directionWords[direction]; ok {
		return w
	}
	return "direction unknown"
}

func outageWords(e timeline.Event) string {
	s := "path dark "
	if e.Attrs["seen_by"] == timeline.SeenByTCP {
		s = "TCP stalled "
	}
	s += DirectionText(e.Attrs["direction"]) + " for " + Length(e.Span.Width().Round(time.Millisecond))
	if e.Attrs["open"] == "true" {
		s += ", still on"
	}
	return s
}

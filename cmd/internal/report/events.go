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
	timeline.EventSettings:       func(e timeline.Event) string { return "settings" },
	timeline.EventResult:         func(e timeline.Event) string { return "test" },
	timeline.EventPathMoved:      func(e timeline.Event) string { return "path moved" },
	timeline.EventTotals:         func(e timeline.Event) string { return "counters since long ago" },
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
	timeline.EventErrDisabled: func(e timeline.Event) string {
		return "port shut by the device (" + attr(e, "cause") + "): now " + attr(e, "to")
	},
	timeline.EventInconsistent: func(e timeline.Event) string { return "spanning-tree guard " + attr(e, "guard") + ": " + attr(e, "to") },
	timeline.EventMACMove: func(e timeline.Event) string {
		return "address " + attr(e, "mac") + " moved from " + attr(e, "from") + " to " + attr(e, "to")
	},
	timeline.EventGateway: func(e timeline.Event) string {
		return attr(e, "protocol") + " group " + attr(e, "group") + ": " + attr(e, "from") + " to " + attr(e, "to")
	},
	timeline.EventMember: func(e timeline.Event) string {
		return attr(e, "unit") + ": " + attr(e, "from") + " to " + attr(e, "to")
	},
	timeline.EventLAGMember: func(e timeline.Event) string {
		return "link of " + attr(e, "aggregate") + ": " + attr(e, "from") + " to " + attr(e, "to")
	},
	timeline.EventUDLD:      change("link direction (UDLD) "),
	timeline.EventStorm:     func(e timeline.Event) string { return "storm control " + attr(e, "to") },
	timeline.EventPower:     func(e timeline.Event) string { return "power " + attr(e, "to") },
	timeline.EventNeighbour: change("neighbour "),
	timeline.EventBinding: func(e timeline.Event) string {
		return attr(e, "ip") + " belongs to " + attr(e, "to") + ", before to " + attr(e, "from")
	},
	timeline.EventRoute: func(e timeline.Event) string {
		return attr(e, "protocol") + " " + attr(e, "neighbour") + ": " + attr(e, "from") + " to " + attr(e, "to")
	},
	timeline.EventOptics: func(e timeline.Event) string { return attr(e, "sensor") + " of the optics: " + attr(e, "to") },
	timeline.EventClassDrops: func(e timeline.Event) string {
		return attr(e, "kind") + " " + attr(e, "class") + " dropped " + attr(e, "count")
	},
	timeline.EventCable: func(e timeline.Event) string { return "cable test, pair " + attr(e, "pair") + ": " + attr(e, "status") },
	timeline.EventSlow:  func(e timeline.Event) string { return "asked less often, every " + attr(e, "period_ms") + " ms" },
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

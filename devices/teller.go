package devices

import (
	"strconv"

	"whydrop/correlate/timeline"
)

// Teller turns the lines of one device's log into events, wherever the lines come from. The zero value is ready; it
// is used by one goroutine at a time.
type Teller struct {
	oper map[string]string // by port key: the last state a line told
}

// aboutPort lists the types whose subject is the port that a line is about; that of every other type is the device.
var aboutPort = map[timeline.EventType]bool{
	timeline.EventOper: true, timeline.EventSpeed: true, timeline.EventDuplex: true, timeline.EventSTPState: true, timeline.EventSTPRole: true,
	timeline.EventDuplexMismatch: true, timeline.EventErrDisabled: true, timeline.EventInconsistent: true, timeline.EventLAGMember: true,
	timeline.EventUDLD: true, timeline.EventStorm: true, timeline.EventPower: true, timeline.EventNeighbour: true, timeline.EventOptics: true,
	timeline.EventCable: true, timeline.EventClassDrops: true, timeline.EventSyslog: true,
}

// portAttrs lists the attributes whose values are ports, by type of event; "port" is one of every type.
var portAttrs = map[timeline.EventType][]string{
	timeline.EventRootPort: {"from", "to"}, timeline.EventMACMove: {"from", "to"}, timeline.EventLAGMember: {"aggregate"},
}

// AboutPort says whether an event of the type is about a port, so that the port is its subject and no attribute.
func AboutPort(t timeline.EventType) bool { return aboutPort[t] }

// Tell returns the event that a line tells of, without Span and Origin. sub is the port that the line is about, or
// the device. known returns the name under which a port is watched for any spelling of it. A port's second layer
// going the way of the first is no change of its own, and told as EventSyslog.
func (t *Teller) Tell(line LogLine, sub timeline.Subject, known func(string) string) timeline.Event {
	e := timeline.Event{Subject: sub, Type: line.Type, Text: line.Text, Attrs: map[string]string{}}
	for k, v := range line.Attrs {
		e.Attrs[k] = v
	}
	layer := e.Attrs["layer"]
	delete(e.Attrs, "layer")
	if e.Type == timeline.EventOper && layer != "" && line.Port != "" && !t.turned(line.Port, e.Attrs["to"]) {
		e.Type = "" // the second layer says the same
	}
	if e.Type == "" || e.Type == timeline.EventSyslog {
		e.Type = timeline.EventSyslog
		e.Attrs = map[string]string{}
		if line.Mnemonic != "" {
			e.Attrs["facility"], e.Attrs["mnemonic"] = line.Facility, line.Mnemonic
		}
		if line.Severity.OK {
			e.Attrs["severity"] = strconv.Itoa(line.Severity.Value)
		}
		return e
	}
	if !aboutPort[e.Type] {
		e.Subject = timeline.Device(sub.Device)
	}
	for _, k := range append(portAttrs[e.Type], "port") {
		if v := e.Attrs[k]; v != "" {
			e.Attrs[k] = known(v)
		}
	}
	return e
}

// turned notes the state of a port that a line told, and says whether it is another one than before.
func (t *Teller) turned(port, state string) bool {
	if t.oper == nil {
		t.oper = map[string]string{}
	}
	key := PortKey(port)
	before := t.oper[key]
	t.oper[key] = state
	return before != state
}

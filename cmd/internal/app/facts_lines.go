package app

import (
	"cmp"
	"maps"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/syslog"
)

// readLines reads the events whose text is a line of a device's log, or several, as the log itself would be read: what type of
// event it is, of which port, when, and what else it says, where the file does not tell that. Without the name of a message
// (%LINK-3-UPDOWN) it is taken for a line only if the file calls it one or nobody talks like that: a person's words are a person's,
// and read as such.
func (f *factsFile) readLines() {
	var out []factsEvent
	for _, e := range f.Events {
		var read []factsEvent
		understood := false
		for text := range strings.Lines(strings.TrimSpace(e.Text.text)) {
			one := e
			one.Text.text = strings.TrimSpace(text)
			understood = f.readLine(&one) || understood
			read = append(read, one)
		}
		if !understood {
			readProse(&e)
			read = []factsEvent{e}
		}
		out = append(out, read...)
	}
	f.Events = out
	f.countTopologyChanges()
}

// readLine reads one, and says whether it is a line that is understood.
func (f *factsFile) readLine(e *factsEvent) bool {
	// A line gives no year; the one that stands for none will do.
	line := syslog.Parse(e.Text.text, report.NoDay.AddDate(0, 6, 0))
	named := !e.Type.isSet() && (line.Mnemonic != "" || unmistakable(line.Type))
	if line.Type == "" || line.Type == timeline.EventSyslog || !named && e.Type.text != string(timeline.EventSyslog) && e.Type.text != string(line.Type) {
		return false
	}
	at := e.Text.line
	e.Type = scalar{string(line.Type), at}
	if !e.Device.isSet() {
		e.Device = scalar{cmp.Or(line.Host, f.onlyDevice(), aDevice), at}
	}
	if !e.Port.isSet() && line.Port != "" && devices.AboutPort(line.Type) {
		e.Port = scalar{f.portAsTold(e.Device.text, line.Port), at}
	}
	if !e.Time.isSet() && line.Time.OK {
		e.Time = scalar{line.Time.Value.Format(time.RFC3339Nano), at}
	}
	e.said = maps.Clone(line.Attrs)
	delete(e.said, "layer")
	return true
}

// onlyDevice returns the name of the device that the file tells of, "" if there are several or none.
func (f *factsFile) onlyDevice() string {
	only := ""
	add := func(name string) bool {
		if name == "" || name == only {
			return true
		}
		first := only == ""
		only = name
		return first
	}
	for _, p := range f.Topology.Paths {
		for _, h := range p.hops {
			for _, n := range h.names {
				if !add(n.text) {
					return ""
				}
			}
		}
	}
	for _, p := range f.Ports {
		if !add(p.Device.text) {
			return ""
		}
	}
	for _, e := range f.Events {
		if !add(e.Device.text) {
			return ""
		}
	}
	return only
}

// portAsTold returns the spelling in which the file names a port of the device elsewhere; its own, if it does not.
func (f *factsFile) portAsTold(device, port string) string {
	key := devices.PortKey(port)
	for _, p := range f.Ports {
		if p.name() == device && devices.PortKey(p.Port.text) == key {
			return p.Port.text
		}
	}
	for _, l := range f.Topology.Links {
		for _, end := range []factsEnd{l.a, l.b} {
			if end.device == device && devices.PortKey(end.port) == key {
				return end.port
			}
		}
	}
	for _, e := range f.Events {
		if e.Device.text == device && devices.PortKey(e.Port.text) == key {
			return e.Port.text
		}
	}
	return port
}

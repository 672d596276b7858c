// Package into puts what a parser found into a [devices.Reading] that other parsers may have begun.
package into

import "whydrop/devices"

// maxUnread bounds the lines that were not understood in one reading, and their length.
const (
	maxUnread     = 200
	maxUnreadLine = 300
)

// Unread keeps lines that were not understood, as long as there are not too many.
func Unread(r *devices.Reading, lines ...string) {
	for _, line := range lines {
		if len(r.Unread) >= maxUnread {
			return
		}
		if len(line) > maxUnreadLine {
			line = line[:maxUnreadLine]
		}
		r.Unread = append(r.Unread, line)
	}
}

// Ports adds ports to the reading. Of those that are there already, known by devices.SamePort, every field that is
// not given yet is given.
func Ports(r *devices.Reading, ports []devices.Interface) {
	if len(r.Interfaces) == 0 {
		r.Interfaces = ports
		return
	}
	at := make(map[string]int, len(r.Interfaces))
	names := make([]string, len(r.Interfaces))
	for i := range r.Interfaces {
		names[i] = r.Interfaces[i].Name
		at[devices.PortKey(names[i])] = i
	}
	for _, p := range ports {
		key := devices.PortKey(p.Name)
		i, ok := at[key]
		if !ok {
			var name string
			if name, ok = devices.SamePort(names, p.Name); ok {
				i = at[devices.PortKey(name)]
			}
		}
		if !ok {
			at[key] = len(r.Interfaces)
			r.Interfaces = append(r.Interfaces, p)
			continue
		}
		fill(&r.Interfaces[i], p)
	}
}

// Log adds lines of a log. An empty log that is not nil was read and has no lines.
func Log(r *devices.Reading, lines []devices.LogLine) {
	if r.Log == nil {
		r.Log = lines
	} else {
		r.Log = append(r.Log, lines...)
	}
}

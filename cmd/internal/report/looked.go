package report

import (
	"fmt"
	"slices"
	"strings"

	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Look is what was examined of one device, path or host, in short.
type Look struct {
	Name           string
	Ports          int // ports on the path of which something was read
	Series         int
	Samples, Gaps  int
	Events         int       // on the path
	Tests          int       // of the path that ended
	Off            []OffPort // ports watched although they are on no path
	Unread         []string  // ports of which nothing was read
	Reasons        map[string]int
	OnPath         bool
	nothingWasRead bool
	shown          bool // what is known of it was shown or told, not asked for
}

// OffPort is a port off the path and how many events it had.
type OffPort struct {
	Port   string
	Events int
}

// Looked sums the examined series up, one entry per device, path or host, in the order of the document.
func Looked(d Document) []Look {
	var out []*Look
	at := map[PortName]*Look{}
	ports := map[PortName]bool{}
	for _, e := range d.Examined {
		name, port := e.Device, e.Port
		if name == "" {
			name, port = e.Port, ""
		}
		id := PortName{e.Device, ""}
		switch e.Device {
		case "":
			id.Port = name // a path and a device may bear one name
		case timeline.LocalHost: // this host and its card
			id = PortName{Port: name}
		}
		l := at[id]
		if l == nil {
			l = &Look{Name: name, Reasons: map[string]int{}, nothingWasRead: true, shown: len(d.Inputs) > 0 && d.Session == nil}
			at[id] = l
			out = append(out, l)
		}
		l.OnPath = l.OnPath || e.OnPath
		l.add(e, port, ports)
	}
	for _, t := range d.Tests {
		if l := at[PortName{"", t.Path}]; l != nil {
			l.Tests++
			l.nothingWasRead = false
		}
	}
	res := make([]Look, 0, len(out))
	for _, l := range out {
		res = append(res, *l)
	}
	return res
}

func (l *Look) add(e Examined, port string, ports map[PortName]bool) {
	l.Samples += e.Samples
	l.Gaps += e.Gaps
	for r, n := range e.Reasons {
		l.Reasons[r] += n
	}
	if e.Samples > 0 {
		l.Series++
		l.nothingWasRead = l.nothingWasRead && e.Metric == "device.reachable"
	}
	switch {
	case e.Metric == MetricAll && port != "":
		l.Unread = append(l.Unread, port)
	case port != "" && !e.OnPath:
		l.offPath(port, e.Events)
	default:
		l.Events += e.Events
		if k := (PortName{l.Name, port}); port != "" && e.Samples > 0 && !ports[k] {
			ports[k] = true
			l.Ports++
		}
	}
}

func (l *Look) offPath(port string, events int) {
	i := slices.IndexFunc(l.Off, func(o OffPort) bool { return o.Port == port })
	if i < 0 {
		i = len(l.Off)
		l.Off = append(l.Off, OffPort{Port: port})
	}
	l.Off[i].Events += events
}

// String returns the port with its events: "Gi1/0/9 (4 events)".
func (o OffPort) String() string {
	if o.Events == 0 {
		return o.Port
	}
	return o.Port + " (" + rules.Plural(o.Events, "event") + ")"
}

// String is the entry in one sentence, without its name.
func (l Look) String() string {
	var parts []string
	switch {
	case l.nothingWasRead && l.Gaps == 0 && l.Events > 0: // told by hand or by its log
	case l.nothingWasRead && l.shown && l.Gaps == 0:
		parts = append(parts, "nothing was told of it")
	case l.nothingWasRead:
		parts = append(parts, "nothing could be read")
	case l.Ports > 0:
		parts = append(parts, rules.Plural(l.Ports, "port"), rules.Plural(l.Series, "series"), rules.Plural(l.Samples, "sample"))
	case l.Series == 0 && l.Tests > 0:
		parts = append(parts, rules.Plural(l.Tests, "test"))
	default:
		parts = append(parts, rules.Plural(l.Series, "series"), rules.Plural(l.Samples, "sample"))
	}
	if l.Gaps > 0 {
		parts = append(parts, rules.Plural(l.Gaps, "gap")+reasonsText(l.Reasons))
	}
	if l.Events > 0 {
		parts = append(parts, rules.Plural(l.Events, "event"))
	}
	if len(l.Unread) > 0 {
		names := l.Unread
		if more := len(names) - maxNamed; more > 1 {
			names = append(slices.Clone(names[:maxNamed]), fmt.Sprintf("and %d more", more))
		}
		parts = append(parts, "never read: "+strings.Join(names, ", "))
	}
	if len(l.Off) > 0 {
		parts = append(parts, "off the path: "+offText(l.Off))
	}
	return strings.Join(parts, ", ")
}

// maxNamed is how many ports are named one by one: a switch may log of hundreds that are on no path.
const maxNamed = 16

// offText names the ports off the path; of many, those with most events.
func offText(ports []OffPort) string {
	more := len(ports) - maxNamed
	if more <= 1 {
		return strings.Join(list(ports, OffPort.String), ", ")
	}
	ports = slices.Clone(ports)
	slices.SortStableFunc(ports, func(a, b OffPort) int { return b.Events - a.Events })
	events := 0
	for _, o := range ports[maxNamed:] {
		events += o.Events
	}
	rest := OffPort{Port: fmt.Sprintf("and %d more", more), Events: events}
	return strings.Join(list(append(ports[:maxNamed], rest), OffPort.String), ", ")
}

func reasonsText(m map[string]int) string {
	if len(m) == 0 {
		return ""
	}
	names := make([]string, 0, len(m))
	for r := range m {
		names = append(names, r)
	}
	slices.Sort(names)
	return " (" + strings.Join(names, ", ") + ")"
}

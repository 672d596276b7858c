package tui

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"whydrop/cmd/internal/report"
	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/rules"
)

// Model is everything the pages show, made from one snapshot. It is plain data, never changed after it was built,
// and every text in it is clean.
type Model struct {
	Site     string
	Now      time.Time // the moment shown
	Began    time.Time // the first record; zero if there is none
	Paths    []*Path
	Devices  []*Device // in the order of the site
	Ports    []*Port   // on the path first, in the order of the site
	Events   []Event   // oldest first
	Findings []report.Finding
	Marks    []time.Time

	snap timeline.Snapshot
}

// Device is one device as it is now.
type Device struct {
	Name     string
	Role     string
	Health   Health
	Word     string // what is wrong, or "" if nothing is
	Short    string // the same in one word
	OnPath   bool
	Forwards Forwards // whether it carries the path; only in a redundant group
	Ports    []*Port

	subject timeline.Subject
}

// Port is one port as it is now. What is not known is nil.
type Port struct {
	Device, Name string
	Short        string // the name as short as people write it: "Gi1/0/1"
	OnPath       bool
	Health       Health
	Up           *bool
	Forwarding   *bool // by spanning tree
	HalfDuplex   *bool
	Speed        *float64 // bit/s
	In, Out      *float64 // bit/s
	Load         *float64 // ratio
	Errors       *float64 // packet/s, now
	Drops        *float64 // packet/s, now
	ErrorsSeen   float64  // how many in the last minute
	DropsSeen    float64

	subject timeline.Subject
}

// Health is how a device or port is doing.
type Health uint8

// The states of health, from the one that deserves least attention to the one that deserves most.
const (
	HealthOK      Health = iota
	HealthUnknown        // no reading that is fresh enough
	HealthWarn           // errors or drops
	HealthDown           // down, or it does not answer
)

// Forwards says whether a unit of a redundant group carries the path.
type Forwards uint8

// The answers, the zero value for a device that is in no group.
const (
	NoGroup Forwards = iota
	ForwardsUnknown
	ForwardsYes
	ForwardsNo
)

// How long a reading is good for. Path figures come several times a second, device readings once a second and
// more rarely from a device that is spared.
const (
	freshPath   = 5 * time.Second
	freshDevice = 15 * time.Second
	recent      = time.Minute // what "in the last minute" means
)

// NewModel builds the model of what is known at now. It is pure.
func NewModel(s timeline.Snapshot, t correlate.Topology, ds []rules.Diagnosis, now time.Time) *Model {
	m := &Model{Site: report.Clean(t.Site), Now: now, Began: s.Span().From, snap: s, Findings: report.Findings(ds)}
	m.addDevices(s, t)
	outages := report.Outages(s, t)
	for _, name := range pathNames(s, t) {
		m.Paths = append(m.Paths, m.newPath(s, t, name, outages))
	}
	m.Events = eventRows(s, t)
	for _, e := range s.Events() {
		if e.Type == timeline.EventMark {
			m.Marks = append(m.Marks, e.Span.Mid())
		}
	}
	return m
}

// pathNames returns the site's paths, then those that only the timeline knows.
func pathNames(s timeline.Snapshot, t correlate.Topology) []string {
	var names []string
	for _, p := range t.Paths {
		names = append(names, p.Name)
	}
	for _, k := range s.Keys() {
		if k.Subject.Kind == timeline.KindPath && !slices.Contains(names, k.Subject.Name) {
			names = append(names, k.Subject.Name)
		}
	}
	return names
}

func (m *Model) addDevices(s timeline.Snapshot, t correlate.Topology) {
	blind := report.BlindSpans(s)
	var off []*Port
	for _, d := range t.Devices {
		if d.Role == "host" && len(d.Ports)+len(d.OffPath) == 0 {
			continue
		}
		dev := &Device{Name: report.Clean(d.Name), Role: report.Clean(d.Role), subject: timeline.Device(d.Name)}
		dev.OnPath = t.OnPath(dev.subject)
		for _, name := range d.Ports {
			p := newPort(s, t, d.Name, name, m.Now)
			dev.Ports = append(dev.Ports, p)
			if p.OnPath {
				m.Ports = append(m.Ports, p)
			} else {
				off = append(off, p)
			}
		}
		for _, name := range d.OffPath {
			off = append(off, newPort(s, t, d.Name, name, m.Now))
		}
		dev.judge(s, blind, m.Now)
		m.Devices = append(m.Devices, dev)
	}
	m.Ports = append(m.Ports, off...)
}

// judge says how the device is doing: whether it answers, then the worst of its ports.
func (d *Device) judge(s timeline.Snapshot, blind []report.BlindSpan, now time.Time) {
	for _, b := range slices.Backward(blind) {
		if b.Device == d.subject.Device && now.Sub(b.Span.To) < 3*time.Second && !answeredSince(s, d.subject, b.Span.To) {
			d.Health, d.Short = HealthDown, "silent"
			d.Word = "no answer for " + report.RoundLength(now.Sub(b.Span.From))
			return
		}
	}
	last, ok := s.Last(d.subject, timeline.Reachable)
	switch {
	case ok && now.Sub(last.Span.To) <= freshDevice && last.Value == 0:
		d.Health, d.Word, d.Short = HealthDown, "no answer", "silent"
		return
	case !ok && !anyFresh(d.Ports):
		d.Health, d.Word, d.Short = HealthUnknown, "not read yet", "unread"
		return
	case ok && now.Sub(last.Span.To) > freshDevice && !anyFresh(d.Ports):
		d.Health, d.Short = HealthUnknown, "unread"
		d.Word = "last read " + report.RoundLength(now.Sub(last.Span.To)) + " ago"
		return
	}
	for _, p := range d.Ports {
		if p.Health > d.Health && p.Health != HealthUnknown {
			d.Health = p.Health
		}
	}
}

func answeredSince(s timeline.Snapshot, sub timeline.Subject, t time.Time) bool {
	last, ok := s.Last(sub, timeline.Reachable)
	return ok && last.Value > 0 && last.Span.To.After(t)
}

func anyFresh(ports []*Port) bool {
	return slices.ContainsFunc(ports, func(p *Port) bool { return p.Health != HealthUnknown })
}

// worst orders devices and ports for a person in a hurry.
func worst(a, b Health) int { return cmp.Compare(b, a) }

// shortNames are the abbreviations people use for the names that Cisco devices give their interfaces.
var shortNames = []struct{ long, short string }{
	{"FastEthernet", "Fa"}, {"GigabitEthernet", "Gi"}, {"TwoGigabitEthernet", "Tw"}, {"FiveGigabitEthernet", "Fi"},
	{"TenGigabitEthernet", "Te"}, {"TwentyFiveGigE", "Twe"}, {"FortyGigabitEthernet", "Fo"}, {"HundredGigE", "Hu"},
	{"Port-channel", "Po"}, {"Bundle-Ether", "BE"}, {"Ethernet", "Eth"}, {"Vlan", "Vl"}, {"Loopback", "Lo"}, {"Tunnel", "Tu"},
}

func shortPort(name string) string {
	for _, n := range shortNames {
		if rest, ok := strings.CutPrefix(name, n.long); ok && rest != "" && rest[0] >= '0' && rest[0] <= '9' {
			return n.short + rest
		}
	}
	return name
}

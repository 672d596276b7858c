package app

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"whydrop/correlate"
)

// Which way the paths lead: what the topology tells, and what it leaves out of devices, ports and probes.

// defaultPath is the path of probes that name none.
const defaultPath = "path"

// topology notes the paths, and the devices, ports and links that anything in the file speaks of. A path of which no hop is told
// crosses every device.
func (b *factsBuilder) topology() {
	t := &b.out.Topology
	for _, p := range b.file.Topology.Paths {
		t.Paths = append(t.Paths, b.path(p))
	}
	for _, p := range b.file.Ports {
		b.device(p.name(), p.Port.text)
	}
	for _, l := range b.file.Topology.Links {
		b.device(l.a.device, l.a.port)
		b.device(l.b.device, l.b.port)
		t.Links = append(t.Links, correlate.Link{A: [2]string{l.a.device, l.a.port}, B: [2]string{l.b.device, l.b.port}})
	}
	for _, e := range b.file.Events {
		if e.Device.isSet() {
			b.device(e.Device.text, e.Port.text)
		}
	}
	for _, p := range b.file.Probes {
		if _, known := t.Path(b.pathOf(p)); !known {
			t.Paths = append(t.Paths, correlate.Path{Name: b.pathOf(p)})
		}
	}
	if len(t.Paths) == 0 {
		t.Paths = append(t.Paths, correlate.Path{Name: defaultPath})
	}
	var all [][]string
	for _, d := range t.Devices {
		all = append(all, []string{d.Name})
	}
	for i := range t.Paths {
		if len(t.Paths[i].Hops) == 0 {
			t.Paths[i].Hops = all
		}
	}
	b.assumeLink()
}

// path returns a path of the file, and notes the devices that it crosses.
func (b *factsBuilder) path(p factsPath) correlate.Path {
	out := correlate.Path{Name: cmp.Or(p.name.text, strings.Trim(p.from.text+"-"+p.to.text, "-"), defaultPath), To: p.to.text}
	for _, h := range p.hops {
		if b.isEnd(p, h) {
			continue
		}
		var names []string
		for _, s := range h.names {
			names = append(names, s.text)
			b.device(s.text, "")
		}
		out.Hops = append(out.Hops, names)
	}
	out.Hops = b.withEnds(p, out.Hops)
	return out
}

// isEnd says whether a hop is one of the two hosts that a path leads between and nothing more: no port or event is of it.
func (b *factsBuilder) isEnd(p factsPath, h hop) bool {
	if len(h.names) != 1 || h.names[0].text != p.from.text && h.names[0].text != p.to.text {
		return false
	}
	name := h.names[0].text
	return !slices.ContainsFunc(b.file.Ports, func(p factsPort) bool { return p.name() == name }) &&
		!slices.ContainsFunc(b.file.Events, func(e factsEvent) bool { return e.Device.text == name })
}

// withEnds adds the two hosts that a path leads between to its hops, if ports of theirs are told: they are on it.
func (b *factsBuilder) withEnds(p factsPath, hops [][]string) [][]string {
	hasPorts := func(name string) bool {
		return name != "" && slices.ContainsFunc(b.file.Ports, func(p factsPort) bool { return p.Device.text == name }) &&
			!slices.ContainsFunc(hops, func(h []string) bool { return slices.Contains(h, name) })
	}
	if len(hops) == 0 { // it crosses every device that is told
		return hops
	}
	if hasPorts(p.from.text) {
		hops = append([][]string{{p.from.text}}, hops...)
	}
	if hasPorts(p.to.text) {
		hops = append(hops, []string{p.to.text})
	}
	return hops
}

// assumeLink takes the only two ports that are told for the two ends of one link, if they are on two devices.
func (b *factsBuilder) assumeLink() {
	t := &b.out.Topology
	if len(t.Links) > 0 || len(t.Devices) != 2 || len(t.Devices[0].Ports) != 1 || len(t.Devices[1].Ports) != 1 {
		return
	}
	l := correlate.Link{A: [2]string{t.Devices[0].Name, t.Devices[0].Ports[0]}, B: [2]string{t.Devices[1].Name, t.Devices[1].Ports[0]}}
	t.Links = append(t.Links, l)
	b.out.Notes = append(b.out.Notes, fmt.Sprintf("The two ports %s %s and %s %s are taken for the two ends of one link.", l.A[0], l.A[1], l.B[0], l.B[1]))
}

// pathOf returns the name of the path that a probe is of.
func (b *factsBuilder) pathOf(p factsProbe) string {
	switch {
	case p.Path.isSet():
		return p.Path.text
	case len(b.file.Topology.Paths) == 1:
		return b.out.Topology.Paths[0].Name
	}
	return defaultPath
}

// device notes a device and one of its ports.
func (b *factsBuilder) device(name, port string) {
	t := &b.out.Topology
	i := slices.IndexFunc(t.Devices, func(d correlate.Device) bool { return d.Name == name })
	if i < 0 {
		i = len(t.Devices)
		t.Devices = append(t.Devices, correlate.Device{Name: name})
	}
	if port != "" && !slices.Contains(t.Devices[i].Ports, port) {
		t.Devices[i].Ports = append(t.Devices[i].Ports, port)
	}
}

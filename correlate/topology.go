// Package correlate puts what probes and devices saw on one clock together: episodes of trouble on a path,
// what overlaps them, in which order, on or off the path, and how likely by chance. Its functions are pure:
// they take a snapshot and a topology and return data.
package correlate

import (
	"slices"

	"whydrop/correlate/timeline"
)

// Topology is what the site file says of paths and devices. It is stored with a recording.
type Topology struct {
	Site    string   `json:"site"`
	Paths   []Path   `json:"paths"`
	Devices []Device `json:"devices"`
	// Links are the cables that are known: which port is at the other end of which.
	Links []Link `json:"links,omitempty"`
}

// Link is a cable between two ports, each as a device's name and its own ifName.
type Link struct {
	A [2]string `json:"a"`
	B [2]string `json:"b"`
}

// FarEnd returns the port at the other end of a port's link, if the link is known.
func (t Topology) FarEnd(s timeline.Subject) (timeline.Subject, bool) {
	for _, l := range t.Links {
		a, b := timeline.Port(l.A[0], l.A[1]), timeline.Port(l.B[0], l.B[1])
		switch s {
		case a:
			return b, true
		case b:
			return a, true
		}
	}
	return timeline.Subject{}, false
}

// Path is one probed path, from the probing host to the far end.
type Path struct {
	Name string `json:"name"`
	To   string `json:"to"` // the far end's address
	// Hops are the devices in order; a hop of several names is a redundant group of which one forwards.
	Hops [][]string `json:"hops"`
	Rate float64    `json:"rate_bps"` // what the probe offers, bit/s; 0 is unlimited
}

// Device is a device of the site, without anything secret.
type Device struct {
	Name     string   `json:"name"`
	Role     string   `json:"role"`     // switch, router, firewall, host
	Platform string   `json:"platform"` // as in the site file
	Peer     string   `json:"peer"`     // the other unit of a redundant pair
	Ports    []string `json:"ports"`    // on the path, by the device's own ifName
	OffPath  []string `json:"off_path"` // watched, but on no path
	// Warnings are what was relaxed for this device (legacy SSH, any host key accepted), for the report.
	Warnings []string `json:"warnings,omitempty"`
}

// Device returns the device of that name.
func (t Topology) Device(name string) (Device, bool) {
	for _, d := range t.Devices {
		if d.Name == name {
			return d, true
		}
	}
	return Device{}, false
}

// Path returns the path of that name.
func (t Topology) Path(name string) (Path, bool) {
	for _, p := range t.Paths {
		if p.Name == name {
			return p, true
		}
	}
	return Path{}, false
}

// OnPath says whether the subject lies on any path: a path itself, a device among its hops, or one of such a
// device's path ports. The probing host's own network cards are the first ports of its paths.
func (t Topology) OnPath(s timeline.Subject) bool {
	switch s.Kind {
	case timeline.KindPath, timeline.KindHost:
		return true
	}
	d, ok := t.Device(s.Device)
	if !ok && s.Kind == timeline.KindPort && s.Device == timeline.LocalHost {
		return true
	}
	if !ok || !slices.ContainsFunc(t.Paths, func(p Path) bool { return p.Crosses(d.Name) }) {
		return false
	}
	return s.Kind == timeline.KindDevice || slices.Contains(d.Ports, s.Name)
}

// Crosses says whether the device is one of the path's hops, or the probing host itself.
func (p Path) Crosses(device string) bool {
	return device == timeline.LocalHost || slices.ContainsFunc(p.Hops, func(h []string) bool { return slices.Contains(h, device) })
}

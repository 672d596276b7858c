package app

import (
	"fmt"
	"slices"
	"strings"

	"whydrop/correlate"
	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// cablePorts finds the ports that are named, and sees that they are polled.
func cablePorts(plan *Plan, names []string) ([]timeline.Subject, error) {
	var out []timeline.Subject
	add := func(d string, ports ...string) {
		for _, p := range ports {
			if s := timeline.Port(d, p); !slices.Contains(out, s) {
				out = append(out, s)
			}
		}
	}
	plan.Devices = slices.Clone(plan.Devices)
	if len(names) == 0 {
		for _, d := range plan.Devices {
			add(d.Name, d.Watched()...)
		}
		if len(out) == 0 {
			return nil, Usagef("the site file names no port, and none is named here; write them under ports:, or as DEVICE:PORT")
		}
	}
	for _, name := range names {
		one, other, paired := strings.Cut(name, "=")
		found, err := namedPorts(plan, one, !paired)
		if err != nil {
			return nil, err
		}
		if paired {
			far, err := namedPorts(plan, other, false)
			if err != nil {
				return nil, err
			}
			a, b := found[0], far[0]
			if a == b {
				return nil, Usagef("%q: a link has two ends", name)
			}
			plan.Topology.Links = append(slices.Clone(plan.Topology.Links), correlate.Link{A: [2]string{a.Device, a.Name}, B: [2]string{b.Device, b.Name}})
		}
		for _, s := range found {
			add(s.Device, s.Name)
		}
	}
	return out, nil
}

// namedPorts returns the ports that a name stands for: one, or all of a device where many are allowed. A port that is not
// polled yet will be.
func namedPorts(plan *Plan, name string, many bool) ([]timeline.Subject, error) {
	device, port, both := strings.Cut(name, ":")
	i := slices.IndexFunc(plan.Devices, func(d devices.Device) bool { return d.Name == device })
	var found []timeline.Subject
	switch {
	case i >= 0 && both && port != "":
		d := &plan.Devices[i]
		watched := portNamed(*d, port)
		if watched == "" {
			watched = port
			d.OffPath = append(slices.Clone(d.OffPath), port)
		}
		return []timeline.Subject{timeline.Port(device, watched)}, nil
	case i >= 0 && many:
		for _, p := range plan.Devices[i].Watched() {
			found = append(found, timeline.Port(device, p))
		}
		return found, nil
	}
	for _, d := range plan.Devices {
		if p := portNamed(d, name); p != "" {
			found = append(found, timeline.Port(d.Name, p))
		}
	}
	switch len(found) {
	case 0:
		return nil, Usagef("%q is no device of the site and none of the ports that its file names; %s", name, portHint(*plan, name))
	case 1:
		return found, nil
	}
	return nil, Usagef("%q: %d devices of the site have such a port; write one of them as DEVICE:PORT: %s", name, len(found), strings.Join(portNames(found), ", "))
}

// portHint says what could have been meant by a name that stands for nothing.
func portHint(plan Plan, name string) string {
	var devices []string
	var ports []timeline.Subject
	for _, d := range plan.Devices {
		devices = append(devices, d.Name)
		for _, p := range d.Watched() {
			ports = append(ports, timeline.Port(d.Name, p))
		}
	}
	all := append(slices.Clone(devices), portNames(ports)...)
	if n := nearest(name, all); n != "" {
		return "did you mean " + n + "?"
	}
	if device, port, both := strings.Cut(name, ":"); both {
		if n := nearest(device, devices); n != "" {
			return "did you mean " + n + ":" + port + "?"
		}
	}
	const most = 12
	more := ""
	if n := len(all) - most; n > 0 {
		all, more = all[:most], fmt.Sprintf(" and %d more", n)
	}
	return "there are " + strings.Join(all, ", ") + more + "; another port is DEVICE:PORT"
}

// portNames writes ports as they are named on the command line.
func portNames(ports []timeline.Subject) []string {
	var out []string
	for _, p := range ports {
		out = append(out, p.Device+":"+p.Name)
	}
	return out
}

// portNamed returns the device's watched port of that name, in any spelling; "" if there is none.
func portNamed(d devices.Device, name string) string {
	for _, p := range d.Watched() {
		if devices.PortKey(p) == devices.PortKey(name) {
			return p
		}
	}
	return ""
}

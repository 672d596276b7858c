package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Recovery reads "show errdisable recovery": the ports that are tried again, why they are down, and when.
func Recovery(output string, r *devices.Reading) {
	var ports []devices.Interface
	_, rows, _ := strings.Cut(output, "Time left")
	for line := range text.Each(rows) {
		f := strings.Fields(line)
		if len(f) != 3 || !block.IsPortName(f[0]) {
			continue
		}
		i := devices.Interface{Name: f[0]}
		i.ErrDisabled = f[1]
		if n, rest, ok := text.Uint32(f[2]); ok && rest == "" {
			i.ErrRecovers = devices.Some(n)
		}
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

// Directions reads "show udld neighbors": whether each port hears the other end that hears it.
func Directions(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 5 || !block.IsPortName(f[0]) {
			continue
		}
		i := devices.Interface{Name: f[0]}
		i.UDLD = devices.Some(strings.ToLower(f[len(f)-1]))
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

// Inconsistent reads "show spanning-tree inconsistentports": "VLAN0001  GigabitEthernet1/0/1  Root Inconsistent".
func Inconsistent(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 3 || !block.IsPortName(f[1]) || !strings.HasPrefix(f[0], "VLAN") && !strings.HasPrefix(f[0], "MST") {
			continue
		}
		why, _, _ := strings.Cut(strings.ToLower(strings.Join(f[2:], " ")), " ")
		mark(r, TreeName(f[0]), f[1], why)
	}
}

// mark puts a guard that blocks a port into the tree of that name.
func mark(r *devices.Reading, tree, port, why string) {
	for i := range r.Trees {
		if r.Trees[i].Name != tree {
			continue
		}
		for j := range r.Trees[i].Ports {
			if p := &r.Trees[i].Ports[j]; devices.PortKey(p.Port) == devices.PortKey(port) {
				p.Inconsistent = why
				return
			}
		}
		r.Trees[i].Ports = append(r.Trees[i].Ports, devices.TreePort{Port: port, Inconsistent: why})
		return
	}
	r.Trees = append(r.Trees, devices.Tree{Name: tree, Ports: []devices.TreePort{{Port: port, Inconsistent: why}}})
}

// TreeName returns "vlan 20" for VLAN0020 and "mst 1" for MST1 or MST01.
func TreeName(s string) string {
	for _, k := range []struct{ prefix, name string }{{"VLAN", "vlan "}, {"Vlan", "vlan "}, {"VL", "vlan "}, {"Vl", "vlan "}, {"MST", "mst "}} {
		if rest, ok := strings.CutPrefix(s, k.prefix); ok {
			n, end, ok := text.Uint32(rest)
			if ok && end == "" {
				return k.name + text.Plain(float64(n))
			}
		}
	}
	return s
}

package inventory

import (
	"fmt"
	"regexp"
	"slices"
	"strings"

	"whydrop/devices"
)

func looksContainerlab(_ Input, n *node) bool { return n.get("topology").get("nodes").is(mappingNode) }

// readContainerlab reads a topology: its nodes, and from its links the ports of each. The address of a node that has no
// mgmt-ipv4 is the name of its container, which the host of the laboratory resolves.
func readContainerlab(r *reader, n *node) error {
	topology := n.get("topology")
	nodes := topology.get("nodes")
	if !nodes.is(mappingNode) {
		return fmt.Errorf("%s: topology.nodes: a mapping is wanted", place(r.in.Name, topology.lineOf()))
	}
	prefix := clabPrefix(n)
	ends := clabEnds(topology.get("links"))
	for i, item := range nodes.items {
		name, line := nodes.keys[i].text, nodes.keys[i].line
		get := clabGet(topology, item)
		kind := get("kind")
		switch kind.str() {
		case "bridge", "ovs-bridge", "host", "ext-container", "k8s-kind":
			r.notef(r.in.Name, line, "%s is of kind %s and nobody to ask; left out", clip(name), kind.str())
			continue
		}
		d := devices.Device{Name: name, Address: host(item.get("mgmt-ipv4").str()), Role: roleOf(get("group").str())}
		if d.Address == "" {
			d.Address = host(item.get("mgmt_ipv4").str()) // as older versions write it
		}
		if d.Address == "" {
			d.Address = prefix + name
		}
		if kind.str() == "linux" {
			d.Role = "host"
		} else {
			d.Platform = r.platform(value{kind.str(), r.in.Name, kind.lineOf()}, name)
		}
		for _, e := range ends[name] {
			port, ok := clabPort(kind.str(), e.text)
			if !ok {
				r.notef(r.in.Name, e.line, "%s: %s is the container's name of a port, not the device's; left out", clip(name), clip(e.text))
			} else if !slices.Contains(d.Ports, port) {
				d.Ports = append(d.Ports, port)
			}
		}
		r.add(r.in.Name, line, d)
	}
	return nil
}

// clabPrefix returns what the names of containers begin with.
func clabPrefix(n *node) string {
	lab := n.get("name").str() + "-"
	switch p := n.get("prefix"); {
	case p == nil:
		return "clab-" + lab
	case p.str() == "":
		return ""
	case p.str() == "__lab-name":
		return lab
	default:
		return p.str() + "-" + lab
	}
}

// clabGet returns how a node's value is found: in itself, its group or the defaults.
func clabGet(topology, n *node) func(string) *node {
	return func(key string) *node {
		if v := n.get(key); v != nil || key == "group" {
			return v
		}
		group := topology.get("groups").get(n.get("group").str())
		if v := group.get(key); v != nil {
			return v
		}
		return topology.get("defaults").get(key)
	}
}

// clabEnds returns the ports that links end at, by node. A link is endpoints: ["a:eth1", "b:eth1"], or of the extended
// form with endpoints: [{node: a, interface: eth1}, ...].
func clabEnds(links *node) map[string][]*node {
	out := map[string][]*node{}
	for _, l := range list(links) {
		for _, e := range list(l.get("endpoints")) {
			node1, port := e.get("node").str(), e.get("interface").str()
			if e.is(scalarNode) {
				node1, port, _ = strings.Cut(e.text, ":")
			}
			if node1 != "" && port != "" {
				out[node1] = append(out[node1], &node{line: e.line, text: port})
			}
		}
	}
	return out
}

var (
	clabEth    = regexp.MustCompile(`^eth([0-9]+)(?:_([0-9]+))?(?:_([0-9]+))?$`)
	clabNative = regexp.MustCompile(`(?i)^(ethernet|gigabitethernet|tengige|hundredgige|gi|te|et|ge|xe|e)[ -]?[0-9][0-9/:.-]*$`)
)

// clabPort returns the device's own name of a port.
func clabPort(kind, name string) (string, bool) {
	m := clabEth.FindStringSubmatch(name)
	switch {
	case kind == "linux" || m == nil && clabNative.MatchString(name):
		return name, true
	case m != nil && strings.Contains(kind, "ceos"):
		out := "Ethernet" + m[1]
		for _, more := range m[2:] {
			if more != "" {
				out += "/" + more
			}
		}
		return out, true
	}
	return "", false
}

package hp_comware

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// DisplayLinkAggregation reads "display link-aggregation verbose": each aggregate, whether LACP makes it, and its ports,
// of which the selected ones carry traffic. What the partner says of them is left alone.
func DisplayLinkAggregation(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	local := false
	for line := range text.Each(output) {
		label, value, labelled := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch {
		case labelled && strings.HasPrefix(label, "Aggregate Interface") && block.IsPortName(value):
			groups, local = append(groups, devices.Aggregate{Port: value}), true
			continue
		case len(groups) == 0:
			continue
		case labelled && label == "Aggregation Mode":
			groups[len(groups)-1].Protocol = map[string]string{"dynamic": "lacp", "static": "static"}[strings.ToLower(value)]
			continue
		case strings.HasPrefix(label, "Local"):
			local = true
			continue
		case strings.HasPrefix(label, "Remote"):
			local = false
			continue
		}
		const fewest = 3
		f := strings.Fields(line)
		if !local || len(f) < fewest || !block.IsPortName(f[0]) {
			continue
		}
		// A reference port has "(R)" behind its name in newer releases.
		if state, ok := selected[f[1]]; ok {
			g := &groups[len(groups)-1]
			g.Members = append(g.Members, devices.Member{Port: f[0], State: state})
		}
	}
	tables.Aggregates(r, groups)
}

// selected are the states of a port in an aggregate.
var selected = map[string]string{"S": "bundled", "U": "suspended", "I": "individual"}

// DisplayVRRP reads "display vrrp verbose": the groups of each interface.
func DisplayVRRP(output string, r *devices.Reading) {
	if r.Redundancy == nil {
		r.Redundancy = []devices.Redundancy{}
	}
	port := ""
	var cur *devices.Redundancy
	for line := range text.Each(output) {
		if name, ok := strings.CutPrefix(line, "Interface "); ok && block.IsPortName(strings.TrimSpace(name)) {
			port = strings.TrimSpace(name)
			continue
		}
		for label, value := range pairsOf(line) {
			if label == "vrid" && port != "" {
				r.Redundancy = append(r.Redundancy, devices.Redundancy{Protocol: "vrrp", Port: port, Group: value})
				cur = &r.Redundancy[len(r.Redundancy)-1]
			} else if cur != nil {
				tables.VRRPField(cur, label, value)
			}
		}
	}
}

// pairsOf cuts "Admin status     : Up             State        : Master" in two, with the labels in lower case.
func pairsOf(line string) func(yield func(label, value string) bool) {
	return func(yield func(label, value string) bool) {
		label, rest, ok := strings.Cut(line, ":")
		for ok {
			rest = strings.TrimLeft(rest, " ")
			value, more, next := rest, "", ""
			if i := strings.Index(rest, "  "); i >= 0 {
				value, more = rest[:i], strings.TrimSpace(rest[i:])
			}
			if !yield(strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value)) {
				return
			}
			label, next, ok = strings.Cut(more, ":")
			rest = next
		}
	}
}

package huawei_vrp

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// DisplayEthTrunk reads "display eth-trunk": each trunk, whether LACP makes it, and its ports.
func DisplayEthTrunk(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	partner := false
	for line := range text.Each(output) {
		if name, _, ok := strings.Cut(line, "'s state information is"); ok && block.IsPortName(name) {
			groups, partner = append(groups, devices.Aggregate{Port: name}), false
			continue
		}
		if len(groups) == 0 {
			continue
		}
		g := &groups[len(groups)-1]
		if mode, ok := text.After(line, "WorkingMode:"); ok {
			g.Protocol = "static"
			if word := strings.Fields(mode + " -")[0]; strings.EqualFold(word, "LACP") || strings.EqualFold(word, "STATIC") {
				g.Protocol = "lacp" // STATIC is LACP in older releases, NORMAL is none
			}
			continue
		}
		if strings.HasPrefix(line, "Partner:") {
			partner = true
		}
		const fewest = 3
		f := strings.Fields(line)
		if partner || len(f) < fewest || !block.IsPortName(f[0]) {
			continue
		}
		if state, ok := trunkStates[f[1]]; ok {
			g.Members = append(g.Members, devices.Member{Port: f[0], State: state})
		}
	}
	tables.Aggregates(r, groups)
}

// trunkStates are the states of a trunk's port, of LACP and of a trunk without it.
var trunkStates = map[string]string{"Selected": "bundled", "Unselect": "suspended", "Unselected": "suspended", "Up": "bundled", "Down": "down"}

// DisplayVRRP reads "display vrrp": "Vlanif100 | Virtual Router 1", and its fields.
func DisplayVRRP(output string, r *devices.Reading) {
	if r.Redundancy == nil {
		r.Redundancy = []devices.Redundancy{}
	}
	var cur *devices.Redundancy
	for line := range text.Each(output) {
		port, group, ok := strings.Cut(line, " | Virtual Router ")
		if ok && block.IsPortName(strings.TrimSpace(port)) && strings.TrimSpace(group) != "" {
			r.Redundancy = append(r.Redundancy, devices.Redundancy{Protocol: "vrrp", Port: strings.TrimSpace(port), Group: strings.TrimSpace(group)})
			cur = &r.Redundancy[len(r.Redundancy)-1]
			continue
		}
		if label, value, ok := strings.Cut(line, ":"); ok && cur != nil {
			tables.VRRPField(cur, strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value))
		}
	}
}

package cisco_iosxr

import (
	"cmp"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowBundle reads "show bundle": each bundle and its local ports, "Gi0/0/0/0  Local  Active  0x8000, 0x0001  1000000".
func ShowBundle(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case len(f) == 1 && strings.HasPrefix(f[0], "Bundle-") && block.IsPortName(f[0]):
			groups = append(groups, devices.Aggregate{Port: f[0]})
		case len(groups) == 0 || len(f) == 0:
		case f[0] == "LACP:" && len(f) > 1:
			g := &groups[len(groups)-1]
			g.Protocol = map[bool]string{true: "lacp", false: "static"}[f[1] == "Operational"]
		case len(f) > 2 && block.IsPortName(f[0]) && f[1] == "Local":
			g := &groups[len(groups)-1]
			state := strings.ToLower(f[2])
			g.Members = append(g.Members, devices.Member{Port: f[0], State: cmp.Or(bundleStates[state], state)})
		}
	}
	tables.Aggregates(r, groups)
}

// bundleStates are XR's words that have another here. What is configured and does not carry traffic is suspended.
var bundleStates = map[string]string{"active": "bundled", "configured": "suspended"}

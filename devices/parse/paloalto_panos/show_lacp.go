package paloalto_panos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	common "whydrop/devices/parse/internal/tables"
)

// ShowLACP reads "show lacp aggregate-ethernet all": each group and its members, which are bundled or not.
func ShowLACP(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	members := false
	for f := range common.Rows(output) {
		const row = 2
		switch {
		case len(f) == 3 && f[0] == "AE" && f[1] == "group:":
			groups = append(groups, devices.Aggregate{Port: f[2], Protocol: "lacp"})
		case f[0] == "Members:":
			members = true
		case strings.HasSuffix(f[0], ":"):
			members = false
		case members && len(groups) > 0 && len(f) >= row && block.IsPortName(f[0]):
			if state, ok := map[string]string{"yes": "bundled", "no": "suspended"}[f[1]]; ok {
				g := &groups[len(groups)-1]
				g.Members = append(g.Members, devices.Member{Port: f[0], State: state})
			}
		}
	}
	common.Aggregates(r, groups)
}

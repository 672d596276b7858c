package aruba_aoscx

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
)

// ShowLACPInterfaces reads "show lacp interfaces": the ports of each LAG by this end's state, "1/1/1 lag10 17 1 ALFNCD
// 70:72:cf:37:a3:5c 20 10 up".
func ShowLACPInterfaces(output string, r *devices.Reading) {
	groups := []devices.Aggregate{}
	own, _, _ := strings.Cut(output, "Partner details")
	for f := range tables.Rows(own) {
		const fewest, first = 6, "lag"
		if len(f) < fewest || !block.IsPortName(f[0]) || !strings.HasPrefix(f[1], first) || !block.IsPortName(strings.TrimSuffix(f[1], "(mc)")) {
			continue
		}
		name := strings.TrimSuffix(f[1], "(mc)") // of two switches that act as one
		m := devices.Member{Port: f[0], State: "suspended"}
		switch last := f[len(f)-1]; {
		case last == "up":
			m.State = "bundled"
		case last == "down":
			m.State = "down"
		case strings.HasPrefix(last, "lacp-block"):
		default:
			m.State = last
		}
		if n := len(groups); n == 0 || groups[n-1].Port != name {
			groups = append(groups, devices.Aggregate{Port: name, Protocol: "lacp"})
		}
		g := &groups[len(groups)-1]
		g.Members = append(g.Members, m)
	}
	tables.Aggregates(r, groups)
}

package aruba_aoscx

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// ShowVSX reads "show vsx status": the roles of the two switches that act as one, whether the link between them is in
// sync, and whether their configurations are.
func ShowVSX(output string, r *devices.Reading) {
	g := devices.Redundancy{Protocol: "vsx"}
	peer := ""
	for line := range text.Each(output) {
		if label, value, ok := strings.Cut(line, ":"); ok {
			value = strings.TrimSpace(value)
			switch strings.TrimSpace(label) {
			case "ISL channel":
				if value != "In-Sync" {
					g.Reason = "ISL channel: " + value
				}
			case "Config Sync Status":
				g.Synced = devices.Some(strings.EqualFold(value, "In-Sync"))
			}
			continue
		}
		f := strings.Fields(line)
		const words = 4
		switch {
		case len(f) >= words && f[0] == "ISL" && f[1] == "link":
			g.Port = f[2]
		case len(f) >= words-1 && f[0] == "Device" && f[1] == "Role":
			g.State = strings.ToLower(f[2])
			if len(f) >= words {
				peer = strings.ToLower(f[3])
			}
		}
	}
	if g.State == "" {
		return
	}
	if g.Peer = peer; g.Reason != "" {
		g.Peer = "unknown" // what was known of it before
	}
	r.Redundancy = append(r.Redundancy, g)
}

package juniper_junos

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowVirtualChassis reads "show virtual-chassis": its members, "0 (FPC 0)  Prsnt  AB0123456789 ex4300-48t  128  Master*
// ...".
func ShowVirtualChassis(output string, r *devices.Reading) {
	if r.Units == nil {
		r.Units = []devices.Unit{}
	}
	for f := range tables.Rows(output) {
		const fewest = 5
		if len(f) < fewest || f[1] != "(FPC" {
			continue
		}
		if _, rest, ok := text.Uint32(f[0]); !ok || rest != "" {
			continue
		}
		u := devices.Unit{Name: "member " + f[0], State: f[3]}
		if state := memberStates[f[3]]; state != "" {
			u.State = state
		}
		for _, word := range f[4:] {
			if role := memberRoles[strings.TrimRight(word, "*")]; role != "" {
				u.Role = role
				break
			}
		}
		r.Units = append(r.Units, u)
	}
}

// The words of the table.
var (
	memberStates = map[string]string{"Prsnt": "ready", "NotPrsnt": "absent", "Inactive": "inactive", "Unprvsnd": "unprovisioned"}
	memberRoles  = map[string]string{"Master": "active", "Backup": "standby", "Linecard": "member"}
)

package hp_comware

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// DisplayIRF reads "display irf": the members of a fabric, "*+1  Master  32  0011-2233-4455  ---". A member that is gone
// is not in it.
func DisplayIRF(output string, r *devices.Reading) {
	if r.Units == nil {
		r.Units = []devices.Unit{}
	}
	for f := range tables.Rows(output) {
		const fewest = 4
		if len(f) < fewest {
			continue
		}
		n, rest, ok := text.Uint32(strings.TrimLeft(f[0], "*+"))
		role := irfRoles[f[1]]
		if _, isMAC := text.MAC(f[3]); !ok || rest != "" || role == "" || !isMAC {
			continue
		}
		r.Units = append(r.Units, devices.Unit{Name: "member " + text.Plain(float64(n)), Role: role, State: "ready"})
	}
}

// irfRoles are the roles of a fabric's members, in the words of devices.Unit.
var irfRoles = map[string]string{"Master": "active", "Standby": "standby", "Slave": "standby", "Loading": "loading"}

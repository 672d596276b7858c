package dell_force10

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/tables"
)

// plainLabels turns the labels of Dell's LLDP neighbours into the usual ones.
var plainLabels = strings.NewReplacer("Remote System Desc:", "System Description:", "Remote ", "")

// ShowLLDPNeighborsDetail reads "show lldp neighbors detail": "Remote Chassis ID:", "Remote Port ID:", "Local Port ID:".
func ShowLLDPNeighborsDetail(output string, r *devices.Reading) {
	tables.Neighbours(plainLabels.Replace(output), "lldp", r)
}

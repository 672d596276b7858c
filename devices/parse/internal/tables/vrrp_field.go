package tables

import (
	"net/netip"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// vrrpStates are VRRP's states in the words of devices.Redundancy (RFC 5798).
var vrrpStates = map[string]string{"Master": "active", "Backup": "standby", "Initialize": "init", "Init": "init", "Inactive": "init"}

// VRRPField takes in a field of a group by its label in lower case, as Comware and VRP print it.
func VRRPField(g *devices.Redundancy, label, value string) {
	switch label {
	case "state":
		if g.State = vrrpStates[value]; g.State == "" {
			g.State = value
		}
	case "running pri", "priorityrun":
		if n, rest, ok := text.Uint32(value); ok && rest == "" {
			g.Priority = devices.Some(n)
		}
	case "virtual ip":
		if ip, err := netip.ParseAddr(value); err == nil {
			g.Virtual = ip
		}
	case "master ip":
		if ip, err := netip.ParseAddr(value); err == nil && !ip.IsUnspecified() {
			g.Active = ip.String()
		}
	}
}

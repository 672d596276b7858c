package snmp

import (
	"strconv"

	"whydrop/devices"
)

// stackWise is the members of a stack of Cisco switches (CISCO-STACKWISE-MIB cswSwitchInfoTable,
// 1.3.6.1.4.1.9.9.500.1.2.1.1, by entPhysicalIndex): SwitchNumCurrent 1, Role 3, State 6; and its cables,
// cswStackPortOperStatus 500.1.2.2.1.1 by ifIndex (up 1, down 2, forcedDown 3).
var stackWise = Table{
	Name:    "cswSwitchInfoTable",
	MIB:     "CISCO-STACKWISE-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{cswSwitch + "1", cswSwitch + "3", cswSwitch + "6", cswPort},
	Live:    []string{cswSwitch + "3", cswSwitch + "6", cswPort},
	Part:    "Units",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(cswSwitch + "6") {
			if len(c.Index) != 1 {
				continue
			}
			n := v.At(cswSwitch+"1", c.Index...).Number()
			if !n.OK {
				n = devices.Some(c.Index[0] / 1000) // members are numbered 1000, 2000, or 1001, 2001
			}
			r.Units = append(r.Units, devices.Unit{
				Name: "switch " + n.String(), Role: v.At(cswSwitch+"3", c.Index...).Word(cswRoles).Value, State: c.Word(cswStates).Value,
			})
		}
		for _, c := range v.Rows(cswPort) {
			if len(c.Index) == 1 {
				r.Units = append(r.Units, devices.Unit{Name: v.Port(c.Index[0]), Role: "stack port", State: c.Word(cswPortStates).Value})
			}
		}
	},
}

const (
	cswSwitch = "1.3.6.1.4.1.9.9.500.1.2.1.1."
	cswPort   = "1.3.6.1.4.1.9.9.500.1.2.2.1.1"
)

// Values of cswSwitchRole, cswSwitchState and cswStackPortOperStatus.
var (
	cswRoles  = []string{"active", "member", "not a member", "standby"}
	cswStates = []string{
		"waiting", "progressing", "added", "ready", "SDM mismatch", "version mismatch", "feature mismatch",
		"new active initialising", "provisioned", "invalid", "removed",
	}
	cswPortStates = []string{"up", "down", "forced down"}
)

// vpc is a pair of Nexus switches that act as one (CISCO-VPC-MIB, 1.3.6.1.4.1.9.9.807.1): cVpcPeerKeepAliveStatus 1.2.1.2
// and cVpcRoleStatus 2.1.1.2 by domain; cVpcStatusHostLinkIfIndex 4.2.1.3 and HostLinkStatus 4.2.1.4 by domain and vPC.
var vpc = Table{
	Name:    "cVpcRoleTable",
	MIB:     "CISCO-VPC-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{vpcKeepAlive, vpcRole},
	Live:    []string{vpcKeepAlive, vpcRole},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(vpcRole) {
			if len(c.Index) != 1 {
				continue
			}
			g := devices.Redundancy{
				Protocol: "vpc", Group: strconv.FormatUint(uint64(c.Index[0]), 10), State: c.Word(vpcRoles).Value,
			}
			if alive := v.At(vpcKeepAlive, c.Index...).Word(vpcKeepAlives); alive.Value == "alive" {
				g.Peer = vpcOther[g.State]
			} else if alive.OK {
				g.Peer, g.Reason = "unknown", "keep-alive: "+alive.Value
			}
			r.Redundancy = append(r.Redundancy, g)
		}
	},
}

// vpcLinks is the state of each vPC (CISCO-VPC-MIB cVpcStatusHostLinkTable).
var vpcLinks = Table{
	Name:    "cVpcStatusHostLinkTable",
	MIB:     "CISCO-VPC-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{vpcLink + "3", vpcLink + "4"},
	Live:    []string{vpcLink + "4"},
	Part:    "Units",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(vpcLink + "4") {
			if len(c.Index) != 2 {
				continue
			}
			name := "vpc " + strconv.FormatUint(uint64(c.Index[1]), 10)
			if n := v.At(vpcLink+"3", c.Index...).Number(); n.Value > 0 {
				name += " " + v.Port(n.Value)
			}
			r.Units = append(r.Units, devices.Unit{Name: name, Role: "vpc", State: c.Word(vpcLinkStates).Value})
		}
	},
}

const (
	vpcKeepAlive = "1.3.6.1.4.1.9.9.807.1.1.2.1.2"
	vpcRole      = "1.3.6.1.4.1.9.9.807.1.2.1.1.2"
	vpcLink      = "1.3.6.1.4.1.9.9.807.1.4.2.1."
)

// Values of cVpcRoleStatus, cVpcPeerKeepAliveStatus and cVpcStatusHostLinkStatus.
var (
	vpcRoles      = []string{"primary, operational secondary", "primary", "secondary, operational primary", "secondary", "none"}
	vpcKeepAlives = []string{
		"disabled", "alive", "peer unreachable", "alive, other domain", "suspended by ISSU",
		"suspended, address unreachable", "suspended, VRF unusable", "misconfigured",
	}
	vpcLinkStates = []string{"down", "down, forwarded by the peer", "up"}
	vpcOther      = map[string]string{
		"primary": "secondary", "secondary": "primary",
		"primary, operational secondary": "secondary, operational primary",
		"secondary, operational primary": "primary, operational secondary",
	}
)

package snmp

import (
	"net/netip"
	"strconv"

	"whydrop/devices"
)

// Groups of routers that share a gateway address. All three tables are read live: a change of state is dated by polls.

// vrrp2 is VRRP version 2 (VRRP-MIB vrrpOperTable, RFC 2787, 1.3.6.1.2.1.68.1.3.1, by ifIndex and group): State 3
// (initialize 1, backup 2, master 3), Priority 5, MasterIpAddr 7; vrrpStatsBecomeMaster 68.2.4.1.1 (Counter32);
// vrrpAssoIpAddrRowStatus 68.1.4.1.2, whose index ends in the virtual address.
var vrrp2 = Table{
	Name:    "vrrpOperTable",
	MIB:     "VRRP-MIB, RFC 2787",
	Unseen:  true,
	Cadence: States,
	Roots:   []string{vrrpOper + "3", vrrpOper + "5", vrrpOper + "7", vrrpBecameMaster, vrrpAddress},
	Live:    []string{vrrpOper + "3", vrrpBecameMaster},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(vrrpOper + "3") {
			if len(c.Index) != 2 {
				continue
			}
			g := devices.Redundancy{
				Protocol: "vrrp", Group: strconv.FormatUint(uint64(c.Index[1]), 10), Port: v.Port(c.Index[0]),
				State: c.Word(vrrpWords).Value, Priority: v.At(vrrpOper+"5", c.Index...).Number(),
				Changes: v.At(vrrpBecameMaster, c.Index...).Counter(), Active: address(v.At(vrrpOper+"7", c.Index...).Addr()),
			}
			for _, a := range v.Rows(vrrpAddress) {
				if len(a.Index) == 6 && a.Index[0] == c.Index[0] && a.Index[1] == c.Index[1] && !g.Virtual.IsValid() {
					g.Virtual, _ = netip.AddrFromSlice(octetsOf(a.Index[2:]))
				}
			}
			r.Redundancy = append(r.Redundancy, g)
		}
	},
}

const (
	vrrpOper         = "1.3.6.1.2.1.68.1.3.1."
	vrrpAddress      = "1.3.6.1.2.1.68.1.4.1.2"
	vrrpBecameMaster = "1.3.6.1.2.1.68.2.4.1.1"
)

// vrrpWords are the states of a VRRP router in the words of devices.Redundancy.
var vrrpWords = []string{"init", "standby", "active"}

// vrrp3 is VRRP version 3 (VRRPV3-MIB vrrpv3OperationsTable, RFC 6527, 1.3.6.1.2.1.207.1.1.1.1, by ifIndex, group and
// address family): MasterIpAddr 3, Status 6, Priority 7; vrrpv3StatisticsMasterTransitions 207.1.2.5.1.1 (Counter32) and
// NewMasterReason 207.1.2.5.1.2; vrrpv3AssociatedIpAddrRowStatus 207.1.1.2.1.2, whose index ends in length and address.
var vrrp3 = Table{
	Name:    "vrrpv3OperationsTable",
	MIB:     "VRRPV3-MIB, RFC 6527",
	Unseen:  true,
	Cadence: States,
	Roots:   []string{vrrp3Oper + "3", vrrp3Oper + "6", vrrp3Oper + "7", vrrp3Stats + "1", vrrp3Stats + "2", vrrp3Address},
	Live:    []string{vrrp3Oper + "6", vrrp3Stats + "1", vrrp3Stats + "2"},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(vrrp3Oper + "6") {
			if len(c.Index) != 3 {
				continue
			}
			g := devices.Redundancy{
				Protocol: "vrrp", Group: strconv.FormatUint(uint64(c.Index[1]), 10), Port: v.Port(c.Index[0]),
				State: c.Word(vrrpWords).Value, Priority: v.At(vrrp3Oper+"7", c.Index...).Number(),
				Changes: v.At(vrrp3Stats+"1", c.Index...).Counter(), Active: address(v.At(vrrp3Oper+"3", c.Index...).Addr()),
			}
			if c.Index[2] == 2 { // InetAddressType: ipv6
				g.Group += " ipv6"
			}
			if n := v.At(vrrp3Stats+"2", c.Index...).Number(); n.OK && int(n.Value) < len(vrrp3Reasons) {
				g.Reason = vrrp3Reasons[n.Value]
			}
			for _, a := range v.Rows(vrrp3Address) {
				if len(a.Index) > 4 && a.Index[0] == c.Index[0] && a.Index[1] == c.Index[1] && a.Index[2] == c.Index[2] && !g.Virtual.IsValid() {
					g.Virtual, _ = netip.AddrFromSlice(octetsOf(a.Index[4:]))
				}
			}
			r.Redundancy = append(r.Redundancy, g)
		}
	},
}

const (
	vrrp3Oper    = "1.3.6.1.2.1.207.1.1.1.1."
	vrrp3Address = "1.3.6.1.2.1.207.1.1.2.1.2"
	vrrp3Stats   = "1.3.6.1.2.1.207.1.2.5.1."
)

// vrrp3Reasons are the values of vrrpv3StatisticsNewMasterReason, from 0.
var vrrp3Reasons = []string{"", "priority", "preempted", "master did not respond"}

// hsrp is Cisco's protocol (CISCO-HSRP-MIB cHsrpGrpTable, 1.3.6.1.4.1.9.9.106.1.2.1.1, by ifIndex and group): Priority 3,
// VirtualIpAddr 11, ActiveRouter 13, StandbyState 15 (initial 1, learn 2, listen 3, speak 4, standby 5, active 6).
var hsrp = Table{
	Name:    "cHsrpGrpTable",
	MIB:     "CISCO-HSRP-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{hsrpGroup + "3", hsrpGroup + "11", hsrpGroup + "13", hsrpGroup + "15"},
	Live:    []string{hsrpGroup + "13", hsrpGroup + "15"},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(hsrpGroup + "15") {
			if len(c.Index) != 2 {
				continue
			}
			r.Redundancy = append(r.Redundancy, devices.Redundancy{
				Protocol: "hsrp", Group: strconv.FormatUint(uint64(c.Index[1]), 10), Port: v.Port(c.Index[0]),
				State: c.Word(hsrpWords).Value, Priority: v.At(hsrpGroup+"3", c.Index...).Number(),
				Virtual: specified(v.At(hsrpGroup+"11", c.Index...).Addr()), Active: address(v.At(hsrpGroup+"13", c.Index...).Addr()),
			})
		}
	},
}

const hsrpGroup = "1.3.6.1.4.1.9.9.106.1.2.1.1."

// hsrpWords are the values of HsrpState.
var hsrpWords = []string{"init", "learn", "listen", "speak", "standby", "active"}

// specified returns an address, or none for 0.0.0.0 and ::.
func specified(a netip.Addr) netip.Addr {
	if a.IsUnspecified() {
		return netip.Addr{}
	}
	return a
}

// address writes an address; "" for none and for 0.0.0.0.
func address(a netip.Addr) string {
	if !specified(a).IsValid() {
		return ""
	}
	return a.String()
}

package snmp

import (
	"strings"

	"whydrop/devices"
)

// asaFailover is the state of a pair of ASA or FTD firewalls (CISCO-FIREWALL-MIB cfwHardwareStatusTable,
// 1.3.6.1.4.1.9.9.147.1.2.1.1.1, by type: 6 primary, 7 secondary unit): Information 2 (which names this device), Value 3
// (active 9, standby 10), Detail 4.
var asaFailover = Table{
	Name:    "cfwHardwareStatusTable",
	MIB:     "CISCO-FIREWALL-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{cfwHardware + "2", cfwHardware + "3", cfwHardware + "4"},
	Live:    []string{cfwHardware + "3"},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		for self, peer := range map[uint32]uint32{6: 7, 7: 6} {
			if !strings.Contains(strings.ToLower(v.At(cfwHardware+"2", self).Text()), "this device") {
				continue
			}
			if strings.Contains(strings.ToLower(v.At(cfwHardware+"4", self).Text()), "failover off") {
				continue
			}
			state := v.At(cfwHardware+"3", self).Word(cfwWords)
			if state.OK {
				r.Redundancy = append(r.Redundancy, devices.Redundancy{
					Protocol: "asa", Group: "failover", State: state.Value, Peer: v.At(cfwHardware+"3", peer).Word(cfwWords).Value,
				})
			}
		}
	},
}

const cfwHardware = "1.3.6.1.4.1.9.9.147.1.2.1.1.1."

// cfwWords are the values of HardwareStatus.
var cfwWords = []string{
	"other", "up", "down", "failed", "over temperature", "busy", "no medium", "backup", "active", "standby",
}

// asaConnections is how many connections the firewall holds (CISCO-FIREWALL-MIB cfwConnectionStatTable,
// 1.3.6.1.4.1.9.9.147.1.2.2.2.1, by service and statistic): Value 5 (Gauge32) of protoIp (40), currentInUse (6).
var asaConnections = Table{
	Name:    "cfwConnectionStatTable",
	MIB:     "CISCO-FIREWALL-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{cfwConnections},
	Live:    []string{cfwConnections},
	Part:    "Sessions",
	Fill: func(v View, r *devices.Reading) {
		const protoIP, inUse = 40, 6
		setSessions(r, v.At(cfwConnections, protoIP, inUse).Wide(), devices.None[uint64]())
	},
}

const cfwConnections = "1.3.6.1.4.1.9.9.147.1.2.2.2.1.5"

// setSessions notes how many flows a device holds, if it said so.
func setSessions(r *devices.Reading, active, limit devices.Opt[uint64]) {
	if !active.OK && !limit.OK {
		return
	}
	if r.Sessions == nil {
		r.Sessions = &devices.Sessions{}
	}
	if active.OK {
		r.Sessions.Active = active
	}
	if limit.OK {
		r.Sessions.Limit = limit
	}
}

// fortiHA is the state of a FortiGate's cluster (FORTINET-FORTIGATE-MIB fgHaInfo, 1.3.6.1.4.1.12356.101.13):
// fgHaSystemMode 1.1 (standalone 1, activeActive 2, activePassive 3); fgHaStatsTable 2.1.1 by unit: Serial 2, Hostname 11,
// SyncStatus 12 (0 not in sync, 1 in sync), MasterSerial 16. The unit's own serial number is fnSysSerial of
// FORTINET-CORE-MIB, 1.3.6.1.4.1.12356.100.1.1.1.
var fortiHA = Table{
	Name:    "fgHaStatsTable",
	MIB:     "FORTINET-FORTIGATE-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseFortinet},
	Roots:   []string{fortiMode, fortiStats + "2", fortiStats + "11", fortiStats + "12", fortiStats + "16", fortiSerial},
	Live:    []string{fortiStats + "12", fortiStats + "16"},
	Part:    "Redundancy",
	Fill:    fillFortiHA,
}

const (
	fortiMode   = "1.3.6.1.4.1.12356.101.13.1.1"
	fortiStats  = "1.3.6.1.4.1.12356.101.13.2.1.1."
	fortiSerial = "1.3.6.1.4.1.12356.100.1.1.1"
)

func fillFortiHA(v View, r *devices.Reading) {
	if mode := v.Scalar(fortiMode).Number(); !mode.OK || mode.Value < 2 {
		return
	}
	g := devices.Redundancy{Protocol: "fortigate", Group: "ha"}
	self := v.Scalar(fortiSerial).Text()
	if n := v.Scalar(fortiMode).Number(); n.Value == 2 {
		g.Group = "ha active-active"
	}
	for _, c := range v.Rows(fortiStats + "12") {
		n := c.Number()
		if n.OK && (!g.Synced.OK || g.Synced.Value) {
			g.Synced = devices.Some(n.Value == 1)
		}
		master := v.At(fortiStats+"16", c.Index...).Text()
		if serial := v.At(fortiStats+"2", c.Index...).Text(); master != "" && serial == self {
			g.Active = master
		}
	}
	if g.Active != "" && self != "" {
		g.State, g.Peer = "standby", "active"
		if g.Active == self {
			g.State, g.Peer = "active", "standby"
		}
	}
	if len(v.Rows(fortiStats+"12")) < 2 {
		g.Peer = "" // it is alone
	}
	r.Redundancy = append(r.Redundancy, g)
}

// fortiSystem is a FortiGate's load (FORTINET-FORTIGATE-MIB fgSystemInfo, 1.3.6.1.4.1.12356.101.4.1, scalars, Gauge32):
// CpuUsage 3 and MemUsage 4 in per cent, SesCount 8.
var fortiSystem = Table{
	Name:    "fgSystemInfo",
	MIB:     "FORTINET-FORTIGATE-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseFortinet},
	Roots:   []string{fortiInfo + "3", fortiInfo + "4", fortiInfo + "8"},
	Live:    []string{fortiInfo + "3", fortiInfo + "4", fortiInfo + "8"},
	Part:    "Sessions",
	Fill: func(v View, r *devices.Reading) {
		busier(&r.CPU, percent(v.Scalar(fortiInfo+"3")))
		busier(&r.Memory, percent(v.Scalar(fortiInfo+"4")))
		setSessions(r, v.Scalar(fortiInfo+"8").Wide(), devices.None[uint64]())
	},
}

const fortiInfo = "1.3.6.1.4.1.12356.101.4.1."

// panHA is the state of a pair of PAN-OS firewalls (PAN-COMMON-MIB panSys, 1.3.6.1.4.1.25461.2.1.2.1, scalars):
// HAState 11, HAPeerState 12, HAMode 13 (disabled, active-passive, active-active), words.
var panHA = Table{
	Name:    "panSysHAState",
	MIB:     "PAN-COMMON-MIB",
	Cadence: States,
	Vendors: []uint32{enterprisePaloAlto},
	Roots:   []string{panSystem + "11", panSystem + "12", panSystem + "13"},
	Live:    []string{panSystem + "11", panSystem + "12"},
	Part:    "Redundancy",
	Fill: func(v View, r *devices.Reading) {
		state, mode := v.Scalar(panSystem+"11").Text(), v.Scalar(panSystem+"13").Text()
		if state == "" || state == "disabled" || mode == "disabled" || mode == "" {
			return
		}
		r.Redundancy = append(r.Redundancy, devices.Redundancy{
			Protocol: "panos", Group: "ha", State: panWord(state), Peer: panWord(v.Scalar(panSystem + "12").Text()),
		})
	},
}

const panSystem = "1.3.6.1.4.1.25461.2.1.2.1."

// panWord returns PAN-OS' word for a state in those of devices.Redundancy.
func panWord(w string) string {
	switch w {
	case "passive":
		return "standby"
	case "initial":
		return "init"
	case "unknown":
		return ""
	}
	return w
}

// panSessions is how many sessions a PAN-OS firewall holds (PAN-COMMON-MIB panSession, 1.3.6.1.4.1.25461.2.1.2.3, scalars,
// INTEGER): SessionMax 2, SessionActive 3.
var panSessions = Table{
	Name:    "panSession",
	MIB:     "PAN-COMMON-MIB",
	Cadence: States,
	Vendors: []uint32{enterprisePaloAlto},
	Roots:   []string{panSession + "2", panSession + "3"},
	Live:    []string{panSession + "3"},
	Part:    "Sessions",
	Fill: func(v View, r *devices.Reading) {
		setSessions(r, v.Scalar(panSession+"3").Wide(), v.Scalar(panSession+"2").Wide())
	},
}

const panSession = "1.3.6.1.4.1.25461.2.1.2.3."

package snmp

import (
	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// fragments counts packets that should have been fragmented and must not be: ipSystemStatsOutFragFails of IPv4 and IPv6,
// Counter32 (IP-MIB, RFC 4293), or ipFragFails, Counter32, of older agents (RFC 1213).
var fragments = Table{
	Name:    "ipSystemStatsTable",
	MIB:     "IP-MIB, RFC 4293",
	Cadence: States,
	Metrics: []timeline.Metric{timeline.FragFails},
	Roots:   []string{ipFragFails, ipSystemStatsOutFragFails},
	Live:    []string{ipFragFails, ipSystemStatsOutFragFails},
	Fill: func(v View, r *devices.Reading) {
		v4, v6 := v.At(ipSystemStatsOutFragFails, 1).Counter(), v.At(ipSystemStatsOutFragFails, 2).Counter()
		if v4.OK {
			r.FragFails = sum(v4, v6)
			return
		}
		r.FragFails = v.Scalar(ipFragFails).Counter()
	},
}

const (
	ipFragFails               = "1.3.6.1.2.1.4.18"
	ipSystemStatsOutFragFails = "1.3.6.1.2.1.4.31.1.1.28"
)

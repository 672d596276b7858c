package snmp

import "whydrop/devices"

// cdp lists the neighbours that speak Cisco's protocol (CISCO-CDP-MIB cdpCacheTable), indexed by ifIndex and a counter.
// Makers other than Cisco have it too.
var cdp = Table{
	Name:    "cdpCacheTable",
	MIB:     "CISCO-CDP-MIB",
	Cadence: Slow,
	Roots: []string{
		cdpCache + "3", cdpCache + "4", cdpCache + "6", cdpCache + "7", cdpCache + "8", cdpCache + "11", cdpCache + "12",
		cdpCache + "16", cdpCache + "17",
	},
	Part: "Neighbours",
	Fill: fillCDP,
	Most: 2000,
}

const cdpCache = "1.3.6.1.4.1.9.9.23.1.2.1.1."

func fillCDP(v View, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	for _, c := range v.Rows(cdpCache + "7") {
		if len(c.Index) != 2 {
			continue
		}
		at := func(col string) Cell { return v.At(cdpCache+col, c.Index...) }
		n := devices.Neighbour{
			Port: v.Port(c.Index[0]), Protocol: "cdp", System: at("6").Text(), Chassis: macOf(at("6").Text()), PortID: c.Text(),
			Platform: at("8").Text(), VLAN: vlanID(at("11")), MTU: frameSize(at("16")),
		}
		if name := at("17").Text(); name != "" {
			n.System = name
		}
		if at("3").Number().Value == 1 { // CiscoNetworkProtocol: ip
			n.Address = at("4").Addr()
		}
		if d := at("12").Number(); d.Value == 2 || d.Value == 3 {
			n.Duplex = devices.Some(duplexWords[d.Value-1])
		}
		r.Neighbours = append(r.Neighbours, n)
	}
}

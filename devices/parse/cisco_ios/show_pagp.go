package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowPAgPNeighbor reads "show pagp neighbor": who is at the other end of each port of a channel that Cisco's Port
// Aggregation Protocol made, "Gi0/1  sw2.example.com  0011.2233.4455  Gi0/7  19s  SC  10001". A system's name that is
// missing is not made up.
func ShowPAgPNeighbor(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	for f := range tables.Rows(output) {
		if !block.IsPortName(f[0]) {
			continue
		}
		for i := 1; i+1 < len(f); i++ {
			mac, ok := text.MAC(f[i])
			if !ok || !block.IsPortName(f[i+1]) {
				continue
			}
			r.Neighbours = append(r.Neighbours, devices.Neighbour{
				Port: f[0], Protocol: "pagp", System: strings.Join(f[1:i], " "), Chassis: mac, PortID: f[i+1],
			})
			break
		}
	}
}

// ShowPAgPInternal reads "show pagp internal": the ports of each group by their flags. A port on which the protocol is
// down is down, one that is consistent with its partner is bundled, any other still talks.
func ShowPAgPInternal(output string, r *devices.Reading) {
	var groups []devices.Aggregate
	for f := range tables.Rows(output) {
		const fewest = 4 // port, flags, state, timers
		switch {
		case len(f) == 3 && f[0] == "Channel" && f[1] == "group":
			groups = append(groups, devices.Aggregate{Port: "Port-channel" + f[2], Protocol: "pagp"})
		case len(groups) > 0 && len(f) >= fewest && block.IsPortName(f[0]):
			flags := f[1]
			m := devices.Member{Port: f[0], State: "waiting"}
			switch {
			case strings.HasPrefix(flags, "U") || strings.HasPrefix(flags, "S") && strings.Contains(flags, "/"):
				continue // the flags are empty: what is here is the state
			case strings.Contains(flags, "d"):
				m.State = "down"
			case strings.Contains(flags, "C"):
				m.State = "bundled"
			}
			g := &groups[len(groups)-1]
			g.Members = append(g.Members, m)
		}
	}
	tables.Aggregates(r, groups)
}

// ShowEtherchannelPort reads "show etherchannel port-channel": each channel, its protocol, and the ports that are in it
// now.
func ShowEtherchannelPort(output string, r *devices.Reading) {
	var groups []devices.Aggregate
	for line := range text.Each(output) {
		if name, ok := strings.CutPrefix(line, "Port-channel:"); ok {
			if f := strings.Fields(name); len(f) > 0 && block.IsPortName(f[0]) {
				groups = append(groups, devices.Aggregate{Port: f[0]})
			}
			continue
		}
		if len(groups) == 0 {
			continue
		}
		g := &groups[len(groups)-1]
		if label, value, ok := strings.Cut(line, "="); ok && strings.TrimSpace(label) == "Protocol" {
			if g.Protocol = strings.ToLower(strings.TrimSpace(value)); g.Protocol == "-" {
				g.Protocol = "static"
			}
			continue
		}
		// "  0     00     Gi1/0/14   Active   0"
		const fewest = 4
		if f := strings.Fields(line); len(f) >= fewest && text.IsDigit(f[0][0]) && text.IsLetter(f[2][0]) && block.IsPortName(f[2]) {
			g.Members = append(g.Members, devices.Member{Port: f[2], State: "bundled"})
		}
	}
	tables.Aggregates(r, groups)
}

package cisco_ios

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// ShowStormControl reads "show storm-control": "Gi1/0/3  Forwarding  950 pps  950 pps  0 pps": whether a port is
// blocked now. It has no counter.
func ShowStormControl(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < 4 || !isPortNameWord(f[0]) || f[1] != "Forwarding" && f[1] != "Blocking" && f[1] != "Link" {
			continue
		}
		ports = append(ports, devices.Interface{Name: f[0], InterfaceMore: devices.InterfaceMore{Facts: []devices.Fact{{Name: "storm_control", Value: strings.ToLower(f[1])}}}})
	}
	into.Ports(r, ports)
}

func isPortNameWord(s string) bool { return s != "" && isPortName(s) }

// ShowCableDiagnostics reads the result of the last cable test, "show cable-diagnostics tdr interface NAME":
//
//	Gi1/0/1   1000M Pair A     20   +/- 10 meters Pair A      Normal
//	                Pair B     19   +/- 10 meters Pair B      Open
func ShowCableDiagnostics(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		before, rest, ok := strings.Cut(line, "Pair ")
		if !ok {
			continue
		}
		if f := strings.Fields(before); len(f) > 0 && isPortName(f[0]) {
			ports = append(ports, devices.Interface{Name: f[0]})
		}
		f := strings.Fields(rest)
		if len(ports) == 0 || len(f) < 2 || len(f[0]) != 1 {
			continue
		}
		pair := devices.CablePair{Pair: f[0], Status: strings.ToLower(f[len(f)-1])}
		if v, _, ok := text.Float(f[1]); ok {
			pair.Length = devices.Some(v)
		}
		p := &ports[len(ports)-1]
		p.Cable = append(p.Cable, pair)
	}
	into.Ports(r, ports)
}

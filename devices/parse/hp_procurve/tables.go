package hp_procurve

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowARP reads "show arp": address, hardware address, kind and, where the switch knows it, the port.
func ShowARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for f := range tables.Rows(output) {
		const port = 3
		ip, err := netip.ParseAddr(f[0])
		if err != nil || len(f) < port {
			continue
		}
		b := devices.Binding{IP: ip.WithZone("")}
		if mac, ok := text.MAC(f[1]); ok {
			b.MAC = mac
		}
		switch kind := strings.ToLower(f[2]); {
		case b.MAC == "":
			b.Kind = "invalid"
		case kind == "static", kind == "permanent":
			b.Kind = "static"
		case kind == "dynamic":
			b.Kind = "dynamic"
		default:
			b.Kind = "other"
		}
		if len(f) > port && block.IsPortName(f[port]) {
			b.Port = f[port]
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// ShowLLDPInfoRemote reads "show lldp info remote-device", whose columns are where its header has them. A chassis may
// be written as octets with blanks between.
func ShowLLDPInfoRemote(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	var c text.Columns
	lines := text.NewLines(output)
	for {
		line, from, to, ok := lines.Next()
		if !ok {
			return
		}
		raw := lines.Text()[from:to]
		if strings.HasPrefix(line, "LocalPort") {
			c = text.NewColumns(raw)
			continue
		}
		if !strings.Contains(line, "|") || !c.Has("ChassisId") {
			continue
		}
		n := devices.Neighbour{Port: c.Cell(raw, "LocalPort"), Protocol: "lldp", PortID: id(c.Cell(raw, "PortId")), PortText: c.Cell(raw, "PortDescr"), System: c.Cell(raw, "SysName"), Chassis: id(c.Cell(raw, "ChassisId"))}
		if block.IsPortName(n.Port) && n.Chassis != "" {
			r.Neighbours = append(r.Neighbours, n)
		}
	}
}

// id returns a hardware address in the one spelling, and anything else as it is.
func id(s string) string {
	if mac, ok := text.MAC(strings.ReplaceAll(s, " ", "")); ok {
		return mac
	}
	return s
}

package mikrotik_routeros

import (
	"net/netip"
	"slices"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Monitor reads "interface ethernet monitor NAME once": the link, what the neighbour offers, and the optics.
func Monitor(output string, r *devices.Reading) {
	p := block.Port{}
	var sensors []devices.Sensor
	for line := range text.Each(output) {
		label, value, ok := strings.Cut(line, ": ")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		p.KnowOnce(block.FactName(label), value)
		monitored(&p, label, value)
		if s, ok := sensor(label, value); ok {
			sensors = append(sensors, s)
		}
	}
	if p.Name == "" {
		return
	}
	slices.Sort(p.Offered)
	into.Ports(r, []devices.Interface{p.Interface})
	for _, s := range sensors {
		s.Port = p.Name
		r.Sensors = append(r.Sensors, s)
	}
}

func monitored(p *block.Port, label, value string) {
	switch label {
	case "name":
		p.Name = value
	case "status":
		if value == "link-ok" {
			p.Oper = devices.Some("up")
		} else if value == "no-link" {
			p.Oper = devices.Some("down")
		}
	case "rate":
		if v, ok := text.Rate(value); ok && v > 0 && v <= text.MaxSpeed {
			p.Speed = devices.Some(uint64(v))
		}
	case "full-duplex":
		if value == "yes" || value == "no" {
			p.Duplex = devices.Some(map[string]string{"yes": "full", "no": "half"}[value])
		}
	case "auto-negotiation":
		p.Autoneg = devices.Some(value != "disabled")
	case "rx-flow-control":
		p.FlowIn = devices.Some(value == "yes")
	case "tx-flow-control":
		p.FlowOut = devices.Some(value == "yes")
	case "advertising":
		for mode := range strings.SplitSeq(value, ",") {
			speed, _, _ := strings.Cut(mode, "-")
			if v, ok := text.Rate(speed); ok && v > 0 && v <= text.MaxSpeed && uint64(v) > p.SpeedMax.Or(0) {
				p.SpeedMax = devices.Some(uint64(v))
			}
		}
	case "link-partner-advertising":
		p.OfferedHalf = value != ""
		for mode := range strings.SplitSeq(value, ",") {
			speed, _, _ := strings.Cut(mode, "-")
			if v, ok := text.Rate(speed); ok && v > 0 && v <= text.MaxSpeed && !slices.Contains(p.Offered, uint64(v)) {
				p.Offered = append(p.Offered, uint64(v))
			}
			p.OfferedHalf = p.OfferedHalf && strings.HasSuffix(mode, "-half")
		}
	}
}

// sensor reads "sfp-rx-power: -1.203dBm" and its like.
func sensor(label, value string) (devices.Sensor, bool) {
	kinds := map[string]struct {
		kind, printed, unit string
		scale               float64
	}{
		"sfp-temperature":     {"temperature", "C", "degC", 1},
		"sfp-supply-voltage":  {"voltage", "V", "V", 1},
		"sfp-tx-bias-current": {"bias", "mA", "A", 1e-3},
		"sfp-tx-power":        {"tx_power", "dBm", "dBm", 1},
		"sfp-rx-power":        {"rx_power", "dBm", "dBm", 1},
	}
	k, ok := kinds[label]
	v, unit, isNumber := text.Float(value)
	if !ok || !isNumber || unit != k.printed {
		return devices.Sensor{}, false
	}
	return devices.Sensor{Kind: k.kind, Unit: k.unit, Value: devices.Some(v * k.scale)}, true
}

// Bonds reads "interface bonding print detail": which links a bond has. It does not say which of them are in use.
func Bonds(output string, r *devices.Reading) {
	if r.Aggregates == nil {
		r.Aggregates = []devices.Aggregate{}
	}
	for _, rec := range records(output) {
		a := devices.Aggregate{Port: rec.values["name"], Protocol: "static"}
		if rec.values["mode"] == "802.3ad" {
			a.Protocol = "lacp"
		}
		for name := range strings.SplitSeq(rec.values["slaves"], ",") {
			if name != "" {
				a.Members = append(a.Members, devices.Member{Port: name})
			}
		}
		if a.Port != "" {
			r.Aggregates = append(r.Aggregates, a)
		}
	}
}

// ARP reads "ip arp print": flags, address, hardware address, which may be missing, and interface.
func ARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for line := range text.Each(output) {
		flags, rest, ok := begins(line)
		f := strings.Fields(rest)
		if !ok || isNews(line) || len(f) == 0 {
			continue
		}
		ip, err := netip.ParseAddr(f[0])
		if err != nil {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), Kind: "static"}
		if strings.Contains(flags, "D") {
			b.Kind = "dynamic"
		}
		f = f[1:]
		if len(f) > 0 {
			if mac, ok := text.MAC(f[0]); ok {
				b.MAC, f = mac, f[1:]
			}
		}
		if b.MAC == "" {
			b.Kind = "invalid"
		}
		if len(f) > 0 {
			b.Port = f[0]
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// Resources reads "system resource print": the release, the board, how busy the processor is and how full the memory.
func Resources(output string, r *devices.Reading) {
	values := map[string]string{}
	for line := range text.Each(output) {
		if label, value, ok := strings.Cut(line, ": "); ok {
			values[label] = strings.TrimSpace(value)
		}
	}
	if v := values["version"]; v != "" {
		text.Set(&r.SysDescr, strings.TrimSpace("RouterOS "+v+" "+values["board-name"]))
	}
	if v, rest, ok := text.Float(values["cpu-load"]); ok && rest == "%" && v >= 0 && v <= 100 {
		text.Set(&r.CPU, v/100)
	}
	free, freeOK := size(values["free-memory"])
	total, totalOK := size(values["total-memory"])
	if freeOK && totalOK && total > 0 && free >= 0 && free <= total {
		text.Set(&r.Memory, 1-free/total)
	}
}

// size reads "825.9MiB".
func size(s string) (bytes float64, ok bool) {
	v, unit, ok := text.Float(s)
	scale := map[string]float64{"B": 1, "KiB": 1 << 10, "MiB": 1 << 20, "GiB": 1 << 30}[unit]
	return v * scale, ok && scale > 0
}

// Hosts reads "interface bridge host print detail": the forwarding database, one record for each address.
func Hosts(output string, r *devices.Reading) {
	if r.Stations == nil {
		r.Stations = []devices.Station{}
	}
	for _, rec := range records(output) {
		s := devices.Station{Port: rec.values["on-interface"], Status: "learned"}
		var ok bool
		if s.MAC, ok = text.MAC(rec.values["mac-address"]); !ok {
			continue
		}
		switch {
		case strings.Contains(rec.flags, "L"):
			s.Status = "self"
		case !strings.Contains(rec.flags, "D"):
			s.Status = "static"
		}
		if n, rest, ok := text.Uint32(rec.values["vid"]); ok && rest == "" && n > 0 && n < 4095 {
			s.VLAN = devices.Some(n)
		}
		r.Stations = append(r.Stations, s)
	}
}

// Neighbours reads "ip neighbor print detail": what was learned by LLDP, CDP or MikroTik's own protocol.
func Neighbours(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	for _, rec := range records(output) {
		port, _, _ := strings.Cut(rec.values["interface"], ",")
		n := devices.Neighbour{Port: port, Protocol: "mndp", System: rec.values["identity"], PortID: rec.values["interface-name"], Platform: rec.values["system-description"]}
		for _, protocol := range []string{"cdp", "lldp"} {
			if strings.Contains(rec.values["discovered-by"], protocol) {
				n.Protocol = protocol
			}
		}
		if n.Platform == "" {
			n.Platform = strings.TrimSpace(rec.values["platform"] + " " + rec.values["board"])
		}
		n.Chassis, _ = text.MAC(rec.values["mac-address"])
		if ip, err := netip.ParseAddr(rec.values["address"]); err == nil {
			n.Address = ip.WithZone("")
		}
		if n.Port != "" && (n.System != "" || n.Chassis != "") {
			r.Neighbours = append(r.Neighbours, n)
		}
	}
}

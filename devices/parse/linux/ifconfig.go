package linux

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/text"
)

// Ifconfig reads "ifconfig" of net-tools, in its older form ("RX packets:10 errors:0 dropped:0 overruns:0 frame:0") and its
// newer one ("RX errors 0  dropped 0  overruns 0  frame 0").
func Ifconfig(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		f := strings.FieldsFunc(line, func(c rune) bool { return c == ' ' || c == '\t' || c == ':' })
		if len(f) < 2 {
			continue
		}
		if name, _, ok := strings.Cut(line, ": flags="); ok && !strings.Contains(name, " ") {
			ports = append(ports, devices.Interface{Name: name})
			flags(&ports[len(ports)-1], line)
			continue
		}
		if len(f) > 2 && f[1] == "Link" && f[2] == "encap" {
			ports = append(ports, devices.Interface{Name: f[0]})
			continue
		}
		if len(ports) == 0 {
			continue
		}
		p := &ports[len(ports)-1]
		switch f[0] {
		case "RX", "TX":
			ifconfigCounts(p, f[0], f[1:])
		case "collisions":
			p.Collisions = text.Count(f[1])
		default:
			if strings.Contains(line, "MTU") || strings.Contains(line, "RUNNING") {
				flags(p, line)
			}
		}
	}
	into.Ports(r, ports)
}

// flags reads "flags=4163<UP,BROADCAST,RUNNING,MULTICAST>  mtu 1500" and "UP BROADCAST RUNNING MULTICAST  MTU:1500".
func flags(p *devices.Interface, line string) {
	p.Oper = devices.Some("down")
	if strings.Contains(line, "RUNNING") {
		p.Oper = devices.Some("up")
	}
	f := strings.FieldsFunc(strings.ToLower(line), func(c rune) bool { return c == ' ' || c == ':' })
	for i, w := range f[:len(f)-1] {
		if w == "mtu" {
			if n, rest, ok := text.Uint32(f[i+1]); ok && rest == "" {
				p.MTU = devices.Some(n)
			}
		}
	}
}

func ifconfigCounts(p *devices.Interface, way string, f []string) {
	fields := map[string]*devices.Opt[devices.Counter]{"packets": &p.InPackets, "bytes": &p.InOctets, "errors": &p.InErrors, "dropped": &p.InDrops, "overruns": &p.Overrun, "frame": &p.Alignment}
	if way == "TX" {
		fields = map[string]*devices.Opt[devices.Counter]{"packets": &p.OutPackets, "bytes": &p.OutOctets, "errors": &p.OutErrors, "dropped": &p.OutDrops, "overruns": &p.Underruns, "carrier": &p.CarrierSense, "collisions": &p.Collisions}
	}
	for i := 0; i+1 < len(f); i++ {
		to := fields[f[i]]
		if f[i] == "TX" { // "RX bytes:10 (10.0 B)  TX bytes:20 (20.0 B)"
			ifconfigCounts(p, "TX", f[i+1:])
			return
		}
		if to != nil {
			text.SetOpt(to, text.Count(f[i+1]))
		}
	}
}

// ProcNetDev reads "cat /proc/net/dev": a row for each port, eight figures received and eight sent.
func ProcNetDev(output string, r *devices.Reading) {
	var ports []devices.Interface
	for line := range text.Each(output) {
		name, rest, ok := strings.Cut(line, ":")
		f := strings.Fields(rest)
		const figures = 16
		if !ok || len(f) != figures || strings.ContainsAny(name, " |") {
			continue
		}
		p := devices.Interface{Name: name}
		for i, to := range []*devices.Opt[devices.Counter]{&p.InOctets, &p.InPackets, &p.InErrors, &p.InDrops, &p.Overrun, &p.Alignment, nil, nil,
			&p.OutOctets, &p.OutPackets, &p.OutErrors, &p.OutDrops, &p.Underruns, &p.Collisions, &p.CarrierSense, nil} {
			if to != nil {
				*to = text.Count(f[i])
			}
		}
		ports = append(ports, p)
	}
	into.Ports(r, ports)
}

// InterfaceTable reads "netstat -i": a row for each port below "Iface MTU RX-OK RX-ERR RX-DRP RX-OVR TX-OK TX-ERR TX-DRP TX-OVR Flg".
func InterfaceTable(output string, r *devices.Reading) {
	var ports []devices.Interface
	var titles []string
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) > 0 && f[0] == "Iface" {
			titles = f
			continue
		}
		if titles == nil || len(f) != len(titles) {
			continue
		}
		p := devices.Interface{Name: f[0]}
		fields := map[string]*devices.Opt[devices.Counter]{"RX-OK": &p.InPackets, "RX-ERR": &p.InErrors, "RX-DRP": &p.InDrops, "RX-OVR": &p.Overrun,
			"TX-OK": &p.OutPackets, "TX-ERR": &p.OutErrors, "TX-DRP": &p.OutDrops, "TX-OVR": &p.Underruns}
		for i, t := range titles {
			if to := fields[t]; to != nil {
				*to = text.Count(f[i])
			}
		}
		if p.InPackets.OK {
			ports = append(ports, p)
		}
	}
	into.Ports(r, ports)
}

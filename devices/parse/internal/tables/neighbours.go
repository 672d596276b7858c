package tables

import (
	"net/netip"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// neighbourLabels lists the labels of LLDP and CDP neighbours in detail, in lower case, by what they give.
var neighbourLabels = map[string]func(n *devices.Neighbour, value string){
	"local intf": setPort, "local interface": setPort, "local port id": setPort, "local port": setPort, "interface": setPort, "localport": setPort,
	"device id": func(n *devices.Neighbour, v string) { first(&n.System, v) }, "system name": func(n *devices.Neighbour, v string) { first(&n.System, strings.Trim(v, `"`)) },
	"systemname": func(n *devices.Neighbour, v string) { first(&n.System, v) }, "sysname": func(n *devices.Neighbour, v string) { first(&n.System, v) },
	"chassis id": chassis, "chassisid": chassis, "port id (outgoing port)": portID, "port id": portID, "portid": portID,
	"port description":   func(n *devices.Neighbour, v string) { first(&n.PortText, strings.Trim(v, `"`)) },
	"portdescr":          func(n *devices.Neighbour, v string) { first(&n.PortText, v) },
	"system description": func(n *devices.Neighbour, v string) { first(&n.Platform, strings.Trim(v, `"`)) },
	"system descr":       func(n *devices.Neighbour, v string) { first(&n.Platform, v) },
	"platform":           func(n *devices.Neighbour, v string) { v, _, _ = strings.Cut(v, ","); n.Platform = strings.TrimSpace(v) },
	"ip address":         address, "ip": address, "management address": address, "ipv4 address": address, "interface address(es)": address, "remote management address": address,
	"ipv6 address": address, "address": address,
	"duplex":      func(n *devices.Neighbour, v string) { word(&n.Duplex, strings.ToLower(v)) },
	"native vlan": vlan, "vlan id": vlan, "port vlan id": vlan,
	"mtu": mtu, "physical media capabilities": nil, "maximum frame size": mtu, "max frame size": mtu,
}

// Neighbours reads neighbours in detail by their labels, "Label: value", in any order. protocol is lldp or cdp. A new
// neighbour begins at a line of dashes or stars, and where a label comes again that the neighbour has already.
func Neighbours(output, protocol string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	s := neighbourScanner{protocol: protocol}
	for line := range text.Each(output) {
		s.line(line)
	}
	s.finish()
	r.Neighbours = append(r.Neighbours, s.out...)
}

type neighbourScanner struct {
	protocol string
	cur      devices.Neighbour
	seen     map[string]bool
	port     string // of "Interface Ethernet1 detected 1 LLDP neighbors:"
	out      []devices.Neighbour
	pending  string // a label whose value is on the next line
}

func (s *neighbourScanner) line(line string) {
	if len(line) >= 5 && strings.Trim(line, "-=*") == "" {
		s.finish()
		return
	}
	if rest, ok := strings.CutPrefix(line, "Interface "); ok && strings.Contains(rest, " detected ") {
		s.finish()
		s.port, _, _ = strings.Cut(rest, " ")
		return
	}
	if strings.HasPrefix(line, "Neighbor ") && strings.Contains(line, "/") && strings.Contains(line, "age ") {
		s.finish() // EOS: Neighbor 0011.2233.4455/"Ethernet1", age 4 seconds
		return
	}
	if s.pending != "" {
		label := s.pending
		s.pending = ""
		if line != "" && !strings.Contains(line, ": ") {
			neighbourLabels[label](&s.cur, line)
			return
		}
	}
	// CDP has two fields on a line: "Interface: Gi1/0/1,  Port ID (outgoing port): Gi0/1".
	if before, after, ok := strings.Cut(line, ",  "); ok && strings.Contains(after, ": ") {
		s.field(before)
		line = after
	}
	s.field(line)
}

func (s *neighbourScanner) field(line string) {
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	label = strings.ToLower(strings.TrimSpace(strings.TrimLeft(label, "- ")))
	label = strings.TrimRight(label, " .")
	do, ok := neighbourLabels[label]
	if !ok || do == nil {
		return
	}
	value = strings.TrimSpace(value)
	switch label {
	case "device id", "chassis id", "chassisid", "local intf", "local interface", "local port id":
		if s.seen[label] {
			s.finish()
		}
	}
	if s.seen == nil {
		s.seen = map[string]bool{}
	}
	s.seen[label] = true
	if value == "" {
		s.pending = label
		return
	}
	if !text.Unset(value) || label == "system name" {
		do(&s.cur, value)
	}
}

func (s *neighbourScanner) finish() {
	n := s.cur
	if n.Port == "" {
		n.Port = s.port
	}
	if n.System != "" || n.Chassis != "" {
		n.Protocol = s.protocol
		s.out = append(s.out, n)
	}
	s.cur, s.seen, s.pending = devices.Neighbour{}, nil, ""
}

func first(to *string, v string) {
	if *to == "" {
		*to = v
	}
}

func setPort(n *devices.Neighbour, v string) {
	v, _, _ = strings.Cut(v, ",")
	first(&n.Port, strings.TrimSpace(v))
}

func chassis(n *devices.Neighbour, v string) {
	v = strings.Trim(v, `"`)
	if mac, ok := text.MAC(v); ok {
		v = mac
	}
	first(&n.Chassis, v)
}

func portID(n *devices.Neighbour, v string) {
	v = strings.Trim(v, `"`)
	if mac, ok := text.MAC(v); ok {
		v = mac
	}
	first(&n.PortID, v)
}

func address(n *devices.Neighbour, v string) {
	v, _, _ = strings.Cut(v, " ")
	if ip, err := netip.ParseAddr(strings.Trim(v, ",")); err == nil && !n.Address.IsValid() {
		n.Address = ip.WithZone("")
	}
}

func word(to *devices.Opt[string], v string) {
	if v == "full" || v == "half" {
		text.Set(to, v)
	}
}

func vlan(n *devices.Neighbour, v string) {
	if id, _, ok := text.Uint32(v); ok && id < 4095 {
		text.Set(&n.VLAN, id)
	}
}

func mtu(n *devices.Neighbour, v string) {
	if size, _, ok := text.Uint32(v); ok {
		text.Set(&n.MTU, size)
	}
}

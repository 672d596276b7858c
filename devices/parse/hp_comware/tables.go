package hp_comware

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// DisplayCountersInbound reads "display counters inbound interface": packets, broadcasts, multicasts and errors.
func DisplayCountersInbound(output string, r *devices.Reading) { counters(output, r, false) }

// DisplayCountersOutbound reads "display counters outbound interface".
func DisplayCountersOutbound(output string, r *devices.Reading) { counters(output, r, true) }

func counters(output string, r *devices.Reading, out bool) {
	const columns = 5
	var ports []devices.Interface
	known := false
	for f := range tables.Rows(output) {
		if f[0] == "Interface" {
			known = strings.Contains(strings.Join(f, " "), "(pkts)")
			continue
		}
		if len(f) != columns || !known || !block.IsPortName(f[0]) {
			continue
		}
		i := devices.Interface{Name: f[0]}
		total, broad, multi, bad := text.Count(f[1]), text.Count(f[2]), text.Count(f[3]), text.Count(f[4])
		if out {
			i.OutPackets, i.OutBroadcasts, i.OutMulticasts, i.OutErrors = total, broad, multi, bad
		} else {
			i.InPackets, i.InBroadcasts, i.InMulticasts, i.InErrors = total, broad, multi, bad
		}
		ports = append(ports, i)
	}
	into.Ports(r, ports)
}

// DisplayARP reads "display arp": address, hardware address, VLAN, interface, minutes until it ages out, kind. Comware 5
// has a VPN instance between, which is left alone.
func DisplayARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for f := range tables.Rows(output) {
		const fewest = 5
		ip, err := netip.ParseAddr(f[0])
		if err != nil || len(f) < fewest {
			continue
		}
		mac, ok := text.MAC(f[1])
		if !ok || !block.IsPortName(f[3]) {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), MAC: mac, Port: f[3], Kind: kinds[f[len(f)-1]]}
		if b.Kind == "" {
			b.Kind = "other"
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// kinds lists the letters of the last column.
var kinds = map[string]string{"D": "dynamic", "S": "static", "I": "invalid"}

// DisplaySTP reads "display stp": the bridge, and each port of each instance. Its "TC or TCN received" counts messages,
// of which one change brings several, and is no count of changes.
func DisplaySTP(output string, r *devices.Reading) {
	s := scan{}
	for line := range text.Each(output) {
		s.line(line)
	}
	tables.Trees(r, s.trees)
}

// scan is a walk through the instances.
type scan struct {
	trees []devices.Tree
	port  *devices.TreePort
	own   string // this bridge's identity
}

func (s *scan) line(line string) {
	if strings.HasPrefix(line, "--") {
		s.section(strings.Trim(line, "-"))
		return
	}
	if len(s.trees) == 0 {
		return
	}
	t := &s.trees[len(s.trees)-1]
	label, value, ok := strings.Cut(line, ":")
	if !ok {
		return
	}
	label, value = strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value)
	if s.port != nil {
		portLine(s.port, label, value)
		if s.port.Role.Value == "root" {
			text.Set(&t.RootPort, s.port.Port)
		}
		return
	}
	switch label {
	case "bridge id", "cist bridge":
		s.own = bridgeID(value)
	case "root id/erpc", "cist root/erpc", "root id", "root id/irpc", "regroot id/irpc":
		if id := bridgeID(value); id != "" && !t.DesignatedRoot.OK {
			t.DesignatedRoot = devices.Some(id)
			if id == s.own {
				t.RootPort = devices.Some("")
			}
			cost := value[strings.LastIndexAny(value, ",/")+1:]
			if n, rest, ok := text.Uint32(strings.TrimSpace(cost)); ok && rest == "" {
				t.RootCost = devices.Some(n)
			}
		}
	case "number of tc": // VRP
		text.SetOpt(&t.TopologyChanges, text.Count(value))
	case "last tc occurred":
		if value != "" && !text.Unset(value) {
			text.Set(&t.ChangeFrom, value)
		}
	case "time since last tc":
		if d, ok := since(value); ok {
			text.Set(&t.SinceChange, d)
		}
	}
}

// section reads "[CIST Global Info][Mode MSTP]", "[MSTI 1 Global Info]", "[VLAN 20 Global Info]" and
// "[Port1(GigabitEthernet1/0/1)][FORWARDING]".
func (s *scan) section(line string) {
	first, second, _ := strings.Cut(strings.Trim(line, "[]"), "][")
	if name, ok := strings.CutSuffix(first, " Global Info"); ok {
		t := devices.Tree{Protocol: protocols[strings.TrimPrefix(second, "Mode ")]}
		kind, id, _ := strings.Cut(name, " ")
		switch {
		case kind == "CIST":
			t.Name = "mst 0"
		case kind == "MSTI":
			t.Name = "mst " + id
		default:
			t.Name = strings.ToLower(name)
		}
		s.trees, s.port = append(s.trees, t), nil
		return
	}
	_, name, ok := strings.Cut(first, "(")
	name = strings.TrimRight(name, ")")
	if !ok || !block.IsPortName(name) || len(s.trees) == 0 {
		return
	}
	t := &s.trees[len(s.trees)-1]
	t.Ports = append(t.Ports, devices.TreePort{Port: name, State: tables.TreeState(second)})
	s.port = &t.Ports[len(t.Ports)-1]
}

// protocols are the modes of spanning tree.
var protocols = map[string]string{"STP": "stp", "RSTP": "rstp", "MSTP": "mstp", "PVST": "rapid-pvst"}

func portLine(p *devices.TreePort, label, value string) {
	_, active, _ := strings.Cut(strings.ToLower(value), "active=")
	active, _, _ = strings.Cut(active, ",")
	switch {
	case label == "port role":
		role, _, _ := strings.Cut(value, " ")
		p.Role = tables.TreeRole(role)
	case strings.HasPrefix(label, "port cost"):
		if n, rest, ok := text.Uint32(active); ok && rest == "" {
			p.Cost = devices.Some(n)
		}
	case label == "port edged" && active != "":
		p.Edge = devices.Some(active == "enabled")
	case label == "point-to-point" && active != "":
		p.PointToPoint = devices.Some(active == "true")
	}
}

// bridgeID reads "32768.000f-e200-2200, 0" up to the address, and writes it with dots.
func bridgeID(value string) string {
	id, _, _ := strings.Cut(value, ",")
	id, _, _ = strings.Cut(id, "/")
	priority, mac, ok := strings.Cut(strings.TrimSpace(id), ".")
	if _, isMAC := text.MAC(mac); !ok || !isMAC {
		return ""
	}
	return strings.TrimSpace(priority) + "." + strings.ReplaceAll(strings.ToLower(mac), "-", ".")
}

// since reads "0 days 1h:19m:50s".
func since(s string) (time.Duration, bool) { return text.Ago(strings.ReplaceAll(s, ":", " ")) }

// DisplayLLDPNeighbor reads "display lldp neighbor-information verbose" and the shorter form without it: for each port
// "LLDP neighbor-information of port 1[GigabitEthernet1/0/1]:", and its neighbours by their labels.
func DisplayLLDPNeighbor(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	cur := devices.Neighbour{Protocol: "lldp"}
	finish := func(port string) {
		if cur.Chassis != "" || cur.System != "" {
			r.Neighbours = append(r.Neighbours, cur)
		}
		cur = devices.Neighbour{Protocol: "lldp", Port: port}
	}
	for line := range text.Each(output) {
		if strings.HasPrefix(line, "LLDP neighbor-information of port") {
			_, name, _ := strings.Cut(line, "[")
			name, _, _ = strings.Cut(name, "]")
			if !block.IsPortName(name) {
				name = ""
			}
			finish(name)
			continue
		}
		if strings.HasPrefix(line, "Neighbor index") || strings.HasPrefix(line, "LLDP neighbor index") {
			finish(cur.Port)
			continue
		}
		if label, value, ok := strings.Cut(line, ":"); ok && cur.Port != "" {
			neighbour(&cur, strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value))
		}
	}
	finish("")
}

// neighbour reads one label of a neighbour.
func neighbour(n *devices.Neighbour, label, value string) {
	if text.Unset(value) {
		return
	}
	label, _, _ = strings.Cut(label, "/")    // "ChassisID/subtype : 000f-e25d-ee91/MAC address"
	id, _, cut := strings.Cut(value, "/MAC") // the subtype behind an address
	if !cut {
		id = value
		if i := strings.LastIndexByte(value, '/'); i > 0 && strings.Contains(value[i:], " ") {
			id = value[:i] // "GigabitEthernet1/0/1/Interface name"
		}
	}
	if mac, ok := text.MAC(id); ok {
		id = mac
	}
	switch label {
	case "chassisid", "chassis id":
		n.Chassis = id
	case "portid", "port id":
		n.PortID = id
	case "port description":
		n.PortText = value
	case "system name":
		n.System = value
	case "system description":
		n.Platform = value
	case "management address":
		if ip, err := netip.ParseAddr(value); err == nil && !n.Address.IsValid() {
			n.Address = ip.WithZone("")
		}
	case "maximum frame size":
		if size, _, ok := text.Uint32(value); ok {
			n.MTU = devices.Some(size)
		}
	case "port vlan id(pvid)", "port vlan id":
		if id, rest, ok := text.Uint32(value); ok && rest == "" && id < 4095 {
			n.VLAN = devices.Some(id)
		}
	}
}

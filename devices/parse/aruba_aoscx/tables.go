package aruba_aoscx

import (
	"net/netip"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/parse/internal/text"
)

// ShowARP reads "show arp all-vrfs": address, hardware address, port, physical port, state and VRF.
func ShowARP(output string, r *devices.Reading) {
	if r.Bindings == nil {
		r.Bindings = []devices.Binding{}
	}
	for f := range tables.Rows(output) {
		ip, err := netip.ParseAddr(f[0])
		if err != nil || len(f) < 3 {
			continue
		}
		b := devices.Binding{IP: ip.WithZone(""), Kind: "dynamic"}
		ports := f[1:]
		if mac, ok := text.MAC(f[1]); ok {
			b.MAC, ports = mac, f[2:]
		} else {
			b.Kind = "invalid" // failed, incomplete: without a hardware address
		}
		if block.IsPortName(ports[0]) || ports[0] == "mgmt" {
			b.Port = ports[0]
		}
		for _, word := range ports {
			if strings.EqualFold(word, "permanent") {
				b.Kind = "static"
			}
		}
		r.Bindings = append(r.Bindings, b)
	}
}

// ShowLLDPNeighborInfo reads "show lldp neighbor-info", whose columns are where its header has them.
func ShowLLDPNeighborInfo(output string, r *devices.Reading) {
	if r.Neighbours == nil {
		r.Neighbours = []devices.Neighbour{}
	}
	var c text.Columns
	for line := range strings.Lines(output) {
		line = strings.TrimRight(line, "\r\n \t")
		if strings.HasPrefix(line, "LOCAL-PORT") {
			c = text.NewColumns(line)
			continue
		}
		n := devices.Neighbour{Port: c.Cell(line, "LOCAL-PORT"), Protocol: "lldp", Chassis: c.Cell(line, "CHASSIS-ID"), PortID: c.Cell(line, "PORT-ID"), PortText: c.Cell(line, "PORT-DESC"), System: c.Cell(line, "SYS-NAME")}
		if !block.IsPortName(n.Port) && n.Port != "mgmt" || n.Chassis == "" {
			continue
		}
		for _, id := range []*string{&n.Chassis, &n.PortID} {
			if mac, ok := text.MAC(*id); ok {
				*id = mac
			}
		}
		r.Neighbours = append(r.Neighbours, n)
	}
}

// ShowSpanningTree reads "show spanning-tree" of MSTP ("MST0") and RPVST ("VLAN1").
func ShowSpanningTree(output string, r *devices.Reading) {
	var s scan
	for line := range text.Each(output) {
		s.line(line)
	}
	tables.Trees(r, s.trees)
}

// scan is a walk through the trees.
type scan struct {
	protocol string
	trees    []devices.Tree
	root     bool   // the lines are about the root bridge
	priority string // of the bridge the lines are about
}

func (s *scan) line(line string) {
	if _, p, ok := strings.Cut(line, "Protocol:"); ok {
		s.protocol = map[string]string{"MSTP": "mstp", "RPVST": "rapid-pvst", "RPVST+": "rapid-pvst", "RSTP": "rstp"}[strings.TrimSpace(p)]
	}
	if name := tables.TreeName(line); name != line && strings.IndexByte(line, ' ') < 0 {
		s.trees = append(s.trees, devices.Tree{Name: name, Protocol: s.protocol})
		return
	}
	if len(s.trees) == 0 {
		return
	}
	t := &s.trees[len(s.trees)-1]
	label, value, _ := strings.Cut(line, ":")
	label, value = strings.TrimSpace(label), strings.TrimSpace(value)
	switch {
	case strings.HasPrefix(label, "Root ID"):
		s.root, s.priority = true, value
	case strings.HasPrefix(label, "Bridge ID"):
		s.root, s.priority = false, value
	case label == "MAC-Address" && s.root:
		if mac, ok := text.MAC(value); ok {
			hex := strings.ReplaceAll(mac, ":", "")
			text.Set(&t.DesignatedRoot, s.priority+"."+hex[:4]+"."+hex[4:8]+"."+hex[8:])
		}
	case line == "This bridge is the root":
		text.Set(&t.RootPort, "")
	case label == "Port" && s.root:
		name, _, _ := strings.Cut(value, ",")
		if block.IsPortName(name) {
			text.Set(&t.RootPort, name)
		}
	case label == "Number of topology changes":
		text.SetOpt(&t.TopologyChanges, text.Count(value))
	case label == "Last topology change occurred":
		if d, ok := ago(value); ok {
			text.Set(&t.SinceChange, d)
		}
	default:
		port(t, strings.Fields(line))
	}
}

// ago reads "516 seconds ago".
func ago(s string) (time.Duration, bool) { return text.Ago(strings.TrimSuffix(s, " ago")) }

// port reads "1/1/1  Designated  Forwarding  20000  128  P2P  ...".
func port(t *devices.Tree, f []string) {
	const fewest = 4
	if len(f) < fewest || !block.IsPortName(f[0]) {
		return
	}
	p := devices.TreePort{Port: f[0], Role: tables.TreeRole(f[1]), State: tables.TreeState(f[2])}
	if !p.State.OK {
		return
	}
	if n, rest, ok := text.Uint32(f[3]); ok && rest == "" {
		p.Cost = devices.Some(n)
		if p.Role.Value == "root" {
			text.Set(&t.RootPort, p.Port)
		}
	}
	for _, word := range f[3:] {
		switch strings.ToLower(word) {
		case "p2p":
			p.PointToPoint = devices.Some(true)
		case "edge":
			p.Edge = devices.Some(true)
		case "shr":
			p.PointToPoint = devices.Some(false)
		}
	}
	t.Ports = append(t.Ports, p)
}

package correlate

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"
)

// boxes are the devices whose tables were read.
type boxes struct {
	all   []PathTables
	links []Link
}

func (b *boxes) named(device string) *PathTables {
	for i := range b.all {
		if b.all[i].Device == device {
			return &b.all[i]
		}
	}
	return nil
}

// owner returns the device that a MAC address belongs to; nil if it is of none.
func (b *boxes) owner(mac string) *PathTables {
	for i := range b.all {
		if mac != "" && b.all[i].owns(mac) {
			return &b.all[i]
		}
	}
	return nil
}

// owns says whether the MAC address is one of the device's own.
func (t *PathTables) owns(mac string) bool {
	if slices.Contains(t.MACs, mac) {
		return true
	}
	for _, m := range t.PortMACs {
		if m == mac {
			return true
		}
	}
	return slices.ContainsFunc(t.Stations, func(s PathStation) bool { return s.MAC == mac && s.Status == "self" })
}

// macs returns the device's own MAC addresses.
func (t *PathTables) macs() []string {
	out := slices.Clone(t.MACs)
	for _, m := range t.PortMACs {
		out = append(out, m)
	}
	for _, s := range t.Stations {
		if s.Status == "self" {
			out = append(out, s.MAC)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// bundle returns the bundle that a port is, or is a link of.
func (t *PathTables) bundle(port string) (PathBundle, bool) {
	for _, b := range t.Bundles {
		if b.Port == port || slices.ContainsFunc(b.Members, func(m PathMember) bool { return m.Port == port }) {
			return b, true
		}
	}
	return PathBundle{}, false
}

// whole returns the bundle's name for one of its links, and the port itself otherwise.
func (t *PathTables) whole(port string) string {
	if b, ok := t.bundle(port); ok {
		return b.Port
	}
	return port
}

// members returns the links of a bundle that may carry; nil for a port that is none.
func (t *PathTables) members(port string) []string {
	b, ok := t.bundle(port)
	if !ok || b.Port != port {
		return nil
	}
	var out []string
	for _, m := range b.Members {
		if !m.Out {
			out = append(out, m.Port)
		}
	}
	return out
}

// blocked returns why nothing goes through a port: its tree's state, or that it is down; "" if it may carry.
func (t *PathTables) blocked(port string, vlan uint32) string {
	if slices.Contains(t.Down, port) {
		return "down"
	}
	states, total := t.states(port, vlan)
	if total > 0 && len(states) == 0 {
		return ""
	}
	for _, s := range states {
		if s.State != "blocking" && s.State != "disabled" && s.State != "broken" && s.State != "listening" {
			return ""
		}
	}
	if len(states) > 0 {
		return states[0].State + " in " + orTree(states[0].Tree)
	}
	return ""
}

func orTree(name string) string {
	if name == "" {
		return "the spanning tree"
	}
	return name
}

// states returns the port's states in the tree of a VLAN, or in every tree if none is of that VLAN.
func (t *PathTables) states(port string, vlan uint32) (out []PathState, total int) {
	want := fmt.Sprintf("vlan %d", vlan)
	var all []PathState
	for _, s := range t.States {
		if t.whole(s.Port) != t.whole(port) {
			continue
		}
		all = append(all, s)
		if vlan != 0 && strings.EqualFold(s.Tree, want) {
			out = append(out, s)
		}
	}
	if len(out) > 0 {
		return out, len(all)
	}
	return all, len(all)
}

// seen returns the ports at which a MAC address was learnt, bundles by their own names, and the VLANs. Entries of ports
// that carry nothing are left out and told.
func (t *PathTables) seen(macs []string, vlan uint32) (ports []string, vlans []uint32, stale []string) {
	take := func(any bool) {
		for _, s := range t.Stations {
			if s.Port == "" || s.Status == "invalid" || s.Status == "self" || !slices.Contains(macs, s.MAC) {
				continue
			}
			if !any && s.VLAN != vlan {
				continue
			}
			p := t.whole(s.Port)
			if why := t.blocked(p, s.VLAN); why != "" {
				stale = append(stale, fmt.Sprintf("%s: its entry of %s at %s is older than the state of that port, which is %s", t.Device, s.MAC, p, why))
				continue
			}
			if !slices.Contains(ports, p) {
				ports = append(ports, p)
			}
			if s.VLAN != 0 && !slices.Contains(vlans, s.VLAN) {
				vlans = append(vlans, s.VLAN)
			}
		}
	}
	take(vlan == 0)
	if vlan != 0 && len(ports) == 0 {
		stale = nil
		take(true)
	}
	return ports, vlans, stale
}

// far is what stands at the other end of a port.
type far struct {
	box      *PathTables // nil: not one of the devices
	system   string      // what it calls itself, if it is not one of the devices
	port     string      // its port, if known
	evidence string
	heard    PathNeighbour
}

// at returns what stands at the other end of a port: by its own neighbours, by those of others, by the links that the
// site file states, or by whose own addresses are seen there. Several are several; none is none.
func (b *boxes) at(t *PathTables, port string) []far {
	ports := append([]string{port}, t.members(port)...)
	var out []far
	for _, n := range t.Neighbours {
		if slices.Contains(ports, n.Port) {
			f := b.identify(n)
			f.evidence = fmt.Sprintf("%s hears %s at %s (%s)", t.Device, orUnknown(f.name()), n.Port, n.Protocol)
			out = addFar(out, f)
		}
	}
	for i := range b.all {
		o := &b.all[i]
		for _, n := range o.Neighbours {
			if f := b.identify(n); f.box == t && f.port != "" && slices.Contains(ports, f.port) {
				out = addFar(out, far{box: o, port: o.whole(n.Port), evidence: fmt.Sprintf("%s hears %s's %s at %s (%s)", o.Device, t.Device, f.heard.PortID, n.Port, n.Protocol)})
			}
		}
	}
	for _, l := range b.links {
		for _, ends := range [][2][2]string{{l.A, l.B}, {l.B, l.A}} {
			if o := b.named(ends[1][0]); ends[0][0] == t.Device && slices.Contains(ports, ends[0][1]) && o != nil {
				out = addFar(out, far{box: o, port: o.whole(ends[1][1]), evidence: "the site file says so"})
			}
		}
	}
	if !slices.ContainsFunc(out, func(f far) bool { return f.box != nil }) {
		if f, ok := b.byAddress(t, port); ok {
			out = addFar(out, f)
		}
	}
	return out
}

func (f far) name() string {
	if f.box != nil {
		return f.box.Device
	}
	return f.system
}

// addFar adds what stands at a port, or what is new of what stands there already.
func addFar(list []far, f far) []far {
	for i := range list {
		if list[i].box == f.box && (f.box != nil || list[i].system == f.system) {
			if list[i].port == "" {
				list[i].port = f.port
			}
			return list
		}
	}
	return append(list, f)
}

// identify finds which device a neighbour is.
func (b *boxes) identify(n PathNeighbour) far {
	f := far{system: n.System, heard: n}
	if f.system == "" {
		f.system = n.Chassis
	}
	for i := range b.all {
		t := &b.all[i]
		if sameHost(n.System, t.SysName) || sameHost(n.System, t.Device) || n.Chassis != "" && t.owns(n.Chassis) ||
			n.Address.IsValid() && slices.Contains(t.Addresses, n.Address) {
			f.box, f.port = t, t.portCalled(n)
			break
		}
	}
	return f
}

// sameHost says whether two names are of one host: with or without a domain behind.
func sameHost(a, b string) bool {
	if a == "" || b == "" {
		return false
	}
	if strings.EqualFold(a, b) {
		return true
	}
	x, da, _ := strings.Cut(a, ".")
	y, db, _ := strings.Cut(b, ".")
	return strings.EqualFold(x, y) && (da == "" || db == "") && !isAddress(a) && !isAddress(b)
}

func isAddress(s string) bool {
	_, err := netip.ParseAddr(s)
	return err == nil
}

// portCalled returns the device's port that a neighbour named, whole bundles by their own name; "" if it has none of
// that name, and the neighbour's word where the device's ports are not known.
func (t *PathTables) portCalled(n PathNeighbour) string {
	for _, called := range []string{n.PortID, n.PortText} {
		for _, p := range t.Ports {
			if called != "" && (p == called || portKey(p) == portKey(called)) {
				return t.whole(p)
			}
		}
	}
	for p, m := range t.PortMACs {
		if m == n.PortID && n.PortID != "" && strings.Count(n.PortID, ":") == 5 {
			return t.whole(p)
		}
	}
	if len(t.Ports) == 0 {
		return t.whole(n.PortID)
	}
	return ""
}

// portKey makes the spellings of one port equal: Gi1/0/1 and GigabitEthernet1/0/1. The first two letters and the
// numbers say it.
func portKey(s string) string {
	s = strings.ToLower(strings.ReplaceAll(s, " ", ""))
	n := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
	if n < 2 {
		return s
	}
	return s[:2] + s[n:]
}

// byAddress finds the device at a port by whose own address is seen there. Of several behind one port it is the one
// that no other stands before.
func (b *boxes) byAddress(t *PathTables, port string) (far, bool) {
	var found []far
	for i := range b.all {
		o := &b.all[i]
		if o == t {
			continue
		}
		mine, _, _ := t.seen(o.macs(), 0)
		theirs, _, _ := o.seen(t.macs(), 0)
		if slices.Equal(mine, []string{port}) && len(theirs) == 1 {
			found = append(found, far{box: o, port: theirs[0], evidence: fmt.Sprintf(
				"%s sees an address of %s at %s and %s one of %s at %s; neither hears the other, so that something may stand between", t.Device, o.Device, port, o.Device, t.Device, theirs[0])})
		}
	}
	var nearest []far
	for _, f := range found {
		if !slices.ContainsFunc(found, func(g far) bool {
			ports, _, _ := f.box.seen(g.box.macs(), 0)
			return g.box != f.box && slices.Contains(ports, f.port)
		}) {
			nearest = append(nearest, f)
		}
	}
	if len(nearest) != 1 {
		return far{}, false
	}
	return nearest[0], true
}

package snmp

import "whydrop/devices"

// stpRoles is what tells a port's role where a device does not name it (BRIDGE-MIB dot1dStpPortTable, RFC 4188, by bridge
// port): dot1dStpPortDesignatedBridge, a priority of two octets and an address, and dot1dStpPortDesignatedPort, two octets.
// They are those of the best message that the port has seen or sent (IEEE 802.1D-2004, sections 17.3 and 17.6).
var stpRoles = Table{
	Name:    "dot1dStpPortTable designated",
	MIB:     "BRIDGE-MIB, RFC 4188",
	Cadence: States,
	Roots:   []string{stpDesignatedBridge, stpDesignatedPort, dot1dBaseBridgeAddress, dot1dStpPort + "3"},
	Live:    []string{stpDesignatedBridge, stpDesignatedPort},
	LiveRow: func(v View, index []uint32) bool {
		return watchedBridgeRow(v, index) && v.ports.roles[index[len(index)-1]] == ""
	},
	Part: "Trees", // which it completes
	Fill: fillRoles,
}

const (
	stpDesignatedBridge    = dot1dStpPort + "8"
	stpDesignatedPort      = dot1dStpPort + "9"
	dot1dBaseBridgeAddress = "1.3.6.1.2.1.17.1.1"

	// rolesFrom names the objects from which a role is derived.
	rolesFrom = "dot1dStpRootPort, dot1dStpPortState, dot1dStpPortDesignatedBridge, dot1dStpPortDesignatedPort"
)

func fillRoles(v View, r *devices.Reading) {
	if r.Bridge == nil {
		return
	}
	roles := treeRoles{own: macKey(v.Scalar(dot1dBaseBridgeAddress).Octets()), root: r.Bridge.RootPort}
	for _, c := range v.Rows(stpDesignatedBridge) {
		roles.add(v.BridgePort(c.Index[0]), v.At(dot1dStpPort+"3", c.Index...).Word(stpStateWords), c.Octets(), v.At(stpDesignatedPort, c.Index...).Octets())
	}
	for n := range r.Interfaces {
		i := &r.Interfaces[n]
		if role := roles.of(i.Name, i.STPState, i.Oper); role.OK && !i.STPRole.OK {
			i.STPRole, i.STPRoleFrom = role, rolesFrom
		}
	}
	for n := range r.Trees {
		if t := &r.Trees[n]; t.Name == "mst 0" {
			roles.fill(t, r.Interfaces, rolesFrom)
		}
	}
}

// treeRoles are the ports of one tree with the best message that each has seen or sent.
type treeRoles struct {
	own   string              // the bridge's base address; "" if not known
	root  devices.Opt[string] // the root port, "" for the root bridge itself
	ports []rolePort
}

// rolePort is what one port shows.
type rolePort struct {
	name   string
	state  devices.Opt[string]
	bridge string // the address of the designated bridge; "" if the port shows none
	port   string // the identifier of the designated port: two octets
}

func (t *treeRoles) add(name string, state devices.Opt[string], bridge, port []byte) {
	if len(bridge) != 8 || len(port) != 2 {
		return // some agents write them as text, in forms of their own
	}
	t.ports = append(t.ports, rolePort{name, state, macKey(bridge[2:]), string(port)})
}

// macKey returns an address to compare; "" for one of zeros, which bridges show whose spanning tree is off.
func macKey(b []byte) string {
	if len(b) != 6 || string(b) == "\x00\x00\x00\x00\x00\x00" {
		return ""
	}
	return string(b)
}

// passes says whether a port in that state forwards or is about to: none but a root port or a designated port does.
func passes(state string) bool {
	return state == "forwarding" || state == "learning" || state == "listening"
}

// address returns the bridge's address in its messages; "" if it can't be told. Some agents have another
// base address than that: then all ports that pass frames, but for the root port, show it.
func (t *treeRoles) address() string {
	shown := ""
	for _, p := range t.ports {
		switch {
		case p.bridge == t.own:
			return t.own
		case !passes(p.state.Value) || p.name == t.root.Value:
		case shown == "":
			shown = p.bridge
		case shown != p.bridge:
			return ""
		}
	}
	if shown != "" {
		return shown
	}
	return t.own
}

// of returns the role of a port in that state; not given where what the port shows leaves it open.
func (t *treeRoles) of(name string, state, oper devices.Opt[string]) (role devices.Opt[string]) {
	var p rolePort
	for _, x := range t.ports {
		if x.name == name {
			p = x
		}
	}
	switch {
	case p.bridge == "" || !state.OK || !t.root.OK:
		return role
	case state.Value == "disabled", oper.Value == "down", oper.Value == "lowerLayerDown", oper.Value == "notPresent":
		return devices.Some("disabled")
	case name == t.root.Value:
		return devices.Some("root")
	case t.address() == "":
		return role
	case t.address() != p.bridge:
		if state.Value != "blocking" {
			return role // it shows the messages of another bridge and passes frames all the same
		}
		return devices.Some("alternate")
	case state.Value != "blocking":
		if !passes(state.Value) {
			return role // broken
		}
		return devices.Some("designated")
	}
	for _, x := range t.ports {
		if x.name != name && x.bridge == p.bridge && x.port == p.port {
			return devices.Some("backup") // the other port is the designated one of the same segment
		}
	}
	return devices.Some("designated")
}

// fill gives the tree's ports the roles that the device did not name.
func (t *treeRoles) fill(tree *devices.Tree, all []devices.Interface, from string) {
	oper := map[string]devices.Opt[string]{}
	for n := range all {
		oper[all[n].Name] = all[n].Oper
	}
	for n := range tree.Ports {
		p := &tree.Ports[n]
		if role := t.of(p.Port, p.State, oper[p.Port]); role.OK && !p.Role.OK {
			p.Role, p.RoleFrom = role, from
		}
	}
}

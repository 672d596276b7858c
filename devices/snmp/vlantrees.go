package snmp

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// Trees of each VLAN (PVST+, Rapid PVST+). Cisco's agents show BRIDGE-MIB once for every VLAN: by SNMPv2c under the
// community "NAME@VLAN", by SNMPv3 in the context "vlan-VLAN". The VLANs stand in vtpVlanTable (CISCO-VTP-MIB), the roles
// of all ports in stpxRSTPPortRoleTable (CISCO-STP-EXTENSIONS-MIB) under VLAN and bridge port.

// vlans lists the VLANs of a device: vtpVlanState, by management domain and VLAN (CISCO-VTP-MIB vtpVlanTable).
var vlans = Table{
	Name:    "vtpVlanTable",
	MIB:     "CISCO-VTP-MIB",
	Cadence: Slow,
	Vendors: []uint32{9},
	Roots:   []string{vtpVlanState},
}

const vtpVlanState = "1.3.6.1.4.1.9.9.46.1.3.1.1.2"

const (
	// mostTrees is how many VLANs' trees are read in every poll.
	mostTrees = 8
	// mostVLANs is how many VLANs are tried to find those.
	mostVLANs = 128
	// vlansEvery is how often the VLANs are looked through.
	vlansEvery = 5 * time.Minute
)

// vlanTree is one VLAN's tree in which a watched port takes part.
type vlanTree struct {
	vlan  uint32
	base  map[uint32]uint32 // bridge port: ifIndex
	ports []uint32          // bridge ports of the watched ports
}

// role names the object of a port's role, which the device keeps outside of the VLAN's instance.
func (t *vlanTree) role(port uint32) string {
	return stpxRSTPPortRole + "." + dotted([]uint32{t.vlan, port})
}

// vlanSearch looks for the VLANs that matter, a few in each poll.
type vlanSearch struct {
	todo  []uint32
	found []*vlanTree
	next  time.Time
}

// in asks within a VLAN: what f asks goes to the VLAN's own instance of the MIB.
func (s *session) in(vlan uint32, f func() error) error {
	n := strconv.FormatUint(uint64(vlan), 10)
	if s.client.Version == gosnmp.Version3 {
		before := s.client.ContextName
		s.client.ContextName = "vlan-" + n
		defer func() { s.client.ContextName = before }()
		return f()
	}
	before := s.client.Community
	if len(before)+1+len(n) > maxCommunity {
		return nil
	}
	s.client.Community = before + "@" + n
	defer func() { s.client.Community = before }()
	return f()
}

// searchVLANs finds the VLANs in whose trees watched ports take part, until the time is over.
func (s *session) searchVLANs(ctx context.Context, until time.Time) {
	v := s.view()
	if s.vlanSearch.todo == nil {
		if time.Now().Before(s.vlanSearch.next) {
			return
		}
		list := vlansOf(v)
		if len(list) == 0 || len(s.ports.ports) == 0 {
			return
		}
		s.vlanSearch.todo = list[:min(len(list), mostVLANs)]
		s.vlanSearch.found = nil
	}
	for len(s.vlanSearch.todo) > 0 && len(s.vlanSearch.found) < mostTrees {
		if ctx.Err() != nil || !time.Now().Before(until) {
			return
		}
		vlan := s.vlanSearch.todo[0]
		t, err := s.findTree(ctx, vlan)
		if errors.Is(err, devices.ErrTimeout) || errors.Is(err, devices.ErrAuth) {
			// Not all agents have these instances, and some are set up not to show them.
			s.vlanSearch = vlanSearch{next: time.Now().Add(absentFor)}
			s.shelf.vlanTrees = nil
			return
		}
		if s.vlanSearch.todo = s.vlanSearch.todo[1:]; t != nil {
			s.vlanSearch.found = append(s.vlanSearch.found, t)
		}
	}
	s.shelf.vlanTrees = s.vlanSearch.found
	s.vlanSearch = vlanSearch{next: time.Now().Add(vlansEvery)}
}

// findTree reads which watched ports take part in a VLAN's tree; nil if none does.
func (s *session) findTree(ctx context.Context, vlan uint32) (*vlanTree, error) {
	t := &vlanTree{vlan: vlan, base: map[uint32]uint32{}}
	// Agents without these instances do not answer, and a device that has answered so much is quick.
	before := s.client.Timeout
	s.client.Timeout = min(before, 500*time.Millisecond)
	defer func() { s.client.Timeout = before }()
	err := s.in(vlan, func() error {
		w, err := s.newWalker(dot1dBasePortIfIndex)
		if err != nil {
			return err
		}
		w.most, w.tries = mostRows, 1
		for done := false; !done && err == nil; {
			done, err = w.next(ctx)
		}
		for _, r := range w.rows {
			arcs, n := oid.Arcs(r.index), r.value.gauge()
			if len(arcs) != 1 || !n.OK {
				continue
			}
			t.base[arcs[0]] = n.Value
			if s.view().Wants(n.Value) {
				t.ports = append(t.ports, arcs[0])
			}
		}
		return err
	})
	if len(t.ports) == 0 {
		return nil, err
	}
	return t, nil
}

// readVLANs reads the trees that matter, one message each, and the ports' roles in all of them.
func (s *session) readVLANs(ctx context.Context, r *devices.Reading) {
	roles := map[string]value{}
	var ids []string
	for _, t := range s.shelf.vlanTrees {
		for _, p := range t.ports {
			if id := t.role(p); s.objects.wanted(id, time.Now()) {
				ids = append(ids, id)
			}
		}
	}
	for _, b := range s.batches(group{ids: ids}) {
		if _, err := s.read(ctx, b, roles); err != nil {
			return
		}
	}
	var trees []devices.Tree
	for _, t := range s.shelf.vlanTrees {
		values := map[string]value{}
		err := s.in(t.vlan, func() error {
			ids := append([]string(nil), stpScalars...)
			ids = append(ids, dot1dBaseBridgeAddress+".0")
			for _, p := range t.ports {
				ids = append(ids, stpPortState+uintText(p))
				if !roles[t.role(p)].given() {
					ids = append(ids, stpDesignatedBridge+"."+uintText(p), stpDesignatedPort+"."+uintText(p))
				}
			}
			for _, b := range s.batches(group{ids: ids}) {
				if err := s.peek(ctx, b, values); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return
		}
		trees = append(trees, s.vlanTree(t, values, roles))
	}
	r.Trees = append(r.Trees, trees...)
}

// vlanView knows the ports as a VLAN's instance numbers them.
func (s *session) vlanView(t *vlanTree) View {
	return View{ports: &portMap{ports: s.ports.ports, names: s.ports.names, base: t.base}}
}

// vlanTree makes a tree of what a VLAN's instance gave.
func (s *session) vlanTree(t *vlanTree, values, roles map[string]value) devices.Tree {
	v := s.vlanView(t)
	n := strconv.FormatUint(uint64(t.vlan), 10)
	out := devices.Tree{Name: "vlan " + n, VLANs: n, Protocol: "pvst"}
	if b := bridge(func(id string) value { return values[id] }, v); b != nil {
		out.Bridge = *b
	}
	own, _ := values[dot1dBaseBridgeAddress+".0"].octets()
	derived := treeRoles{own: macKey(own), root: out.RootPort}
	for _, p := range t.ports {
		state := word(values[stpPortState+uintText(p)].gauge(), stpStateWords)
		bridge, _ := values[stpDesignatedBridge+"."+uintText(p)].octets()
		port, _ := values[stpDesignatedPort+"."+uintText(p)].octets()
		derived.add(v.BridgePort(p), state, bridge, port)
		role := roles[t.role(p)].gauge()
		if role.OK {
			out.Protocol = "rapid-pvst"
		}
		out.Ports = append(out.Ports, devices.TreePort{
			Port: v.BridgePort(p), State: state, Role: word(role, stpRoleWords),
		})
	}
	derived.fill(&out, nil, rolesFrom)
	return out
}

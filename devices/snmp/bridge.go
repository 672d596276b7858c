package snmp

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"time"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// Spanning tree of the bridge as a whole and of its ports (BRIDGE-MIB dot1dStp, RFC 4188), and the ports' roles
// (CISCO-STP-EXTENSIONS-MIB stpxRSTPPortRoleTable, where a device has it). Devices with a tree per VLAN show that
// of VLAN 1, or of the context that the site file names.
const (
	dot1dBasePortIfIndex = "1.3.6.1.2.1.17.1.4.1.2"
	dot1dStp             = "1.3.6.1.2.1.17.2."
	stpSinceChange       = dot1dStp + "3.0"
	stpTopChanges        = dot1dStp + "4.0"
	stpDesignatedRoot    = dot1dStp + "5.0"
	stpRootCost          = dot1dStp + "6.0"
	stpRootPort          = dot1dStp + "7.0"
	stpPortState         = dot1dStp + "15.1.3."
	stpxRSTPPortRole     = "1.3.6.1.4.1.9.9.82.1.12.2.1.3"
)

var (
	stpScalars = []string{stpSinceChange, stpTopChanges, stpDesignatedRoot, stpRootCost, stpRootPort}
	// stpStateWords are the values of dot1dStpPortState.
	stpStateWords = []string{"disabled", "blocking", "listening", "learning", "forwarding", "broken"}
	// stpRoleWords are the values of stpxRSTPPortRoleValue; a boundary or master port of MST is the root port of
	// its region.
	stpRoleWords = []string{"disabled", "root", "designated", "alternate", "backup", "boundary", "master"}
)

// contactBridge learns which bridge port is which interface and under which index its role stands. A device that
// is no bridge answers with nothing, which is no error; only a table without an end is one.
func (s *session) contactBridge(ctx context.Context, m *portMap) error {
	m.base, m.roles = map[uint32]uint32{}, map[uint32]string{}
	if m.long {
		return nil // such an agent is not walked any further
	}
	until := time.Now().Add(bridgeTime)
	rows, err := s.walk(ctx, dot1dBasePortIfIndex, until)
	if m.long = errors.Is(err, errEndless); m.long {
		return err
	}
	for _, r := range rows {
		if arcs, n := oid.Arcs(r.index), r.value.gauge(); len(arcs) == 1 && n.OK {
			m.base[arcs[0]] = n.Value
		}
	}
	if len(m.base) == 0 {
		return nil
	}
	rows, err = s.walk(ctx, stpxRSTPPortRole, until)
	if m.long = errors.Is(err, errEndless); m.long {
		return err
	}
	for _, r := range rows {
		// The index is the instance (VLAN or MST instance), then the bridge port. The lowest instance counts.
		arcs := oid.Arcs(r.index)
		if len(arcs) != 2 {
			continue
		}
		if _, ok := m.roles[arcs[1]]; !ok {
			m.roles[arcs[1]] = strconv.FormatUint(uint64(arcs[0]), 10)
		}
	}
	return nil
}

// stpObjects returns the objects of one port's spanning tree: state and role, "" for what it has not.
func (m *portMap) stpObjects(index uint32) (state, role string) {
	b, ok := m.bridgePort(index)
	if !ok {
		return "", ""
	}
	n := strconv.FormatUint(uint64(b), 10)
	if instance, ok := m.roles[b]; ok {
		role = stpxRSTPPortRole + "." + instance + "." + n
	}
	return stpPortState + n, role
}

// bridge puts the scalars together; nil if the device gave none of them. get returns what it gave of an object.
func bridge(get func(id string) value, view View) *devices.Bridge {
	b := devices.Bridge{TopologyChanges: get(stpTopChanges).counter(), RootCost: get(stpRootCost).gauge()}
	if n := get(stpSinceChange).gauge(); n.OK {
		b.SinceChange = devices.Some(time.Duration(n.Value) * 10 * time.Millisecond) // TimeTicks
	}
	if id, ok := get(stpDesignatedRoot).octets(); ok && len(id) == 8 {
		b.DesignatedRoot = devices.Some(bridgeID(id))
	}
	if !b.TopologyChanges.OK && !b.DesignatedRoot.OK {
		return nil
	}
	if n := get(stpRootPort).gauge(); n.OK {
		b.RootPort = devices.Some(view.BridgePort(n.Value))
	}
	return &b
}

// bridgeID writes a bridge's identifier as Cisco does: "priority.aabb.ccdd.eeff".
func bridgeID(id []byte) string {
	h := hex.EncodeToString(id[2:])
	return fmt.Sprintf("%d.%s.%s.%s", int(id[0])<<8|int(id[1]), h[:4], h[4:8], h[8:])
}

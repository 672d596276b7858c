package snmp

import (
	"slices"
	"strconv"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// bridgePorts counts frames that a bridge's port discarded because they were too long to go on:
// dot1dBasePortMtuExceededDiscards, Counter32 (BRIDGE-MIB dot1dBasePortTable, RFC 4188). Its index is the port's number
// in the bridge.
var bridgePorts = Table{
	Name:     "dot1dBasePortTable",
	MIB:      "BRIDGE-MIB, RFC 4188",
	Entry:    "1.3.6.1.2.1.17.1.4.1",
	Columns:  [][]int{{5}},
	Index:    bridgeRow,
	FillPort: func(r Row, i *devices.Interface) { i.MTUExceeded = r.Counter(5) },
}

// bridgeRow returns a port's number in the bridge as an index; "" if it is no port of it.
func bridgeRow(v View, ifIndex uint32) string {
	b, ok := v.ports.bridgePort(ifIndex)
	if !ok {
		return ""
	}
	return strconv.FormatUint(uint64(b), 10)
}

// learning counts addresses that the forwarding database had no room for: dot1dTpLearnedEntryDiscards, Counter32
// (BRIDGE-MIB, RFC 4188).
var learning = Table{
	Name:    "dot1dTpLearnedEntryDiscards",
	MIB:     "BRIDGE-MIB, RFC 4188",
	Cadence: States,
	Metrics: []timeline.Metric{timeline.LearnDiscards},
	Roots:   []string{dot1dTpLearnedEntryDiscards},
	Live:    []string{dot1dTpLearnedEntryDiscards},
	Fill: func(v View, r *devices.Reading) {
		r.LearnDiscards = v.Scalar(dot1dTpLearnedEntryDiscards).Counter()
	},
}

const dot1dTpLearnedEntryDiscards = "1.3.6.1.2.1.17.4.1"

// vlanPorts says which VLAN a port's untagged frames belong to: dot1qPvid (Q-BRIDGE-MIB dot1qPortVlanTable, RFC 4363),
// indexed by the port's number in the bridge; where a device keeps its VLANs elsewhere, vmVlan
// (CISCO-VLAN-MEMBERSHIP-MIB vmMembershipTable), indexed by ifIndex.
var vlanPorts = Table{
	Name:    "dot1qPortVlanTable",
	MIB:     "Q-BRIDGE-MIB, RFC 4363; CISCO-VLAN-MEMBERSHIP-MIB",
	Cadence: Slow,
	Roots:   []string{dot1qPvid, vmVlan},
	Part:    partInterfaces,
	Fill: func(v View, r *devices.Reading) {
		for n := range r.Interfaces {
			i := &r.Interfaces[n]
			pvid := v.At(vmVlan, i.Index.Value).Number()
			if b, ok := v.ports.bridgePort(i.Index.Value); ok && !pvid.OK {
				pvid = v.At(dot1qPvid, b).Number()
			}
			if pvid.OK && pvid.Value >= 1 && pvid.Value <= 4094 {
				i.AccessVLAN = pvid
			}
		}
	},
}

const (
	dot1qPvid = "1.3.6.1.2.1.17.7.1.4.5.1.1"
	vmVlan    = "1.3.6.1.4.1.9.9.68.1.2.2.1.2"
)

// fdbSize counts the entries of the forwarding databases: dot1qFdbDynamicCount, Gauge32 (Q-BRIDGE-MIB dot1qFdbTable, RFC
// 4363), one row for each database.
var fdbSize = Table{
	Name:    "dot1qFdbTable",
	MIB:     "Q-BRIDGE-MIB, RFC 4363",
	Cadence: Slow,
	Metrics: []timeline.Metric{timeline.Stations},
	Roots:   []string{dot1qFdbDynamicCount},
	Fill: func(v View, r *devices.Reading) {
		var sum uint64
		for _, c := range v.Rows(dot1qFdbDynamicCount) {
			sum += uint64(c.Number().Value)
		}
		r.StationCount = devices.Some(sum)
	},
}

const dot1qFdbDynamicCount = "1.3.6.1.2.1.17.7.1.2.1.1.2"

// bridgePort returns the bridge port of an interface: the lowest, if it has several.
func (m *portMap) bridgePort(index uint32) (uint32, bool) {
	best, ok := uint32(0), false
	for b, i := range m.base {
		if i == index && (!ok || b < best) {
			best, ok = b, true
		}
	}
	return best, ok
}

// watchedBridgeRow says whether the last arc of an index is the bridge port of a watched interface.
func watchedBridgeRow(v View, index []uint32) bool {
	return len(index) > 0 && v.WantsBridgePort(index[len(index)-1])
}

// vlansOf returns the VLANs that a device says it has, in order.
func vlansOf(v View) []uint32 {
	var out []uint32
	for _, c := range v.Rows(vtpVlanState) { // index: management domain, VLAN
		if n := c.Number(); len(c.Index) == 2 && n.Value == 1 { // operational
			out = append(out, c.Index[1])
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

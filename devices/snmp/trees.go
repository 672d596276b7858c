package snmp

import (
	"slices"
	"strconv"
	"time"

	"whydrop/devices"
)

// Spanning trees as a whole and their ports. States are INTEGERs, counts of topology changes are Counter32 in BRIDGE-MIB
// and Counter64 in the MIBs of IEEE 802.1, times TimeTicks.

// commonTree is the tree of a bridge that has one, or the common and internal one of MSTP: BRIDGE-MIB dot1dStp (RFC
// 4188), RSTP-MIB for edge and point-to-point ports (RFC 4318).
var commonTree = Table{
	Name:    "dot1dStpPortTable",
	MIB:     "BRIDGE-MIB, RFC 4188; RSTP-MIB, RFC 4318",
	Cadence: States,
	Roots: []string{
		dot1dStpPort + "3", dot1dStpPort + "5", dot1dStpPort + "10", dot1dStp + "16",
		dot1dStp + "19.1.3", dot1dStp + "19.1.5",
	},
	Live:    []string{dot1dStpPort + "3", dot1dStpPort + "10"},
	LiveRow: watchedBridgeRow,
	Part:    "Trees",
	Fill:    fillCommonTree,
}

const dot1dStpPort = dot1dStp + "15.1."

func fillCommonTree(v View, r *devices.Reading) {
	if len(v.Rows(dot1dStpPort+"3")) == 0 || len(v.Rows(ieeePortState)) > 0 || len(v.vlanTrees) > 0 {
		return // another table tells the same and more
	}
	t := devices.Tree{Name: "mst 0"}
	if n := v.Scalar(dot1dStp + "16").Number(); n.OK { // dot1dStpVersion
		t.Protocol = map[uint32]string{0: "stp", 2: "rstp", 3: "mstp"}[n.Value]
	}
	if r.Bridge != nil {
		t.Bridge = *r.Bridge
	}
	for _, c := range v.Rows(dot1dStpPort + "3") {
		if len(c.Index) != 1 || !v.WantsBridgePort(c.Index[0]) {
			continue
		}
		t.Ports = append(t.Ports, devices.TreePort{
			Port: v.BridgePort(c.Index[0]), State: c.Word(stpStateWords),
			Cost:     v.At(dot1dStpPort+"5", c.Index...).Number(),
			Forwards: v.At(dot1dStpPort+"10", c.Index...).Counter(),
			Edge:     v.At(dot1dStp+"19.1.3", c.Index...).Truth(), PointToPoint: v.At(dot1dStp+"19.1.5", c.Index...).Truth(),
		})
	}
	r.Trees = append(r.Trees, t)
}

// ieeeTree is the same by IEEE8021-SPANNING-TREE-MIB (IEEE 802.1Q, clause 17), indexed by component and port, with the
// roles of IEEE8021-MSTP-MIB's ieee8021MstpCistPortTable where there are any; elsewhere they are derived, see stpRoles.
var ieeeTree = Table{
	Name:    "ieee8021SpanningTreeTable",
	MIB:     "IEEE8021-SPANNING-TREE-MIB, IEEE8021-MSTP-MIB",
	Unseen:  true,
	Cadence: States,
	Roots: []string{
		ieeeTreeEntry + "4", ieeeTreeEntry + "5", ieeeTreeEntry + "6", ieeeTreeEntry + "7", ieeeTreeEntry + "8",
		ieeePortState, ieeePortEntry + "6", ieeeDesignatedBridge, ieeeDesignatedPort, ieeePortEntry + "11", ieeePortEntry + "14",
		cistPortRole, ieeeBridgeAddress,
	},
	Live: []string{
		ieeeTreeEntry + "4", ieeeTreeEntry + "5", ieeeTreeEntry + "6", ieeeTreeEntry + "8", ieeePortState, ieeeDesignatedBridge,
		ieeeDesignatedPort, ieeePortEntry + "11", cistPortRole,
	},
	LiveRow: func(v View, index []uint32) bool { return len(index) < 2 || watchedBridgeRow(v, index) },
	Part:    "Trees",
	Fill:    fillIEEETree,
}

const (
	ieeeTreeEntry = "1.3.111.2.802.1.1.3.1.1.1."
	ieeePortEntry = "1.3.111.2.802.1.1.3.1.2.1."
	ieeePortState = ieeePortEntry + "4"
	cistPortRole  = "1.3.111.2.802.1.1.6.1.3.1.14"

	ieeeDesignatedBridge = ieeePortEntry + "9"
	ieeeDesignatedPort   = ieeePortEntry + "10"
	ieeeBridgeAddress    = "1.3.111.2.802.1.1.2.1.1.1.1.2" // ieee8021BridgeBaseBridgeAddress, by component
	ieeeRolesFrom        = "ieee8021SpanningTreeRootPort, ieee8021SpanningTreePortState, ieee8021SpanningTreePortDesignatedBridge, ieee8021SpanningTreePortDesignatedPort"
)

// mstRoleWords are the values of ieee8021MstpPortRole.
var mstRoleWords = []string{"root", "alternate", "designated", "backup"}

func fillIEEETree(v View, r *devices.Reading) {
	for _, c := range v.Rows(ieeeTreeEntry + "5") {
		if len(c.Index) != 1 {
			continue
		}
		t := devices.Tree{Name: "mst 0", Bridge: v.bridge(ieeeTreeEntry, []string{"4", "5", "6", "7", "8"}, c.Index)}
		if len(v.Rows(mstEntry+"5")) > 0 {
			t.Protocol = "mstp"
		}
		roles := treeRoles{own: macKey(v.At(ieeeBridgeAddress, c.Index...).Octets()), root: t.RootPort}
		for _, p := range v.Rows(ieeePortState) {
			if len(p.Index) != 2 || p.Index[0] != c.Index[0] {
				continue
			}
			roles.add(v.BridgePort(p.Index[1]), p.Word(stpStateWords), v.At(ieeeDesignatedBridge, p.Index...).Octets(), v.At(ieeeDesignatedPort, p.Index...).Octets())
			if !v.WantsBridgePort(p.Index[1]) {
				continue
			}
			t.Ports = append(t.Ports, devices.TreePort{
				Port: v.BridgePort(p.Index[1]), State: p.Word(stpStateWords), Role: v.At(cistPortRole, p.Index...).Word(mstRoleWords),
				Cost: v.At(ieeePortEntry+"6", p.Index...).Number(), Forwards: v.At(ieeePortEntry+"11", p.Index...).Counter(),
				Edge: v.At(ieeePortEntry+"14", p.Index...).Truth(),
			})
		}
		roles.fill(&t, r.Interfaces, ieeeRolesFrom)
		r.Trees = append(r.Trees, t)
		return // further components are other bridges in one box
	}
}

// mstTrees are the instances of MSTP (IEEE8021-MSTP-MIB ieee8021MstpTable and ieee8021MstpPortTable, IEEE 802.1Q, clause
// 17), indexed by component and instance, and port.
var mstTrees = Table{
	Name:    "ieee8021MstpTable",
	MIB:     "IEEE8021-MSTP-MIB",
	Unseen:  true,
	Cadence: States,
	Roots: []string{
		mstEntry + "4", mstEntry + "5", mstEntry + "7", mstEntry + "8", mstEntry + "9",
		mstPortEntry + "5", mstPortEntry + "7", mstPortEntry + "12", mstOfVLAN,
	},
	Live:    []string{mstEntry + "4", mstEntry + "5", mstEntry + "7", mstEntry + "9", mstPortEntry + "5", mstPortEntry + "12"},
	LiveRow: func(v View, index []uint32) bool { return len(index) < 3 || watchedBridgeRow(v, index) },
	Part:    "Trees",
	Fill:    fillMST,
}

const (
	mstEntry     = "1.3.111.2.802.1.1.6.1.2.1."
	mstPortEntry = "1.3.111.2.802.1.1.6.1.4.1."
	mstOfVLAN    = "1.3.111.2.802.1.1.6.1.10.1.3" // ieee8021MstpVlanV2MstId, by component and VLAN
)

// mstStateWords are the values of ieee8021MstpPortState, in another order than those of BRIDGE-MIB.
var mstStateWords = []string{"disabled", "listening", "learning", "forwarding", "blocking"}

func fillMST(v View, r *devices.Reading) {
	for _, c := range v.Rows(mstEntry + "5") {
		if len(c.Index) != 2 || c.Index[1] == 0 {
			continue
		}
		t := devices.Tree{
			Name: "mst " + dotted(c.Index[1:]), Protocol: "mstp",
			Bridge: v.bridge(mstEntry, []string{"4", "5", "7", "8", "9"}, c.Index),
		}
		var vlans []uint32
		for _, m := range v.Rows(mstOfVLAN) {
			if n := m.Number(); len(m.Index) == 2 && n.OK && n.Value == c.Index[1] {
				vlans = append(vlans, m.Index[1])
			}
		}
		t.VLANs = ranges(vlans)
		for _, p := range v.Rows(mstPortEntry + "5") {
			if len(p.Index) != 3 || p.Index[0] != c.Index[0] || p.Index[1] != c.Index[1] || !v.WantsBridgePort(p.Index[2]) {
				continue
			}
			t.Ports = append(t.Ports, devices.TreePort{
				Port: v.BridgePort(p.Index[2]), State: p.Word(mstStateWords), Role: v.At(mstPortEntry+"12", p.Index...).Word(mstRoleWords),
				Cost: v.At(mstPortEntry+"7", p.Index...).Number(),
			})
		}
		r.Trees = append(r.Trees, t)
	}
}

// bridge reads what a tree says of itself from the columns for the time since its last change, the number of changes,
// the root bridge, the cost to it and the root port.
func (v View) bridge(entry string, columns []string, index []uint32) devices.Bridge {
	at := func(n int) Cell { return v.At(entry+columns[n], index...) }
	b := devices.Bridge{TopologyChanges: at(1).Counter(), RootCost: at(3).Number()}
	if t := at(0).Number(); t.OK {
		b.SinceChange = devices.Some(time.Duration(t.Value) * 10 * time.Millisecond) // TimeTicks
	}
	if id := at(2).Octets(); len(id) == 8 {
		b.DesignatedRoot = devices.Some(bridgeID(id))
	}
	if n := at(4).Number(); n.OK {
		b.RootPort = devices.Some(v.BridgePort(n.Value))
	}
	return b
}

// ranges writes numbers as a device does: "1-5,8".
func ranges(list []uint32) string {
	slices.Sort(list)
	var out string
	for n := 0; n < len(list); {
		last := n
		for last+1 < len(list) && list[last+1] == list[last]+1 {
			last++
		}
		if out != "" {
			out += ","
		}
		out += strconv.FormatUint(uint64(list[n]), 10)
		if last > n {
			out += "-" + strconv.FormatUint(uint64(list[last]), 10)
		}
		n = last + 1
	}
	return out
}

package snmp

import (
	"slices"
	"strconv"

	"whydrop/devices"
)

// stpInconsistent names the ports that a guard of spanning tree blocks (CISCO-STP-EXTENSIONS-MIB, 1.3.6.1.4.1.9.9.82,
// by VLAN and dot1dBasePort): stpxInconsistentState 1.3.1.1.3 (BITS: type 0, pvid 1), stpxRootInconsistentState
// 1.5.2.1.3 and stpxLoopInconsistentState 1.8.2.1.3 (TruthValue). A port that is consistent has no row.
var stpInconsistent = Table{
	Name:    "stpxRootInconsistencyTable",
	MIB:     "CISCO-STP-EXTENSIONS-MIB",
	Unseen:  true,
	Sparse:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{stpxInconsistent, stpxRootInconsistent, stpxLoopInconsistent},
	Part:    "Trees",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(stpxInconsistent) {
			switch b := c.Octets(); {
			case len(b) > 0 && b[0]&0x80 != 0:
				setInconsistent(v, r, c.Index, "type")
			case len(b) > 0 && b[0]&0x40 != 0:
				setInconsistent(v, r, c.Index, "pvid")
			}
		}
		for root, word := range map[string]string{stpxRootInconsistent: "root", stpxLoopInconsistent: "loop"} {
			for _, c := range v.Rows(root) {
				if c.Truth().Value {
					setInconsistent(v, r, c.Index, word)
				}
			}
		}
	},
}

const (
	stpxInconsistent     = "1.3.6.1.4.1.9.9.82.1.3.1.1.3"
	stpxRootInconsistent = "1.3.6.1.4.1.9.9.82.1.5.2.1.3"
	stpxLoopInconsistent = "1.3.6.1.4.1.9.9.82.1.8.2.1.3"
)

// setInconsistent notes the guard at a port of the VLAN's tree, which is made where no other table told of it.
func setInconsistent(v View, r *devices.Reading, index []uint32, word string) {
	if len(index) != 2 || !v.WantsBridgePort(index[1]) {
		return
	}
	tree, port := "vlan "+strconv.FormatUint(uint64(index[0]), 10), v.BridgePort(index[1])
	n := slices.IndexFunc(r.Trees, func(t devices.Tree) bool { return t.Name == tree })
	if n < 0 {
		n = len(r.Trees)
		r.Trees = append(r.Trees, devices.Tree{Name: tree, VLANs: tree[len("vlan "):]})
	}
	t := &r.Trees[n]
	k := slices.IndexFunc(t.Ports, func(p devices.TreePort) bool { return p.Port == port })
	if k < 0 {
		k = len(t.Ports)
		t.Ports = append(t.Ports, devices.TreePort{Port: port})
	}
	t.Ports[k].Inconsistent = word
}

package snmp

import (
	"math/bits"

	"whydrop/devices"
)

// lag says which links act as one (LAG-MIB dot3adAggPortTable, IEEE 802.1AX annex D; formerly IEEE8023-LAG-MIB). Rows
// are indexed by the link's ifIndex; the group is an ifIndex too. The states of actor and partner are BITS of one octet,
// the counts of changes Counter32. Links of a group that does not negotiate are known from ifStackTable (IF-MIB, RFC
// 2863) alone, where the group's ifType (161, ieee8023adLag) stands in dot3adAggTable or the group's links in ifStack.
var lag = Table{
	Name:    "dot3adAggPortTable",
	MIB:     "LAG-MIB, IEEE 802.1AX",
	Cadence: States,
	Roots: []string{
		aggPort + "12", aggPort + "13", aggPort + "21", aggPort + "23", aggPort + "24", aggPortActorChanges,
	},
	Live: []string{aggPort + "13", aggPort + "21", aggPort + "23", aggPortActorChanges},
	Fill: fillLAG,
}

const (
	aggPort             = "1.2.840.10006.300.43.1.2.1.1."
	aggPortActorChanges = "1.2.840.10006.300.43.1.2.3.1.11" // dot3adAggPortDebugActorChangeCount
)

func fillLAG(v View, r *devices.Reading) {
	r.Aggregates = []devices.Aggregate{}
	at := map[uint32]int{}
	for _, c := range v.Rows(aggPort + "12") { // dot3adAggPortSelectedAggID
		selected := c.Number()
		if len(c.Index) != 1 || !selected.OK || selected.Value == 0 || selected.Value == c.Index[0] {
			continue // 0: none; itself: no aggregate
		}
		link := c.Index[0]
		m := devices.Member{
			Port: v.Port(link), Actor: lacpState(v.At(aggPort+"21", link)), Partner: lacpState(v.At(aggPort+"23", link)),
			Changes: v.At(aggPortActorChanges, link).Counter(),
		}
		attached := v.At(aggPort+"13", link).Number() // dot3adAggPortAttachedAggID
		switch in := m.InSync(); {
		case attached.OK && attached.Value == 0, in.OK && !in.Value:
			m.State = "suspended"
		case in.OK || attached.OK:
			m.State = "bundled"
		}
		n, ok := at[selected.Value]
		if !ok {
			n = len(r.Aggregates)
			at[selected.Value] = n
			a := devices.Aggregate{Port: v.Port(selected.Value)}
			if m.Actor.OK {
				a.Protocol = "lacp"
			}
			r.Aggregates = append(r.Aggregates, a)
		}
		r.Aggregates[n].Members = append(r.Aggregates[n].Members, m)
	}
}

// lacpState returns the octet of IEEE 802.1AX, section 6.4.2.3. BITS have their first bit at the top, so that the octet
// is turned round; some agents send it as it stands in the frame, which is known by what could not be otherwise: a link
// that distributes and whose information has expired.
func lacpState(c Cell) devices.Opt[uint8] {
	b := c.Octets()
	if len(b) == 0 {
		return devices.None[uint8]()
	}
	const distributing, expired = 1 << 5, 1 << 7
	state := bits.Reverse8(b[0])
	if state&distributing != 0 && state&expired != 0 && b[0]&expired == 0 {
		state = b[0]
	}
	return devices.Some(state)
}

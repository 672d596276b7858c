package snmp

import "whydrop/devices"

// classQueues is what a port's service policies drop, by class (CISCO-CLASS-BASED-QOS-MIB, 1.3.6.1.4.1.9.9.166.1):
// cbQosPolicyDirection 1.1.1.3 (input 1, output 2) and cbQosIfIndex 1.1.1.4 by policy; cbQosConfigIndex 5.1.1.2,
// cbQosObjectsType 5.1.1.3 (class map 2, queueing 4, traffic shaping 6, police 7) and cbQosParentObjectsIndex 5.1.1.4 by
// policy and object; cbQosCMName 7.1.1.1 and cbQosPoliceCfgRate 12.1.1.1, ExceedAction 12.1.1.6 by configuration;
// counters of 64 bits by policy and object: cbQosCMPostPolicyByte64 15.1.1.10, cbQosCMDropPkt64 15.1.1.14,
// cbQosPoliceExceededPkt64 17.1.1.10, cbQosPoliceViolatedPkt64 17.1.1.17, cbQosQueueingDiscardPkt64 18.1.1.8.
var classQueues = Table{
	Name:    "cbQosCMStatsTable",
	MIB:     "CISCO-CLASS-BASED-QOS-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots: []string{
		qosDirection, qosIfIndex, qosConfig, qosType, qosParent, qosClassName, qosPoliceRate, qosExceedAction,
		qosClassBytes, qosClassDrops, qosPoliceExceeded, qosPoliceViolated, qosQueueDrops,
	},
	Live: []string{qosClassBytes, qosClassDrops, qosPoliceExceeded, qosPoliceViolated, qosQueueDrops},
	LiveRow: func(v View, index []uint32) bool {
		return len(index) > 0 && v.Wants(v.At(qosIfIndex, index[0]).Number().Value)
	},
	Part: "Queues",
	Fill: fillClassQueues,
}

const (
	qosDirection      = "1.3.6.1.4.1.9.9.166.1.1.1.1.3"
	qosIfIndex        = "1.3.6.1.4.1.9.9.166.1.1.1.1.4"
	qosConfig         = "1.3.6.1.4.1.9.9.166.1.5.1.1.2"
	qosType           = "1.3.6.1.4.1.9.9.166.1.5.1.1.3"
	qosParent         = "1.3.6.1.4.1.9.9.166.1.5.1.1.4"
	qosClassName      = "1.3.6.1.4.1.9.9.166.1.7.1.1.1"
	qosPoliceRate     = "1.3.6.1.4.1.9.9.166.1.12.1.1.1"
	qosExceedAction   = "1.3.6.1.4.1.9.9.166.1.12.1.1.6"
	qosClassBytes     = "1.3.6.1.4.1.9.9.166.1.15.1.1.10"
	qosClassDrops     = "1.3.6.1.4.1.9.9.166.1.15.1.1.14"
	qosPoliceExceeded = "1.3.6.1.4.1.9.9.166.1.17.1.1.10"
	qosPoliceViolated = "1.3.6.1.4.1.9.9.166.1.17.1.1.17"
	qosQueueDrops     = "1.3.6.1.4.1.9.9.166.1.18.1.1.8"
)

// Values of cbQosObjectsType.
const (
	qosClass    = 2
	qosQueueing = 4
	qosPolice   = 7
)

func fillClassQueues(v View, r *devices.Reading) {
	for _, c := range v.Rows(qosType) {
		if len(c.Index) != 2 {
			continue
		}
		policy := c.Index[0]
		ifIndex := v.At(qosIfIndex, policy).Number()
		if !ifIndex.OK || !v.Wants(ifIndex.Value) {
			continue
		}
		q := devices.Queue{Port: v.Port(ifIndex.Value), Way: "out", Kind: "queue"}
		if v.At(qosDirection, policy).Number().Value == 1 {
			q.Way = "in"
		}
		config := v.At(qosConfig, c.Index...).Number().Value
		switch c.Number().Value {
		case qosClass:
			q.Name, q.Drops = v.At(qosClassName, config).Text(), v.At(qosClassDrops, c.Index...).Counter()
			if b := v.At(qosClassBytes, c.Index...).Counter(); b.OK {
				b.Value.Value *= 8 // modulo 2^64, as a counter of bits would be
				q.Bits = b
			}
			if hasChild(v, policy, c.Index[1]) {
				q.Drops = devices.None[devices.Counter]() // told by its queue or policer
			}
		case qosQueueing:
			q.Name, q.Drops = className(v, c.Index), v.At(qosQueueDrops, c.Index...).Counter()
		case qosPolice:
			q.Kind, q.Name = "policer", className(v, c.Index)
			q.Drops = v.At(qosPoliceViolated, c.Index...).Counter()
			const drop = 5 // PoliceAction
			if a := v.At(qosExceedAction, config).Number(); !a.OK || a.Value == drop {
				addTo(&q.Drops, v.At(qosPoliceExceeded, c.Index...).Counter())
			}
			q.Rate = v.At(qosPoliceRate, config).Wide()
		default:
			continue
		}
		if q.Name != "" && (q.Drops.OK || q.Bits.OK) {
			r.Queues = append(r.Queues, q)
		}
	}
}

// hasChild says whether a queue or a policer hangs below a class.
func hasChild(v View, policy, object uint32) bool {
	for _, c := range v.Rows(qosParent) {
		if len(c.Index) == 2 && c.Index[0] == policy && c.Number().OK && c.Number().Value == object {
			if t := v.At(qosType, c.Index...).Number().Value; t == qosQueueing || t == qosPolice {
				return true
			}
		}
	}
	return false
}

// className returns the name of the class that an object hangs below; "" if there is none.
func className(v View, index []uint32) string {
	const deepest = 8
	at := index[1]
	for range deepest {
		up := v.At(qosParent, index[0], at).Number()
		if !up.OK || up.Value == 0 {
			return ""
		}
		at = up.Value
		if v.At(qosType, index[0], at).Number().Value == qosClass {
			return v.At(qosClassName, v.At(qosConfig, index[0], at).Number().Value).Text()
		}
	}
	return ""
}

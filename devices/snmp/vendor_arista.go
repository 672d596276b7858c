package snmp

import "whydrop/devices"

// aristaIf is what Arista says of a port beyond IF-MIB (ARISTA-IF-MIB aristaIfTable, 1.3.6.1.4.1.30065.3.15.1.1.1, by
// ifIndex): CounterLastUpdated 1 (TimeTicks: sysUpTime when the hardware's counters were last copied to those read here),
// OperStatusChanges 8 and InAclDrops 9 (Counter32), ErrDisabledReason 10 (text, empty if it is not shut).
var aristaIf = Table{
	Name:    "aristaIfTable",
	MIB:     "ARISTA-IF-MIB",
	Unseen:  true,
	Vendors: []uint32{enterpriseArista},
	Entry:   "1.3.6.1.4.1.30065.3.15.1.1.1",
	Columns: [][]int{{1, 8, 9, 10}},
	FillPort: func(r Row, i *devices.Interface) {
		if at, now := r.Number(1), r.uptime; at.OK && now.OK {
			const future = 1 << 31
			if age := now.Value - at.Value; age < future { // modular: sysUpTime wraps
				i.CounterAgeing = devices.Some(float64(age) / 100)
			}
		}
		fillIn(&i.CarrierTransitions, r.Counter(8))
		fillIn(&i.ACLDrops, r.Counter(9))
		if reason := r.Text(10); reason != "" {
			i.ErrDisabled = reason
		}
	},
}

// aristaQueues is what Arista's ports drop by queue (ARISTA-QUEUE-MIB aristaEgressQueueTable,
// 1.3.6.1.4.1.30065.3.6.1.2.1, by ifIndex, queue and kind of packet): PktsDropped 6, Counter64.
var aristaQueues = Table{
	Name:    "aristaEgressQueueTable",
	MIB:     "ARISTA-QUEUE-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseArista},
	Roots:   []string{aristaQueueDrops},
	Live:    []string{aristaQueueDrops},
	LiveRow: watchedFirst,
	Part:    "Queues",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(aristaQueueDrops) {
			if len(c.Index) < 2 || !v.Wants(c.Index[0]) {
				continue
			}
			q := devices.Queue{Port: v.Port(c.Index[0]), Name: "queue " + dotted(c.Index[1:]), Way: "out", Kind: "queue", Drops: c.Counter()}
			if q.Drops.OK {
				r.Queues = append(r.Queues, q)
			}
		}
	},
}

const aristaQueueDrops = "1.3.6.1.4.1.30065.3.6.1.2.1.6"

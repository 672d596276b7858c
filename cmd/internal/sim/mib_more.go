package sim

import (
	"fmt"
	"time"

	"whydrop/devices/snmp/snmptest"
)

// Prefixes of what only some ports have.
const (
	oidPause = "1.3.6.1.2.1.10.7.10.1."       // dot3PauseTable
	oidQoS   = "1.3.6.1.4.1.9.9.166.1."       // CISCO-CLASS-BASED-QOS-MIB
	oidCieIf = "1.3.6.1.4.1.9.9.276.1.1.1.1." // cieIfPacketStatsTable
)

// fillMore shows the counters of pause frames (RFC 3635), and of frames that found no room (CISCO-IF-EXTENSION-MIB).
func (d *device) fillMore(a *snmptest.Agent, p *port, now func() time.Duration) {
	pause := rowOf(a, oidPause, p.index, now)
	pause.fixed(1, snmptest.Int(4)) // both ways
	pause.fixed(2, snmptest.Int(4))
	pause.c32(3, p, inPause)
	pause.c32(4, p, outPause)
	if d.role == "switch" {
		return
	}
	row := rowOf(a, oidCieIf, p.index, now)
	row.c32(4, p, runts)
	row.c32(5, p, giants)
	row.c32(7, p, overrun)
	row.c32(8, p, ignored)
	row.c32(10, p, inDrops)
	row.c32(11, p, outDrops)
}

// fillPolicies shows the service policies of ports: each has one class with a queue and a policer.
func (d *device) fillPolicies(a *snmptest.Agent, now func() time.Duration) {
	for i, p := range d.policies {
		policy, class := 100+i, 10+i
		set := func(column string, object int, v snmptest.Value) {
			a.Set(fmt.Sprintf("%s%s.%d.%d", oidQoS, column, policy, object), v)
		}
		count := func(column string, object int, c counter) {
			a.SetFunc(fmt.Sprintf("%s%s.%d.%d", oidQoS, column, policy, object), func() snmptest.Value { return snmptest.C64(p.count(c, now())) })
		}
		a.Set(fmt.Sprintf("%s1.1.1.3.%d", oidQoS, policy), snmptest.Int(2)) // going out
		a.Set(fmt.Sprintf("%s1.1.1.4.%d", oidQoS, policy), snmptest.Int(int(p.index)))
		a.Set(fmt.Sprintf("%s7.1.1.1.%d", oidQoS, class), snmptest.Str("office"))
		a.Set(fmt.Sprintf("%s12.1.1.6.%d", oidQoS, class), snmptest.Int(5)) // what exceeds is dropped
		for object, kind := range []int{1, 2, 4, 7} {                       // policy map, class map, queueing, police
			set("5.1.1.2", 1+object, snmptest.Gauge(uint32(class)))
			set("5.1.1.3", 1+object, snmptest.Int(kind))
			set("5.1.1.4", 1+object, snmptest.Gauge(uint32(min(object, 2))))
		}
		count("18.1.1.8", 3, classDrops)
		count("17.1.1.10", 4, policed)
	}
}

package sim

import (
	"fmt"
	"math"
	"time"

	"whydrop/devices/snmp/snmptest"
)

// Prefixes of what belongs to links and units.
const (
	oidCieState  = "1.3.6.1.4.1.9.9.276.1.1.2.1."  // cieIfInterfaceTable
	oidPoE       = "1.3.6.1.2.1.105.1.1.1."        // pethPsePortTable (RFC 3621)
	oidUDLD      = "1.3.6.1.4.1.9.9.118.1.2.1.1."  // cudldpInterfaceTable
	oidTDRValid  = "1.3.6.1.4.1.9.9.390.1.2.1.1."  // ccdTdrIfTable
	oidTDR       = "1.3.6.1.4.1.9.9.390.1.2.2.1."  // ccdTdrIfResultTable
	oidAggPort   = "1.2.840.10006.300.43.1.2.1.1." // dot3adAggPortTable
	oidStack     = "1.3.6.1.4.1.9.9.500.1.2.1.1."  // cswSwitchInfoTable
	oidShut      = "1.3.6.1.4.1.9.9.548.1.3.1.1."  // cErrDisableIfStatusTable
	oidSensor    = "1.3.6.1.4.1.9.9.91.1.1.1.1."   // entSensorValueTable
	oidThreshold = "1.3.6.1.4.1.9.9.91.1.2.1.1."   // entSensorThresholdTable
	oidEntity    = "1.3.6.1.2.1.47.1.1.1.1."       // entPhysicalTable
	oidAlias     = "1.3.6.1.2.1.47.1.3.2.1.2"      // entAliasMappingIdentifier
)

// fillLink shows what belongs to the link at a port.
func (d *device) fillLink(a *snmptest.Agent, p *port, now func() time.Duration) {
	ether := rowOf(a, oidDot3, p.index, now)
	ether.c32(10, p, macOut)
	ether.c32(16, p, macIn)
	state := rowOf(a, oidCieState, p.index, now)
	state.c32(1, p, resets)
	state.c32(4, p, carrier)
	if p.link.powered {
		d.fillPower(a, p, now)
	}
	if p.link.udld {
		rowOf(a, oidUDLD, p.index, now).live(2, func(at time.Duration) snmptest.Value {
			if during(p.link.oneWay, at) {
				return snmptest.Int(1)
			}
			return snmptest.Int(3)
		})
	}
	for column, value := range map[int]func(shutting) snmptest.Value{
		2: func(x shutting) snmptest.Value { return snmptest.Int(x.cause) },
		3: func(x shutting) snmptest.Value {
			return snmptest.Gauge(uint32(max(0, min(x.to-now(), time.Hour)) / time.Second))
		},
	} {
		a.SetFunc(fmt.Sprintf("%s%d.%d.0", oidShut, column, p.index), func() snmptest.Value {
			for _, x := range p.link.shut {
				if at := now(); x.from <= at && at < x.to {
					return value(x)
				}
			}
			return snmptest.Value{} // a port that is not shut has no row
		})
	}
	if len(p.link.tested) > 0 {
		p.fillTests(a, now)
	}
	if p.link.group != nil {
		p.fillMember(a, now)
	}
	if p.link.optic != nil {
		p.fillOptic(a, now)
	}
}

// fillPower shows what goes wrong with the power; the group is the switch's number in the stack.
func (d *device) fillPower(a *snmptest.Agent, p *port, now func() time.Duration) {
	var group, n int
	if _, err := fmt.Sscanf(p.name[len("GigabitEthernet"):], "%d/0/%d", &group, &n); err != nil {
		return
	}
	at := func(column int) string { return fmt.Sprintf("%s%d.%d.%d", oidPoE, column, group, n) }
	a.Set(at(3), snmptest.Int(1)) // admin: on
	for column, c := range map[int]counter{8: poeAbsent, 12: poeDenied, 13: poeOverload, 14: poeShort} {
		a.SetFunc(at(column), func() snmptest.Value { return snmptest.C32(uint32(p.count(c, now()))) })
	}
}

// fillTests shows the last cable test.
func (p *port) fillTests(a *snmptest.Agent, now func() time.Duration) {
	last := func() cableTest {
		out := p.link.tested[0]
		for _, t := range p.link.tested {
			if t.at <= now() {
				out = t
			}
		}
		return out
	}
	a.Set(fmt.Sprintf("%s4.%d", oidTDRValid, p.index), snmptest.Int(1))
	for pair := range 4 {
		at := func(column int) string { return fmt.Sprintf("%s%d.%d.%d", oidTDR, column, p.index, pair+1) }
		a.SetFunc(at(3), func() snmptest.Value { return snmptest.Int(last().metres[pair]) })
		a.SetFunc(at(5), func() snmptest.Value { return snmptest.Int(last().metres[pair]) })
		a.Set(at(7), snmptest.Int(2)) // metres
		a.SetFunc(at(8), func() snmptest.Value { return snmptest.Int(last().status[pair]) })
	}
}

// fillMember shows LACP's view of the port: BITS have their first bit at the top.
func (p *port) fillMember(a *snmptest.Agent, now func() time.Duration) {
	const active, aggregates, inSync, collects, distributes = 0x80, 0x20, 0x10, 0x08, 0x04
	row := rowOf(a, oidAggPort, p.index, now)
	row.fixed(12, snmptest.Int(int(p.link.group.index)))
	row.live(13, func(at time.Duration) snmptest.Value {
		if during(p.link.outside, at) {
			return snmptest.Int(0)
		}
		return snmptest.Int(int(p.link.group.index))
	})
	bits := func(at time.Duration) snmptest.Value {
		if during(p.link.outside, at) {
			return snmptest.Bytes([]byte{active | aggregates})
		}
		return snmptest.Bytes([]byte{active | aggregates | inSync | collects | distributes})
	}
	row.live(21, bits)
	row.live(23, bits)
}

// fillOptic shows a module's sensors and thresholds: two entities that hang on the port's own.
func (p *port) fillOptic(a *snmptest.Agent, now func() time.Duration) {
	o, port := p.link.optic, int(p.index)
	entity := func(n int, name string, in int) {
		a.Set(fmt.Sprintf("%s2.%d", oidEntity, n), snmptest.Str(name))
		a.Set(fmt.Sprintf("%s4.%d", oidEntity, n), snmptest.Int(in))
		a.Set(fmt.Sprintf("%s7.%d", oidEntity, n), snmptest.Str(name))
	}
	entity(port, p.name, 1)
	a.Set(fmt.Sprintf("%s.%d.0", oidAlias, port), snmptest.OID(fmt.Sprintf("%s1.%d", oidIfTable, port)))
	tenth := func(dBm float64) snmptest.Value { return snmptest.Int(int(math.Round(dBm * 10))) }
	sensor := func(n int, name string, value func() float64, warn, alarm float64) {
		entity(n, name, port)
		set := func(column int, v snmptest.Value) { a.Set(fmt.Sprintf("%s%d.%d", oidSensor, column, n), v) }
		set(1, snmptest.Int(14)) // dBm
		set(2, snmptest.Int(9))  // units
		set(3, snmptest.Int(1))  // one digit behind the point
		a.SetFunc(fmt.Sprintf("%s4.%d", oidSensor, n), func() snmptest.Value { return tenth(value()) })
		set(5, snmptest.Int(1)) // ok
		for i, x := range []struct {
			severity int
			value    float64
		}{{20, alarm}, {10, warn}} {
			a.Set(fmt.Sprintf("%s2.%d.%d", oidThreshold, n, i+1), snmptest.Int(x.severity))
			a.Set(fmt.Sprintf("%s3.%d.%d", oidThreshold, n, i+1), snmptest.Int(1)) // less than
			a.Set(fmt.Sprintf("%s4.%d.%d", oidThreshold, n, i+1), tenth(x.value))
		}
	}
	sensor(port+1000, p.ifName()+" Receive Power Sensor", func() float64 { return o.received(now()) }, o.rxWarn, o.rxAlarm)
	sensor(port+2000, p.ifName()+" Transmit Power Sensor", func() float64 { return o.tx }, o.txWarn, o.txAlarm)
}

// fillStack shows the members of a stack.
func (d *device) fillStack(a *snmptest.Agent, now func() time.Duration) {
	if !d.life.stack {
		return
	}
	for n := range 2 {
		at := func(column int) string { return fmt.Sprintf("%s%d.%d", oidStack, column, 1000*(n+1)+1) }
		a.Set(at(1), snmptest.Gauge(uint32(n+1)))
		a.Set(at(3), snmptest.Int(1+n)) // the first is active, the second a member
		a.SetFunc(at(6), func() snmptest.Value {
			if n == 1 && during(d.life.parted, now()) {
				return snmptest.Int(11) // removed
			}
			return snmptest.Int(4) // ready
		})
	}
}

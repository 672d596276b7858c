package sim

import (
	"fmt"
	"strings"
	"time"

	"whydrop/devices/snmp/snmptest"
)

// Prefixes of the tables that the agents show.
const (
	oidSystem   = "1.3.6.1.2.1.1."
	oidIfNumber = "1.3.6.1.2.1.2.1.0"
	oidIfTable  = "1.3.6.1.2.1.2.2.1."
	oidIfXTable = "1.3.6.1.2.1.31.1.1.1."
	oidDot3     = "1.3.6.1.2.1.10.7.2.1."
	oidBridge   = "1.3.6.1.2.1.17."
	oidRoles    = "1.3.6.1.4.1.9.9.82.1.12.2.1.3.1." // stpxRSTPPortRoleValue of VLAN 1
	oidCPU      = "1.3.6.1.4.1.9.9.109.1.1.1.1.6.1"  // cpmCPUTotal5secRev
)

// enumerations of BRIDGE-MIB and CISCO-STP-EXTENSIONS-MIB.
var (
	stpStates = map[string]int{"disabled": 1, "blocking": 2, "listening": 3, "learning": 4, "forwarding": 5}
	stpRoles  = map[string]int{"disabled": 1, "root": 2, "designated": 3, "alternate": 4, "backup": 5}
)

// ticks turns a moment of the story into the device's sysUpTime.
func (d *device) ticks(at time.Duration) uint32 {
	return d.ticksOf(at, at)
}

// ticksOf turns a moment into sysUpTime as it is counted at another: what was before the device began is 0.
func (d *device) ticksOf(moment, at time.Duration) uint32 {
	return uint32(max(0, moment-d.booted(at)) / (10 * time.Millisecond))
}

// fill gives an agent the device's objects; now says how far the story has come.
func (d *device) fill(a *snmptest.Agent, now func() time.Duration) {
	d.fillSystem(a, now)
	d.fillControl(a, now)
	for _, p := range d.ports {
		d.fillPort(a, p, now)
		d.fillExtended(a, p, now)
		d.fillEthernet(a, p, now)
		d.fillMore(a, p, now)
		d.fillLink(a, p, now)
	}
	if d.bridge != nil {
		d.fillBridge(a, now)
	}
	d.fillPolicies(a, now)
	d.fillStack(a, now)
}

func (d *device) fillSystem(a *snmptest.Agent, now func() time.Duration) {
	a.Set(oidSystem+"1.0", snmptest.Str(d.model.descr+"\r\nTechnical Support: http://www.cisco.com/techsupport"))
	a.Set(oidSystem+"2.0", snmptest.OID(d.model.objectID))
	a.SetFunc(oidSystem+"3.0", func() snmptest.Value { return snmptest.Ticks(d.ticks(now())) })
	a.Set(oidSystem+"4.0", snmptest.Str("network operations"))
	a.Set(oidSystem+"5.0", snmptest.Str(d.name))
	a.Set(oidSystem+"6.0", snmptest.Str("rack 2"))
	a.Set(oidSystem+"7.0", snmptest.Int(2)) // data link
	a.Set(oidIfNumber, snmptest.Int(len(d.ports)))
	a.SetFunc(oidCPU, func() snmptest.Value { return snmptest.Gauge(uint32(d.cpuAt(now()))) })
}

// status is ifOperStatus.
func (p *port) status(at time.Duration) int {
	if p.state(at).up {
		return 1
	}
	return 2
}

func (d *device) fillPort(a *snmptest.Agent, p *port, now func() time.Duration) {
	row := rowOf(a, oidIfTable, p.index, now)
	row.fixed(1, snmptest.Int(int(p.index)))
	row.fixed(2, snmptest.Str(p.name))
	row.fixed(3, snmptest.Int(6)) // ethernetCsmacd
	row.fixed(4, snmptest.Int(p.largest()))
	row.live(5, func(at time.Duration) snmptest.Value { return snmptest.Gauge(uint32(p.state(at).speed)) })
	row.fixed(6, snmptest.Bytes(p.mac[:]))
	row.fixed(7, snmptest.Int(1))
	row.live(8, func(at time.Duration) snmptest.Value { return snmptest.Int(p.status(at)) })
	row.live(9, func(at time.Duration) snmptest.Value { return snmptest.Ticks(d.ticksOf(p.linkChanged(at), at)) })
	row.c32(10, p, inOctets)
	row.c32(11, p, inUnicast)
	row.c32(13, p, inDrops)
	row.c32(14, p, inErrors)
	row.fixed(15, snmptest.C32(0))
	row.c32(16, p, outOctets)
	row.c32(17, p, outUnicast)
	row.c32(19, p, outDrops)
	row.c32(20, p, outErrors)
}

func (d *device) fillExtended(a *snmptest.Agent, p *port, now func() time.Duration) {
	row := rowOf(a, oidIfXTable, p.index, now)
	row.fixed(1, snmptest.Str(p.ifName()))
	for column, c := range []counter{2: inMulticast, 3: inBroadcast, 4: outMulticast, 5: outBroadcast} {
		if column >= 2 {
			row.c32(column, p, c)
		}
	}
	for i, c := range []counter{inOctets, inUnicast, inMulticast, inBroadcast, outOctets, outUnicast, outMulticast, outBroadcast} {
		row.live(6+i, func(at time.Duration) snmptest.Value { return snmptest.C64(p.count(c, at)) })
	}
	row.fixed(14, snmptest.Int(1))
	row.live(15, func(at time.Duration) snmptest.Value { return snmptest.Gauge(uint32(p.state(at).speed / 1e6)) })
	row.fixed(16, snmptest.Int(2))
	row.fixed(17, snmptest.Int(1))
	row.fixed(18, snmptest.Str(p.alias))
	row.fixed(19, snmptest.Ticks(0))
}

func (d *device) fillEthernet(a *snmptest.Agent, p *port, now func() time.Duration) {
	row := rowOf(a, oidDot3, p.index, now)
	row.fixed(1, snmptest.Int(int(p.index)))
	for _, column := range []int{2, 5, 6, 9, 11, 16, 18} {
		row.fixed(column, snmptest.C32(0))
	}
	row.c32(3, p, fcsErrors)
	row.c32(4, p, collisions)
	row.c32(7, p, deferred)
	row.c32(8, p, lateCollisions)
	row.fixed(10, snmptest.C32(0))
	row.c32(13, p, giants)
	row.live(19, func(at time.Duration) snmptest.Value {
		if p.state(at).half {
			return snmptest.Int(2)
		}
		return snmptest.Int(3)
	})
}

// row sets the columns of one table row.
type row struct {
	agent  *snmptest.Agent
	prefix string
	index  uint32
	now    func() time.Duration
}

func rowOf(a *snmptest.Agent, prefix string, index uint32, now func() time.Duration) row {
	return row{a, prefix, index, now}
}

func (r row) oid(column int) string { return fmt.Sprintf("%s%d.%d", r.prefix, column, r.index) }

func (r row) fixed(column int, v snmptest.Value) { r.agent.Set(r.oid(column), v) }

func (r row) live(column int, f func(time.Duration) snmptest.Value) {
	r.agent.SetFunc(r.oid(column), func() snmptest.Value { return f(r.now()) })
}

func (r row) c32(column int, p *port, c counter) {
	r.live(column, func(at time.Duration) snmptest.Value { return snmptest.C32(uint32(p.count(c, at))) })
}

// fillBridge shows BRIDGE-MIB (RFC 4188) and the port roles that Cisco has a table of its own for.
func (d *device) fillBridge(a *snmptest.Agent, now func() time.Duration) {
	b := d.bridge
	a.Set(oidBridge+"1.1.0", snmptest.Bytes(b.mac[:]))
	a.Set(oidBridge+"1.2.0", snmptest.Int(len(d.ports)))
	a.Set(oidBridge+"1.3.0", snmptest.Int(2)) // transparent-only
	a.Set(oidBridge+"2.1.0", snmptest.Int(3)) // ieee8021d
	a.Set(oidBridge+"2.2.0", snmptest.Int(b.priority))
	live := func(oid string, f func(time.Duration) snmptest.Value) {
		a.SetFunc(oidBridge+oid, func() snmptest.Value { return f(now()) })
	}
	live("2.3.0", func(at time.Duration) snmptest.Value {
		_, last, _ := b.topology(at)
		return snmptest.Ticks(uint32((at - last) / (10 * time.Millisecond)))
	})
	live("2.4.0", func(at time.Duration) snmptest.Value {
		n, _, _ := b.topology(at)
		return snmptest.C32(n)
	})
	a.Set(oidBridge+"2.5.0", snmptest.Bytes(bridgeID(b.rootPrio, b.rootMAC)))
	live("2.6.0", func(at time.Duration) snmptest.Value { return snmptest.Int(b.rootCost(at)) })
	live("2.7.0", func(at time.Duration) snmptest.Value {
		if p := b.rootPort(at); p != nil {
			return snmptest.Int(p.number)
		}
		return snmptest.Int(0)
	})
	for column, n := range []int{8: 2000, 9: 200, 10: 100, 11: 1500, 12: 2000, 13: 200, 14: 1500} { // 1/100 s
		if n > 0 {
			a.Set(fmt.Sprintf("%s2.%d.0", oidBridge, column), snmptest.Int(n))
		}
	}
	a.Set(oidBridge+"2.16.0", snmptest.Int(2)) // rstp
	for _, p := range d.ports {
		if p.number > 0 {
			d.fillBridgePort(a, p, now)
		}
	}
}

func (d *device) fillBridgePort(a *snmptest.Agent, p *port, now func() time.Duration) {
	n := uint32(p.number)
	base := rowOf(a, oidBridge+"1.4.1.", n, now)
	base.fixed(1, snmptest.Int(p.number))
	base.fixed(2, snmptest.Int(int(p.index)))
	base.fixed(3, snmptest.OID("0.0"))
	base.fixed(4, snmptest.C32(0))
	base.fixed(5, snmptest.C32(0))
	stp := rowOf(a, oidBridge+"2.15.1.", n, now)
	stp.fixed(1, snmptest.Int(p.number))
	stp.fixed(2, snmptest.Int(128))
	stp.live(3, func(at time.Duration) snmptest.Value { return snmptest.Int(stpStates[p.tree(at).stp]) })
	stp.fixed(4, snmptest.Int(1))
	stp.live(5, func(at time.Duration) snmptest.Value { return snmptest.Int(int(min(p.state(at).cost, 65535))) })
	stp.fixed(6, snmptest.Bytes(bridgeID(d.bridge.rootPrio, d.bridge.rootMAC)))
	stp.fixed(7, snmptest.Int(0))
	stp.fixed(8, snmptest.Bytes(bridgeID(d.bridge.priority, d.bridge.mac)))
	stp.fixed(9, snmptest.Bytes([]byte{0x80, byte(p.number)}))
	stp.live(10, func(at time.Duration) snmptest.Value { return snmptest.C32(p.forwardings(at)) })
	a.SetFunc(fmt.Sprintf("%s%d", oidRoles, n), func() snmptest.Value { return snmptest.Int(stpRoles[p.tree(now()).role]) })
}

// tree returns the port's spanning-tree state and role; a port without carrier is disabled.
func (p *port) tree(at time.Duration) portState {
	s := p.state(at)
	if !s.up {
		s.role, s.stp = "disabled", "disabled"
	}
	return s
}

// forwardings counts the port's transitions to forwarding.
func (p *port) forwardings(at time.Duration) uint32 {
	n := uint32(1)
	last := p.started.stp
	for _, c := range p.changes {
		if c.at > at {
			break
		}
		if now := p.tree(c.at).stp; now != last {
			if now == "forwarding" {
				n++
			}
			last = now
		}
	}
	return n
}

// rootCost is the cost of the path to the root bridge.
func (b *bridge) rootCost(at time.Duration) int {
	if p := b.rootPort(at); p != nil {
		return int(p.state(at).cost)
	}
	return 0
}

// bridgeID encodes a bridge's identifier: priority and address.
func bridgeID(priority int, mac [6]byte) []byte {
	return append([]byte{byte(priority >> 8), byte(priority)}, mac[:]...)
}

// shortName abbreviates an interface's name as IOS does in tables and some messages.
func shortName(name string) string {
	for _, x := range [][2]string{{"GigabitEthernet", "Gi"}, {"FastEthernet", "Fa"}} {
		if rest, ok := strings.CutPrefix(name, x[0]); ok {
			return x[1] + rest
		}
	}
	return name
}

// ifName is the port's name in ifXTable: IOS abbreviates there and spells out in ifDescr.
func (p *port) ifName() string { return shortName(p.name) }

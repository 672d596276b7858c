package sim

import (
	"time"

	"whydrop/devices/snmp/snmptest"
)

// controlSide is what a device shows of its tables of addresses and sessions.
type controlSide struct {
	moves    []addressMove // by CISCO-MAC-NOTIFICATION-MIB, in order of time
	crowded  []stretch     // when the forwarding database has no room: so many addresses a second are not learned
	sessions int           // held at the story's beginning; 0: not shown
	limit    int           // of sessions
	crowds   []stretch     // when so many per cent of the limit are held
}

// addressMove is an address that went from one port to another.
type addressMove struct {
	at       time.Duration
	mac      [6]byte
	from, to *port
}

// Prefixes of what only some devices show.
const (
	oidLearn   = oidBridge + "4.1.0"               // dot1dTpLearnedEntryDiscards
	oidMoved   = "1.3.6.1.4.1.9.9.215.1.3."        // cmnMACMoveObjects
	oidSession = "1.3.6.1.4.1.25461.2.1.2.3."      // panSession
	oidAristaI = "1.3.6.1.4.1.30065.3.15.1.1.1."   // aristaIfTable
	ofArista   = "1.3.6.1.4.1.30065.1.3011.7124.4" // sysObjectID of a switch
)

// fillControl shows the addresses that moved or found no room, the sessions of a firewall, and what filters refused.
func (d *device) fillControl(a *snmptest.Agent, now func() time.Duration) {
	c := &d.control
	if d.bridge != nil {
		a.SetFunc(oidLearn, func() snmptest.Value { return snmptest.C32(c.notLearned(now())) })
	}
	if len(c.moves) > 0 {
		for column, show := range map[string]func(addressMove) snmptest.Value{
			"3.0": func(m addressMove) snmptest.Value { return snmptest.Bytes(m.mac[:]) },
			"4.0": func(addressMove) snmptest.Value { return snmptest.Int(10) },
			"5.0": func(m addressMove) snmptest.Value { return snmptest.Int(m.from.number) },
			"6.0": func(m addressMove) snmptest.Value { return snmptest.Int(m.to.number) },
			"7.0": func(m addressMove) snmptest.Value { return snmptest.Ticks(d.ticks(m.at)) },
		} {
			a.SetFunc(oidMoved+column, func() snmptest.Value { return show(c.moved(now())) })
		}
	}
	if c.limit > 0 {
		a.Set(oidSession+"2.0", snmptest.Int(c.limit))
		a.SetFunc(oidSession+"3.0", func() snmptest.Value { return snmptest.Int(c.held(now())) })
	}
	if d.model.objectID == ofArista {
		for _, p := range d.ports {
			rowOf(a, oidAristaI, p.index, now).c32(9, p, aclDrops)
		}
	}
}

// moved returns the last move, seen from at; the first, long ago, if there was none yet.
func (c *controlSide) moved(at time.Duration) addressMove {
	last := c.moves[0]
	last.at = before
	for _, m := range c.moves {
		if m.at <= at {
			last = m
		}
	}
	if last.at == before {
		last.at = -time.Hour
	}
	return last
}

// notLearned counts the addresses that found no room.
func (c *controlSide) notLearned(at time.Duration) uint32 {
	n := 0.0
	for _, s := range c.crowded {
		if at > s.from {
			n += float64(s.percent) * (min(at, s.to) - s.from).Seconds()
		}
	}
	return uint32(n)
}

// held is how many sessions there are.
func (c *controlSide) held(at time.Duration) int {
	for _, s := range c.crowds {
		if s.from <= at && at < s.to {
			return c.limit * s.percent / 100
		}
	}
	return c.sessions
}

// Models that only some stories need. Their command lines are not simulated.
var (
	arista7124 = &model{
		platform: "arista_eos", gigabit: "Ethernet", mute: true,
		descr:    "Arista Networks EOS version 4.28.3M running on an Arista Networks DCS-7124SX",
		hardware: "DCS-7124SX", objectID: ofArista, index: func(_ bool, n int) uint32 { return uint32(n) },
		spelling: "Ethernet", mediaType: "10GBASE-SR",
	}
	pa850 = &model{
		platform: "cisco_ios", gigabit: "GigabitEthernet0/", mute: true,
		descr:    "Palo Alto Networks PA-800 series firewall",
		hardware: "PA-850", objectID: "1.3.6.1.4.1.25461.2.3.36", index: func(_ bool, n int) uint32 { return uint32(1 + n) },
		spelling: "Gigabit Ethernet", mediaType: "RJ45",
	}
)

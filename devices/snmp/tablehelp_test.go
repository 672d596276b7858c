package snmp

import (
	"context"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// tableTest is an agent with one table and what is to become of it. The agent has ports "p" (ifIndex 7, bridge port 1,
// watched), "q" (ifIndex 8, bridge port 2, watched) and "r" (ifIndex 9, bridge port 3, not watched).
type tableTest struct {
	table   string // of Tables
	objects map[string]snmptest.Value
	check   func(t *testing.T, r devices.Reading)
}

// tableAgent returns an agent with three ports and the objects.
func tableAgent(objects map[string]snmptest.Value) *snmptest.Agent {
	a := &snmptest.Agent{Community: "public", User: "ops", AuthPass: "authphrase", PrivPass: "privphrase"}
	a.Set(sysUpTime, snmptest.Ticks(5000))
	for n, name := range []string{"p", "q", "r"} {
		i := "." + uintText(uint32(7+n))
		a.Set(column(ifXTable, ifName)+i, snmptest.Str(name))
		a.Set(column(ifTable, ifDescr)+i, snmptest.Str("Port "+name))
		a.Set(column(ifTable, ifOperStatus)+i, snmptest.Int(1))
		a.Set(column(ifTable, ifPhysAddress)+i, snmptest.Bytes([]byte{2, 0, 0, 0, 0, byte(n)}))
		a.Set(column(ifXTable, ifHCInOctets)+i, snmptest.C64(1<<40))
		a.Set(dot1dBasePortIfIndex+"."+uintText(uint32(n+1)), snmptest.Int(7+n))
	}
	for id, v := range objects {
		a.Set(id, v)
	}
	return a
}

// tableDevice points at such an agent, by v2c or v3.
func tableDevice(t *testing.T, a *snmptest.Agent, version string) devices.Device {
	d := device(snmptest.NewAgent(t, a), "p", "q")
	if d.SNMP.Version = version; version == "3" {
		d.SNMP.User, d.SNMP.AuthPass, d.SNMP.PrivPass = "ops", devices.NewSecret("authphrase"), devices.NewSecret("privphrase")
	}
	return d
}

// run reads the table by v2c and v3, and once from an agent that falls silent in the midst of it.
func (tt tableTest) run(t *testing.T) {
	n := slices.IndexFunc(Tables, func(x Table) bool { return x.Name == tt.table })
	if n < 0 {
		t.Fatalf("%q is not in Tables", tt.table)
	}
	for _, version := range []string{"2c", "3"} {
		t.Run(tt.table+" by v"+version, func(t *testing.T) {
			t.Parallel()
			d := tableDevice(t, tableAgent(tt.objects), version)
			c := collector(t)
			var all devices.Reading
			// What is slow comes with one of the first polls, of a slow host with a later one.
			for polls := 0; polls < 3 || polls < 100 && !walked(c, d, n); polls++ {
				r, err := c.Collect(context.Background(), d)
				if err != nil {
					t.Fatal(err)
				}
				merge(&all, r)
			}
			tt.check(t, all)
		})
	}
	if len(Tables[n].Roots) > 0 && !testing.Short() {
		t.Run(tt.table+" cut short", func(t *testing.T) {
			t.Parallel()
			tt.cut(t, &Tables[n])
		})
	}
}

// walked says whether a table was walked to its end, or needs no walk.
func walked(c *Collector, d devices.Device, n int) bool {
	sh := c.sessions[d.Name].session.shelf.tables[n]
	return len(Tables[n].Roots) == 0 || sh.at == 0 && !sh.next.IsZero()
}

// cut checks that a table whose walk is not answered costs nothing but itself.
func (tt tableTest) cut(t *testing.T, table *Table) {
	a := tableAgent(tt.objects)
	a.Always(func(ans *snmptest.Answer) {
		ans.Drop = ans.Request.PDU == "GETBULK" && slices.ContainsFunc(table.Roots, func(root string) bool {
			return strings.HasPrefix(trimDot(ans.Request.OIDs[0])+".", root+".")
		})
	})
	d := tableDevice(t, a, "2c")
	d.SNMP.Timeout = 200 * time.Millisecond
	c := collector(t)
	var missing []devices.Missing
	for polls := 0; polls < 50 && !slices.ContainsFunc(missing, func(m devices.Missing) bool { return m.Table == tt.table }); polls++ {
		r, err := c.Collect(context.Background(), d)
		if err != nil || len(r.Interfaces) != 2 || !r.Interfaces[0].InOctets.OK {
			t.Fatalf("the ports suffer: %v, %+v", err, r.Interfaces)
		}
		missing = append(missing, r.Missing...)
	}
	var said int
	for _, m := range missing {
		if m.Table == tt.table {
			said++
			if m.Reason != timeline.ReasonTimeout && m.Reason != timeline.ReasonPartial {
				t.Errorf("missing for %q: %s", m.Reason, m.Text)
			}
		}
	}
	if said != 1 {
		t.Errorf("%s is said to be missing %d times, want once", tt.table, said)
	}
}

// merge adds to a reading what another has.
func merge(all *devices.Reading, r devices.Reading) {
	before := *all
	*all = r
	all.Missing = append(before.Missing, r.Missing...)
	keep := func(has bool, restore func()) {
		if !has {
			restore()
		}
	}
	keep(r.Trees != nil, func() { all.Trees = before.Trees })
	keep(r.Neighbours != nil, func() { all.Neighbours = before.Neighbours })
	keep(r.Stations != nil, func() { all.Stations = before.Stations })
	keep(r.Bindings != nil, func() { all.Bindings = before.Bindings })
	keep(r.Aggregates != nil, func() { all.Aggregates = before.Aggregates })
	keep(r.Redundancy != nil, func() { all.Redundancy = before.Redundancy })
	keep(r.Units != nil, func() { all.Units = before.Units })
	keep(r.Sensors != nil, func() { all.Sensors = before.Sensors })
	keep(r.Queues != nil, func() { all.Queues = before.Queues })
	keep(r.Sessions != nil, func() { all.Sessions = before.Sessions })
	keep(r.Log != nil, func() { all.Log = before.Log })
	keep(r.CPU.OK, func() { all.CPU = before.CPU })
	keep(r.Interrupt.OK, func() { all.Interrupt = before.Interrupt })
	keep(r.Memory.OK, func() { all.Memory = before.Memory })
	keep(r.StationCount.OK, func() { all.StationCount = before.StationCount })
	keep(r.LearnDiscards.OK, func() { all.LearnDiscards = before.LearnDiscards })
	keep(r.FragFails.OK, func() { all.FragFails = before.FragFails })
	keep(r.ARPDrops.OK, func() { all.ARPDrops = before.ARPDrops })
}

// together joins maps of objects.
func together(maps_ ...map[string]snmptest.Value) map[string]snmptest.Value {
	out := map[string]snmptest.Value{}
	for _, m := range maps_ {
		maps.Copy(out, m)
	}
	return out
}

// gosnmpOctets is an OCTET STRING as it comes.
func gosnmpOctets(b ...byte) value {
	return valueOf(gosnmp.SnmpPDU{Type: gosnmp.OctetString, Value: append([]byte{}, b...)})
}

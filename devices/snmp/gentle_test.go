package snmp

import (
	"context"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

func TestThePollIsGentle(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	largest, tooLong := 0, 0
	a.Always(func(ans *snmptest.Answer) {
		b, _ := ans.Reply.MarshalMsg()
		largest = max(largest, len(b))
		if len(b) > 1400 {
			tooLong++
		}
	})
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Fa0", "Gi1/0/1", "Gi1/0/2")
	var asked, walked []int
	last := 0
	for !walkedAll(c, d) { // tables are walked a little in each of the first polls
		if _, err := c.Collect(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		n := a.Count("GET") + a.Count("GETBULK") + a.Count("GETNEXT")
		asked, last = append(asked, n-last), n
	}
	for range 5 {
		if _, err := c.Collect(context.Background(), d); err != nil {
			t.Fatal(err)
		}
		n := a.Count("GET") + a.Count("GETBULK") + a.Count("GETNEXT")
		asked = append(asked, n-last)
		last = n
		walked = append(walked, a.Count("GETBULK"))
	}
	a.Close()
	if asked[0] < 5 || asked[len(asked)-1] > 4 {
		t.Errorf("requests by poll: %v, want at most 4 once the ports are known", asked)
	}
	if walked[4] > walked[0] || walked[4] > 24 {
		t.Errorf("GETBULK after each poll: %v, want none once the tables are known", walked)
	}
	if tooLong > 0 {
		t.Errorf("%d answers do not fit a frame; the longest has %d octets", tooLong, largest)
	}
}

// walkedAll says whether every table was walked, or found to be missing.
func walkedAll(c *Collector, d devices.Device) bool {
	e := c.sessions[d.Name]
	if e == nil {
		return false
	}
	for n := range Tables {
		if t := &Tables[n]; e.session.vendor(t) && !walked(c, d, n) {
			return false
		}
	}
	return true
}

// TestATableIsReadAtItsOwnPace counts how often tables that a device has are walked in minutes of polls.
func TestATableIsReadAtItsOwnPace(t *testing.T) {
	for _, tt := range []struct {
		table *Table
		walks int // in four minutes
	}{{&lldp, 4}, {&learning, 8}, {&fdbSize, 4}} {
		t.Run(tt.table.Name, func(t *testing.T) {
			root := tt.table.Roots[0]
			a := tableAgent(rows_{root + ".0": snmptest.C32(1), root + ".1": snmptest.Gauge(1), root + ".1.2.3": snmptest.Int(1)})
			var walks atomic.Int32
			a.OnRequest = func(r snmptest.Request) {
				if r.PDU == "GETBULK" && trimDot(r.OIDs[0]) == root {
					walks.Add(1)
				}
			}
			c, d := collector(t), tableDevice(t, a, "2c")
			now := time.Now()
			c.Now = func() time.Time { return now }
			for range 4 * 60 {
				if _, err := c.Collect(t.Context(), d); err != nil {
					t.Fatal(err)
				}
				now = now.Add(time.Second)
			}
			if n := int(walks.Load()); n < tt.walks/2 || n > tt.walks {
				t.Errorf("walked %d times in four minutes, want %d or a little less", n, tt.walks)
			}
		})
	}
}

// TestARowThatAppearsIsReadInEveryPoll: what a later walk of a table of states finds is read in each poll from then on.
func TestARowThatAppearsIsReadInEveryPoll(t *testing.T) {
	a := tableAgent(nil)
	c, d := collector(t), tableDevice(t, a, "2c")
	now := time.Now()
	c.Now = func() time.Time { return now }
	poll := func() devices.Reading {
		r, err := c.Collect(t.Context(), d)
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for polls := 0; polls < 100 && !walkedAll(c, d) || polls < 5; polls++ {
		poll()
	}
	const object = dot1dTpLearnedEntryDiscards + ".0"
	a.Set(object, snmptest.C32(1))
	now = now.Add(15 * time.Minute) // by when what was absent is looked for again
	for polls := 0; polls < 100 && !poll().LearnDiscards.OK; polls++ {
	}
	for n := range uint32(3) {
		a.Set(object, snmptest.C32(10+n))
		equal(t, "what the poll reads", poll().LearnDiscards, devices.C32(uint64(10+n)))
	}
}

func TestRowsAreLeftAloneWhileTheirTableIsWalked(t *testing.T) {
	var s session
	s.shelf.init()
	read := value{typ: gosnmp.Integer, number: 2}
	s.shelf.put("1.3", []Cell{{Index: []uint32{1}, value: value{typ: gosnmp.Integer, number: 1}}})
	table := &s.shelf.tables[0]
	s.live = []liveCell{{table: table, root: "1.3", value: &read}}
	for _, tt := range []struct {
		at    int
		want  uint32
		fresh bool
	}{{1, 1, false}, {0, 2, true}} {
		table.at = tt.at
		s.liven()
		equal(t, "value", s.view().At("1.3", 1).Number(), devices.Some(tt.want))
		equal(t, "the table is fresh", table.fresh, tt.fresh)
	}
}

func TestWhatADeviceLacksIsNotAskedEachTime(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	asked := map[string]int{}
	a.OnRequest = func(r snmptest.Request) {
		for _, id := range r.OIDs {
			asked[id]++
		}
	}
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Fa0", "Gi1/0/1")
	for range 4 {
		if _, err := c.Collect(context.Background(), d); err != nil {
			t.Fatal(err)
		}
	}
	a.Close()
	for id, want := range map[string]int{
		"." + column(ifXTable, ifHCInOctets) + ".10001": 1, // a FastEthernet port without 64 bits
		"." + column(etherPause, 5) + ".10101":          1, // no pause counters at all
		"." + column(ifTable, ifInOctets) + ".10101":    1, // the 64-bit counter counts
		"." + column(ifTable, ifInOctets) + ".10001":    4,
		"." + column(ifXTable, ifHCInOctets) + ".10101": 4,
		"." + column(etherLike, dot3FCS) + ".10101":     4,
		"." + column(ifXTable, ifAlias) + ".10101":      1, // texts, once a minute
		"." + sysDescr:        1,
		"." + sysUpTime:       4,
		"." + snmpEngineBoots: 1,
	} {
		if asked[id] != want {
			t.Errorf("%s asked %d times, want %d", id, asked[id], want)
		}
	}
}

package snmp

import (
	"context"
	"testing"

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

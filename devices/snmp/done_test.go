package snmp

import (
	"context"
	"testing"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

func TestAReadingThatWasGivenBackLeavesNothingInTheNext(t *testing.T) {
	a := &snmptest.Agent{Community: "public"}
	sw(a)
	c, d := collector(t), device(snmptest.NewAgent(t, a), "Gi1/0/1", "Gi1/0/2")
	var before []devices.Interface
	for n := range 3 {
		r, err := c.Collect(context.Background(), d)
		if err != nil {
			t.Fatal(err)
		}
		for k := range r.Interfaces {
			if i := &r.Interfaces[k]; i.Stomped.OK || i.Media.OK || !i.InOctets.OK {
				t.Fatalf("reading %d, port %s: %v, %v, %v", n, i.Name, i.Stomped, i.Media, i.InOctets)
			}
			r.Interfaces[k].Stomped, r.Interfaces[k].Media = devices.C64(1), devices.Some("of the reading before")
		}
		if n > 0 && &r.Interfaces[0] != &before[0] {
			t.Errorf("reading %d has memory of its own", n)
		}
		before = r.Interfaces
		c.Done(r)
	}
}

package snmp

import (
	"context"
	"net/netip"
	"testing"

	"whydrop/devices"
	"whydrop/devices/snmp/snmptest"
)

// fdb is an agent with addresses in two databases and both neighbour caches.
func fdb(newer bool) *snmptest.Agent {
	m := snmptest.Bytes([]byte{2, 0, 0, 0, 0, 10})
	a := tableAgent(rows_{
		dot1qVlanFdbID + ".0.20": snmptest.Gauge(1), dot1qVlanFdbID + ".0.30": snmptest.Gauge(2),
		dot1qTpFdbPort + ".1.2.0.0.0.0.10": snmptest.Int(2), dot1qTpFdbStatus + ".1.2.0.0.0.0.10": snmptest.Int(3),
		dot1qTpFdbPort + ".2.2.0.0.0.0.11": snmptest.Int(0), dot1qTpFdbStatus + ".2.2.0.0.0.0.11": snmptest.Int(4),
		ipNetToMediaPhysAddress + ".8.192.0.2.7": m, ipNetToMediaType + ".8.192.0.2.7": snmptest.Int(3),
		ipNetToMediaPhysAddress + ".8.192.0.2.8": snmptest.Bytes(nil), ipNetToMediaType + ".8.192.0.2.8": snmptest.Int(2),
	})
	if newer {
		a.Set(ipNetToPhysicalPhysAddress+".8.1.4.192.0.2.7", m)
		a.Set(ipNetToPhysicalType+".8.1.4.192.0.2.7", snmptest.Int(3))
		a.Set(ipNetToPhysicalPhysAddress+".8.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.7", m)
		a.Set(ipNetToPhysicalType+".8.2.16.32.1.13.184.0.0.0.0.0.0.0.0.0.0.0.7", snmptest.Int(4))
	}
	return a
}

func TestLookup(t *testing.T) {
	at := devices.Station{MAC: "02:00:00:00:00:0a", VLAN: devices.Some[uint32](20), Port: "q", Status: "learned"}
	self := devices.Station{MAC: "02:00:00:00:00:0b", VLAN: devices.Some[uint32](30), Status: "self"}
	v4 := devices.Binding{IP: netip.MustParseAddr("192.0.2.7"), MAC: at.MAC, Port: "q", Kind: "dynamic"}
	v6 := devices.Binding{IP: netip.MustParseAddr("2001:db8::7"), MAC: at.MAC, Port: "q", Kind: "static"}
	none := devices.Binding{IP: netip.MustParseAddr("192.0.2.8"), Port: "q", Kind: "invalid"}
	for name, c := range map[string]struct {
		newer    bool
		ask      []string
		stations []devices.Station
		bindings []devices.Binding
	}{
		"a MAC address":                       {true, []string{"0200.0000.000a"}, []devices.Station{at}, nil},
		"the device's own":                    {true, []string{"02-00-00-00-00-0B"}, []devices.Station{self}, nil},
		"one that is nowhere":                 {true, []string{"02:00:00:00:00:0c"}, []devices.Station{}, nil},
		"an IPv4 address, and where it is":    {true, []string{"192.0.2.7"}, []devices.Station{at}, []devices.Binding{v4}},
		"an IPv6 address":                     {true, []string{"2001:db8::7"}, []devices.Station{at}, []devices.Binding{v6}},
		"in the older cache":                  {false, []string{"192.0.2.7"}, []devices.Station{at}, []devices.Binding{v4}},
		"one that did not answer":             {false, []string{"192.0.2.8"}, nil, []devices.Binding{none}},
		"an address that the cache lacks":     {true, []string{"198.51.100.1"}, nil, []devices.Binding{}},
		"what is no address is passed over":   {true, []string{"sw2"}, nil, nil},
		"several at once, MAC and IP":         {true, []string{"192.0.2.7", "02:00:00:00:00:0b"}, []devices.Station{self, at}, []devices.Binding{v4}},
		"the newer cache wins over the older": {true, []string{"192.0.2.8"}, nil, []devices.Binding{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			a := fdb(c.newer)
			col, d := collector(t), tableDevice(t, a, "2c")
			for range 2 { // the second time it is known where an IP address stands
				r, err := col.Lookup(context.Background(), d, c.ask...)
				if err != nil {
					t.Fatal(err)
				}
				equal(t, "stations", r.Stations, c.stations)
				equal(t, "bindings", r.Bindings, c.bindings)
			}
		})
	}
}

func TestLookupOfEverything(t *testing.T) {
	r, err := collector(t).Lookup(context.Background(), tableDevice(t, fdb(true), "2c"))
	if err != nil || len(r.Stations) != 2 || len(r.Bindings) != 2 || r.StationCount != devices.Some[uint64](2) {
		t.Errorf("%v, %+v, %+v", err, r.Stations, r.Bindings)
	}
}

func TestFollowedAddressesAreLookedForInPolls(t *testing.T) {
	a := fdb(true)
	c, d := collector(t), tableDevice(t, a, "2c")
	d.Follow = []string{"192.0.2.7"}
	r, err := c.Collect(context.Background(), d)
	if err != nil || len(r.Bindings) != 1 || len(r.Stations) != 1 {
		t.Fatalf("%v, %+v, %+v", err, r.Stations, r.Bindings)
	}
	r, err = c.Collect(context.Background(), d)
	if err != nil || r.Bindings != nil || r.Stations != nil {
		t.Errorf("%v, asked again at once: %+v", err, r.Stations)
	}
}

func TestSurveyListsEveryPort(t *testing.T) {
	a := tableAgent(rows_{lldpRem + "7.0.8.1": snmptest.Str("far"), stpTopChanges: snmptest.C32(1), dot1dStpPort + "3.1": snmptest.Int(5), dot1dStpPort + "3.3": snmptest.Int(2)})
	r, err := collector(t).Survey(context.Background(), tableDevice(t, a, "2c"))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, i := range r.Interfaces {
		names = append(names, i.Name+" "+i.Oper.Value)
	}
	equal(t, "ports", names, []string{"p up", "q up", "r up"})
	if len(r.Neighbours) != 1 || r.Neighbours[0].Port != "q" {
		t.Errorf("neighbours %+v", r.Neighbours)
	}
	if len(r.Trees) != 1 || len(r.Trees[0].Ports) != 2 {
		t.Errorf("trees %+v, want both ports of the bridge that take part", r.Trees)
	}
	if len(r.Missing) == 0 {
		t.Error("no table is said to be missing")
	}
}

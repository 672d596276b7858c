package parse

import (
	"testing"

	"whydrop/devices"
)

func TestWhatAHostDoesNotSayIsNotKnown(t *testing.T) {
	for _, c := range []struct {
		name, platform, command, text string
		known                         func(i devices.Interface) bool
	}{
		{"ip: a table with fewer values than titles", "linux", "ip -s -s -d link", "2: eth0: <UP> mtu 1500 state UP\n    RX: bytes packets errors dropped missed mcast\n     1 2 3\n", func(i devices.Interface) bool { return i.InOctets.OK || i.InPackets.OK || i.InErrors.OK }},
		{"ip: an answer that ends behind the titles", "linux", "ip -s -s -d link", "2: eth0: <UP> mtu 1500 state UP\n    RX: bytes packets errors dropped missed mcast\n", func(i devices.Interface) bool { return i.InOctets.OK || i.InErrors.OK }},
		{"ip: a state that is none", "linux", "ip -s -s -d link", "2: eth0: <UP> mtu 1500 qdisc noop\n", func(i devices.Interface) bool { return i.Oper.OK }},
		{"ethtool: no link", "linux", "ethtool eth0", "Settings for eth0:\n\tSpeed: Unknown!\n\tDuplex: Unknown! (255)\n", func(i devices.Interface) bool { return i.Speed.OK || i.Duplex.OK || i.Oper.OK }},
		{"ethtool: 2^32-1 Mbit/s", "linux", "ethtool eth0", "Settings for eth0:\n\tSpeed: 4294967295Mb/s\n", func(i devices.Interface) bool { return i.Speed.OK }},
		{"FortiOS: a port without a link", "fortios", "get system interface physical", "==[dmz]\n status: down\n speed: n/a (Duplex: n/a)\n", func(i devices.Interface) bool { return i.Speed.OK || i.Duplex.OK || i.InErrors.OK }},
		{"FortiOS: a driver that counts no errors", "fortios", "diagnose hardware deviceinfo nic p1", "Name :np6_0\nRx Pkts :1\n", func(i devices.Interface) bool { return i.InErrors.OK || i.InDrops.OK || i.FCS.OK }},
		{"PAN-OS: kinds of packets that are not all counted", "paloalto_panos", "show interface ethernet1/1", "Name: ethernet1/1, ID: 16\nPhysical port counters read from MAC:\nrx-unicast 5\nrx-bytes 9\n", func(i devices.Interface) bool { return i.InPackets.OK || i.InErrors.OK || i.InDrops.OK }},
		{"PAN-OS: a port that was never up", "paloalto_panos", "show interface hardware", "name id speed/duplex/state mac address\nethernet1/2 65 ukn/ukn/down(autoneg) 00:00:5e:00:53:41\n", func(i devices.Interface) bool { return i.Speed.OK || i.Duplex.OK }},
		{"RouterOS: a port that has no counters of errors", "mikrotik_routeros", "interface print stats-detail without-paging", " 0  R  name=\"ether1\" rx-byte=5 tx-byte=7\n", func(i devices.Interface) bool {
			return i.InErrors.OK || i.InDrops.OK || i.OutDrops.OK || i.InPackets.OK
		}},
		{"RouterOS: a name that holds what looks like a counter", "mikrotik_routeros", "interface print stats-detail without-paging", " 0  R  name=\"a rx-error=5\" tx-byte=7\n", func(i devices.Interface) bool { return i.InErrors.OK }},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r devices.Reading
			if err := Into(c.platform, c.command, Input{Text: c.text}, &r); err != nil || len(r.Interfaces) != 1 {
				t.Fatalf("%d ports, %v", len(r.Interfaces), err)
			}
			if c.known(r.Interfaces[0]) {
				t.Errorf("%+v", r.Interfaces[0])
			}
		})
	}
}

func TestAnswersOfTwoPortsMakeOneBond(t *testing.T) {
	const port = ": <SLAVE,UP> mtu 1500 master bond0 state UP\n    bond_slave state ACTIVE mii_status UP link_failure_count 1\n"
	var r devices.Reading
	for _, name := range []string{"eth1", "eth2"} {
		if err := Into("linux", "ip -s -s -d link show "+name, Input{Text: "2: " + name + port}, &r); err != nil {
			t.Fatal(err)
		}
	}
	if len(r.Aggregates) != 1 || len(r.Aggregates[0].Members) != 2 || r.Aggregates[0].Members[1].Port != "eth2" {
		t.Errorf("bonds %+v, want one of two members", r.Aggregates)
	}
}

func TestAUnitThatStandsAloneHasNoPair(t *testing.T) {
	var r devices.Reading
	if err := Into("fortios", "get system ha status", Input{Text: "HA Health Status: OK\nMode: Standalone\nnumber of vcluster: 0\n"}, &r); err != nil {
		t.Fatal(err)
	}
	if err := Into("paloalto_panos", "show high-availability state", Input{Text: "HA not enabled\n"}, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Redundancy) != 0 {
		t.Errorf("pairs %+v", r.Redundancy)
	}
}

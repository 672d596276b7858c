package parse

import (
	"testing"

	"whydrop/devices"
)

// TestTextsThatBrokeOtherParsers has one text for each report of a parser that read it wrongly or not at all.
func TestTextsThatBrokeOtherParsers(t *testing.T) {
	const none = "not given"
	counter := func(o devices.Opt[devices.Counter]) string {
		if !o.OK {
			return none
		}
		return devices.Some(o.Value.Value).String()
	}
	word := func(o devices.Opt[string]) string { return o.Or(none) }
	mtu := func(i devices.Interface) string { return i.MTU.String() }
	for _, c := range []struct {
		name, platform, command, text string
		got                           func(i devices.Interface) string
		want                          string
	}{
		{"a status that is none of the usual is kept verbatim", "cisco_ios", "show interfaces", "GigabitEthernet0/1 is down, line protocol is down (suspended)\n  Hardware is X\n", func(i devices.Interface) string { return i.Fact("reason") }, "suspended"},
		{"a status word in a table too", "cisco_iosxe", "show interfaces status", "Port      Name               Status       Vlan       Duplex  Speed Type\nGi1/0/1   a                  suspended    1          a-full a-1000 10/100/1000BaseTX\n", func(i devices.Interface) string { return word(i.Oper) }, "suspended"},
		{"two commas behind the bandwidth", "cisco_nxos", "show interface", "Ethernet1/1 is up\n  MTU 1500 bytes, BW 1000000 Kbit,, BW 10000000 Kbit, DLY 10 usec\n", mtu, "1500"},
		{"a counter line that is not indented", "cisco_nxos", "show interface", "Ethernet1/1 is up\n  RX\n    1 unicast packets  0 multicast packets  0 broadcast packets\n5 input packets  64 bytes\n", func(i devices.Interface) string { return counter(i.InPackets) }, "5"},
		{"the load and the time in front", "cisco_ios", "show interfaces", "Load for five secs: 1%/0%; one minute: 2%; five minutes: 2%\nTime source is NTP, 14:02:05.120 UTC Mon Nov 30 2026\n\nGigabitEthernet0/1 is up, line protocol is up\n     3 input errors, 2 CRC, 0 frame, 0 overrun, 0 ignored\n", func(i devices.Interface) string { return i.Name + " " + counter(i.FCS) }, "GigabitEthernet0/1 2"},
		{"EOS: a member of a channel, and rates in Gbps", "arista_eos", "show interfaces", "Ethernet1 is up, line protocol is up (connected)\n  Member of Port-Channel1\n  5 minutes input rate 1.5 Gbps (15.0% with framing overhead), 2 packets/sec\n     7 packets input, 640 bytes\n", func(i devices.Interface) string { return i.Fact("in_rate") + " " + counter(i.InPackets) }, "1500000000 7"},
		{"EOS: VXLAN lines hide no interface", "arista_eos", "show interfaces", "Vxlan1 is up, line protocol is up (connected)\n  Hardware is Vxlan\n  Static VLAN to VNI mapping is\n    [10, 10010]      [20, 10020]\n", func(i devices.Interface) string { return i.Name }, "Vxlan1"},
		{"XR: errors are read", "cisco_iosxr", "show interfaces", "GigabitEthernet0/0/0/1 is up, line protocol is up\n     11 input errors, 12 CRC, 0 frame, 0 overrun, 0 ignored, 0 abort\n", func(i devices.Interface) string { return counter(i.InErrors) }, "11"},
		{"XR: errors that are not printed are not 0", "cisco_iosxr", "show interfaces", "Loopback5 is up, line protocol is up\n  Input/output data rate is disabled.\n", func(i devices.Interface) string { return counter(i.InErrors) + " " + counter(i.OutErrors) }, none + " " + none},
		{"an interface without an MTU", "cisco_ios", "show interfaces", "ATM0/1 is up, line protocol is up\n  Hardware is ATM\n     5 packets input, 640 bytes, 0 no buffer\n", func(i devices.Interface) string { return mtu(i) + " " + counter(i.InPackets) }, "? 5"},
		{"a status that NX-OS cut to nine characters", "cisco_nxos", "show interface status", "Port          Name               Status    Vlan      Duplex  Speed   Type\nEth1/2        --                 vpcCmpFai trunk     full    10G     10Gbase-SR\n", func(i devices.Interface) string { return word(i.Oper) + " " + i.Fact("vlan") }, "vpcCmpFai trunk"},
		{"-1 is no counter", "cisco_ios", "show interfaces", "GigabitEthernet0/1 is up, line protocol is up\n     -1 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored\n", func(i devices.Interface) string { return counter(i.InErrors) + " " + counter(i.FCS) }, none + " 0"},
		{"a description is read for no numbers", "cisco_ios", "show interfaces", "GigabitEthernet0/1 is up, line protocol is up\n  Description: MTU 9000 bytes, BW 5 Kbit, 7 input errors\n  BW 23 Kbit\n", func(i devices.Interface) string {
			return mtu(i) + " " + counter(i.InErrors) + " " + i.Fact("bandwidth")
		}, "? " + none + " 23 Kbit"},
		{"an MTU that is missing before the bandwidth", "cisco_nxos", "show interface", "Ethernet1/1 is up\n   , BW 23 Kbit, DLY 10 usec\n", func(i devices.Interface) string { return mtu(i) }, "?"},
		{"output errors that are the drops are counted once", "cisco_iosxe", "show interfaces", "GigabitEthernet1/0/1 is up, line protocol is up\n  Input queue: 0/75/0/0 (size/max/drops/flushes); Total output drops: 133157273\n     133157273 output errors, 0 collisions, 1 interface resets\n", func(i devices.Interface) string { return counter(i.OutErrors) + " " + counter(i.OutDrops) }, none + " 133157273"},
		{"IOS of old folds its lines and writes rely", "cisco_ios", "show interfaces", "Ethernet0 is up, line protocol is up\n  MTU 1500 bytes, BW 10000 Kbit, DLY 1000 usec, rely 255/\n     255, load 51/255\n", func(i devices.Interface) string { return mtu(i) + " " + i.Fact("reliability") }, "1500 255/255"},
		{"ASA: bytes are no bits", "cisco_asa", "show interface", "Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\n  Traffic Statistics for \"outside\":\n      1 minute input rate 20 pkts/sec,  100 bytes/sec\n", func(i devices.Interface) string { return i.Fact("1_minute_input_rate") }, "800"},
		{"ASA: what the firewall dropped is no error of the line", "cisco_asa", "show interface", "Interface GigabitEthernet0/0 \"outside\", is up, line protocol is up\n\t5 input errors, 0 CRC, 0 frame, 0 overrun, 0 ignored, 0 abort\n  Traffic Statistics for \"outside\":\n\t19 packets dropped\n", func(i devices.Interface) string {
			return counter(i.InErrors) + " " + counter(i.InDrops) + " " + counter(i.ACLDrops)
		}, "5 " + none + " 19"},
		{"NetIron: long frames that the port accepts are no giants", "brocade_netiron", "show interfaces", "GigabitEthernet1/1 is up, line protocol is up\n  MTU 9216 bytes, encapsulation ethernet\n  74 packets input, 7240 bytes, 0 no buffer\n  0 input errors, 0 CRC, 0 frame, 0 ignored\n  0 runts, 16 giants\n", func(i devices.Interface) string { return counter(i.Giants) + " " + i.Fact("giants") }, none + " 16"},
		{"NetIron: long frames that the port does not accept are", "brocade_netiron", "show interfaces", "GigabitEthernet1/1 is up, line protocol is up\n  MTU 1500 bytes, encapsulation ethernet\n  18 input errors, 2 CRC, 0 frame, 0 ignored\n  0 runts, 16 giants\n", func(i devices.Interface) string { return counter(i.Giants) }, "16"},
		{"EOS: a row whose columns are not under their titles", "arista_eos", "show interfaces status", "Port Name Status Vlan Duplex Speed Type\nEt1 Cust: (SERV-1 disabled 1 auto auto 1000BASE-T\n", func(i devices.Interface) string { return i.Alias + "|" + word(i.Oper) + "|" + i.Fact("vlan") }, "Cust: (SERV-1|down|1"},
		{"a cut answer gives what it has", "juniper_junos", "show interfaces extensive", "Physical interface: ge-0/0/0, Enabled, Physical link is Up\n  Input errors:\n    Errors: 5, Drops: 6, Fram", func(i devices.Interface) string {
			return counter(i.InErrors) + " " + counter(i.InDrops) + " " + counter(i.FCS)
		}, "5 6 " + none},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r devices.Reading
			if err := Into(c.platform, c.command, Input{Text: c.text, Span: asked}, &r); err != nil {
				t.Fatal(err)
			}
			if len(r.Interfaces) != 1 {
				t.Fatalf("%d interfaces, want one: %+v", len(r.Interfaces), r.Interfaces)
			}
			if got := c.got(r.Interfaces[0]); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

package parse

import (
	"testing"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

const ports = "GigabitEthernet1/0/1 is up, line protocol is up (connected)\n  Hardware is Gigabit Ethernet\n     10 packets input, 640 bytes, 0 no buffer\n" +
	"Vlan10 is up, line protocol is up\n  Hardware is EtherSVI\n"

const tree = " VLAN0001 is executing the rstp compatible Spanning Tree protocol\n  We are the root of the spanning tree\n  Number of topology changes 7 last change occurred 00:00:12 ago\n          from GigabitEthernet1/0/1\n" +
	" Port 1 (GigabitEthernet1/0/1) of VLAN0001 is designated forwarding\n Port 2 (GigabitEthernet1/0/2) of VLAN0001 is alternate blocking\n" +
	" VLAN0010 is executing the rstp compatible Spanning Tree protocol\n  Number of topology changes 5 last change occurred 00:00:02 ago\n          from GigabitEthernet1/0/2\n" +
	" Port 1 (GigabitEthernet1/0/1) of VLAN0010 is designated learning\n"

func TestOutputsOfOneDeviceMakeOneReading(t *testing.T) {
	for _, order := range [][2]string{{"show interfaces", "show spanning-tree detail"}, {"show spanning-tree detail", "show interfaces"}} {
		t.Run(order[0]+" first", func(t *testing.T) {
			var r devices.Reading
			texts := map[string]string{"show interfaces": ports, "show spanning-tree detail": tree}
			for _, c := range order {
				if err := Into("cisco_ios", c, Input{Text: texts[c]}, &r); err != nil {
					t.Fatal(err)
				}
			}
			got := map[string]devices.Interface{}
			for _, i := range r.Interfaces {
				got[i.Name] = i
			}
			one, two := got["GigabitEthernet1/0/1"], got["GigabitEthernet1/0/2"]
			if len(r.Interfaces) != 3 || one.InPackets != devices.CCLI(10) || one.Oper != devices.Some("up") {
				t.Errorf("ports %+v", r.Interfaces)
			}
			if one.STPState != devices.Some("forwarding") || one.STPRole != devices.Some("designated") || two.STPState != devices.Some("blocking") || got["Vlan10"].STPState.OK {
				t.Errorf("ports %+v, want the state in the first instance", r.Interfaces)
			}
			b := r.Bridge
			if b == nil || b.TopologyChanges != devices.CCLI(12) || b.SinceChange != devices.Some(2*time.Second) || b.ChangeFrom != devices.Some("GigabitEthernet1/0/2") || b.RootPort != devices.Some("") {
				t.Errorf("bridge %+v, want the changes of both instances", b)
			}
		})
	}
}

func TestIntoTakesArgumentsAndSaysWhatItDoesNotKnow(t *testing.T) {
	var r devices.Reading
	if err := Into("cisco_iosxe", "show interfaces GigabitEthernet1/0/1", Input{Text: ports}, &r); err != nil || len(r.Interfaces) != 2 {
		t.Errorf("%d ports, %v", len(r.Interfaces), err)
	}
	for _, c := range [][2]string{{"cisco_ios", "show running-config"}, {"vt100", "show interfaces"}, {"cisco_ios", "show"}, {"cisco_ios", ""}, {"cisco_ios", "show interfacesX"}} {
		if err := Into(c[0], c[1], Input{}, &r); err == nil {
			t.Errorf("no error for %q on %q", c[1], c[0])
		}
	}
}

func TestLogThatIsEmptyWasRead(t *testing.T) {
	for text, read := range map[string]bool{
		"Syslog logging: enabled\n\nLog Buffer (8192 bytes):\n\n": true,
		"Syslog logging: enabled\n    Buffer logging: disabled\n": false,
		"": false,
	} {
		var r devices.Reading
		if err := Into("cisco_ios", "show logging", Input{Text: text}, &r); err != nil || (r.Log != nil) != read || len(r.Log) != 0 {
			t.Errorf("%q: log %#v, %v", text, r.Log, err)
		}
	}
}

func TestClockKeepsItsRoundTrip(t *testing.T) {
	sp := timeline.Around(time.Date(2026, 11, 30, 14, 2, 0, 0, time.UTC), time.Millisecond)
	var r devices.Reading
	if err := Into("cisco_ios", "show clock", Input{Text: "*14:02:05.000 UTC Mon Nov 30 2026\n", Span: sp}, &r); err != nil {
		t.Fatal(err)
	}
	if c := r.LocalClock.Value; !r.LocalClock.OK || c.Offset() != 5*time.Second || c.Quality != "*" || c.Span != sp {
		t.Errorf("clock %+v", r.LocalClock)
	}
}

func TestFindInterfacesGivesOffsetsAndRates(t *testing.T) {
	text := "see:\n" + ports + "\nthanks"
	found := FindInterfaces(text)
	if len(found) != 2 || text[found[0].From:found[1].To] != ports[:len(ports)-1] || found[0].Extra.Reason != "connected" {
		t.Errorf("found %+v", found)
	}
}

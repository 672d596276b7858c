package syslog

import (
	"strings"
	"testing"
	"time"

	"whydrop/devices"
)

// received is when the lines of the tests arrived.
var received = time.Date(2026, 11, 30, 14, 2, 6, 0, time.UTC)

func TestHeaders(t *testing.T) {
	at := func(ns int) devices.Opt[time.Time] {
		return devices.Some(time.Date(2026, 11, 30, 14, 2, 5, ns, time.UTC))
	}
	none := devices.None[time.Time]()
	const m = "%SYS-5-CONFIG_I: Configured"
	for _, c := range []struct {
		name, line string
		time       devices.Opt[time.Time]
		clock      string
	}{
		{"plain", "Nov 30 14:02:05: " + m, at(0), ""},
		{"milliseconds", "Nov 30 14:02:05.123: " + m, at(123e6), ""},
		{"microseconds", "Nov 30 14:02:05.123456: " + m, at(123456e3), ""},
		{"year behind the day", "Nov 30 2026 14:02:05: " + m, at(0), ""},
		{"year behind the time", "Nov 30 14:02:05 2026: " + m, at(0), ""},
		{"NX-OS, year in front", "<190>2026 Nov 30 14:02:05 sw01 " + m, at(0), ""},
		{"NX-OS with a name and a zone", "<190>sw01.pdx: 2026 Nov 30 14:02:05 UTC: " + m, at(0), ""},
		{"clock not set", "*Nov 30 14:02:05.123: " + m, at(123e6), "*"},
		{"clock not synchronised", ".Nov 30 14:02:05.123: " + m, at(123e6), "."},
		{"clock not set, with a year", "*Nov 30 2026 14:02:05.123 UTC: " + m, at(123e6), "*"},
		{"zone of one meaning", "Nov 30 15:02:05.123 CET: " + m, at(123e6), ""},
		{"zone of the operator's own", "Nov 30 14:02:05.123 NOC: " + m, at(123e6), ""},
		{"priority", "<189>Nov 30 14:02:05: " + m, at(0), ""},
		{"priority and number", "<189>42: Nov 30 14:02:05: " + m, at(0), ""},
		{"priority, number, name, number", "<189>30: foo: 6340004: *Nov 30 14:02:05: " + m, at(0), "*"},
		{"number", "000042: Nov 30 14:02:05: " + m, at(0), ""},
		{"name", "sw1 Nov 30 14:02:05: " + m, at(0), ""},
		{"a relay's time in front of the device's", "Nov 30 14:09:09 relay 42: Nov 30 14:02:05.123: " + m, at(123e6), ""},
		{"IOS-XR", "<187>94307: gw2 LC/0/2/CPU0:Nov 30 14:02:05.123 UTC: ifmgr[214]: %SYS-5-CONFIG_I : Configured", at(123e6), ""},
		{"ASA", "<166>Nov 30 2026 14:02:05: " + m, at(0), ""},
		{"ASA with a name", "<166>Nov 30 2026 14:02:05 fw1 : " + m, at(0), ""},
		{"ASA by RFC 5424", "<166>:Nov 30 14:02:05 UTC: " + m, at(0), ""},
		{"RFC 5424", "<189>1 2026-11-30T14:02:05.123Z sw1 - - - - " + m, at(123e6), ""},
		{"RFC 5424 with an offset", "<189>1 2026-11-30T15:02:05.123+01:00 sw1 - - - " + m, at(123e6), ""},
		{"two blanks before the day", "Nov  1 14:02:05: " + m, devices.Some(time.Date(2026, 11, 1, 14, 2, 5, 0, time.UTC)), ""},
		{"December is last year's in November", "Dec 24 14:02:05: " + m, devices.Some(time.Date(2025, 12, 24, 14, 2, 5, 0, time.UTC)), ""},
		{"29 February is the last leap year's", "Feb 29 14:02:05: " + m, devices.Some(time.Date(2024, 2, 29, 14, 2, 5, 0, time.UTC)), ""},
		{"FastIron, with a letter", "Nov 30 14:02:05:I:System: " + m, at(0), ""},
		{"Comware, milliseconds behind a colon", "<189>Nov 30 14:02:05:123 2026 acc4 " + m, at(123e6), ""},
		{"Comware, of its buffer", "%Nov 30 14:02:05:123 2026 acc4 " + m, at(123e6), ""},
		{"VRP with an offset", "<189>Nov 30 2026 15:02:05+01:00 acc5 " + m, at(0), ""},
		{"VRP with a fraction and an offset", "Nov 30 2026 15:02:05.120+01:00 acc5 " + m, at(120e6), ""},
		{"numbers, a blank between", "2026-11-30 14:02:05 " + m, at(0), ""},
		{"numbers, with an offset", "2026-11-30 15:02:05.5+0100 " + m, at(5e8), ""},
		{"PAN-OS", "2026/11/30 14:02:05 " + m, at(0), ""},
		{"ExtremeXOS", "11/30/2026 14:02:05.12 " + m, at(120e6), ""},
		{"ProCurve", "11/30/26 14:02:05 " + m, at(0), ""},
		{"RouterOS 6", "nov/30/2026 14:02:05 " + m, at(0), ""},
		{"RouterOS 6, of this year", "nov/29 14:02:05 " + m, devices.Some(time.Date(2026, 11, 29, 14, 2, 5, 0, time.UTC)), ""},
		{"dmesg", "2026-11-30T15:02:05,123456+01:00 " + m, at(123456e3), ""},
		{"journalctl", "2026-11-30T15:02:05.123456+0100 host kernel: " + m, at(123456e3), ""},
		{"numbers in the text are no date", "sw1 of 2026-11-29 14:02:05 " + m, none, ""},
		{"uptime", "00:01:01: " + m, none, ""},
		{"longer uptime", "4w5d: " + m, none, ""},
		{"no time", m, none, ""},
		{"no such day", "Nov 31 14:02:05 2026: " + m, none, ""},
		{"no such hour", "Nov 30 24:02:05: " + m, none, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Parse(c.line, received)
			if l.Text != c.line || l.Facility != "SYS" || l.Mnemonic != "CONFIG_I" || l.Severity != devices.Some(5) || l.Message != "Configured" {
				t.Errorf("line %+v", l)
			}
			if l.Time != c.time || l.Clock != c.clock {
				t.Errorf("time %v, clock %q; want %v, %q", l.Time, l.Clock, c.time, c.clock)
			}
		})
	}
}

func TestLinesThatAreNoMessagesKeepTheirText(t *testing.T) {
	for _, c := range []struct {
		name, line, message string
		severity            devices.Opt[int]
		timed               bool
	}{
		{"nothing", "", "", devices.None[int](), false},
		{"words", "hello %world", "hello %world", devices.None[int](), false},
		{"a percent sign", "CPU at 100%: high", "CPU at 100%: high", devices.None[int](), false},
		{"a debug line", "Dec  2 18:01:32.443: HSRP: Gi0/1 Grp 1 Active -> Speak", "HSRP: Gi0/1 Grp 1 Active -> Speak", devices.None[int](), true},
		{"a daemon's line", "<34>Nov 30 14:02:05 host su[1]: failed", "host su[1]: failed", devices.Some(2), true},
		{"a wrong priority", "<999>x", "<999>x", devices.None[int](), false},
		{"an open priority", "<1", "<1", devices.None[int](), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := Parse(c.line, received)
			if l.Text != c.line || l.Message != c.message || l.Severity != c.severity || l.Time.OK != c.timed || l.Mnemonic != "" {
				t.Errorf("line %+v, want message %q, severity %v", l, c.message, c.severity)
			}
		})
	}
	if l := Parse("Nov 30 14:02:05: %SYS-5-CONFIG_I: x", time.Time{}); l.Time.OK {
		t.Errorf("time %v without a year and without a reference", l.Time)
	}
}

// FuzzParse is to be run with -fuzzminimizetime 10x: by default the fuzzer makes a line that reaches something new shorter
// for up to a minute, in which it tries no other ("0 execs/sec").
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"<189>30: foo: 6340004: *Mar  4 11:45:20: %SEC-6-IPACCESSLOGP: list x permitted", "%ASA-1-104001: (Primary) Switching to ACTIVE - x",
		"<189>1 2026-11-30T14:02:05.123Z sw1 - - - - %SYS-5-CONFIG_I: x", "<190>2018 Oct 31 08:12:52 sw01 %ETHPORT-5-IF_UP: Interface Ethernet1/3 is up",
		"%CDP-4-DUPLEX_MISMATCH: duplex mismatch discovered on F (not full duplex), with ( (full duplex)", "%%%--%-1-:", "Jan Jan  1 1:1:1 Feb 29 00:00:00 %A-0-B:",
		"nov/30/2026 14:02:05 interface,info ether1 link down", "14:02:05 interface,info ether1 link up", "11/30/2026 14:02:05.12 <Info:vlan.msgs.portLinkStateDown> Slot-1: Port 1:5 link down",
		"Nov 30 14:02:05:I:System: Interface ethernet 1/1/1, state down", "<189>Nov 30 14:02:05:123 2026 acc4 %%10IFNET/3/PHY_UPDOWN: x", "Nov 30 2026 15:02:05.120+01:00 acc5 %%01IFNET/4/LINK_STATE(l)[1]:x",
		"date=2026-11-30 time=14:02:05 tz=\"+0100\" logid=x", "2026/11/30 14:02:05 info port ethernet1/3 link-change 0 Port ethernet1/3: Down", "2026-11-30T15:02:05,123456+01:00 e1000e eth0: NIC Link is Down",
		"%HSRP-5-STATECHANGE: -> state ->", "Jun 18 04:24:32 r1 %%01IFNET/4/LINK_STATE(l)[1]: The line protocol IP on the interface GigabitEthernet0/0/1 has entered the UP state.",
		"<28>1 2026-11-30T14:02:05.123Z r1 mib2d 12 SNMP_TRAP_LINK_DOWN [junos@2636 interface-name=\"ge-0/0/1\"] x", "date=2026-11-30 time=14:02:05 logid=\"0100020099\" msg=\"Link monitor: Interface wan1 was turned down\"",
		"kernel: br0: port 2(eth1) entered forwarding state", "I 05/18/13 17:13:31 00077 ports: port 21 is now off-line", "1,2026/11/30 14:02:05,0011,SYSTEM,ha,0,2026/11/30 14:02:05,,state-change,,0,0,general,critical,\"HA Group 1: Moved from state Passive to state Active\"", "4w5d: %LINK-3-UPDOWN: Interface Gi0/1, changed state to ", "<0", "<>", "",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, line string) {
		l := Parse(line, received)
		if l.Text != line {
			t.Fatalf("text %q", l.Text)
		}
		if s := l.Severity; s.OK && (s.Value < 0 || s.Value > 7) {
			t.Fatalf("severity %v", s)
		}
		if (l.Facility == "") != (l.Mnemonic == "") {
			t.Fatalf("facility %q, mnemonic %q", l.Facility, l.Mnemonic)
		}
		for k, v := range l.Attrs {
			if k == "" || v == "" {
				t.Fatalf("attributes %v", l.Attrs)
			}
		}
	})
}

// BenchmarkParseHostile reads a line that holds the words of every message there is, over and over.
func BenchmarkParseHostile(b *testing.B) {
	var all strings.Builder
	for all.Len() < longestMessage {
		for _, family := range families {
			for _, r := range family.rules {
				all.WriteString(r.has + " ")
			}
		}
	}
	line := all.String() + strings.Repeat("Jan-", longestMessage/4) + strings.Repeat("%A", longestMessage/2) + strings.Repeat("0:", longestMessage/2)
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Parse(line, received)
	}
}

func BenchmarkParse(b *testing.B) {
	const line = "<189>521: router1: *Nov 14 08:30:56.699: %LINK-5-CHANGED: Interface GigabitEthernet2, changed state to administratively down"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		if l := Parse(line, received); l.Port == "" {
			b.Fatal(l)
		}
	}
}

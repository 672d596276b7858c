package parse

import (
	"testing"
	"time"

	"whydrop/devices"
)

// TestLogsAndClocksByCommand has the commands whose names make no file name; see testdata for the others.
func TestLogsAndClocksByCommand(t *testing.T) {
	at := time.Date(2026, 11, 30, 13, 58, 11, 0, time.UTC)
	t.Run("PAN-OS", func(t *testing.T) {
		const log = `Time                Severity Subtype Object EventID ID Description
===============================================================================
2026/11/30 13:58:12 critical      ha                state-change 0  HA Group 1: Moved from state Active to state Passive
2026/11/30 13:58:11 informational port  ethernet1/3 link-change  0  Port ethernet1/3: Down 1Gb/s-full duplex
`
		var r devices.Reading
		if err := Into("paloalto_panos", "show log system receive_time in last-15-minutes", Input{Text: log, Span: asked}, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Log) != 2 || r.Log[0].Port != "ethernet1/3" || r.Log[0].Attrs["to"] != "down" || r.Log[0].Time != devices.Some(at) ||
			r.Log[1].Type != "ha.failover" || r.Log[1].Attrs["to"] != "standby" {
			t.Errorf("log %+v", r.Log)
		}
	})
	t.Run("Linux", func(t *testing.T) {
		var r devices.Reading
		if err := Into("linux", "date +%FT%T.%N%:z", Input{Text: "2026-11-30T14:58:11.000000000+01:00\n", Span: asked}, &r); err != nil {
			t.Fatal(err)
		}
		if r.LocalClock.Value.Time != at {
			t.Errorf("clock %v", r.LocalClock)
		}
	})
	t.Run("RouterOS takes the day of a line from the device's clock", func(t *testing.T) {
		r := devices.Reading{LocalClock: devices.Some(devices.LocalClock{Time: time.Date(2026, 12, 1, 0, 30, 0, 0, time.UTC)})}
		if err := Into("mikrotik_routeros", "log print without-paging", Input{Text: "00:10:00 interface,info sfp1 link down\n23:50:00 interface,info sfp1 link up\n", Span: asked}, &r); err != nil {
			t.Fatal(err)
		}
		if len(r.Log) != 2 || r.Log[0].Time.Value.Day() != 30 || r.Log[1].Time.Value.Day() != 1 {
			t.Errorf("log %+v", r.Log)
		}
	})
	t.Run("AOS-CX: a zone of several meanings gives no clock", func(t *testing.T) {
		for text, want := range map[string]bool{"Mon Nov 30 14:58:11 CET 2026\n": true, "Mon Nov 30 07:58:11 CST 2026\n": false} {
			var r devices.Reading
			if err := Into("aruba_aoscx", "show clock", Input{Text: text, Span: asked}, &r); err != nil {
				t.Fatal(err)
			}
			if r.LocalClock.OK != want || want && r.LocalClock.Value.Time != at {
				t.Errorf("%q: clock %v", text, r.LocalClock)
			}
		}
	})
}

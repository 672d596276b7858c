package snmp

import (
	"fmt"

	"whydrop/correlate/timeline"
	"whydrop/devices"
	"whydrop/devices/syslog"
)

// ciscoLog is the device's log as far as it keeps it for SNMP (CISCO-SYSLOG-MIB clogHistoryTable,
// 1.3.6.1.4.1.9.9.41.1.2.3.1): Facility 2, Severity 3 (1 emergency to 8 debug), MsgName 4, MsgText 5, Timestamp 6 (sysUpTime,
// so that each line is dated on the probe's clock, whatever the device's own says).
var ciscoLog = Table{
	Name:    "clogHistoryTable",
	MIB:     "CISCO-SYSLOG-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{clogHistory + "2", clogHistory + "3", clogHistory + "4", clogHistory + "5", clogHistory + "6"},
	Part:    "Log",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(clogHistory + "5") {
			at := func(col string) Cell { return v.At(clogHistory+col, c.Index...) }
			severity, ticks := at("3").Number(), at("6").Number()
			if !severity.OK || severity.Value < 1 || severity.Value > 8 || !ticks.OK {
				continue
			}
			text := fmt.Sprintf("%%%s-%d-%s: %s", at("2").Text(), severity.Value-1, at("4").Text(), c.Text())
			addLogLine(r, syslog.Parse(text, r.Span.From), ticks.Value)
		}
	},
}

const clogHistory = "1.3.6.1.4.1.9.9.41.1.2.3.1."

// addLogLine adds a line that the device dated by sysUpTime; one from the device's future is left out. The text begins
// with that time: equal messages of different moments are different lines.
func addLogLine(r *devices.Reading, line devices.LogLine, ticks uint32) {
	if !r.Clock.OK {
		return
	}
	sp, ok := r.Clock.Value.At(ticks)
	if !ok {
		return
	}
	line.Span = sp
	line.Text = fmt.Sprintf("%d: %s", ticks, line.Text)
	r.Log = append(r.Log, line)
}

// macMove is the last address that moved between two ports (CISCO-MAC-NOTIFICATION-MIB cmnMACMoveObjects,
// 1.3.6.1.4.1.9.9.215.1.3, scalars): Address 3, VlanNumber 4, FromPortId 5 and ToPortId 6 (dot1dBasePort), Time 7
// (sysUpTime). It becomes a line of the log.
var macMove = Table{
	Name:    "cmnMACMoveObjects",
	MIB:     "CISCO-MAC-NOTIFICATION-MIB",
	Unseen:  true,
	Cadence: States,
	Vendors: []uint32{enterpriseCisco},
	Roots:   []string{macMoveOf + "3", macMoveOf + "4", macMoveOf + "5", macMoveOf + "6", macMoveOf + "7"},
	Live:    []string{macMoveOf + "3", macMoveOf + "4", macMoveOf + "5", macMoveOf + "6", macMoveOf + "7"},
	Part:    "Log",
	Fill: func(v View, r *devices.Reading) {
		mac, ticks := v.Scalar(macMoveOf+"3").MAC(), v.Scalar(macMoveOf+"7").Number()
		from, to := v.Scalar(macMoveOf+"5").Number(), v.Scalar(macMoveOf+"6").Number()
		if mac == "" || mac == "00:00:00:00:00:00" || !ticks.OK || ticks.Value == 0 || !from.OK || !to.OK {
			return
		}
		vlan := v.Scalar(macMoveOf + "4").Number().String()
		attrs := map[string]string{"mac": mac, "vlan": vlan, "from": v.BridgePort(from.Value), "to": v.BridgePort(to.Value)}
		addLogLine(r, devices.LogLine{
			Text: "address " + mac + " in VLAN " + vlan + " moved from " + attrs["from"] + " to " + attrs["to"],
			Type: timeline.EventMACMove, Attrs: attrs,
		}, ticks.Value)
	},
}

const macMoveOf = "1.3.6.1.4.1.9.9.215.1.3."

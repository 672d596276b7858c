package parse

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/aruba_aoscx"
	"whydrop/devices/parse/hp_procurve"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/syslog"
)

// arubaAOSCX is of AOS-CX on Aruba CX switches.
var arubaAOSCX = map[string]Parser{
	"show vsx status":                  plain(aruba_aoscx.ShowVSX),
	"show interface dom detail":        optics,
	"show lacp interfaces":             plain(aruba_aoscx.ShowLACPInterfaces),
	"show interface":                   plain(aruba_aoscx.ShowInterface),
	"show spanning-tree":               plain(aruba_aoscx.ShowSpanningTree),
	"show system resource-utilization": plain(tables.Busy),
	"show arp all-vrfs":                plain(aruba_aoscx.ShowARP),
	"show mac-address-table":           plain(tables.StationsBehind),
	"show lldp neighbor-info":          plain(aruba_aoscx.ShowLLDPNeighborInfo),
	"show events -r -n 200":            datedLog,
	"show clock":                       zonedClock,
	"show version":                     version("ArubaOS-CX", "AOS-CX", "Version      :"),
}

// hpProcurve is of HP ProCurve and ArubaOS-Switch.
var hpProcurve = map[string]Parser{
	"show interfaces":              plain(hp_procurve.ShowInterfaces),
	"show interfaces brief":        plain(hp_procurve.ShowInterfacesBrief),
	"show arp":                     plain(hp_procurve.ShowARP),
	"show spanning-tree":           plain(hp_procurve.ShowSpanningTree),
	"show cpu":                     plain(tables.Busy),
	"show mac-address":             plain(hp_procurve.ShowMACAddress),
	"show lldp info remote-device": plain(hp_procurve.ShowLLDPInfoRemote),
	"show logging":                 procurveLog,
	"show time":                    procurveClock,
	"show version":                 version("ROM", "revision"),
}

// procurveClock reads "Mon Nov 30 14:02:05 2026".
func procurveClock(in Input, r *devices.Reading) {
	for line := range strings.Lines(in.Text) {
		if t, err := time.Parse(time.ANSIC, strings.TrimSpace(line)); err == nil {
			localTime(in, r, t, true)
			return
		}
	}
}

// procurveSeverities are the letters before a line of the event log, as severities of syslog.
var procurveSeverities = map[string]int{"M": 2, "E": 3, "W": 4, "I": 6, "D": 7}

// procurveLog reads "show logging": "W 11/30/26 13:59:02 00077 ports: port 21 is now off-line".
func procurveLog(in Input, r *devices.Reading) {
	lines := []devices.LogLine{}
	for line := range strings.SplitSeq(in.Text, "\n") {
		line = strings.TrimSpace(line)
		const layout = "01/02/06 15:04:05"
		letter, rest, ok := strings.Cut(line, " ")
		severity, known := procurveSeverities[letter]
		if !ok || !known || len(rest) < len(layout) {
			continue
		}
		t, err := time.Parse(layout, rest[:len(layout)])
		if err != nil {
			continue
		}
		l := syslog.Parse(strings.TrimSpace(rest[len(layout):]), in.Span.To)
		l.Text, l.Time, l.Severity = line, devices.Some(t), devices.Some(severity)
		lines = append(lines, l)
	}
	into.Log(r, lines)
}

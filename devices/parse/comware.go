package parse

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/hp_comware"
	"whydrop/devices/parse/huawei_vrp"
	"whydrop/devices/parse/internal/tables"
)

// hpComware is of HPE and H3C Comware.
var hpComware = map[string]Parser{
	"display irf":                         plain(hp_comware.DisplayIRF),
	"display transceiver diagnosis":       plain(hp_comware.DisplayTransceiverDiagnosis),
	"display interface":                   plain(hp_comware.DisplayInterface),
	"display counters inbound interface":  plain(hp_comware.DisplayCountersInbound),
	"display counters outbound interface": plain(hp_comware.DisplayCountersOutbound),
	"display stp":                         plain(hp_comware.DisplaySTP),
	"display link-aggregation verbose":    plain(hp_comware.DisplayLinkAggregation),
	"display vrrp verbose":                plain(hp_comware.DisplayVRRP),
	"display stp brief":                   plain(tables.TreesBrief),
	"display arp":                         plain(hp_comware.DisplayARP),
	"display cpu-usage":                   plain(tables.Busy),
	"display mac-address":                 plain(tables.StationsBehind),
	"display lldp neighbor-information":   plain(hp_comware.DisplayLLDPNeighbor),
	"display logbuffer":                   datedLog,
	"display clock":                       comwareClock,
	"display version":                     version("Comware Software"),
}

// huaweiVRP is of Huawei VRP.
var huaweiVRP = map[string]Parser{
	"display eth-trunk":     plain(huawei_vrp.DisplayEthTrunk),
	"display vrrp":          plain(huawei_vrp.DisplayVRRP),
	"display interface":     plain(huawei_vrp.DisplayInterface),
	"display stp brief":     plain(tables.TreesBrief),
	"display stp":           plain(hp_comware.DisplaySTP), // which prints it so too
	"display cpu-usage":     plain(tables.Busy),
	"display arp":           plain(huawei_vrp.DisplayARP),
	"display mac-address":   plain(tables.StationsBehind),
	"display lldp neighbor": plain(huawei_vrp.DisplayLLDPNeighbor),
	"display logbuffer":     datedLog,
	"display clock":         huaweiClock,
	"display version":       version("VRP (R) software"),
}

func huaweiClock(in Input, r *devices.Reading) {
	t, ok := huawei_vrp.DisplayClock(in.Text)
	localTime(in, r, t, ok)
}

// comwareClock reads "14:02:05.258 UTC Mon 11/30/2026". The zone is left alone, since the lines of the log have none:
// both are the device's wall clock.
func comwareClock(in Input, r *devices.Reading) {
	for line := range strings.Lines(in.Text) {
		f := strings.Fields(line)
		if len(f) < 2 || len(f[0]) < len("15:04:05") {
			continue
		}
		t, err := time.Parse("01/02/2006 15:04:05", f[len(f)-1]+" "+f[0]) // which takes a fraction as well
		if err == nil {
			localTime(in, r, t, true)
			return
		}
	}
}

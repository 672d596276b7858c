package parse

import (
	"slices"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/hp_comware"
	"whydrop/devices/parse/huawei_vrp"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/parse/internal/tables"
	"whydrop/devices/syslog"
)

// hpComware is of HPE and H3C Comware.
var hpComware = map[string]Parser{
	"display interface":                   plain(hp_comware.DisplayInterface),
	"display counters inbound interface":  plain(hp_comware.DisplayCountersInbound),
	"display counters outbound interface": plain(hp_comware.DisplayCountersOutbound),
	"display stp":                         plain(hp_comware.DisplaySTP),
	"display stp brief":                   plain(tables.TreesBrief),
	"display arp":                         plain(hp_comware.DisplayARP),
	"display mac-address":                 plain(tables.StationsBehind),
	"display lldp neighbor-information":   plain(hp_comware.DisplayLLDPNeighbor),
	"display logbuffer":                   logBuffer,
	"display clock":                       comwareClock,
	"display version":                     version("Comware Software"),
}

// huaweiVRP is of Huawei VRP.
var huaweiVRP = map[string]Parser{
	"display interface":     plain(huawei_vrp.DisplayInterface),
	"display stp brief":     plain(tables.TreesBrief),
	"display arp":           plain(huawei_vrp.DisplayARP),
	"display mac-address":   plain(tables.StationsBehind),
	"display lldp neighbor": plain(huawei_vrp.DisplayLLDPNeighbor),
	"display logbuffer":     logBuffer,
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

// logBuffer reads "display logbuffer" of Comware and VRP. VRP has its newest line first.
func logBuffer(in Input, r *devices.Reading) {
	lines := []devices.LogLine{}
	for line := range strings.SplitSeq(in.Text, "\n") {
		line = strings.TrimSpace(line)
		t, rest, ok := logTime(line)
		if !ok {
			continue
		}
		l := syslog.Parse(rest, in.Span.To)
		l.Text, l.Time = line, devices.Some(t)
		l.Host, _, _ = strings.Cut(rest, " ")
		lines = append(lines, l)
	}
	if n := len(lines); n > 1 && lines[0].Time.Value.After(lines[n-1].Time.Value) {
		slices.Reverse(lines)
	}
	into.Log(r, lines)
}

// logTime reads "%Nov 30 13:58:11:123 2026" and "Nov 30 2026 13:58:11.120+01:00", with or without a fraction and a
// zone, and returns what follows.
func logTime(line string) (t time.Time, rest string, ok bool) {
	const date, clock = 4, len("15:04:05")
	f := strings.SplitN(strings.Join(strings.Fields(strings.TrimLeft(line, "%*.")), " "), " ", date+1)
	if len(f) <= date {
		return t, "", false
	}
	clk, year := f[2], f[3]
	if strings.Contains(year, ":") {
		clk, year = year, clk
	}
	zone := "Z"
	if i := strings.LastIndexAny(clk, "+-"); i >= clock {
		clk, zone = clk[:i], clk[i:]
	}
	if len(clk) < clock {
		return t, "", false
	}
	fraction, _, _ := strings.Cut(strings.TrimLeft(clk[clock:], ":."), ".")
	if fraction != "" {
		fraction = "." + fraction
	}
	t, err := time.Parse("Jan 2 2006 15:04:05Z07:00", f[0]+" "+f[1]+" "+year+" "+clk[:clock]+fraction+zone)
	return t.UTC(), f[date], err == nil
}

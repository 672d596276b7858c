package arista_eos

import (
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
	"whydrop/devices/syslog"
)

// ShowInterfacesTransceiver reads "show interfaces transceiver": "Et3/17/1  35.61  3.21  36.64  1.51  -0.10  0:00:03
// ago": degrees, volts, milliamperes, dBm sent and received. Bias currents are in amperes.
func ShowInterfacesTransceiver(output string, r *devices.Reading) {
	if r.Sensors == nil {
		r.Sensors = []devices.Sensor{}
	}
	kinds := []struct {
		kind, unit string
		scale      float64
	}{{"temperature", "degC", 1}, {"voltage", "V", 1}, {"bias", "A", 1e-3}, {"tx_power", "dBm", 1}, {"rx_power", "dBm", 1}}
	if !strings.Contains(output, "dBm") {
		return // another table of ports and figures
	}
	for line := range text.Each(output) {
		f := strings.Fields(line)
		if len(f) < len(kinds)+1 || !block.IsPortName(f[0]) || !text.IsLetter(f[0][0]) {
			continue
		}
		for n, k := range kinds {
			if v, rest, ok := text.Float(f[n+1]); ok && rest == "" {
				r.Sensors = append(r.Sensors, devices.Sensor{Port: f[0], Kind: k.kind, Unit: k.unit, Value: devices.Some(v * k.scale)})
			}
		}
	}
}

// ShowMLAG reads "show mlag": the state of the domain, whether its configuration is consistent, and the peer link.
func ShowMLAG(output string, r *devices.Reading) {
	g := devices.Redundancy{Protocol: "mlag"}
	for line := range text.Each(output) {
		label, value, ok := strings.Cut(line, ":")
		if !ok {
			continue
		}
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(label) {
		case "domain-id":
			g.Group = value
		case "state":
			g.State = strings.ToLower(value)
		case "peer-link status":
			g.Peer = strings.ToLower(value)
		case "peer-link":
			g.Port = value
		case "peer-config":
			if value != "" {
				g.Synced = devices.Some(strings.EqualFold(value, "consistent"))
			}
		}
	}
	if g.State != "" && g.State != "disabled" {
		r.Redundancy = append(r.Redundancy, g)
	}
}

// ShowProcessesTop reads the idle share in "%Cpu(s):  2.8 us,  0.7 sy,  0.0 ni, 96.3 id" and in "Cpu(s): 5.1%us,
// 93.2%id".
func ShowProcessesTop(output string, r *devices.Reading) {
	for line := range text.Each(output) {
		rest, ok := text.After(line, "Cpu(s):")
		if !ok {
			continue
		}
		for part := range strings.SplitSeq(rest, ",") {
			v, unit, ok := text.Float(strings.TrimSpace(part))
			if ok && strings.Trim(unit, "% ") == "id" && v <= 100 {
				text.Set(&r.CPU, 1-v/100)
			}
		}
		return
	}
}

// ShowClock reads "Mon Nov 30 14:02:05 2026" with "Timezone: UTC" below it; ok is false if there is no such line.
func ShowClock(output string) (t time.Time, ok bool) {
	loc := time.UTC
	lines := text.NewLines(output)
	for {
		line, _, _, more := lines.Next()
		if !more {
			break
		}
		if name, found := strings.CutPrefix(line, "Timezone: "); found {
			if l, known := syslog.Zone(strings.TrimSpace(name)); known {
				loc = l
			}
		} else if at, err := time.Parse("Mon Jan 2 15:04:05 2006", strings.Join(strings.Fields(line), " ")); err == nil {
			t, ok = at, true
		}
	}
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, loc).UTC(), ok
}

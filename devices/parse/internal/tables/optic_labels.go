package tables

import (
	"math"
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// opticLabels lists what the labels of a module's figures are about, in lower case, as Junos, AOS-CX and ethtool print
// them.
var opticLabels = map[string]struct{ kind, unit string }{
	"laser output power": {"tx_power", "dBm"}, "laser tx power": {"tx_power", "dBm"}, "tx power": {"tx_power", "dBm"}, "transmit avg optical power": {"tx_power", "dBm"},
	"receiver signal average optical power": {"rx_power", "dBm"}, "laser rx power": {"rx_power", "dBm"}, "rx power": {"rx_power", "dBm"}, "laser receiver power": {"rx_power", "dBm"}, "rcvr signal avg optical power": {"rx_power", "dBm"},
	"laser bias current": {"bias", "A"}, "tx bias": {"bias", "A"}, "laser tx bias current": {"bias", "A"},
	"module temperature": {"temperature", "degC"}, "temperature": {"temperature", "degC"},
	"module voltage": {"voltage", "V"}, "voltage": {"voltage", "V"},
}

// OpticLabels reads a module's figures and its own thresholds by their labels: "Laser output power : 0.5590 mW / -2.53
// dBm", "Rx Power low alarm threshold: 0.05mW". A port begins at "Physical interface: xe-0/0/0" or "Transceiver in
// 1/1/34"; port is the one that text before that is about. Power is in dBm, bias in amperes.
func OpticLabels(output, port string, r *devices.Reading) {
	if r.Sensors == nil {
		r.Sensors = []devices.Sensor{}
	}
	lane, begin := 0, len(r.Sensors)
	for line := range text.Each(output) {
		if name, ok := opticPort(line); ok {
			port, lane, begin = name, 0, len(r.Sensors)
			continue
		}
		if n, ok := strings.CutPrefix(line, "Lane "); ok {
			if v, rest, ok := text.Uint32(n); ok && rest == "" && v < 16 {
				lane = int(v) + 1
			}
			continue
		}
		label, value, ok := strings.Cut(line, ":")
		if !ok || port == "" {
			continue
		}
		opticField(r, begin, devices.Sensor{Port: port, Lane: lane}, strings.ToLower(strings.TrimSpace(label)), strings.TrimSpace(value))
	}
}

func opticPort(line string) (string, bool) {
	for _, begin := range []string{"Physical interface: ", "Transceiver in "} {
		if rest, ok := strings.CutPrefix(line, begin); ok {
			name, _, _ := strings.Cut(rest, ",")
			return name, block.IsPortName(name)
		}
	}
	return "", false
}

// opticField puts one figure, or a threshold of it, where it belongs among the sensors of its port.
func opticField(r *devices.Reading, begin int, s devices.Sensor, label, value string) {
	name, rest, _ := strings.Cut(label, " (channel ") // ethtool: "laser tx power (channel 1)"
	if n, _, ok := text.Uint32(rest); ok && n < 16 {
		s.Lane = int(n)
	}
	var limit string
	for _, l := range []string{"low alarm", "low warning", "high warning", "high alarm"} {
		if before, ok := strings.CutSuffix(strings.TrimSuffix(name, " threshold"), " "+l); ok {
			name, limit = before, l
		}
	}
	kind, ok := opticLabels[name]
	if !ok {
		return
	}
	v, ok := opticValue(value, kind.unit)
	if !ok {
		return
	}
	s.Kind, s.Unit = kind.kind, kind.unit
	for i := begin; i < len(r.Sensors) && limit != ""; i++ {
		if have := &r.Sensors[i]; have.Port == s.Port && have.Kind == s.Kind {
			setLimit(have, limit, v) // of all lanes
		}
	}
	if limit == "" {
		s.Value = devices.Some(v)
		r.Sensors = append(r.Sensors, s)
	}
}

func setLimit(s *devices.Sensor, limit string, v float64) {
	switch limit {
	case "low alarm":
		text.Set(&s.LowAlarm, v)
	case "low warning":
		text.Set(&s.LowWarn, v)
	case "high warning":
		text.Set(&s.HighWarn, v)
	case "high alarm":
		text.Set(&s.HighAlarm, v)
	}
}

// opticValue reads a figure in the unit: of two, "0.55 mW / -2.53 dBm", the one that is in it; power in milliwatts is
// turned into dBm.
func opticValue(value, unit string) (float64, bool) {
	best, ok := 0.0, false
	for part := range strings.SplitSeq(value, "/") {
		v, rest, good := text.Float(strings.TrimSpace(part))
		if !good {
			continue
		}
		switch rest = strings.TrimSpace(rest); {
		case rest == unit, unit == "degC" && (rest == "C" || rest == "degrees C"):
			return v, true
		case unit == "A" && rest == "mA":
			return v / 1e3, true
		case unit == "dBm" && rest == "mW" && v > 0:
			best, ok = 10*math.Log10(v), true
		}
	}
	return math.Round(best*100) / 100, ok
}

package tables

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/block"
	"whydrop/devices/parse/internal/text"
)

// opticKinds lists what the headings of a table of optics are about.
var opticKinds = []struct{ words, kind, unit string }{
	{"Receive Power", "rx_power", "dBm"}, {"Transmit Power", "tx_power", "dBm"}, {"Rx Power", "rx_power", "dBm"}, {"Tx Power", "tx_power", "dBm"},
	{"Temperature", "temperature", "degC"}, {"Voltage", "voltage", "V"}, {"Current", "bias", "A"},
}

// OpticTables reads "show interfaces transceiver detail" of IOS: one table for each kind of figure, with the module's
// own thresholds. Bias currents are in amperes.
func OpticTables(output string, r *devices.Reading) {
	if r.Sensors == nil {
		r.Sensors = []devices.Sensor{}
	}
	kind, unit := "", ""
	lanes := false
	for line := range text.Each(output) {
		if strings.HasPrefix(line, "Port") {
			lanes = strings.Contains(line, "Lane")
			continue
		}
		for _, k := range opticKinds {
			if strings.Contains(line, k.words) && !strings.Contains(line, ".0 ") && strings.Contains(line, "Threshold") {
				kind, unit = k.kind, k.unit
			}
		}
		if f := strings.Fields(line); kind != "" && len(f) >= 2 && block.IsPortName(f[0]) {
			if s, ok := opticRow(f, lanes); ok {
				s.Kind, s.Unit = kind, unit
				scale(&s)
				r.Sensors = append(r.Sensors, s)
			}
		}
	}
}

// opticRow reads "Twe2/1/1   N/A   -2.7   1.0  0.0  -8.3  -9.3". A figure may have a mark behind it: "-40.0 --".
func opticRow(f []string, lanes bool) (devices.Sensor, bool) {
	s := devices.Sensor{Port: f[0]}
	f = f[1:]
	if lanes && len(f) > 0 {
		if n, _, ok := text.Uint32(f[0]); ok && n < 100 {
			s.Lane = int(n)
		}
		f = f[1:]
	}
	figures := f[:0]
	for _, word := range f {
		if word != "++" && word != "+" && word != "-" && word != "--" {
			figures = append(figures, word)
		}
	}
	if len(figures) == 0 {
		return s, false
	}
	for n, to := range []*devices.Opt[float64]{&s.Value, &s.HighAlarm, &s.HighWarn, &s.LowWarn, &s.LowAlarm} {
		if n < len(figures) {
			if v, _, ok := text.Float(figures[n]); ok {
				*to = devices.Some(v)
			}
		}
	}
	return s, s.Value.OK
}

// scale brings milliamperes to amperes.
func scale(s *devices.Sensor) {
	if s.Kind != "bias" {
		return
	}
	for _, v := range []*devices.Opt[float64]{&s.Value, &s.LowAlarm, &s.LowWarn, &s.HighWarn, &s.HighAlarm} {
		v.Value /= 1000
	}
}

// OpticBlocks reads "show interface transceiver details" of NX-OS: under each port and lane the rows Temperature,
// Voltage, Current, Tx Power and Rx Power with measurement, high and low alarm, high and low warning.
func OpticBlocks(output string, r *devices.Reading) {
	if r.Sensors == nil {
		r.Sensors = []devices.Sensor{}
	}
	port, lane := "", 0
	for line := range text.Each(output) {
		if block.IsPortName(line) && strings.ContainsRune(line, '/') {
			port, lane = line, 0
			continue
		}
		if rest, ok := strings.CutPrefix(line, "Lane Number:"); ok {
			if n, _, ok := text.Uint32(rest); ok && n < 100 {
				lane = int(n)
			}
			continue
		}
		for _, k := range opticKinds {
			rest, ok := strings.CutPrefix(line, k.words+" ")
			if !ok || port == "" {
				continue
			}
			s := devices.Sensor{Port: port, Lane: lane, Kind: k.kind, Unit: k.unit}
			v := opticFigures(rest)
			for n, to := range []*devices.Opt[float64]{&s.Value, &s.HighAlarm, &s.LowAlarm, &s.HighWarn, &s.LowWarn} {
				if n < len(v) {
					*to = v[n]
				}
			}
			if scale(&s); s.Value.OK {
				r.Sensors = append(r.Sensors, s)
			}
		}
	}
}

// opticFigures reads "21.02 C        80.00 C     -5.00 C" and "N/A".
func opticFigures(s string) (out []devices.Opt[float64]) {
	for _, word := range strings.Fields(s) {
		if text.Unset(word) && strings.Trim(word, "-") != "" {
			out = append(out, devices.None[float64]())
		} else if v, rest, ok := text.Float(word); ok && rest == "" {
			out = append(out, devices.Some(v))
		}
	}
	return out
}

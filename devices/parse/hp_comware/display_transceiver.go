package hp_comware

import (
	"strings"

	"whydrop/devices"
	"whydrop/devices/parse/internal/text"
)

// opticColumns are the columns of transceiver diagnosis, by the words in their heads.
var opticColumns = []struct {
	head, kind, unit string
	scale            float64
}{
	{"Temp", "temperature", "degC", 1}, {"Voltage", "voltage", "V", 1}, {"Bias", "bias", "A", 1e-3},
	{"RX power", "rx_power", "dBm", 1}, {"TX power", "tx_power", "dBm", 1},
}

// DisplayTransceiverDiagnosis reads "display transceiver diagnosis": for each port the module's figures, and its alarm
// thresholds (H3C interface management command reference; not seen on a real device).
func DisplayTransceiverDiagnosis(output string, r *devices.Reading) {
	if r.Sensors == nil {
		r.Sensors = []devices.Sensor{}
	}
	port, at := "", -1 // at is where the port's sensors begin; -1: it has none yet
	columns := false
	for line := range text.Each(output) {
		f := strings.Fields(line)
		switch {
		case strings.HasSuffix(line, "transceiver diagnostic information:") && len(f) > 0:
			port, at, columns = f[0], -1, false
		case port == "" || len(f) == 0:
		case strings.Contains(line, "Temp.") && strings.Contains(line, "RX power(dBm)"):
			columns = true
		case columns && len(f) == len(opticColumns) && at < 0:
			at = len(r.Sensors)
			for n, c := range opticColumns {
				s := devices.Sensor{Port: port, Kind: c.kind, Unit: c.unit}
				opticFigure(&s.Value, f[n], c.scale)
				r.Sensors = append(r.Sensors, s)
			}
		case columns && len(f) == len(opticColumns)+1 && at >= 0 && (f[0] == "High" || f[0] == "Low"):
			for n, c := range opticColumns {
				s := &r.Sensors[at+n]
				to := &s.HighAlarm
				if f[0] == "Low" {
					to = &s.LowAlarm
				}
				opticFigure(to, f[n+1], c.scale)
			}
		}
	}
}

// opticFigure reads a cell; "-" and "N/A" are not known.
func opticFigure(to *devices.Opt[float64], cell string, scale float64) {
	if v, rest, ok := text.Float(cell); ok && rest == "" {
		*to = devices.Some(v * scale)
	}
}

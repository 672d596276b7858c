package snmp

import "whydrop/devices"

// junosCPU is the load of Junos' routing engines (JUNIPER-MIB jnxOperatingTable, 1.3.6.1.4.1.2636.3.1.13.1, by four arcs
// of which the first is the kind of unit, 9 a routing engine): CPU 8 and Buffer 11 (memory in use), per cent.
var junosCPU = Table{
	Name:    "jnxOperatingTable",
	MIB:     "JUNIPER-MIB",
	Cadence: States,
	Vendors: []uint32{enterpriseJuniper},
	Roots:   []string{jnxOperating + "8", jnxOperating + "11"},
	Live:    []string{jnxOperating + "8"},
	LiveRow: func(_ View, index []uint32) bool { return routingEngine(index) },
	Part:    "CPU",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(jnxOperating + "8") {
			if routingEngine(c.Index) {
				busier(&r.CPU, percent(c))
				busier(&r.Memory, percent(v.At(jnxOperating+"11", c.Index...)))
			}
		}
	},
}

const jnxOperating = "1.3.6.1.4.1.2636.3.1.13.1."

func routingEngine(index []uint32) bool {
	const engine = 9 // jnxContainersRoutingEngine's index on every platform
	return len(index) == 4 && index[0] == engine
}

// junosOptics is the digital diagnostics of transceivers (JUNIPER-DOM-MIB jnxDomCurrentTable,
// 1.3.6.1.4.1.2636.3.60.1.1.1.1, by ifIndex): RxLaserPower 5 and TxLaserOutputPower 7 (0.01 dBm), TxLaserBiasCurrent 6
// (uA), ModuleTemperature 8 (degC); the four thresholds of each (high and low alarm, high and low warning) from 9 (Rx), 13
// (bias), 17 (Tx) and 21 (temperature). Lanes are in jnxDomCurrentLaneTable, 60.1.2.1.1, by ifIndex and lane, which Junos
// counts from 0: Rx 6, bias 7, Tx 8.
var junosOptics = Table{
	Name:    "jnxDomCurrentTable",
	MIB:     "JUNIPER-DOM-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseJuniper},
	Roots:   domRoots(),
	Part:    "Sensors",
	Fill:    fillJunosOptics,
}

const (
	jnxDom     = "1.3.6.1.4.1.2636.3.60.1.1.1.1."
	jnxDomLane = "1.3.6.1.4.1.2636.3.60.1.2.1.1."
)

// domKinds are the four measurements of a module.
var domKinds = []struct {
	kind, unit, column, lane string
	thresholds               int // column of the high alarm
	scale                    float64
}{
	{"rx_power", "dBm", "5", "6", 9, 0.01},
	{"bias", "A", "6", "7", 13, 1e-6},
	{"tx_power", "dBm", "7", "8", 17, 0.01},
	{"temperature", "degC", "8", "", 21, 1},
}

func domRoots() (roots []string) {
	for _, k := range domKinds {
		roots = append(roots, jnxDom+k.column)
		for n := range 4 {
			roots = append(roots, jnxDom+itoa(k.thresholds+n))
		}
		if k.lane != "" {
			roots = append(roots, jnxDomLane+k.lane)
		}
	}
	return roots
}

func fillJunosOptics(v View, r *devices.Reading) {
	for _, k := range domKinds {
		for _, c := range v.Rows(jnxDom + k.column) {
			if len(c.Index) != 1 {
				continue
			}
			at := func(n int) devices.Opt[float64] {
				return scaled(v.At(jnxDom+itoa(k.thresholds+n), c.Index...), k.scale)
			}
			s := devices.Sensor{
				Port: v.Port(c.Index[0]), Name: k.kind, Kind: k.kind, Unit: k.unit, Value: scaled(c, k.scale),
				HighAlarm: at(0), LowAlarm: at(1), HighWarn: at(2), LowWarn: at(3),
			}
			if s.HighAlarm.Value == 0 && s.LowAlarm.Value == 0 {
				continue // a module without diagnostics, or none: all is 0
			}
			lanes := 0
			for _, l := range v.Rows(jnxDomLane + k.lane) {
				if k.lane != "" && len(l.Index) == 2 && l.Index[0] == c.Index[0] {
					lanes++
					s.Lane, s.Value = int(l.Index[1])+1, scaled(l, k.scale)
					r.Sensors = append(r.Sensors, s)
				}
			}
			if lanes == 0 {
				r.Sensors = append(r.Sensors, s)
			}
		}
	}
}

// scaled returns a number times a factor.
func scaled(c Cell, by float64) devices.Opt[float64] {
	n := c.Signed()
	if !n.OK {
		return devices.None[float64]()
	}
	return devices.Some(float64(n.Value) * by)
}

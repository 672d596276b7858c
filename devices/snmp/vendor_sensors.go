package snmp

import (
	"math"
	"strconv"
	"strings"

	"whydrop/devices"
)

// Sensors of the physical entities (ENTITY-MIB, RFC 6933: entPhysicalDescr 2, entPhysicalContainedIn 4, entPhysicalName 7
// of 1.3.6.1.2.1.47.1.1.1.1; entAliasMappingIdentifier 1.3.6.1.2.1.47.1.3.2.1.2, which names the ifIndex of a port). A
// sensor belongs to the nearest entity above it that is a port.
const (
	entDescr     = "1.3.6.1.2.1.47.1.1.1.1.2"
	entContained = "1.3.6.1.2.1.47.1.1.1.1.4"
	entName      = "1.3.6.1.2.1.47.1.1.1.1.7"
	entAlias     = "1.3.6.1.2.1.47.1.3.2.1.2"
)

// entitySensors is ENTITY-SENSOR-MIB entPhySensorTable (RFC 3433, 1.3.6.1.2.1.99.1.1.1, by entPhysicalIndex): Type 1,
// Scale 2, Precision 3, Value 4, OperStatus 5 (1 ok).
var entitySensors = Table{
	Name:    "entPhySensorTable",
	MIB:     "ENTITY-SENSOR-MIB, RFC 3433",
	Cadence: Slow,
	Roots: []string{
		entSensor + "1", entSensor + "2", entSensor + "3", entSensor + "4", entSensor + "5",
		entDescr, entContained, entName, entAlias,
	},
	Part: "Sensors",
	Fill: func(v View, r *devices.Reading) {
		if len(v.Rows(ciscoSensor+"4")) == 0 { // the same sensors, with thresholds
			fillSensors(v, r, entSensor)
		}
	},
}

// ciscoSensors is CISCO-ENTITY-SENSOR-MIB entSensorValueTable (1.3.6.1.4.1.9.9.91.1.1.1.1: the same columns, and dBm) with
// the thresholds of entSensorThresholdTable (91.1.2.1.1, by entPhysicalIndex and number): Severity 2 (minor 10, major 20,
// critical 30), Relation 3 (less 1, less or equal 2, greater 3, greater or equal 4), Value 4.
var ciscoSensors = Table{
	Name:    "entSensorValueTable",
	MIB:     "CISCO-ENTITY-SENSOR-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseCisco},
	Roots: []string{
		ciscoSensor + "1", ciscoSensor + "2", ciscoSensor + "3", ciscoSensor + "4", ciscoSensor + "5",
		ciscoThreshold + "2", ciscoThreshold + "3", ciscoThreshold + "4", entDescr, entContained, entName, entAlias,
	},
	Part: "Sensors",
	Fill: func(v View, r *devices.Reading) { fillSensors(v, r, ciscoSensor) },
}

const (
	entSensor      = "1.3.6.1.2.1.99.1.1.1."
	ciscoSensor    = "1.3.6.1.4.1.9.9.91.1.1.1.1."
	ciscoThreshold = "1.3.6.1.4.1.9.9.91.1.2.1.1."
)

// sensorKinds are the values of EntitySensorDataType and SensorDataType that are measurements, with their units: 10 RPM,
// 11 m3/min, 12 truth values and 13 special enumerations are left out.
var sensorKinds = map[uint32][2]string{
	3: {"voltage", "V"}, 4: {"voltage", "V"}, 5: {"bias", "A"}, 6: {"power", "W"}, 8: {"temperature", "degC"}, 14: {"power", "dBm"},
}

func fillSensors(v View, r *devices.Reading, table string) {
	ports := aliases(v)
	for _, c := range v.Rows(table + "4") {
		kind, ok := sensorKinds[v.At(table+"1", c.Index...).Number().Value]
		if !ok || len(c.Index) != 1 {
			continue
		}
		scale := sensorScale(v.At(table+"2", c.Index...).Number().Value, v.At(table+"3", c.Index...).Signed().Value)
		s := devices.Sensor{Name: sensorName(v, c.Index[0]), Kind: kind[0], Unit: kind[1], Port: v.Port(portOfEntity(v, ports, c.Index[0]))}
		if status := v.At(table+"5", c.Index...).Number(); !status.OK || status.Value == 1 {
			s.Value = sensorValue(c, scale)
		}
		if table == ciscoSensor {
			ciscoThresholds(v, &s, c.Index[0], scale)
		}
		classify(&s)
		r.Sensors = append(r.Sensors, s)
	}
}

// sensorScale is what a value is multiplied with: the scale is 9 for units and 3 powers of ten a step (yocto 1, 10^-24),
// the precision is how many digits are behind the point (RFC 3433, section 3).
func sensorScale(scale uint32, precision int64) float64 {
	exp := 0
	if scale >= 1 && scale <= 17 {
		exp = (int(scale) - 9) * 3
	}
	if precision > 0 {
		exp -= int(precision)
	}
	return math.Pow(10, float64(exp))
}

// sensorValue returns a value that is one: IOS XR writes -32768 for what a module does not say.
func sensorValue(c Cell, scale float64) devices.Opt[float64] {
	const none = -32768
	n := c.Signed()
	if !n.OK || n.Value == none {
		return devices.None[float64]()
	}
	return devices.Some(float64(n.Value) * scale)
}

func sensorName(v View, entity uint32) string {
	name, descr := v.At(entName, entity).Text(), v.At(entDescr, entity).Text()
	switch {
	case name == "" && descr == "":
		return "sensor " + strconv.FormatUint(uint64(entity), 10)
	case name == "":
		return descr
	case descr == "" || descr == name:
		return name
	}
	return name + ": " + descr
}

// classify tells received from sent power by the sensor's name, brings power to dBm and finds the lane.
func classify(s *devices.Sensor) {
	name := strings.ToLower(s.Name)
	if s.Kind == "power" {
		s.Kind = "other"
		switch {
		case strings.Contains(name, "receive") || strings.Contains(name, "rx"):
			s.Kind = "rx_power"
		case strings.Contains(name, "transmit") || strings.Contains(name, "tx"):
			s.Kind = "tx_power"
		}
		if s.Unit == "W" && s.Kind != "other" {
			s.Unit = "dBm"
			for _, w := range []*devices.Opt[float64]{&s.Value, &s.LowAlarm, &s.LowWarn, &s.HighWarn, &s.HighAlarm} {
				if w.OK {
					*w = dBm(w.Value * 1000)
				}
			}
		}
	}
	if s.Kind == "bias" && s.Port == "" {
		s.Kind = "other" // a power supply's current
	}
	for _, word := range []string{"lane ", "lane", "channel "} {
		if _, rest, ok := strings.Cut(name, word); ok {
			end := strings.IndexFunc(rest, func(c rune) bool { return c < '0' || c > '9' })
			if end < 0 {
				end = len(rest)
			}
			if n, err := strconv.Atoi(rest[:end]); err == nil && n > 0 && n < 100 {
				s.Lane = n
				return
			}
		}
	}
}

// dBm converts milliwatts; no light has no level.
func dBm(mW float64) devices.Opt[float64] {
	if mW <= 0 {
		return devices.None[float64]()
	}
	return devices.Some(10 * math.Log10(mW))
}

// ciscoThresholds sorts a sensor's thresholds into alarms and warnings. Of two on a side the outer one is the alarm; a
// single one is what its severity says.
func ciscoThresholds(v View, s *devices.Sensor, entity uint32, scale float64) {
	for _, c := range v.Rows(ciscoThreshold + "4") {
		if len(c.Index) != 2 || c.Index[0] != entity {
			continue
		}
		value, relation := sensorValue(c, scale), v.At(ciscoThreshold+"3", c.Index...).Number().Value
		if !value.OK {
			continue
		}
		warn := v.At(ciscoThreshold+"2", c.Index...).Number().Value < 20
		switch {
		case relation >= 1 && relation <= 2 && warn:
			s.LowWarn = value
		case relation >= 1 && relation <= 2:
			s.LowAlarm = value
		case relation >= 3 && relation <= 4 && warn:
			s.HighWarn = value
		case relation >= 3 && relation <= 4:
			s.HighAlarm = value
		}
	}
}

// aliases maps entities to the ifIndex of the port that they are.
func aliases(v View) map[uint32]uint32 {
	const ifIndex = "1.3.6.1.2.1.2.2.1.1."
	out := map[uint32]uint32{}
	for _, c := range v.Rows(entAlias) {
		of, ok := strings.CutPrefix(c.OID(), ifIndex)
		n, err := strconv.ParseUint(of, 10, 32)
		if ok && err == nil && len(c.Index) > 0 {
			if _, has := out[c.Index[0]]; !has {
				out[c.Index[0]] = uint32(n)
			}
		}
	}
	return out
}

// portOfEntity returns the ifIndex of the nearest port above an entity, or beside it: on some platforms a sensor hangs on
// a module, and the port hangs on the same module. 0 if there is none, or more than one beside it.
func portOfEntity(v View, ports map[uint32]uint32, entity uint32) uint32 {
	const deepest = 8
	at := entity
	for range deepest {
		if p, ok := ports[at]; ok {
			return p
		}
		up := v.At(entContained, at).Number()
		if !up.OK || up.Value == 0 || up.Value == at {
			break
		}
		at = up.Value
	}
	// Names such as "Ethernet1/1 Transceiver Receive Power Sensor" and "DOM RX Power Sensor for Ethernet21".
	for _, column := range []string{entName, entDescr} {
		words := strings.Fields(v.At(column, entity).Text())
		n := len(words)
		if n == 0 {
			continue
		}
		if i, ok := v.PortNamed(strings.TrimSuffix(words[0], ":")); ok {
			return i
		}
		if n > 2 && words[n-2] == "for" {
			if i, ok := v.PortNamed(words[n-1]); ok {
				return i
			}
		}
	}
	return 0
}

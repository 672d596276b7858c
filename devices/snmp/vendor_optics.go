package snmp

import "whydrop/devices"

// huaweiOptics is the diagnostics of Huawei's transceivers (HUAWEI-ENTITY-EXTENT-MIB hwOpticalModuleInfoTable,
// 1.3.6.1.4.1.2011.5.25.31.1.1.3.1, by entPhysicalIndex): Temperature 5 (degC, -255 none), RxPower 8, TxPower 9, their
// low and high limits 13 to 16. Power is in 0.01 dBm where it is negative and in uW where it is positive; -1 is none.
var huaweiOptics = Table{
	Name:    "hwOpticalModuleInfoTable",
	MIB:     "HUAWEI-ENTITY-EXTENT-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseHuawei},
	Roots: []string{
		hwOptics + "5", hwOptics + "8", hwOptics + "9", hwOptics + "13", hwOptics + "14", hwOptics + "15", hwOptics + "16",
		entDescr, entContained, entName, entAlias,
	},
	Part: "Sensors",
	Fill: func(v View, r *devices.Reading) {
		ports := aliases(v)
		for _, c := range v.Rows(hwOptics + "8") {
			if len(c.Index) != 1 {
				continue
			}
			at := func(column string) Cell { return v.At(hwOptics+column, c.Index...) }
			port := v.Port(portOfEntity(v, ports, c.Index[0]))
			rx := devices.Sensor{Port: port, Name: "rx_power", Kind: "rx_power", Unit: "dBm", Value: huaweiPower(c), LowAlarm: huaweiPower(at("13")), HighAlarm: huaweiPower(at("14"))}
			tx := devices.Sensor{Port: port, Name: "tx_power", Kind: "tx_power", Unit: "dBm", Value: huaweiPower(at("9")), LowAlarm: huaweiPower(at("15")), HighAlarm: huaweiPower(at("16"))}
			if !rx.Value.OK && !tx.Value.OK {
				continue
			}
			r.Sensors = append(r.Sensors, rx, tx)
			if t := at("5").Signed(); t.OK && t.Value > -255 {
				r.Sensors = append(r.Sensors, devices.Sensor{Port: port, Name: "temperature", Kind: "temperature", Unit: "degC", Value: devices.Some(float64(t.Value))})
			}
		}
	},
}

const hwOptics = "1.3.6.1.4.1.2011.5.25.31.1.1.3.1."

func huaweiPower(c Cell) devices.Opt[float64] {
	switch n := c.Signed(); {
	case !n.OK || n.Value == -1 || n.Value == 0:
		return devices.None[float64]()
	case n.Value < 0:
		return devices.Some(float64(n.Value) / 100)
	default:
		return dBm(float64(n.Value) / 1000)
	}
}

// mikrotikOptics is the diagnostics of MikroTik's transceivers (MIKROTIK-MIB mtxrOpticalTable,
// 1.3.6.1.4.1.14988.1.1.19.1.1): Name 2, Temperature 6 (degC), TxBiasCurrent 8 (mA), TxPower 9 and RxPower 10 (0.001 dBm).
// A cage without a module, or with one that says nothing, has 0 everywhere.
var mikrotikOptics = Table{
	Name:    "mtxrOpticalTable",
	MIB:     "MIKROTIK-MIB",
	Cadence: Slow,
	Vendors: []uint32{enterpriseMikroTik},
	Roots:   []string{mtxrOptical + "2", mtxrOptical + "6", mtxrOptical + "8", mtxrOptical + "9", mtxrOptical + "10"},
	Part:    "Sensors",
	Fill: func(v View, r *devices.Reading) {
		for _, c := range v.Rows(mtxrOptical + "2") {
			i, ok := v.PortNamed(c.Text())
			if !ok || v.At(mtxrOptical+"6", c.Index...).Signed().Value == 0 {
				continue
			}
			for _, k := range []struct {
				column, kind, unit string
				scale              float64
			}{
				{"6", "temperature", "degC", 1}, {"8", "bias", "A", 1e-3}, {"9", "tx_power", "dBm", 1e-3}, {"10", "rx_power", "dBm", 1e-3},
			} {
				if n := scaled(v.At(mtxrOptical+k.column, c.Index...), k.scale); n.OK {
					r.Sensors = append(r.Sensors, devices.Sensor{Port: v.Port(i), Name: k.kind, Kind: k.kind, Unit: k.unit, Value: n})
				}
			}
		}
	},
}

const mtxrOptical = "1.3.6.1.4.1.14988.1.1.19.1.1."

package snmp

import (
	"slices"
	"strconv"

	"whydrop/devices"
)

// Enterprise numbers (IANA, private enterprise numbers).
const (
	enterpriseCisco    = 9
	enterpriseHP       = 11
	enterpriseFoundry  = 1991
	enterpriseHuawei   = 2011
	enterpriseJuniper  = 2636
	enterpriseForce10  = 6027
	enterpriseFortinet = 12356
	enterpriseMikroTik = 14988
	enterprisePaloAlto = 25461
	enterpriseH3C      = 25506
	enterpriseArista   = 30065
)

// fillIn takes a counter where no other table gave one.
func fillIn(into *devices.Opt[devices.Counter], c devices.Opt[devices.Counter]) {
	if !into.OK {
		*into = c
	}
}

// interfaceOf returns the interface of a reading; nil if it is not in it.
func interfaceOf(r *devices.Reading, ifIndex uint32) *devices.Interface {
	n := slices.IndexFunc(r.Interfaces, func(i devices.Interface) bool { return i.Index.OK && i.Index.Value == ifIndex })
	if n < 0 {
		return nil
	}
	return &r.Interfaces[n]
}

// ratio returns part of whole; not given if the whole is 0 or less than the part.
func ratio(part, whole devices.Opt[uint64]) devices.Opt[float64] {
	if !part.OK || !whole.OK || whole.Value == 0 || part.Value > whole.Value {
		return devices.None[float64]()
	}
	return devices.Some(float64(part.Value) / float64(whole.Value))
}

// percent returns a number of per cent as a ratio; not given beyond 100.
func percent(c Cell) devices.Opt[float64] {
	n := c.Number()
	if !n.OK || n.Value > 100 {
		return devices.None[float64]()
	}
	return devices.Some(float64(n.Value) / 100)
}

// busier keeps the greater of two ratios.
func busier(into *devices.Opt[float64], n devices.Opt[float64]) {
	if n.OK && (!into.OK || n.Value > into.Value) {
		*into = n
	}
}

// fuller is how full a memory is of which used and free are given; busier keeps the fullest.
func fuller(into *devices.Opt[float64], used, free devices.Opt[uint64]) {
	if used.OK && free.OK {
		busier(into, ratio(used, devices.Some(used.Value+free.Value)))
	}
}

// watchedFirst says that the first arc of a row's index is the ifIndex of a port that is wanted.
func watchedFirst(v View, index []uint32) bool { return len(index) > 0 && v.Wants(index[0]) }

// itoa writes a column's number.
func itoa(n int) string { return strconv.Itoa(n) }

package snmp

import (
	"bytes"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// value is what a device gave of one object. The zero value is of an object that nothing was heard of.
type value struct {
	typ    gosnmp.Asn1BER
	number uint64 // of a number; an INTEGER's as two's complement
	other  any    // of everything else, as gosnmp has it: []byte, string, float32, float64
}

// valueOf returns a value that gosnmp decoded.
func valueOf(p gosnmp.SnmpPDU) value {
	switch n := p.Value.(type) {
	case int:
		return value{typ: p.Type, number: uint64(n)}
	case uint:
		return value{typ: p.Type, number: uint64(n)}
	case uint32:
		return value{typ: p.Type, number: uint64(n)}
	case uint64:
		return value{typ: p.Type, number: n}
	case nil:
		if v := (value{typ: p.Type}); v.given() || !v.heard() {
			return value{typ: gosnmp.Null}
		}
	}
	return value{typ: p.Type, other: p.Value}
}

// heard says whether anything at all was heard of the object, be it that it is not there.
func (v value) heard() bool { return v.typ != 0 }

// given says whether the device gave a value at all: noSuchObject, noSuchInstance, endOfMibView and NULL are
// "not given", which is never 0.
func (v value) given() bool {
	switch v.typ {
	case 0, gosnmp.NoSuchObject, gosnmp.NoSuchInstance, gosnmp.EndOfMibView, gosnmp.Null:
		return false
	}
	return true
}

// counter returns a Counter32 or a Counter64; its width is what the device sent, not what the MIB says. A value
// of any other type in a counter's column is not believed.
func (v value) counter() devices.Opt[devices.Counter] {
	switch {
	case v.other != nil:
	case v.typ == gosnmp.Counter32 && v.number <= 1<<32-1:
		return devices.C32(v.number)
	case v.typ == gosnmp.Counter64:
		return devices.C64(v.number)
	}
	return devices.None[devices.Counter]()
}

// gauge returns an INTEGER, Gauge32, Unsigned32 or TimeTicks that is not negative and fits 32 bits.
func (v value) gauge() devices.Opt[uint32] {
	switch v.typ {
	case gosnmp.Integer, gosnmp.Gauge32, gosnmp.Uinteger32, gosnmp.TimeTicks:
		if v.number <= 1<<32-1 && v.other == nil {
			return devices.Some(uint32(v.number))
		}
	}
	return devices.None[uint32]()
}

// octets returns an OCTET STRING as it came; false for everything else.
func (v value) octets() ([]byte, bool) {
	b, ok := v.other.([]byte)
	return b, ok && v.typ == gosnmp.OctetString
}

// text returns an OCTET STRING without the NULs that some agents pad it with. It is hostile.
func (v value) text() devices.Opt[string] {
	b, ok := v.octets()
	if !ok {
		return devices.None[string]()
	}
	return devices.Some(string(bytes.TrimRight(b, "\x00")))
}

// object returns an object identifier, if one was given.
func (v value) object() devices.Opt[string] {
	id := Cell{value: v}.OID()
	return devices.Opt[string]{Value: id, OK: id != ""}
}

// same says whether two values are the same.
func (v value) same(o value) bool {
	if v.typ != o.typ || v.number != o.number {
		return false
	}
	b, isOctets := v.other.([]byte)
	c, are := o.other.([]byte)
	if isOctets || are {
		return isOctets == are && bytes.Equal(b, c)
	}
	return v.other == o.other
}

package snmp

import (
	"bytes"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// given says whether the device gave a value at all: noSuchObject, noSuchInstance, endOfMibView and NULL are
// "not given", which is never 0.
func given(v gosnmp.SnmpPDU) bool {
	switch v.Type {
	case gosnmp.NoSuchObject, gosnmp.NoSuchInstance, gosnmp.EndOfMibView, gosnmp.Null, gosnmp.EndOfContents:
		return false
	}
	return true
}

// counter returns a Counter32 or a Counter64; its width is what the device sent, not what the MIB says. A value
// of any other type in a counter's column is not believed.
func counter(v gosnmp.SnmpPDU) devices.Opt[devices.Counter] {
	switch v.Type {
	case gosnmp.Counter32:
		if n, ok := unsigned(v.Value); ok && n <= 1<<32-1 {
			return devices.C32(n)
		}
	case gosnmp.Counter64:
		if n, ok := unsigned(v.Value); ok {
			return devices.C64(n)
		}
	}
	return devices.None[devices.Counter]()
}

// number returns an INTEGER, Gauge32, Unsigned32 or TimeTicks that is not negative and fits 32 bits.
func number(v gosnmp.SnmpPDU) devices.Opt[uint32] {
	switch v.Type {
	case gosnmp.Integer, gosnmp.Gauge32, gosnmp.Uinteger32, gosnmp.TimeTicks:
		if n, ok := unsigned(v.Value); ok && n <= 1<<32-1 {
			return devices.Some(uint32(n))
		}
	}
	return devices.None[uint32]()
}

// text returns an OCTET STRING without the NULs that some agents pad it with. It is hostile.
func text(v gosnmp.SnmpPDU) (string, bool) {
	b, ok := v.Value.([]byte)
	if !ok || v.Type != gosnmp.OctetString {
		return "", false
	}
	return string(bytes.TrimRight(b, "\x00")), true
}

// words returns a text, if one was given.
func words(v gosnmp.SnmpPDU) devices.Opt[string] {
	t, ok := text(v)
	return devices.Opt[string]{Value: t, OK: ok}
}

// object returns an object identifier, if one was given.
func object(v gosnmp.SnmpPDU) devices.Opt[string] {
	id := Cell{value: v}.OID()
	return devices.Opt[string]{Value: id, OK: id != ""}
}

// unsigned accepts each of the types that gosnmp uses for numbers.
func unsigned(v any) (uint64, bool) {
	switch n := v.(type) {
	case int:
		return uint64(n), n >= 0
	case uint:
		return uint64(n), true
	case uint32:
		return uint64(n), true
	case uint64:
		return n, true
	}
	return 0, false
}

package snmptest

import (
	"net/netip"

	"github.com/gosnmp/gosnmp"
)

// Value is what an object holds. The zero Value is "no such instance".
type Value struct {
	typ   gosnmp.Asn1BER
	value any
}

// IsZero says whether there is no value.
func (v Value) IsZero() bool { return v.typ == 0 }

// Int returns an INTEGER (Integer32, an enumeration or a TruthValue).
func Int(n int) Value { return Value{gosnmp.Integer, n} }

// Str returns an OCTET STRING.
func Str(s string) Value { return Value{gosnmp.OctetString, []byte(s)} }

// Bytes returns an OCTET STRING of raw octets, such as a MAC address.
func Bytes(b []byte) Value { return Value{gosnmp.OctetString, append([]byte(nil), b...)} }

// OID returns an OBJECT IDENTIFIER; a leading dot may be left out.
func OID(oid string) Value { return Value{gosnmp.ObjectIdentifier, oid} }

// C32 returns a Counter32.
func C32(n uint32) Value { return Value{gosnmp.Counter32, n} }

// C64 returns a Counter64.
func C64(n uint64) Value { return Value{gosnmp.Counter64, n} }

// Gauge returns a Gauge32 (Unsigned32).
func Gauge(n uint32) Value { return Value{gosnmp.Gauge32, n} }

// Ticks returns TimeTicks, in 1/100 s.
func Ticks(n uint32) Value { return Value{gosnmp.TimeTicks, n} }

// IP returns an IpAddress; a must be IPv4.
func IP(a netip.Addr) Value { return Value{gosnmp.IPAddress, a.AsSlice()} }

// Null returns a NULL, which no object should hold and some agents send.
func Null() Value { return Value{gosnmp.Null, nil} }

func (v Value) pdu(oid string) gosnmp.SnmpPDU {
	if v.IsZero() {
		return gosnmp.SnmpPDU{Name: oid, Type: gosnmp.NoSuchInstance}
	}
	return gosnmp.SnmpPDU{Name: oid, Type: v.typ, Value: v.value}
}

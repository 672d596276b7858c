package fast

import (
	"reflect"
	"testing"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/ber"
)

// asked are the objects of the tests: a short and a long identifier, and one with arcs of several octets.
var asked = []string{"1.3.6.1.2.1.31.1.1.1.6.10101", "1.3.6.1.2.1.2.2.1.14.4294967295", ".1.3.6.1.4.1.9.9.276.1.1.2.1.4.7"}

const askedID = 0x40000007

func response(t testing.TB, status gosnmp.SNMPError, binds ...gosnmp.SnmpPDU) []byte {
	t.Helper()
	p := gosnmp.SnmpPacket{Version: gosnmp.Version2c, Community: "c", PDUType: gosnmp.GetResponse, RequestID: askedID, Error: status, Variables: binds}
	b, err := p.MarshalMsg()
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func bind(n int, typ gosnmp.Asn1BER, v any) gosnmp.SnmpPDU {
	return gosnmp.SnmpPDU{Name: asked[n], Type: typ, Value: v}
}

// raw is a response with the given variable bindings as octets.
func raw(binds []byte) []byte {
	pdu := append([]byte{ber.Integer, 4, 0x40, 0, 0, 7, ber.Integer, 1, 0, ber.Integer, 1, 0}, ber.AppendHeader(nil, ber.Sequence, len(binds))...)
	pdu = append(pdu, binds...)
	msg := append([]byte{ber.Integer, 1, V2c, ber.Octets, 1, 'c'}, ber.AppendHeader(nil, ber.Response, len(pdu))...)
	msg = append(msg, pdu...)
	return append(ber.AppendHeader(nil, ber.Sequence, len(msg)), msg...)
}

// rawBind is the binding of asked[n] with a value as octets.
func rawBind(n int, value ...byte) []byte {
	o, err := ber.AppendOID(nil, asked[n])
	if err != nil {
		panic(err)
	}
	return append(append(ber.AppendHeader(nil, ber.Sequence, len(o)+len(value)), o...), value...)
}

func rawBinds(value ...byte) []byte {
	return append(append(rawBind(0, value...), rawBind(1, ber.Integer, 1, 1)...), rawBind(2, Counter32, 1, 1)...)
}

// messages are answers to asked: what agents send, rightly and wrongly.
func messages(t testing.TB) map[string][]byte {
	c64, c32, n := bind(0, gosnmp.Counter64, uint64(1)<<63), bind(1, gosnmp.Counter32, uint(1<<32-1)), bind(2, gosnmp.Integer, -5)
	whole := response(t, gosnmp.NoError, c64, c32, n)
	twice := append(append([]byte(nil), whole...), 0)
	return map[string][]byte{
		"three numbers":                     whole,
		"gauges and ticks":                  response(t, gosnmp.NoError, bind(0, gosnmp.Gauge32, uint(7)), bind(1, gosnmp.TimeTicks, uint32(1<<31)), n),
		"objects that are not there":        response(t, gosnmp.NoError, bind(0, gosnmp.NoSuchInstance, nil), bind(1, gosnmp.NoSuchObject, nil), n),
		"the end of the MIB":                response(t, gosnmp.NoError, bind(0, gosnmp.EndOfMibView, nil), c32, n),
		"a text":                            response(t, gosnmp.NoError, c64, c32, bind(2, gosnmp.OctetString, []byte("12"))),
		"a long text":                       response(t, gosnmp.NoError, bind(0, gosnmp.OctetString, make([]byte, 300)), c32, bind(2, gosnmp.OctetString, []byte{})),
		"a text longer than its binding":    raw(rawBinds(4, 3, 'a', 'b')),
		"a NULL":                            response(t, gosnmp.NoError, c64, bind(1, gosnmp.Null, nil), n),
		"another order":                     response(t, gosnmp.NoError, c32, c64, n),
		"one too few":                       response(t, gosnmp.NoError, c64, c32),
		"one too many":                      response(t, gosnmp.NoError, c64, c32, n, n),
		"an error":                          response(t, gosnmp.TooBig),
		"an error with its objects":         response(t, gosnmp.GenErr, c64, c32, n),
		"nothing":                           response(t, gosnmp.NoError),
		"cut short":                         whole[:len(whole)-1],
		"an octet too many":                 twice,
		"Counter64 in nine octets":          raw(rawBinds(Counter64, 9, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1e, 0xe5, 0x3a)),
		"Counter64 in nine octets, too big": raw(rawBinds(Counter64, 9, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0x1e, 0xe5, 0x3a)),
		"Counter32 of two octets, all ones": raw(rawBinds(Counter32, 2, 0xff, 0xff)),
		"Counter32 in five octets":          raw(rawBinds(Counter32, 5, 0, 0xff, 0xff, 0xff, 0xff)),
		"Counter32 of 40 bits":              raw(rawBinds(Counter32, 5, 1, 0, 0, 0, 0)),
		"a counter without octets":          raw(rawBinds(Counter32, 0)),
		"an integer without octets":         raw(rawBinds(ber.Integer, 0)),
		"an integer of eight octets":        raw(rawBinds(ber.Integer, 8, 1, 2, 3, 4, 5, 6, 7, 8)),
		"a length in the long form":         raw(rawBinds(Counter32, 0x81, 1, 7)),
		"a value longer than its binding":   raw(rawBinds(Counter32, 2, 7)),
		"an octet after the value":          raw(rawBinds(Counter32, 1, 7, 0)),
		"opaque":                            raw(rawBinds(0x44, 7, 0x9f, 0x78, 4, 0x42, 0xf6, 0, 0)),
	}
}

// compare holds a message against gosnmp: what is accepted must be what gosnmp reads.
func compare(t *testing.T, msg []byte) (accepted bool) {
	t.Helper()
	r, err := NewRequest(asked)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCommunity(V2c, "c")
	if err != nil {
		t.Fatal(err)
	}
	var v Values
	if id, ok := c.identify(msg); !ok || id != askedID {
		return false
	}
	pdu, ok := c.open(msg)
	if !ok || !r.Decode(pdu, askedID, &v) {
		return false
	}
	p, err := (&gosnmp.GoSNMP{Version: gosnmp.Version2c}).SnmpDecodePacket(append([]byte(nil), msg...))
	if err != nil {
		t.Fatalf("%x is accepted, and gosnmp says %v", msg, err)
	}
	if p.PDUType != gosnmp.GetResponse || p.RequestID != askedID || p.Error != gosnmp.NoError || len(p.Variables) != len(asked) {
		t.Fatalf("%x is accepted, and gosnmp reads %v %v %v with %d variables", msg, p.PDUType, p.RequestID, p.Error, len(p.Variables))
	}
	for i, got := range p.Variables {
		if want := "." + asked[i]; got.Name != want && got.Name != asked[i] {
			t.Errorf("object %d: gosnmp reads %s, asked was %s", i, got.Name, asked[i])
		}
		if byte(got.Type) != v.Tags[i] || !reflect.DeepEqual(v.Value(i), got.Value) {
			t.Errorf("object %d of %x: got %#x %d, gosnmp reads %v %#v", i, msg, v.Tags[i], v.Numbers[i], got.Type, got.Value)
		}
	}
	return true
}

// TestDecode names the answers that are understood here; the others are gosnmp's.
func TestDecode(t *testing.T) {
	understood := map[string]bool{
		"three numbers": true, "gauges and ticks": true, "a text": true, "a long text": true, "objects that are not there": true,
		"Counter64 in nine octets": true, "Counter32 of two octets, all ones": true, "Counter32 in five octets": true,
	}
	for name, msg := range messages(t) {
		t.Run(name, func(t *testing.T) {
			if got := compare(t, msg); got != understood[name] {
				t.Errorf("accepted: got %t, want %t", got, understood[name])
			}
		})
	}
}

func FuzzDecode(f *testing.F) {
	for _, msg := range messages(f) {
		f.Add(msg)
	}
	f.Fuzz(func(t *testing.T, msg []byte) { compare(t, msg) })
}

// FuzzUser feeds the reader of v3 messages, whose first parts are read before they are proven.
func FuzzUser(f *testing.F) {
	u := testUser()
	c, err := newUser(u)
	if err != nil {
		f.Fatal(err)
	}
	r, err := NewRequest(asked)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(c.encode(nil, r, askedID))
	plain := u
	plain.Hash, plain.PrivKey = nil, nil
	open, err := newUser(plain)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(open.encode(nil, r, askedID))
	f.Fuzz(func(t *testing.T, msg []byte) {
		for _, c := range []*codec{c, open} {
			b := append([]byte(nil), msg...)
			if id, ok := c.identify(b); ok {
				if pdu, ok := c.open(b); ok {
					var v Values
					r.Decode(pdu, id, &v)
				}
			}
		}
	})
}

func TestRequestsAreThoseOfGosnmp(t *testing.T) {
	r, err := NewRequest(asked)
	if err != nil {
		t.Fatal(err)
	}
	c, err := newCommunity(V2c, "public")
	if err != nil {
		t.Fatal(err)
	}
	p := gosnmp.SnmpPacket{Version: gosnmp.Version2c, Community: "public", PDUType: gosnmp.GetRequest, RequestID: askedID}
	for _, id := range asked {
		p.Variables = append(p.Variables, gosnmp.SnmpPDU{Name: id, Type: gosnmp.Null})
	}
	want, err := p.MarshalMsg()
	if err != nil {
		t.Fatal(err)
	}
	if got := c.encode(nil, r, askedID); string(got) != string(want) {
		t.Errorf("got  %x\nwant %x", got, want)
	}
}

func TestNamesThatAreNone(t *testing.T) {
	for _, id := range []string{"", ".", "1", "1.3.x", "3.1", "1.40.1", "1.3.4294967296", "1..3"} {
		if _, err := NewRequest([]string{id}); err == nil {
			t.Errorf("%q was taken for an object identifier", id)
		}
	}
	if _, err := NewRequest(nil); err == nil {
		t.Error("a request for nothing was made")
	}
}

func BenchmarkDecode(b *testing.B) {
	var ids []string
	var binds []gosnmp.SnmpPDU
	for n := range 60 {
		ids = append(ids, "1.3.6.1.2.1.31.1.1.1.6."+string(rune('1'+n%9))+"0101")
		binds = append(binds, gosnmp.SnmpPDU{Name: ids[n], Type: gosnmp.Counter64, Value: uint64(n) << 40})
	}
	msg := response(b, gosnmp.NoError, binds...)
	r, err := NewRequest(ids)
	if err != nil {
		b.Fatal(err)
	}
	c, _ := newCommunity(V2c, "c")
	pdu, _ := c.open(msg)
	var v Values
	b.ReportAllocs()
	for b.Loop() {
		if !r.Decode(pdu, askedID, &v) {
			b.Fatal("not understood")
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(ids)), "ns/varbind")
}

package fast

import (
	"bytes"

	"whydrop/devices/snmp/internal/ber"
)

// Tags of values that Decode gives. NoSuchObject and NoSuchInstance stand for "not given".
const (
	Integer        = 0x02 // Numbers holds the two's complement of 64 bits
	Octets         = 0x04 // Numbers holds where in Text it is
	Counter32      = 0x41
	Gauge32        = 0x42
	TimeTicks      = 0x43
	Counter64      = 0x46
	NoSuchObject   = 0x80
	NoSuchInstance = 0x81
)

// Values are those of one answer in the order in which they were asked for.
type Values struct {
	Tags    []byte   // one of the constants above
	Numbers []uint64 // 0 where the tag says that nothing was given
	Text    []byte   // all octet strings, one after the other
}

func (v *Values) reset(n int) {
	if cap(v.Tags) < n {
		v.Tags, v.Numbers = make([]byte, n), make([]uint64, n)
	}
	v.Tags, v.Numbers, v.Text = v.Tags[:n], v.Numbers[:n], v.Text[:0]
}

// Decode reads the response PDU in b, which must end where b ends, and must be the answer to the request with the
// identifier id: no error, the same objects in the same order, each a number, an octet string or not given. It returns false for
// anything else and leaves v undefined then. It keeps no reference to b.
func (r *Request) Decode(b []byte, id uint32, v *Values) bool {
	pdu, rest, ok := ber.Take(b, ber.Response)
	if !ok || len(rest) != 0 {
		return false
	}
	got, pdu, ok := ber.TakeUint(pdu)
	if !ok || got != id {
		return false
	}
	for range 2 { // error-status, error-index
		var n uint32
		if n, pdu, ok = ber.TakeUint(pdu); !ok || n != 0 {
			return false
		}
	}
	binds, rest, ok := ber.Take(pdu, ber.Sequence)
	if !ok || len(rest) != 0 {
		return false
	}
	v.reset(len(r.oids))
	for i, at := range r.oids {
		var bind []byte
		if bind, binds, ok = take(binds); !ok {
			return false
		}
		oid := r.pdu[at.from:at.to]
		if !bytes.HasPrefix(bind, oid) {
			return false
		}
		value := bind[len(oid):]
		if len(value) > 0 && value[0] == Octets {
			text, rest, ok := ber.Take(value, ber.Octets)
			if !ok || len(rest) != 0 {
				return false
			}
			v.Tags[i], v.Numbers[i] = Octets, uint64(len(v.Text))<<32|uint64(len(text))
			v.Text = append(v.Text, text...)
			continue
		}
		if v.Tags[i], v.Numbers[i], ok = number(value); !ok {
			return false
		}
	}
	return len(binds) == 0
}

// take is ber.Take of a sequence, which is nearly always one whose length is in short form (X.690, section 8.1.3.4).
func take(b []byte) (content, rest []byte, ok bool) {
	const header, short = 2, 0x80
	if len(b) > header && b[0] == ber.Sequence && b[1] < short && int(b[1]) <= len(b)-header {
		end := header + int(b[1])
		return b[header:end], b[end:], true
	}
	return ber.Take(b, ber.Sequence)
}

// number reads a value that fills b.
func number(b []byte) (tag byte, n uint64, ok bool) {
	if len(b) < 2 || int(b[1]) != len(b)-2 {
		return 0, 0, false
	}
	tag, b = b[0], b[2:]
	most := 4
	switch tag {
	case NoSuchObject, NoSuchInstance:
		return tag, 0, len(b) == 0
	case Integer:
		if len(b) == 0 || len(b) > most {
			return 0, 0, false
		}
		s := int64(int8(b[0]))
		for _, o := range b[1:] {
			s = s<<8 | int64(o)
		}
		return tag, uint64(s), true
	case Counter64:
		most = 8
	case Counter32, Gauge32, TimeTicks:
	default:
		return 0, 0, false
	}
	// An unsigned value may have one leading octet of zeros, and agents that leave it out mean no sign.
	if len(b) == 0 || len(b) > most+1 || len(b) == most+1 && b[0] != 0 {
		return 0, 0, false
	}
	for _, o := range b {
		n = n<<8 | uint64(o)
	}
	return tag, n, true
}

// Value returns a value in the type that gosnmp gives to one of its tag; nil where nothing was given. Octets are a copy.
func (v *Values) Value(i int) any {
	n := v.Numbers[i]
	switch v.Tags[i] {
	case Integer:
		return int(n)
	case Counter32, Gauge32:
		return uint(n)
	case TimeTicks:
		return uint32(n)
	case Counter64:
		return n
	case Octets:
		return append([]byte{}, v.Octets(i)...)
	}
	return nil
}

// Octets returns the octet string of one whose tag is Octets. It is valid until the next answer.
func (v *Values) Octets(i int) []byte {
	n := v.Numbers[i]
	return v.Text[n>>32 : n>>32+n&0xffffffff]
}

package trap

import (
	"errors"

	"github.com/gosnmp/gosnmp"
)

// The outermost of a message is read here: enough to choose the keys, or to answer without understanding the rest.

var errBER = errors.New("not well-formed")

// Tags of ASN.1 that messages are made of (X.690, RFC 3416).
const (
	tagInteger  = 0x02
	tagOctets   = 0x04
	tagSequence = 0x30
	tagResponse = 0xa2
	tagInform   = 0xa6
)

// element reads one element with the tag at the front of b: what is in it and what follows it.
func element(b []byte, tag byte) (inside, rest []byte, err error) {
	if len(b) < 2 || b[0] != tag {
		return nil, nil, errBER
	}
	n, head := int(b[1]), 2
	if n >= 0x80 {
		size := n & 0x7f
		if size == 0 || size > 4 || len(b) < 2+size {
			return nil, nil, errBER
		}
		n = 0
		for _, c := range b[2 : 2+size] {
			n = n<<8 | int(c)
		}
		head += size
	}
	if n < 0 || len(b)-head < n {
		return nil, nil, errBER
	}
	return b[head : head+n], b[head+n:], nil
}

// integer reads an integer that is not negative.
func integer(b []byte) (v uint32, rest []byte, err error) {
	in, rest, err := element(b, tagInteger)
	if err != nil || len(in) == 0 || len(in) > 5 || in[0]&0x80 != 0 {
		return 0, nil, errBER
	}
	for _, c := range in {
		v = v<<8 | uint32(c)
	}
	return v, rest, nil
}

func versionOf(b []byte) (gosnmp.SnmpVersion, error) {
	in, _, err := element(b, tagSequence)
	if err != nil {
		return 0, err
	}
	v, _, err := integer(in)
	if err != nil || v != 0 && v != 1 && v != 3 {
		return 0, errBER
	}
	return gosnmp.SnmpVersion(v), nil //nolint:gosec // it is 0, 1 or 3
}

// header is what stands in front of a message of version 3 (RFC 3412, section 6; RFC 3414, section 2.4).
type header struct {
	id          uint32
	flags       gosnmp.SnmpV3MsgFlags
	engine      string
	boots, time uint32
	user        string
}

func headerOf(b []byte) (h header, err error) {
	fail := func(e error) { err = errors.Join(err, e) }
	step := func(in []byte, tag byte) ([]byte, []byte) {
		inside, rest, e := element(in, tag)
		fail(e)
		return inside, rest
	}
	number := func(in []byte) (uint32, []byte) {
		v, rest, e := integer(in)
		fail(e)
		return v, rest
	}
	msg, _ := step(b, tagSequence)
	_, msg = number(msg) // version
	global, msg := step(msg, tagSequence)
	h.id, global = number(global)
	_, global = number(global) // msgMaxSize
	flags, global := step(global, tagOctets)
	model, _ := number(global)
	if len(flags) != 1 || model != uint32(gosnmp.UserSecurityModel) {
		return h, errBER
	}
	h.flags = gosnmp.SnmpV3MsgFlags(flags[0])
	params, _ := step(msg, tagOctets)
	usm, _ := step(params, tagSequence)
	engine, usm := step(usm, tagOctets)
	h.boots, usm = number(usm)
	h.time, usm = number(usm)
	name, _ := step(usm, tagOctets)
	h.engine, h.user = string(engine), string(name)
	return h, err
}

// answered makes the answer of a version 2c inform: the same message as a response (RFC 3416, section 4.2.7).
func answered(b []byte) []byte {
	out := append([]byte(nil), b...)
	in, _, err := element(out, tagSequence)
	if err != nil {
		return nil
	}
	if _, in, err = element(in, tagInteger); err != nil {
		return nil
	}
	if _, in, err = element(in, tagOctets); err != nil || len(in) == 0 || in[0] != tagInform {
		return nil
	}
	in[0] = tagResponse // a part of out
	return out
}

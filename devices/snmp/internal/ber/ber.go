// Package ber reads and writes the basic encoding rules as SNMP uses them (X.690; RFC 3417, section 8): definite
// lengths, and no more of the types than messages of numbers need.
package ber

import (
	"fmt"
	"strconv"
	"strings"
)

// Tags (X.690; RFC 2578, section 7.1; RFC 3416, section 3).
const (
	Integer  = 0x02
	Octets   = 0x04
	Null     = 0x05
	OID      = 0x06
	Sequence = 0x30
	Get      = 0xa0
	GetNext  = 0xa1
	Response = 0xa2
	GetBulk  = 0xa5
)

// AppendHeader appends a tag and a definite length in its shortest form.
func AppendHeader(b []byte, tag byte, n int) []byte {
	switch {
	case n < 0x80:
		return append(b, tag, byte(n))
	case n < 0x100:
		return append(b, tag, 0x81, byte(n))
	}
	return append(b, tag, 0x82, byte(n>>8), byte(n))
}

// HeaderLen is how many octets AppendHeader appends.
func HeaderLen(n int) int {
	switch {
	case n < 0x80:
		return 2
	case n < 0x100:
		return 3
	}
	return 4
}

// AppendUint appends an INTEGER that is not negative in its shortest form.
func AppendUint(b []byte, v uint32) []byte {
	n := UintLen(v)
	b = append(b, Integer, byte(n))
	for i := n - 1; i >= 0; i-- {
		b = append(b, byte(uint64(v)>>(8*i)))
	}
	return b
}

// UintLen is how many octets of content AppendUint appends: one more where the top bit would make it negative.
func UintLen(v uint32) int {
	n := 1
	for x := uint64(v) >> 7; x > 0; x >>= 8 {
		n++
	}
	return n
}

// AppendOID appends an OBJECT IDENTIFIER (X.690, section 8.19), given with or without a leading dot.
func AppendOID(b []byte, id string) ([]byte, error) {
	const maxArcs = 128 // RFC 2578, section 3.5
	var content [5 * maxArcs]byte
	out := content[:0]
	var first uint64
	n := 0
	for arc := range strings.SplitSeq(strings.TrimPrefix(id, "."), ".") {
		v, err := strconv.ParseUint(arc, 10, 32)
		if err != nil || n >= maxArcs {
			return nil, fmt.Errorf("%.60q is not an object identifier", id)
		}
		n++
		if n == 1 {
			first = v
			continue
		}
		if n == 2 {
			if first > 2 || first < 2 && v >= 40 {
				return nil, fmt.Errorf("%.60q is not an object identifier", id)
			}
			v += 40 * first
		}
		for shift := 63; shift > 0; shift -= 7 {
			if v>>shift != 0 {
				out = append(out, byte(v>>shift)|0x80)
			}
		}
		out = append(out, byte(v)&0x7f)
	}
	if n < 2 {
		return nil, fmt.Errorf("%.60q is not an object identifier", id)
	}
	return append(AppendHeader(b, OID, len(out)), out...), nil
}

// Take returns the content of the element at the start of b, which must have the tag, and what follows it.
func Take(b []byte, tag byte) (content, rest []byte, ok bool) {
	if len(b) < 2 || b[0] != tag {
		return nil, nil, false
	}
	n, at := int(b[1]), 2
	switch {
	case n < 0x80:
	case n == 0x81 && len(b) > 2:
		n, at = int(b[2]), 3
	case n == 0x82 && len(b) > 3:
		n, at = int(b[2])<<8|int(b[3]), 4
	default:
		return nil, nil, false
	}
	if n > len(b)-at {
		return nil, nil, false
	}
	return b[at : at+n], b[at+n:], true
}

// TakeUint reads an INTEGER of at most 32 bits that is not negative.
func TakeUint(b []byte) (v uint32, rest []byte, ok bool) {
	c, rest, ok := Take(b, Integer)
	if !ok || len(c) == 0 || c[0] >= 0x80 || len(c) > 5 || len(c) == 5 && c[0] != 0 {
		return 0, nil, false
	}
	for _, o := range c {
		v = v<<8 | uint32(o)
	}
	return v, rest, true
}

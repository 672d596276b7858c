// Package oid orders object identifiers. It packs them with four octets an arc, so that the order of the packed
// strings is the lexicographic order of the MIB (RFC 3416, section 4.2.2) and a prefix of an identifier is a
// prefix of the string.
package oid

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// maxArcs is the most arcs an object identifier may have (RFC 2578, section 3.5).
const maxArcs = 128

// Pack packs an identifier as people write it, with or without a leading dot.
func Pack(s string) (string, error) {
	out := make([]byte, 0, 64)
	for arc := range strings.SplitSeq(strings.TrimPrefix(s, "."), ".") {
		n, err := strconv.ParseUint(arc, 10, 32)
		if err != nil || len(out) >= 4*maxArcs {
			return "", fmt.Errorf("%.60q is not an object identifier", s)
		}
		out = binary.BigEndian.AppendUint32(out, uint32(n))
	}
	return string(out), nil
}

// Unpack returns the packed identifier as people write it, without a leading dot.
func Unpack(packed string) string {
	var b []byte
	for i := 0; i+4 <= len(packed); i += 4 {
		if i > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, uint64(binary.BigEndian.Uint32([]byte(packed[i:i+4]))), 10)
	}
	return string(b)
}

// Arcs returns the arcs of a packed identifier.
func Arcs(packed string) []uint32 {
	out := make([]uint32, 0, len(packed)/4)
	for i := 0; i+4 <= len(packed); i += 4 {
		out = append(out, binary.BigEndian.Uint32([]byte(packed[i:i+4])))
	}
	return out
}

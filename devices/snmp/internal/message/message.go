// Package message reads as much of an SNMP message's frame as can be read without a key: version, message and
// request identifiers, security level, engine and the error object of a Report. It decodes no values; that is
// left to gosnmp. Sources: RFC 3416 (PDU), RFC 3412, section 6 (SNMPv3 message), RFC 3414, section 2.4 (USM
// parameters), X.690 (BER, definite lengths).
package message

import (
	"errors"
	"strconv"
	"strings"
)

// Versions of SNMP as they stand in a message.
const (
	Version1  = 0
	Version2c = 1
	Version3  = 3
)

// Bits of Header.Flags (RFC 3412, section 6.4).
const (
	FlagAuth       = 1
	FlagPriv       = 2
	FlagReportable = 4
)

// Tags of the PDUs (RFC 3416, section 3).
const (
	TagGet      = 0xa0
	TagGetNext  = 0xa1
	TagResponse = 0xa2
	TagSet      = 0xa3
	TagGetBulk  = 0xa5
	TagReport   = 0xa8
)

// Header is the frame of one message. The community of a v2c message is not kept.
type Header struct {
	Version int
	// PDU is the tag of the PDU; 0 if it is encrypted.
	PDU byte
	// RequestID is the PDU's own identifier; not set if the PDU is encrypted.
	RequestID uint32
	// FirstOID names the first variable binding without a leading dot; "" if there is none or it is encrypted.
	FirstOID string

	// The rest is of version 3 only.
	MsgID    uint32
	MaxSize  uint32
	Flags    byte
	EngineID string
	Boots    uint32
	Time     uint32
	User     string
}

var errShort = errors.New("message is cut short or malformed")

// Parse reads the frame of one datagram. It never panics and keeps no reference to b.
func Parse(b []byte) (Header, error) {
	var h Header
	seq, _, err := take(b, 0x30)
	if err != nil {
		return h, err
	}
	v, rest, err := integer(seq)
	if err != nil {
		return h, err
	}
	h.Version = int(v)
	if h.Version == Version3 {
		return h, h.parseV3(rest)
	}
	if _, rest, err = take(rest, 0x04); err != nil { // community
		return h, err
	}
	return h, h.parsePDU(rest)
}

func (h *Header) parseV3(b []byte) error {
	global, rest, err := take(b, 0x30)
	if err != nil {
		return err
	}
	if h.MsgID, global, err = integer(global); err != nil {
		return err
	}
	if h.MaxSize, global, err = integer(global); err != nil {
		return err
	}
	flags, _, err := take(global, 0x04)
	if err != nil {
		return err
	}
	if len(flags) != 1 {
		return errShort
	}
	h.Flags = flags[0]
	security, rest, err := take(rest, 0x04)
	if err != nil {
		return err
	}
	if err := h.parseUSM(security); err != nil {
		return err
	}
	if len(rest) > 0 && rest[0] == 0x04 { // encrypted
		return nil
	}
	scoped, _, err := take(rest, 0x30)
	if err != nil {
		return err
	}
	for range 2 { // contextEngineID, contextName
		if _, scoped, err = take(scoped, 0x04); err != nil {
			return err
		}
	}
	return h.parsePDU(scoped)
}

func (h *Header) parseUSM(b []byte) error {
	seq, _, err := take(b, 0x30)
	if err != nil {
		return err
	}
	engine, seq, err := take(seq, 0x04)
	if err != nil {
		return err
	}
	h.EngineID = string(engine)
	if h.Boots, seq, err = integer(seq); err != nil {
		return err
	}
	if h.Time, seq, err = integer(seq); err != nil {
		return err
	}
	user, _, err := take(seq, 0x04)
	if err != nil {
		return err
	}
	h.User = string(user)
	return nil
}

func (h *Header) parsePDU(b []byte) error {
	if len(b) == 0 {
		return errShort
	}
	pdu, _, err := take(b, b[0])
	if err != nil {
		return err
	}
	h.PDU = b[0]
	if h.RequestID, pdu, err = integer(pdu); err != nil {
		return err
	}
	for range 2 { // error-status and error-index, or non-repeaters and max-repetitions
		if _, pdu, err = integer(pdu); err != nil {
			return err
		}
	}
	binds, _, err := take(pdu, 0x30)
	if err != nil {
		return err
	}
	if len(binds) == 0 {
		return nil
	}
	first, _, err := take(binds, 0x30)
	if err != nil {
		return err
	}
	oid, _, err := take(first, 0x06)
	if err != nil {
		return err
	}
	h.FirstOID = formatOID(oid)
	return nil
}

// take returns the content of the element at the start of b, which must have the tag, and what follows it.
func take(b []byte, tag byte) (content, rest []byte, err error) {
	if len(b) < 2 || b[0] != tag {
		return nil, nil, errShort
	}
	n, b := int(b[1]), b[2:]
	if n >= 0x80 {
		octets := n & 0x7f
		if octets == 0 || octets > 3 || len(b) < octets {
			return nil, nil, errShort
		}
		n = 0
		for _, c := range b[:octets] {
			n = n<<8 | int(c)
		}
		b = b[octets:]
	}
	if n > len(b) {
		return nil, nil, errShort
	}
	return b[:n], b[n:], nil
}

// integer reads an INTEGER of up to 32 bits (and one leading zero octet).
func integer(b []byte) (uint32, []byte, error) {
	content, rest, err := take(b, 0x02)
	if err != nil {
		return 0, nil, err
	}
	if len(content) == 0 || len(content) > 5 || len(content) == 5 && content[0] != 0 {
		return 0, nil, errShort
	}
	var v uint32
	for _, c := range content {
		v = v<<8 | uint32(c)
	}
	return v, rest, nil
}

// formatOID writes an encoded object identifier with dots.
func formatOID(b []byte) string {
	var out strings.Builder
	var arc uint64
	for _, c := range b {
		arc = arc<<7 | uint64(c&0x7f)
		if c&0x80 != 0 {
			continue
		}
		if out.Len() == 0 { // X.690, section 8.19.4: the first two arcs share one number
			first := min(arc/40, 2)
			out.WriteString(strconv.FormatUint(first, 10))
			arc -= first * 40
		}
		out.WriteByte('.')
		out.WriteString(strconv.FormatUint(arc, 10))
		arc = 0
	}
	return out.String()
}

package trap

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
)

// notice is a notification in the words of version 2.
type notice struct {
	oid    string // snmpTrapOID, without a dot in front
	uptime devices.Opt[uint32]
	vars   []variable
}

// variable is one object of a notification.
type variable struct {
	oid   string
	value any // int64, uint64, string (octets), oid, nil
}

// oid is the value of an object identifier.
type oid string

// OIDs of what every notification has (RFC 3418), without a dot in front.
const (
	sysUpTime   = "1.3.6.1.2.1.1.3.0"
	snmpTrapOID = "1.3.6.1.6.3.1.1.4.1.0"
	snmpTraps   = "1.3.6.1.6.3.1.1.5."
	enterprises = 6 // generic-trap enterpriseSpecific (RFC 1157)
)

// read turns a packet into a notice.
func read(p *gosnmp.SnmpPacket) (notice, error) {
	var n notice
	if p.PDUType == gosnmp.Trap {
		n.uptime = devices.Some(uint32(p.Timestamp)) //nolint:gosec // TimeTicks are 32 bits wide
		if p.GenericTrap >= 0 && p.GenericTrap < enterprises {
			n.oid = snmpTraps + strconv.Itoa(p.GenericTrap+1)
		} else {
			n.oid = strings.TrimPrefix(p.Enterprise, ".") + ".0." + strconv.Itoa(p.SpecificTrap)
		}
	}
	for _, v := range p.Variables {
		x := variable{oid: strings.TrimPrefix(v.Name, "."), value: value(v)}
		switch x.oid {
		case sysUpTime:
			if t, ok := x.value.(uint64); ok {
				n.uptime = devices.Some(uint32(t))
			}
		case snmpTrapOID:
			if o, ok := x.value.(oid); ok {
				n.oid = string(o)
			}
		default:
			n.vars = append(n.vars, x)
		}
	}
	if n.oid == "" {
		return n, errors.New("it has no snmpTrapOID")
	}
	return n, nil
}

// value returns what a variable holds, as one of few types.
func value(v gosnmp.SnmpPDU) any {
	switch x := v.Value.(type) {
	case []byte:
		return string(x)
	case string:
		if v.Type == gosnmp.ObjectIdentifier {
			return oid(strings.TrimPrefix(x, "."))
		}
		return x
	case int:
		if v.Type == gosnmp.Integer {
			return int64(x)
		}
		return uint64(x)
	case uint:
		return uint64(x)
	case uint32:
		return uint64(x)
	case uint64:
		return x
	}
	return nil
}

// under returns the first variable of a column and its index behind the column's OID.
func (n *notice) under(column string) (v variable, index string, ok bool) {
	for _, v := range n.vars {
		if rest, found := strings.CutPrefix(v.oid, column+"."); found {
			return v, rest, true
		}
	}
	return variable{}, "", false
}

// number returns a column's value as a number.
func (n *notice) number(column string) (int, bool) {
	v, _, ok := n.under(column)
	if !ok {
		return 0, false
	}
	switch x := v.value.(type) {
	case int64:
		return int(x), true
	case uint64:
		return int(x), true
	}
	return 0, false
}

// text returns a column's value as text.
func (n *notice) text(column string) string {
	v, _, _ := n.under(column)
	s, _ := v.value.(string)
	return strings.Trim(s, "\x00 ")
}

// part returns the part of an index that is so many from its end; "" if it has fewer.
func part(index string, fromEnd int) string {
	parts := strings.Split(index, ".")
	if i := len(parts) - 1 - fromEnd; i >= 0 {
		return parts[i]
	}
	return ""
}

// longestText is how long the words of a notification may get.
const longestText = 2 << 10

// String writes a notice in a line: its name and what it holds.
func (n *notice) String() string {
	var b strings.Builder
	b.WriteString(nameOf(n.oid))
	for i, v := range n.vars {
		if b.Len() > longestText {
			fmt.Fprintf(&b, ", %d more", len(n.vars)-i)
			break
		}
		separator := ", "
		if i == 0 {
			separator = ": "
		}
		b.WriteString(separator + nameOf(v.oid) + " " + show(v.value))
	}
	return b.String()
}

// show writes a value; octets that are no text in hexadecimal.
func show(v any) string {
	switch x := v.(type) {
	case nil:
		return "?"
	case string:
		const most = 512
		if len(x) > most {
			x = x[:most]
		}
		if !utf8.ValidString(x) || strings.ContainsFunc(x, func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' && r != '\r' }) {
			return fmt.Sprintf("%x", x)
		}
		return strconv.Quote(x)
	case oid:
		return nameOf(string(x))
	}
	return fmt.Sprint(v)
}

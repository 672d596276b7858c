package snmp

import (
	"encoding/hex"
	"net/netip"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices"
	"whydrop/devices/snmp/internal/oid"
)

// View is what a device gave below the roots of its tables, and what is known of its ports.
type View struct {
	cells     map[string][]Cell
	ports     *portMap
	vlanTrees []*vlanTree
	all       bool // the caller wants more than the watched ports
}

// Rows returns what was walked below a root, in the order of the MIB; nil if it was not walked or is empty.
func (v View) Rows(root string) []Cell { return v.cells[root] }

// At returns the value of one row; the zero Cell if there is none.
func (v View) At(root string, index ...uint32) Cell {
	rows := v.cells[root]
	n := sort.Search(len(rows), func(i int) bool { return slices.Compare(rows[i].Index, index) >= 0 })
	if n < len(rows) && slices.Equal(rows[n].Index, index) {
		return rows[n]
	}
	return Cell{}
}

// Scalar returns the value of an object that is no column: of its instance 0.
func (v View) Scalar(root string) Cell { return v.At(root, 0) }

// Port returns the name of an interface: as in the site file if it is watched, else as the device spells it;
// "ifIndex N" where it has no name, "" for 0, which is no interface.
func (v View) Port(ifIndex uint32) string {
	if ifIndex == 0 {
		return ""
	}
	for _, p := range v.ports.ports {
		if p.index == ifIndex {
			return p.name
		}
	}
	if n := v.ports.names[ifIndex]; n != "" {
		return n
	}
	return "ifIndex " + uintText(ifIndex)
}

// Wants says whether what is known of the interface is to go into the reading: it is watched, or all are wanted.
func (v View) Wants(ifIndex uint32) bool {
	return v.all || slices.ContainsFunc(v.ports.ports, func(p port) bool { return p.index == ifIndex })
}

// WantsBridgePort says the same of a port number of a bridge.
func (v View) WantsBridgePort(n uint32) bool {
	i, ok := v.ports.base[n]
	return ok && v.Wants(i)
}

// PortNamed returns the ifIndex of the interface that is called so, in either spelling.
func (v View) PortNamed(name string) (uint32, bool) {
	for _, p := range v.ports.ports {
		if p.name == name || p.found == name {
			return p.index, true
		}
	}
	key := devices.PortKey(name)
	best, ok := uint32(0), false
	for i, n := range v.ports.names {
		if n != "" && (n == name || devices.PortKey(n) == key) && (!ok || i < best) {
			best, ok = i, true
		}
	}
	return best, ok
}

// BridgePort returns the name of the interface that belongs to a port number of a bridge (dot1dBasePort); "" for 0.
func (v View) BridgePort(n uint32) string {
	if n == 0 {
		return ""
	}
	if i, ok := v.ports.base[n]; ok {
		return v.Port(i)
	}
	return "bridge port " + uintText(n)
}

// Cell is one value, or none: the zero Cell was not given.
type Cell struct {
	// Index is the row's index: the arcs after the root.
	Index []uint32
	value value
}

// OK says whether the device gave a value.
func (c Cell) OK() bool { return c.value.given() }

// Recorded returns the value's type and text as they stand in snmpsim's snmprec files: "2", "5" for an INTEGER 5; text
// that is not printable is in hex and has an x behind the type. A zero Cell gives "0".
func (c Cell) Recorded() (tag, text string) { return recorded(c.value) }

// Counter returns a Counter32 or Counter64, with the width that the device sent; nothing else is a counter.
func (c Cell) Counter() devices.Opt[devices.Counter] { return c.value.counter() }

// Number returns a number that is not negative and fits 32 bits.
func (c Cell) Number() devices.Opt[uint32] { return c.value.gauge() }

// Signed returns an INTEGER or another number.
func (c Cell) Signed() devices.Opt[int64] {
	if c.value.typ == gosnmp.Integer && c.value.other == nil {
		return devices.Some(int64(c.value.number))
	}
	if n := c.Number(); n.OK {
		return devices.Some(int64(n.Value))
	}
	return devices.None[int64]()
}

// Wide returns a number of any width: for gauges of 64 bits (CounterBasedGauge64, sent as Counter64).
func (c Cell) Wide() devices.Opt[uint64] {
	if n := c.Counter(); n.OK {
		return devices.Some(n.Value.Value)
	}
	if n := c.Number(); n.OK {
		return devices.Some(uint64(n.Value))
	}
	return devices.None[uint64]()
}

// Float returns a number that a device wrote as a Float, a Double or a text of digits ("-3.51"), as optics do.
func (c Cell) Float() devices.Opt[float64] {
	switch n := c.value.other.(type) {
	case float32:
		return devices.Some(float64(n))
	case float64:
		return devices.Some(n)
	}
	if n := c.Signed(); n.OK {
		return devices.Some(float64(n.Value))
	}
	f, err := strconv.ParseFloat(strings.TrimSpace(c.Text()), 64)
	if err != nil || f-f != 0 { // neither NaN nor infinite
		return devices.None[float64]()
	}
	return devices.Some(f)
}

// Word returns an enumeration's word, words[0] being that of 1; a value outside of it is given as "unknown(N)".
func (c Cell) Word(words []string) devices.Opt[string] { return word(c.Number(), words) }

// Truth returns a TruthValue (RFC 2579): 1 is true, 2 is false.
func (c Cell) Truth() devices.Opt[bool] {
	switch n := c.Number(); {
	case n.OK && n.Value == 1:
		return devices.Some(true)
	case n.OK && n.Value == 2:
		return devices.Some(false)
	}
	return devices.None[bool]()
}

// Text returns an OCTET STRING without the NULs that some agents pad it with; hostile text. "" if not given.
func (c Cell) Text() string {
	return c.value.text().Value
}

// Octets returns an OCTET STRING as it came; nil if not given.
func (c Cell) Octets() []byte {
	b, ok := c.value.octets()
	if !ok {
		return nil
	}
	return b
}

// OID returns an OBJECT IDENTIFIER without a leading dot; "" if not given.
func (c Cell) OID() string {
	s, _ := c.value.other.(string)
	if c.value.typ != gosnmp.ObjectIdentifier {
		return ""
	}
	return trimDot(s)
}

// MAC returns an address of six octets, in lower case with colons; "" for anything else.
func (c Cell) MAC() string { return mac(c.Octets()) }

// Addr returns an IpAddress, or an OCTET STRING of 4 or 16 octets, as an address.
func (c Cell) Addr() netip.Addr {
	switch v := c.value.other.(type) {
	case string:
		if a, err := netip.ParseAddr(v); err == nil && c.value.typ == gosnmp.IPAddress {
			return a
		}
	case []byte:
		a, _ := netip.AddrFromSlice(v)
		return a
	}
	return netip.Addr{}
}

// uintText writes an arc.
func uintText(n uint32) string { return strconv.FormatUint(uint64(n), 10) }

// trimDot returns an identifier without a leading dot.
func trimDot(id string) string { return strings.TrimPrefix(id, ".") }

// mac writes six octets as an address.
func mac(b []byte) string {
	if len(b) != 6 {
		return ""
	}
	h := hex.EncodeToString(b)
	return h[:2] + ":" + h[2:4] + ":" + h[4:6] + ":" + h[6:8] + ":" + h[8:10] + ":" + h[10:]
}

// octetsOf returns arcs of an index as octets; nil if one is none.
func octetsOf(arcs []uint32) []byte {
	out := make([]byte, 0, len(arcs))
	for _, a := range arcs {
		if a > 0xff {
			return nil
		}
		out = append(out, byte(a))
	}
	return out
}

// dotted writes arcs as people do.
func dotted(arcs []uint32) string {
	var b []byte
	for n, a := range arcs {
		if n > 0 {
			b = append(b, '.')
		}
		b = strconv.AppendUint(b, uint64(a), 10)
	}
	return string(b)
}

// cells turns walked rows into cells, without those that hold no value.
func cellsOf(rows []row) []Cell {
	out := make([]Cell, 0, len(rows))
	for _, r := range rows {
		if r.value.given() {
			out = append(out, Cell{Index: oid.Arcs(r.index), value: r.value})
		}
	}
	return out
}

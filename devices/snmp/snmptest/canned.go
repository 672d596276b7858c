package snmptest

import (
	"encoding/binary"
	"fmt"
	"net"
	"net/netip"
	"sort"
	"sync"
	"time"

	"github.com/gosnmp/gosnmp"

	"whydrop/devices/snmp/internal/ber"
	"whydrop/devices/snmp/internal/oid"
)

// Canned is an agent for measurements: it answers v2c of any community, GET, GETNEXT and GETBULK, from encoded rows, at a
// small part of the cost of an [Agent]. It answers nothing that is out of the ordinary.
type Canned struct {
	// Growth is by how much every Counter64 of 2^56 and more rises in a second, so that ports look busy. Nothing else than
	// these and TimeTicks changes. It must be set before Listen.
	Growth uint64

	rows   []cannedRow
	ticks  []int // rows of TimeTicks
	wide   []wideRow
	began  time.Time
	turned time.Duration // when wide was brought up to date
	conn   *net.UDPConn
	wg     sync.WaitGroup
}

// cannedRow is a variable binding, encoded.
type cannedRow struct {
	key  string // the object identifier's content octets
	bind []byte
}

// wideRow is a row of a Counter64 that fills eight octets, and where it began.
type wideRow struct {
	row   int
	first uint64
}

// maxCanned is the longest answer of a Canned: GETBULK is cut so that it fits one datagram that is not fragmented.
const maxCanned = 1400

// NewCanned encodes the rows. An object of type TimeTicks counts from when the agent was made; its value is not used.
func NewCanned(rows map[string]Value) (*Canned, error) {
	ids := make([]string, 0, len(rows))
	packed := map[string]string{}
	for id := range rows {
		p, err := oid.Pack(id)
		if err != nil {
			return nil, fmt.Errorf("snmptest: %w", err)
		}
		ids, packed[id] = append(ids, id), p
	}
	sort.Slice(ids, func(i, j int) bool { return packed[ids[i]] < packed[ids[j]] })
	c := &Canned{began: time.Now()}
	for n, id := range ids {
		o, err := ber.AppendOID(nil, id)
		if err != nil {
			return nil, fmt.Errorf("snmptest: %w", err)
		}
		value, err := rows[id].encode()
		if err != nil {
			return nil, fmt.Errorf("snmptest: %s: %w", id, err)
		}
		content, _, _ := ber.Take(o, ber.OID)
		bind := append(ber.AppendHeader(nil, ber.Sequence, len(o)+len(value)), o...)
		c.rows = append(c.rows, cannedRow{string(content), append(bind, value...)})
		if rows[id].typ == gosnmp.TimeTicks {
			c.ticks = append(c.ticks, n)
		}
		if first, ok := rows[id].value.(uint64); ok && first >= 1<<56 {
			c.wide = append(c.wide, wideRow{n, first})
		}
	}
	return c, nil
}

// firstTicks is where the TimeTicks of a Canned begin: four octets in their shortest form for months.
const firstTicks = 0x10000000

// encode returns the value in BER, for the types that a Canned knows.
func (v Value) encode() ([]byte, error) {
	var n uint64
	switch x := v.value.(type) {
	case []byte:
		return append(ber.AppendHeader(nil, byte(v.typ), len(x)), x...), nil
	case int:
		n = uint64(x)
	case uint32:
		n = uint64(x)
	case uint64:
		n = x
	default:
		return nil, fmt.Errorf("type %v is not for a canned agent", v.typ)
	}
	if v.typ == gosnmp.TimeTicks {
		n = firstTicks
	}
	number := []byte{0}
	for shift := 56; shift >= 0; shift -= 8 {
		if b := byte(n >> shift); len(number) > 1 || b != 0 {
			number = append(number, b)
		}
	}
	if len(number) > 1 && number[1] < 0x80 {
		number = number[1:]
	}
	return append([]byte{byte(v.typ), byte(len(number))}, number...), nil
}

// Listen opens a UDP socket (as in "127.0.0.1:0") and begins to answer. Close ends it.
func (c *Canned) Listen(addr string) (netip.AddrPort, error) {
	ua, err := net.ResolveUDPAddr("udp", addr)
	if err != nil {
		return netip.AddrPort{}, err
	}
	if c.conn, err = net.ListenUDP("udp", ua); err != nil {
		return netip.AddrPort{}, err
	}
	index := make(map[string]int, len(c.rows))
	for i, r := range c.rows {
		index[r.key] = i
	}
	c.wg.Go(func() {
		in, out := make([]byte, 65536), make([]byte, 0, 65536)
		for {
			n, from, err := c.conn.ReadFromUDPAddrPort(in)
			if err != nil {
				return
			}
			c.turn(time.Since(c.began))
			if out = c.answer(out[:0], in[:n], index); len(out) > 0 {
				c.conn.WriteToUDPAddrPort(out, from)
			}
		}
	})
	return c.conn.LocalAddr().(*net.UDPAddr).AddrPort(), nil
}

// turn brings the rows that change up to date.
func (c *Canned) turn(up time.Duration) {
	for _, i := range c.ticks {
		bind := c.rows[i].bind
		binary.BigEndian.PutUint32(bind[len(bind)-4:], firstTicks+uint32(up/(10*time.Millisecond)))
	}
	const pace = 50 * time.Millisecond
	if c.Growth == 0 || up-c.turned < pace {
		return
	}
	c.turned = up
	for _, w := range c.wide {
		bind := c.rows[w.row].bind
		binary.BigEndian.PutUint64(bind[len(bind)-8:], w.first+uint64(float64(c.Growth)*up.Seconds()))
	}
}

// Close ends the agent and returns when its goroutine is gone.
func (c *Canned) Close() error {
	err := c.conn.Close()
	c.wg.Wait()
	return err
}

// answer appends the answer to a request; nothing if it is none.
func (c *Canned) answer(out, msg []byte, index map[string]int) []byte {
	msg, _, ok := ber.Take(msg, ber.Sequence)
	if !ok {
		return nil
	}
	version, rest, ok := ber.TakeUint(msg)
	if !ok || version != 1 {
		return nil
	}
	_, rest, ok = ber.Take(rest, ber.Octets)
	if !ok || len(rest) == 0 {
		return nil
	}
	head, kind := msg[:len(msg)-len(rest)], rest[0]
	pdu, _, ok := ber.Take(rest, kind)
	if !ok {
		return nil
	}
	id, pdu, ok1 := ber.TakeUint(pdu)
	_, pdu, ok2 := ber.TakeUint(pdu)
	repetitions, pdu, ok3 := ber.TakeUint(pdu)
	binds, _, ok4 := ber.Take(pdu, ber.Sequence)
	if !ok1 || !ok2 || !ok3 || !ok4 {
		return nil
	}
	values := c.values(make([]byte, 0, 2048), binds, kind, int(repetitions), index)
	if values == nil {
		return nil
	}
	ids := 2 + ber.UintLen(id) + 3 + 3
	inner := ids + ber.HeaderLen(len(values)) + len(values)
	out = ber.AppendHeader(out, ber.Sequence, len(head)+ber.HeaderLen(inner)+inner)
	out = ber.AppendHeader(append(out, head...), ber.Response, inner)
	out = append(ber.AppendUint(out, id), ber.Integer, 1, 0, ber.Integer, 1, 0)
	return append(ber.AppendHeader(out, ber.Sequence, len(values)), values...)
}

// values appends the variable bindings of the answer; nil if the request is not understood.
func (c *Canned) values(out, binds []byte, kind byte, repetitions int, index map[string]int) []byte {
	var next []int // rows at which the columns of a GETBULK go on
	for len(binds) > 0 {
		bind, rest, ok := ber.Take(binds, ber.Sequence)
		if !ok {
			return nil
		}
		id, _, ok := ber.Take(bind, ber.OID)
		if !ok {
			return nil
		}
		binds = rest
		i, found := index[string(id)]
		switch {
		case kind == ber.Get && found:
			out = append(out, c.rows[i].bind...)
		case kind == ber.Get:
			out = appendException(out, id, 0x81) // noSuchInstance: RFC 3416, section 3
		case found:
			next = append(next, i+1)
		default:
			next = append(next, sort.Search(len(c.rows), func(i int) bool { return c.after(i, id) }))
		}
	}
	if kind == ber.GetNext {
		repetitions = 1
	}
	for n := range repetitions {
		ended := true
		for k := range next {
			ended = ended && next[k]+n >= len(c.rows)
			if next[k]+n < len(c.rows) {
				out = append(out, c.rows[next[k]+n].bind...)
			} else {
				out = appendException(out, []byte(c.rows[len(c.rows)-1].key), 0x82) // endOfMibView
			}
			if kind == ber.GetBulk && len(out) > maxCanned {
				return out
			}
		}
		if ended {
			break
		}
	}
	return out
}

// after says whether row i comes after an identifier.
func (c *Canned) after(i int, id []byte) bool {
	a, b := arcs([]byte(c.rows[i].key)), arcs(id)
	for k := 0; k < len(a) && k < len(b); k++ {
		if a[k] != b[k] {
			return a[k] > b[k]
		}
	}
	return len(a) > len(b)
}

func arcs(content []byte) (out []uint64) {
	var v uint64
	for _, b := range content {
		if v = v<<7 | uint64(b&0x7f); b < 0x80 {
			out, v = append(out, v), 0
		}
	}
	return out
}

func appendException(out, id []byte, tag byte) []byte {
	n := ber.HeaderLen(len(id)) + len(id)
	out = ber.AppendHeader(out, ber.Sequence, n+2)
	out = append(ber.AppendHeader(out, ber.OID, len(id)), id...)
	return append(out, tag, 0)
}

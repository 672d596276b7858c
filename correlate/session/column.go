package session

import (
	"encoding/binary"
	"math"
	"time"
)

// The ways a column of values is written. Rates are whole numbers over the width of their span, delays are whole
// nanoseconds: as such they take one to four bytes, as floats eight that do not compress. A way is taken only if
// it gives back every value of the column to the last bit.
const (
	asIntegers    = 0 // whole numbers
	asPerWidth    = 1 // whole numbers divided by the span's width in seconds
	asNanoseconds = 2 // seconds, from whole nanoseconds
	asFloats      = 3 // anything: bits XORed with the value before, most significant bytes first, then the next …
)

const exactInteger = 1 << 53 // float64 holds whole numbers up to here

// widths returns the width in seconds of the rows a column stands in; 0 where it is not known.
func (g *group) width(i int32) float64 {
	r := g.rows[i]
	if r.from == noTime || r.to == noTime || r.to <= r.from {
		return 0
	}
	return time.Duration(r.to - r.from).Seconds()
}

// values writes the values of a column.
func (w *writer) values(g *group, c *column) {
	start := len(w.body)
	for _, way := range []byte{asIntegers, asPerWidth, asNanoseconds} {
		w.byte(way)
		if w.wholes(g, c, way) {
			return
		}
		w.body = w.body[:start]
	}
	w.byte(asFloats)
	n := len(c.vals)
	at := len(w.body)
	w.body = append(w.body, make([]byte, 8*n)...)
	var before uint64
	for i, v := range c.vals {
		bits := math.Float64bits(v)
		x := bits ^ before
		before = bits
		for plane := range 8 {
			w.body[at+plane*n+i] = byte(x >> (56 - 8*plane))
		}
	}
}

// wholes writes the values as differences of whole numbers, if that is exact.
func (w *writer) wholes(g *group, c *column, way byte) bool {
	var before int64
	for i, v := range c.vals {
		n, ok := whole(way, v, g, c.rows[i])
		if !ok {
			return false
		}
		w.int(n - before)
		before = n
	}
	return true
}

// widthOfRows returns the width of each row of a decoded group.
func (g *group) widthOfRows() []float64 {
	if g.widths == nil {
		g.widths = make([]float64, len(g.rows))
		for i := range g.widths {
			g.widths[i] = g.width(int32(i))
		}
	}
	return g.widths
}

func whole(way byte, v float64, g *group, at int32) (int64, bool) {
	f := v
	switch way {
	case asPerWidth:
		f = math.Round(v * g.width(at))
	case asNanoseconds:
		f = math.Round(v * float64(time.Second))
	}
	if !(f > -exactInteger && f < exactInteger) {
		return 0, false
	}
	n := int64(f)
	return n, math.Float64bits(unwhole(way, n, g, at)) == math.Float64bits(v)
}

func unwhole(way byte, n int64, g *group, at int32) float64 {
	switch way {
	case asPerWidth:
		return float64(n) / g.width(at)
	case asNanoseconds:
		return time.Duration(n).Seconds()
	}
	return float64(n)
}

// values reads the values of a column, whose rows are known, into vals if that has room for them.
func (r *reader) values(g *group, c *column, vals []float64) {
	n := len(c.rows)
	way := r.byte()
	if way == asFloats {
		planes := r.take(8 * n)
		if r.err != nil {
			return
		}
		c.vals = room(vals, n)
		var before uint64
		var word [8]byte
		for i := range c.vals {
			for plane := range word {
				word[plane] = planes[plane*n+i]
			}
			before ^= binary.BigEndian.Uint64(word[:])
			c.vals[i] = math.Float64frombits(before)
		}
		r.finite(c)
		return
	}
	if way > asFloats || n > len(r.b) {
		r.fail()
		return
	}
	c.vals = room(vals, n)
	var before int64
	for i := range c.vals {
		before += r.int()
		c.vals[i] = float64(before)
		if i == 0 && r.zeros(n-1) {
			for j := range c.vals {
				c.vals[j] = c.vals[0]
			}
			c.constant = before == 0 || way != asPerWidth
			break
		}
	}
	switch way {
	case asPerWidth:
		widths := g.widthOfRows()
		for i, v := range c.vals {
			c.vals[i] = v / widths[c.rows[i]]
		}
		r.finite(c)
	case asNanoseconds:
		for i, v := range c.vals {
			c.vals[i] = time.Duration(v).Seconds()
		}
	}
}

// zeros goes past n differences if all of them are zero, and says whether they are.
func (r *reader) zeros(n int) bool {
	if n > len(r.b) {
		return false
	}
	for _, b := range r.b[:n] {
		if b != 0 {
			return false
		}
	}
	r.b = r.b[n:]
	return true
}

// skip goes past the values of a column.
func (r *reader) skip(c *column) {
	n := len(c.rows)
	way := r.byte()
	if way == asFloats {
		r.take(8 * n)
		return
	}
	if way > asFloats {
		r.fail()
		return
	}
	at := 0
	for ; n > 0 && at < len(r.b); at++ {
		if r.b[at] < 0x80 { // the last byte of a number
			n--
		}
	}
	if n > 0 {
		r.fail()
		return
	}
	r.b = r.b[at:]
}

// room returns n values, in buf if they fit.
func room(buf []float64, n int) []float64 {
	if cap(buf) >= n {
		return buf[:n]
	}
	return make([]float64, n)
}

// finite refuses a column with a value that is no number: no recorder of ours wrote it.
func (r *reader) finite(c *column) {
	for _, v := range c.vals {
		if math.IsNaN(v) || math.IsInf(v, 0) {
			r.fail()
			return
		}
	}
}

// places writes in which rows of its group a column has values.
func (w *writer) places(g *group, c *column) {
	if len(c.rows) == len(g.rows) {
		w.byte(1)
		return
	}
	w.byte(0)
	at := len(w.body)
	w.body = append(w.body, make([]byte, (len(g.rows)+7)/8)...)
	for _, r := range c.rows {
		w.body[at+int(r/8)] |= 1 << (r % 8)
	}
}

func (r *reader) places(g *group, c *column) {
	if r.byte() == 1 {
		c.rows = g.everyRow()
		return
	}
	for i, b := range r.take((len(g.rows) + 7) / 8) {
		for bit := range 8 {
			if at := i*8 + bit; b&(1<<bit) != 0 && at < len(g.rows) {
				c.rows = append(c.rows, int32(at))
			}
		}
	}
}

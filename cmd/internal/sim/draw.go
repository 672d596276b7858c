package sim

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"time"
)

// draw is the one source of chance of a story: equal names and seeds give equal stories.
type draw struct{ *rand.Rand }

func newDraw(name string, seed uint64) draw {
	h := fnv.New64a()
	h.Write([]byte(name))
	return draw{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// between returns a time from lo to hi, in whole milliseconds.
func (d draw) between(lo, hi time.Duration) time.Duration {
	return lo + time.Duration(d.Int64N(int64((hi-lo)/time.Millisecond)+1))*time.Millisecond
}

// real returns a number from lo to hi.
func (d draw) real(lo, hi float64) float64 { return lo + d.Float64()*(hi-lo) }

// number returns a whole number from lo to hi.
func (d draw) number(lo, hi int) int { return lo + d.IntN(hi-lo+1) }

// chance returns true with the given probability.
func (d draw) chance(p float64) bool { return d.Float64() < p }

// word returns n letters and digits: a password or a community of the site.
func (d draw) word(n int) string {
	const letters = "abcdefghijkmnpqrstuvwxyz23456789"
	b := make([]byte, n)
	for i := range b {
		b[i] = letters[d.IntN(len(letters))]
	}
	return string(b)
}

// mac returns a hardware address with a Cisco vendor prefix, in which the last octet is free for ports.
func (d draw) mac() [6]byte {
	return [6]byte{0x00, 0x1e, 0xbd, byte(d.IntN(256)), byte(d.IntN(256)), 0}
}

// pick returns one of the values.
func pick[T any](d draw, values ...T) T { return values[d.IntN(len(values))] }

// ciscoMAC writes a hardware address as IOS does.
func ciscoMAC(m [6]byte) string {
	return fmt.Sprintf("%02x%02x.%02x%02x.%02x%02x", m[0], m[1], m[2], m[3], m[4], m[5])
}

package iperftext

import (
	"math"
	"strconv"
	"strings"
)

// figure reads a number as printed, and half of its last digit's unit. A comma is taken for a point.
func figure(s string) (v, half float64, ok bool) {
	s = strings.Replace(s, ",", ".", 1)
	v, err := strconv.ParseFloat(s, 64)
	if err != nil || math.IsInf(v, 0) || math.IsNaN(v) {
		return 0, 0, false
	}
	decimals := 0
	if i := strings.IndexByte(s, '.'); i >= 0 {
		decimals = len(s) - i - 1
	}
	return v, math.Pow(10, float64(-decimals)) / 2, true
}

// scale is what a prefix stands for: powers of 1024 before bytes, of 1000 before bits.
func scale(prefix string, bytes bool) float64 {
	base := 1000.0
	if bytes {
		base = 1024
	}
	return math.Pow(base, float64(strings.Index(" KMGTP", strings.ToUpper(prefix + " ")[:1])))
}

// size reads a number of bytes with its prefix.
func size(number, prefix string) *Size {
	v, half, ok := figure(number)
	if !ok {
		return nil
	}
	k := scale(prefix, true)
	return &Size{Bytes: v * k, Low: (v - half) * k, High: (v + half) * k, Printed: number + " " + prefix + "Byte"}
}

// rate reads a rate in bit/s; unit is "bits" or "Bytes".
func rate(number, prefix, unit string) (float64, bool) {
	v, _, ok := figure(number)
	if !ok {
		return 0, false
	}
	if strings.HasPrefix(unit, "B") {
		return v * scale(prefix, true) * 8, true
	}
	return v * scale(prefix, false), true
}

func integer(s string) *int64 {
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

func small(s string) *int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return nil
	}
	return &n
}

func seconds(s string) float64 {
	v, _, _ := figure(s)
	return v
}

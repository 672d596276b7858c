package app

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// ParseSize reads a size as iperf3's -w, -l and -n: a number with K, M, G or T for powers of 1024, in bytes.
func ParseSize(s string) (bytes uint64, err error) {
	v, err := parseScaled(s, 1024)
	if err != nil || v > 1<<60 {
		return 0, fmt.Errorf("size %q: want a number with K, M, G or nothing behind it, as in 64K", s)
	}
	return uint64(v), nil
}

// ParseSeconds reads a time as iperf3's -t and -i: a number of seconds, or a time with its unit such as 90s or 2m.
func ParseSeconds(s string) (time.Duration, error) {
	if v, err := strconv.ParseFloat(s, 64); err == nil {
		if !(v >= 0) || v > 1e7 {
			return 0, fmt.Errorf("time %q: want 0 or more seconds", s)
		}
		return time.Duration(v * float64(time.Second)), nil
	}
	d, err := time.ParseDuration(s)
	if err != nil || d < 0 {
		return 0, fmt.Errorf("time %q: want a number of seconds, or a time such as 90s or 2m", s)
	}
	return d, nil
}

func parseScaled(s string, base float64) (float64, error) {
	factor := 1.0
	number := s
	if n := len(s); n > 0 {
		if i := strings.IndexByte("KMGT", s[n-1]&^0x20); i >= 0 && s[n-1] >= 'A' {
			factor, number = math.Pow(base, float64(i+1)), s[:n-1]
		}
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil || math.IsNaN(v) || math.IsInf(v, 0) || v < 0 {
		return 0, fmt.Errorf("want a number, with K, M or G behind it or nothing")
	}
	return v * factor, nil
}

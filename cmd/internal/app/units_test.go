package app

import (
	"testing"
	"time"
)

func TestParseUnits(t *testing.T) {
	for in, want := range map[string]uint64{"0": 0, "64K": 65536, "1m": 1 << 20, "1.5G": 3 << 29, "1448": 1448} {
		if got, err := ParseSize(in); err != nil || got != want {
			t.Errorf("ParseSize(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for in, want := range map[string]time.Duration{"10": 10 * time.Second, "0.1": 100 * time.Millisecond, "2m": 2 * time.Minute, "0": 0} {
		if got, err := ParseSeconds(in); err != nil || got != want {
			t.Errorf("ParseSeconds(%q) = %v, %v; want %v", in, got, err, want)
		}
	}
	for _, in := range []string{"", "M", "-1", "10X", "nan", "inf", "1e999", "10 M", "0x"} {
		if got, err := ParseSize(in); err == nil {
			t.Errorf("ParseSize(%q) = %v", in, got)
		}
	}
	for _, in := range []string{"", "-1", "nan", "1e99", "ten"} {
		if got, err := ParseSeconds(in); err == nil {
			t.Errorf("ParseSeconds(%q) = %v", in, got)
		}
	}
}

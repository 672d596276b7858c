package main

import "testing"

func TestCodePoint(t *testing.T) {
	for name, want := range map[string]int{"ef": 46, "EF": 46, "af41": 34, "af11": 10, "cs0": 0, "cs7": 56, "be": 0, "le": 1, "voice-admit": 44, "0x2e": 46, "63": 63} {
		if got, ok := codePoint(name); !ok || got != want {
			t.Errorf("%s is %d, %v, want %d", name, got, ok, want)
		}
	}
	for _, name := range []string{"64", "-1", "af14", "af51", "cs8", "", "e f", "af", "nan"} {
		if got, ok := codePoint(name); ok {
			t.Errorf("%q is taken for %d", name, got)
		}
	}
}

func TestParseBurst(t *testing.T) {
	for text, want := range map[string]struct {
		rate  float64
		burst int
	}{"0": {0, 0}, "10M": {10e6, 0}, "1G/10": {1e9, 10}, "0/1000": {0, 1000}} {
		if rate, burst, err := parseBurst(text); err != nil || rate != want.rate || burst != want.burst {
			t.Errorf("%s is %v and %d, %v", text, rate, burst, err)
		}
	}
	for _, text := range []string{"", "/", "1M/", "/5", "1M/0", "1M/1001", "1M/-1", "1M/2/3", "ten"} {
		if rate, burst, err := parseBurst(text); err == nil {
			t.Errorf("%q is taken for %v and %d", text, rate, burst)
		}
	}
}

func TestParseBind(t *testing.T) {
	for text, want := range map[string][2]string{
		"192.0.2.1": {"192.0.2.1", ""}, "192.0.2.1%eth0": {"192.0.2.1", "eth0"}, "fe80::1%eth0": {"fe80::1%eth0", ""}, "[2001:db8::1]": {"2001:db8::1", ""},
		"::ffff:192.0.2.1": {"192.0.2.1", ""},
	} {
		if a, device, err := parseBind(text); err != nil || a.String() != want[0] || device != want[1] {
			t.Errorf("%s is %v and %q, %v", text, a, device, err)
		}
	}
}

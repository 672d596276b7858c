package cisco_ios

import (
	"testing"
	"time"

	"whydrop/devices/parse/internal/text"
)

func TestShowClock(t *testing.T) {
	utc := time.Date(2026, 11, 30, 14, 2, 5, 123e6, time.UTC)
	for _, c := range []struct {
		name, output string
		want         Clock
		ok           bool
	}{
		{"sound", "14:02:05.123 UTC Mon Nov 30 2026\n", Clock{utc, "UTC", ""}, true},
		{"never set", "*14:02:05.123 UTC Mon Nov 30 2026\r\n", Clock{utc, "UTC", "*"}, true},
		{"not synchronised", ".15:02:05.123 CET Mon Nov 30 2026", Clock{utc, "CET", "."}, true},
		{"a zone of the operator's own is taken as UTC", "14:02:05.123 NOC Mon Nov 30 2026", Clock{utc, "NOC", ""}, true},
		{"one-digit day", "14:02:05.123 UTC Tue Dec 1 2026", Clock{utc.AddDate(0, 0, 1), "UTC", ""}, true},
		{"with a preamble", "sw1#show clock\nLoad for five secs: 1%/0%; one minute: 2%; five minutes: 2%\nTime source is NTP, 14:02:05.120 UTC Mon Nov 30 2026\n\n14:02:05.123 UTC Mon Nov 30 2026\nsw1#", Clock{utc, "UTC", ""}, true},
		{"with its source behind", "14:02:05.123 UTC Mon Nov 30 2026\nTime source is NTP\n", Clock{utc, "UTC", ""}, true},
		{"refused", "% Invalid input detected at '^' marker.\n", Clock{}, false},
		{"no time", "25:02:05.123 UTC Mon Nov 30 2026\n", Clock{}, false},
		{"nothing", "", Clock{}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got, ok := ShowClock(c.output); got != c.want || ok != c.ok {
				t.Errorf("got %+v, %v; want %+v, %v", got, ok, c.want, c.ok)
			}
		})
	}
}

func TestAgo(t *testing.T) {
	day := 24 * time.Hour
	for output, want := range map[string]time.Duration{
		"00:00:04": 4 * time.Second, "01:20:01": time.Hour + 20*time.Minute + time.Second, "01: 20: 01": time.Hour + 20*time.Minute + time.Second,
		"1d21h": day + 21*time.Hour, "38w1d": 38*7*day + day, "1y2w": 365*day + 14*day, "never": 0, "": 0, "5": 0, "-1": 0, "999999999999y": 0, "1:2": 0, "00:00:00": 0,
	} {
		if got, ok := text.Ago(output); got != want || ok != (want > 0 || output == "00:00:00") {
			t.Errorf("Ago(%q) = %v, %v; want %v", output, got, ok, want)
		}
	}
}

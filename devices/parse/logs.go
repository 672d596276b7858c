package parse

import (
	"slices"
	"strings"
	"time"

	"whydrop/devices"
	"whydrop/devices/parse/internal/into"
	"whydrop/devices/syslog"
)

// datedLog reads a log of which every line has a date in front, in either order of time. Other lines are passed over.
func datedLog(in Input, r *devices.Reading) { dated(in.Text, in.Span.To, r) }

func dated(text string, ref time.Time, r *devices.Reading) {
	lines := []devices.LogLine{}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if l := syslog.Parse(line, ref); l.Time.OK {
			l.Host = "" // which is the device, or a word of the line
			lines = append(lines, l)
		}
	}
	if n := len(lines); n > 1 && lines[0].Time.Value.After(lines[n-1].Time.Value) {
		slices.Reverse(lines)
	}
	into.Log(r, lines)
}

// haHistory reads FortiOS's "diagnose sys ha history read": "<2026-11-30 14:02:05> port4 link status changed: 1->0".
func haHistory(in Input, r *devices.Reading) {
	dated(strings.NewReplacer("\n<", "\n", "\r<", "\n", "> ", " ").Replace("\n"+in.Text), in.Span.To, r)
}

// routerLog reads RouterOS's log, whose lines of today have no date: it is that of the device's clock, if that was read.
func routerLog(in Input, r *devices.Reading) {
	ref := in.Span.To
	if r.LocalClock.OK {
		ref = r.LocalClock.Value.Time
	}
	dated(in.Text, ref, r)
}

// routerClock reads RouterOS's "system clock print": "time: 14:02:05" and "date: 2026-11-30", or "date: nov/30/2026".
func routerClock(in Input, r *devices.Reading) {
	var date, clk string
	for line := range strings.Lines(in.Text) {
		label, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		switch value = strings.TrimSpace(value); label {
		case "date":
			date = value
		case "time":
			clk = value
		}
	}
	l := syslog.Parse(date+" "+clk+" clock", time.Time{})
	localTime(in, r, l.Time.Value, l.Time.OK)
}

// wallClock reads the device's time behind a label, "Mon Nov 30 14:02:05 2026". A zone is left alone, since the lines of
// the log have none: both are the device's wall clock.
func wallClock(label string) Parser {
	return func(in Input, r *devices.Reading) {
		for line := range strings.Lines(in.Text) {
			rest, ok := strings.CutPrefix(strings.TrimSpace(line), label)
			if f := strings.Fields(rest); ok && len(f) >= 5 {
				if t, err := time.Parse(time.ANSIC, strings.Join(append(f[:4:4], f[len(f)-1]), " ")); err == nil {
					localTime(in, r, t, true)
					return
				}
			}
		}
	}
}

// zonedClock reads "Mon Nov 30 14:02:05 UTC 2026" where the lines of the log have their zone. With a zone whose name has
// more than one meaning, or none that is known, the clock is not given.
func zonedClock(in Input, r *devices.Reading) {
	for line := range strings.Lines(in.Text) {
		const words = 6
		f := strings.Fields(line)
		if len(f) != words {
			continue
		}
		t, err := time.Parse(time.ANSIC, strings.Join([]string{f[0], f[1], f[2], f[3], f[5]}, " "))
		zone, ok := syslog.Zone(f[4])
		if err != nil || !ok {
			continue
		}
		if _, offset := t.In(zone).Zone(); offset != 0 || zone == time.UTC {
			localTime(in, r, time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone), true)
		}
		return
	}
}

// isoClock reads "2026-11-30T14:02:05.123456789+01:00" in a line of its own.
func isoClock(in Input, r *devices.Reading) {
	for line := range strings.Lines(in.Text) {
		if t, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(line)); err == nil {
			localTime(in, r, t, true)
			return
		}
	}
}

// both makes one parser of two for an answer that tells two things.
func both(a, b Parser) Parser {
	return func(in Input, r *devices.Reading) {
		a(in, r)
		b(in, r)
	}
}

package cisco_ios

import (
	"strings"
	"time"

	"whydrop/devices/parse/internal/text"
	"whydrop/devices/syslog"
)

// Clock is what show clock says.
type Clock struct {
	Time    time.Time // UTC
	Zone    string    // as the device prints it
	Quality string    // "" sound; "*" not authoritative (never set); "." authoritative but not synchronised (NTP)
}

// ShowClock reads the output of "show clock": "*14:02:05.123 UTC Mon Nov 30 2026". ok is false if there is no
// such line.
func ShowClock(output string) (c Clock, ok bool) {
	l := text.NewLines(output)
	for {
		line, _, _, more := l.Next()
		if !more {
			return c, ok
		}
		if found, good := clockLine(line); good {
			c, ok = found, true
		}
	}
}

func clockLine(line string) (Clock, bool) {
	var c Clock
	if line != "" && (line[0] == '*' || line[0] == '.') {
		c.Quality, line = line[:1], line[1:]
	}
	f := strings.Fields(line)
	if len(f) != 6 {
		return c, false
	}
	clk, zone, month, day, year := f[0], f[1], f[3], f[4], f[5]
	t, err := time.Parse("15:04:05.999999999 Jan 2 2006", clk+" "+month+" "+day+" "+year)
	if err != nil {
		return c, false
	}
	c.Zone = zone
	loc, ok := syslog.Zone(zone)
	if !ok {
		loc = time.UTC
	}
	c.Time = time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), loc).UTC()
	return c, true
}

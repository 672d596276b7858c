package report

import (
	"fmt"
	"math"
	"strconv"
	"time"

	"whydrop/correlate/timeline"
)

// Inside, everything is in bit/s, packet/s, seconds and ratios. This file is the one place where figures become
// what a person reads.

// Rate writes bit/s with an SI prefix: "941.2 Mbit/s".
func Rate(bps float64) string {
	switch a := math.Abs(bps); {
	case a >= 1e9:
		return fmt.Sprintf("%.2f Gbit/s", bps/1e9)
	case a >= 1e6:
		return fmt.Sprintf("%.1f Mbit/s", bps/1e6)
	case a >= 1e3:
		return fmt.Sprintf("%.1f kbit/s", bps/1e3)
	}
	return fmt.Sprintf("%.0f bit/s", bps)
}

// Mbit writes bit/s as a bare number of Mbit/s, for columns that say so in their heading: "941.2".
func Mbit(bps float64) string { return fmt.Sprintf("%.1f", bps/1e6) }

// Speed writes a port's speed, which is a round number: "1 Gbit/s", "2.5 Gbit/s", "100 Mbit/s".
func Speed(bps float64) string {
	prefix, v := "", bps
	switch {
	case bps >= 1e9:
		prefix, v = "G", bps/1e9
	case bps >= 1e6:
		prefix, v = "M", bps/1e6
	case bps >= 1e3:
		prefix, v = "k", bps/1e3
	}
	return strconv.FormatFloat(v, 'f', -1, 64) + " " + prefix + "bit/s"
}

// Percent writes a ratio: "0.098 %" below one per cent, "12.3 %" above. What is more than nothing is never written as 0.
func Percent(ratio float64) string {
	switch p := math.Abs(ratio * 100); {
	case p > 0 && p < 0.0005:
		return strconv.FormatFloat(ratio*100, 'g', 2, 64) + " %"
	case p > 0 && p < 1:
		return fmt.Sprintf("%.3f %%", ratio*100)
	}
	return fmt.Sprintf("%.1f %%", ratio*100)
}

// Length writes how long something took or lasted: "0.84 ms", "10.2 ms", "840 ms", "4.21 s", "2 min 05 s", "1 h 02 min".
func Length(d time.Duration) string {
	switch a := d.Abs(); {
	case a == 0:
		return "0 ms"
	case a < 10*time.Millisecond:
		return fmt.Sprintf("%.2f ms", float64(d)/float64(time.Millisecond))
	case a < 100*time.Millisecond && a%time.Millisecond != 0:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case a < time.Second:
		return fmt.Sprintf("%.0f ms", float64(d)/float64(time.Millisecond))
	case a < time.Minute:
		return fmt.Sprintf("%.2f s", d.Seconds())
	case a < time.Hour:
		s := int64(math.Round(d.Seconds()))
		return fmt.Sprintf("%d min %02d s", s/60, abs(s%60))
	}
	m := int64(math.Round(d.Minutes()))
	return fmt.Sprintf("%d h %02d min", m/60, abs(m%60))
}

// RoundLength is Length for stretches of which nobody needs the fractions: "47 s", "2 min 05 s".
func RoundLength(d time.Duration) string {
	if a := d.Abs(); a >= time.Second && a < time.Minute-time.Second/2 {
		return fmt.Sprintf("%.0f s", d.Seconds())
	}
	return Length(d.Round(time.Second / 100))
}

func abs(n int64) int64 { return max(n, -n) }

// Bytes writes a volume with an IEC prefix: "64.0 KiB".
func Bytes(n float64) string {
	switch a := math.Abs(n); {
	case a >= 1<<30:
		return fmt.Sprintf("%.1f GiB", n/(1<<30))
	case a >= 1<<20:
		return fmt.Sprintf("%.1f MiB", n/(1<<20))
	case a >= 1<<10:
		return fmt.Sprintf("%.1f KiB", n/(1<<10))
	}
	return fmt.Sprintf("%.0f byte", n)
}

// Figure writes a value of a metric with its unit; the unit may be left out if the metric is in the table of
// metrics. States are written as words.
func Figure(metric string, v float64, unit string) string {
	if d, ok := timeline.Describe(timeline.Metric(metric)); ok && unit == "" {
		unit = d.Unit
	}
	switch unit {
	case "bit/s":
		if m := timeline.Metric(metric); m == timeline.Speed || m == timeline.SpeedMax {
			return Speed(v)
		}
		return Rate(v)
	case "s":
		return Length(time.Duration(v * float64(time.Second)))
	case "ms":
		return Length(time.Duration(v * float64(time.Millisecond)))
	case "ratio":
		return Percent(v)
	case "byte":
		return Bytes(v)
	case "packet/s", "1/s":
		if a := math.Abs(v); a > 0 && a < 0.05 { // one in a minute is not none
			return strconv.FormatFloat(v, 'g', 2, 64) + " " + unit
		}
		return fmt.Sprintf("%.1f %s", v, unit)
	case "state":
		return stateWord(timeline.Metric(metric), v)
	case "":
		return number(v)
	}
	return number(v) + " " + unit
}

func number(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	return strconv.FormatFloat(v, 'g', 4, 64)
}

// stateWords are the words for 0 and 1 of each metric whose unit is "state".
var stateWords = map[timeline.Metric][2]string{
	timeline.Oper:          {"down", "up"},
	timeline.HalfDuplex:    {"full duplex", "half duplex"},
	timeline.STPForwarding: {"not forwarding", "forwarding"},
	timeline.Reachable:     {"no answer", "answers"},
}

func stateWord(m timeline.Metric, v float64) string {
	w, ok := stateWords[m]
	switch {
	case ok && v == 0:
		return w[0]
	case ok && v == 1:
		return w[1]
	}
	return number(v)
}

// MetricName returns the metric's name as a person reads it, or its id if it is not in the table.
func MetricName(metric string) string {
	if d, ok := timeline.Describe(timeline.Metric(metric)); ok {
		return d.Name
	}
	return metric
}

// NoDay is the day on which moments lie of which only the time of day is known. Its date is never shown.
var NoDay = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// Stamp writes a moment in full: "2026-03-01 14:02:05.120 UTC".
func Stamp(t time.Time) string { return DayClock(t) + " UTC" }

// DayClock writes date and time of day of a moment in UTC, to the millisecond: "2026-03-01 14:02:05.120". Of a moment on
// [NoDay] it writes the time of day alone.
func DayClock(t time.Time) string {
	if sameDay(t, NoDay) {
		return Clock(t)
	}
	return t.UTC().Format(time.DateOnly) + " " + Clock(t)
}

func sameDay(a, b time.Time) bool {
	return a.UTC().Format(time.DateOnly) == b.UTC().Format(time.DateOnly)
}

// Clock writes the time of day of a moment in UTC, to the millisecond: "14:02:05.120".
func Clock(t time.Time) string { return t.UTC().Format("15:04:05.000") }

// ClockSecond writes the time of day of a moment in UTC, to the second: "14:02:05".
func ClockSecond(t time.Time) string { return t.UTC().Format("15:04:05") }

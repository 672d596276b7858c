package app

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// timeLayouts are the ways in which a time may be written, each with how exactly it tells it.
var timeLayouts = []struct {
	layout string
	exact  time.Duration
}{
	{time.RFC3339Nano, time.Millisecond}, {"2006-01-02T15:04:05.999999999Z0700", time.Millisecond}, {"2006-01-02 15:04:05.999999999Z07:00", time.Millisecond},
	{"2006-01-02 15:04:05.999999999 -0700", time.Millisecond}, {"2006-01-02T15:04:05.999999999", time.Millisecond}, {"2006-01-02 15:04:05.999999999", time.Millisecond},
	{"2006-01-02T15:04", time.Minute}, {"2006-01-02 15:04", time.Minute}, {"2006-01-02", 24 * time.Hour}, {"15:04:05.999999999", time.Millisecond}, {"15:04", time.Minute},
}

// toldTime is a time as somebody told it.
type toldTime struct {
	at    time.Time     // in the year 0 if only the time of day was told
	exact time.Duration // how exactly
	count bool          // it counts from a beginning that was not told
}

// factsTime reads a time.
func factsTime(s string) (toldTime, error) {
	if t, ok := countedTime(s); ok {
		return t, nil
	}
	s = strings.TrimSuffix(s, " UTC")
	for _, l := range timeLayouts {
		t, err := time.Parse(l.layout, s)
		if err != nil {
			continue
		}
		exact := l.exact
		if exact < time.Second && !strings.Contains(s, ".") {
			exact = time.Second
		}
		return toldTime{at: t.UTC(), exact: exact}, nil
	}
	return toldTime{}, fmt.Errorf("%q is no time like 2026-03-02T14:02:05Z, 2026-03-02 14:02:05, 14:02:05 or 12.5 (seconds since it began)", s)
}

// unixFrom is the least number that is taken for Unix time (1973-03-03); lesser ones count from a beginning.
const unixFrom = 1e8

// countedTime reads a number of seconds: of Unix time, or since a beginning that is not told.
func countedTime(s string) (toldTime, bool) {
	f, err := strconv.ParseFloat(s, 64)
	if err != nil || !(math.Abs(f) < 1e11) {
		return toldTime{}, false
	}
	exact := time.Second
	if strings.Contains(s, ".") {
		exact = time.Millisecond
	}
	if f >= unixFrom {
		return toldTime{at: time.UnixMicro(int64(f * 1e6)).UTC(), exact: exact}, true
	}
	return toldTime{at: time.Date(0, 1, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(f * float64(time.Second))), exact: exact, count: true}, true
}

// hasDay says whether the date was told.
func (t toldTime) hasDay() bool { return !t.count && t.at.Year() > 0 }

// on returns the time with the given day if it has none of its own.
func (t toldTime) on(day time.Time) toldTime {
	if !t.hasDay() {
		t.at = t.at.AddDate(day.Year(), int(day.Month())-1, day.Day()-1)
	}
	return t
}

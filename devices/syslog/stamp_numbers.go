package syslog

import (
	"strings"
	"time"
)

// numbersAt reads a date in numbers at i, which must begin the head: elsewhere numbers of such a form may be anything.
func numbersAt(head string, i int) stamp {
	rest := head[i:]
	if strings.HasPrefix(rest, "date=") {
		return keyedAt(head, i)
	}
	date, n := field(rest)
	clk, m := field(rest[n:])
	word, offset := clockZone(clk)
	d, ok := clock(word)
	if !ok {
		if d, ok = clock(date); ok && isTopics(clk) { // RouterOS: of today
			return stamp{ok: true, today: true, clk: d, zone: time.UTC, end: i + n}
		}
		return stamp{}
	}
	s := dateOf(date)
	if s.clk, s.zone, s.end = d, time.UTC, i+n+m; offset != nil {
		s.zone = offset
	}
	return s
}

// isTopics says whether a word is the topics of a line of RouterOS: interface,info.
func isTopics(word string) bool {
	other := func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != ',' && r != '-' && r != '!'
	}
	return strings.Contains(word, ",") && !strings.ContainsFunc(word, other)
}

// dateOf reads a date without its time, as RouterOS (nov/30/2026, nov/30, 2026-11-30), PAN-OS (2026/11/30), ExtremeXOS
// (11/30/2026) and ProCurve (11/30/26) have it.
func dateOf(date string) stamp {
	for _, layout := range []string{"2006-01-02", "2006/01/02", "01/02/2006", "01/02/06", "Jan/02/2006"} {
		if t, err := time.Parse(layout, date); err == nil {
			if _, ok := year(t.Format("2006")); ok {
				return stamp{ok: true, year: t.Year(), month: t.Month(), day: t.Day()}
			}
		}
	}
	const short = len("Jan/02")
	if t, err := time.Parse("Jan/02", date); err == nil && len(date) == short {
		return stamp{ok: true, month: t.Month(), day: t.Day()}
	}
	return stamp{}
}

// keyedAt reads FortiOS's date=2026-11-30 time=14:02:05, with tz="+0100" behind them or without.
func keyedAt(head string, i int) stamp {
	date, n := field(head[i:])
	clk, m := field(head[i+n:])
	clk, ok := strings.CutPrefix(clk, "time=")
	if !ok {
		return stamp{}
	}
	d, ok := clock(strings.Trim(clk, `"`))
	s := dateOf(strings.Trim(strings.TrimPrefix(date, "date="), `"`))
	if s.ok = s.ok && ok; !s.ok {
		return stamp{}
	}
	s.clk, s.zone, s.end = d, time.UTC, i+n+m
	if _, zone, ok := strings.Cut(head, ` tz="`); ok {
		zone, _, _ = strings.Cut(zone, `"`)
		if _, offset := clockZone("00:00:00" + zone); offset != nil {
			s.zone = offset
		}
	}
	return s
}

// clockZone cuts the offset from UTC off a time: 14:02:05+01:00, 14:02:05.120-0500. The zone is nil if there is none.
func clockZone(word string) (clk string, zone *time.Location) {
	const shortest = len("15:04:05")
	i := strings.LastIndexAny(word, "+-")
	if i < shortest {
		return word, nil
	}
	for _, layout := range []string{"-07:00", "-0700"} {
		if t, err := time.Parse(layout, word[i:]); err == nil {
			_, offset := t.Zone()
			return word[:i], time.FixedZone("", offset)
		}
	}
	return word, nil
}

package syslog

import (
	"strconv"
	"strings"
	"time"
)

// stamp is a time as a line gives it.
type stamp struct {
	ok    bool
	clock string // "", "*", "."
	year  int    // 0: not given
	month time.Month
	day   int
	clk   time.Duration // of the day
	zone  *time.Location
	whole time.Time // set instead of the above for ISO 8601
	today bool      // the day is not given: it is the last one
	begin int       // where it begins in the head
	end   int       // where it ends
}

var months = map[string]time.Month{
	"Jan": 1, "Feb": 2, "Mar": 3, "Apr": 4, "May": 5, "Jun": 6, "Jul": 7, "Aug": 8, "Sep": 9, "Oct": 10, "Nov": 11, "Dec": 12,
}

// findStamp finds the last date in a line's head: a relay may have put its own in front. An uptime, such as
// 4w5d or 00:01:01, is no date.
func findStamp(head string) stamp {
	var found stamp
	first := len(head) - len(strings.TrimLeft(head, " %*."))
	for i := 0; i < len(head); i++ {
		if i > 0 && (isLetter(head[i-1]) || isDigit(head[i-1])) {
			continue
		}
		var s stamp
		switch {
		case isUpper(head[i]):
			s = dateAt(head, i)
		case isDigit(head[i]):
			s = isoAt(head, i)
		}
		if !s.ok && !found.ok && i == first {
			s = numbersAt(head, i)
		}
		if s.ok {
			s.begin = i
			found = s
			i = s.end - 1
		}
	}
	return found
}

// dateAt reads "Mmm dd [yyyy] hh:mm:ss[.fraction] [yyyy] [ZONE]" at i, with a year before it, as NX-OS has it.
func dateAt(head string, i int) stamp {
	if i+3 > len(head) {
		return stamp{}
	}
	s := stamp{month: months[head[i:i+3]], end: i + 3, zone: time.UTC}
	if s.month == 0 {
		return stamp{}
	}
	day, n := field(head[s.end:])
	if s.day, s.ok = small(day, 1, 31); !s.ok {
		return stamp{}
	}
	s.end += n
	word, n := field(head[s.end:])
	if y, ok := year(word); ok {
		s.year = y
		s.end += n
		word, n = field(head[s.end:])
	}
	const short = len("15:04:05")
	if len(word) > short+1 && word[short] == ':' && isLetter(word[short+1]) { // FastIron: 14:02:05:I:System:
		n = strings.Index(head[s.end:], word) + short
		word = word[:short]
	}
	word, offset := clockZone(word)
	clk, ok := clock(word)
	if !ok {
		return stamp{}
	}
	s.clk = clk
	if offset != nil {
		s.zone = offset
	}
	s.end += n
	word, n = field(head[s.end:])
	if y, ok := year(word); ok && s.year == 0 {
		s.year = y
		s.end += n
		word, n = field(head[s.end:])
	}
	// A name that is not known as a zone is taken for one only where nothing but the message follows: elsewhere it
	// is a host's or a process's.
	if z, ok := Zone(word); ok && (known(word) || strings.Trim(head[s.end+n:], ": ") == "") {
		s.zone = z
		s.end += n
	}
	before := strings.TrimRight(head[:i], " ")
	if s.year == 0 && len(before) >= 4 {
		if y, ok := year(before[len(before)-4:]); ok && (len(before) == 4 || !isDigit(before[len(before)-5])) {
			s.year = y
			before = before[:len(before)-4]
		}
	}
	if before != "" && (before[len(before)-1] == '*' || before[len(before)-1] == '.') {
		s.clock = before[len(before)-1:]
	}
	return s
}

// isoAt reads "2026-11-30T14:02:05.123Z" at i.
func isoAt(head string, i int) stamp {
	rest := head[i:]
	if len(rest) < len("2026-11-30T14:02:05") || rest[4] != '-' || rest[10] != 'T' {
		return stamp{}
	}
	end := strings.IndexAny(rest, " ")
	if end < 0 {
		end = len(rest)
	}
	word := strings.TrimRight(rest[:end], ":")
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04:05.999999999", "2006-01-02T15:04:05-0700"} {
		if t, err := time.Parse(layout, word); err == nil {
			return stamp{ok: true, whole: t.UTC(), end: i + end}
		}
	}
	return stamp{}
}

// ahead is how far in the future of ref a line's time may lie: a wrong time zone and a clock that is fast.
const ahead = 48 * time.Hour

// time returns the moment, in the last year in which it was before ref where none is given.
func (s stamp) time(ref time.Time) (time.Time, bool) {
	if !s.whole.IsZero() {
		return s.whole, true
	}
	if s.year != 0 {
		return s.at(s.year)
	}
	if ref.IsZero() {
		return time.Time{}, false
	}
	if s.today {
		const slack = time.Hour // of a clock that is fast
		t := ref.UTC().Truncate(24 * time.Hour).Add(s.clk)
		if t.After(ref.Add(slack)) {
			t = t.AddDate(0, 0, -1)
		}
		return t, true
	}
	const leap = 8 // years at most without a 29 February
	for y := ref.Year() + 1; y >= ref.Year()-leap; y-- {
		if t, ok := s.at(y); ok && t.Before(ref.Add(ahead)) {
			return t, true
		}
	}
	return time.Time{}, false
}

// at returns the moment in a year; ok is false for a 29 February that the year does not have.
func (s stamp) at(year int) (time.Time, bool) {
	t := time.Date(year, s.month, s.day, 0, 0, 0, 0, s.zone)
	return t.Add(s.clk).UTC(), t.Month() == s.month
}

// field returns the next word of a head, without the colon after it, and how many bytes to go on by.
func field(s string) (word string, n int) {
	i := 0
	for i < len(s) && s[i] == ' ' {
		i++
	}
	j := i
	for j < len(s) && s[j] != ' ' {
		j++
	}
	return strings.TrimRight(s[i:j], ":,"), j
}

func small(s string, least, most int) (int, bool) {
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= least && n <= most && len(s) <= 2
}

// year reads a year in which a device can have logged: NTP's epoch has not been seen by any, and IOS's unset
// clock says 1993.
func year(s string) (int, bool) {
	if len(s) != 4 {
		return 0, false
	}
	n, err := strconv.Atoi(s)
	return n, err == nil && n >= 1970 && n <= 2200
}

// clock reads hh:mm:ss with or without a fraction.
func clock(s string) (time.Duration, bool) {
	if len(s) < 8 || s[2] != ':' || s[5] != ':' {
		return 0, false
	}
	h, ok1 := small(s[:2], 0, 23)
	m, ok2 := small(s[3:5], 0, 59)
	sec, ok3 := small(s[6:8], 0, 60)
	if !ok1 || !ok2 || !ok3 {
		return 0, false
	}
	d := time.Duration(h)*time.Hour + time.Duration(m)*time.Minute + time.Duration(sec)*time.Second
	frac := s[8:]
	if frac == "" {
		return d, true
	}
	// Comware has a colon before its milliseconds, some have a comma.
	if strings.IndexByte(".:,", frac[0]) < 0 || len(frac) < 2 || len(frac) > 10 {
		return 0, false
	}
	f, err := strconv.ParseFloat("0."+frac[1:], 64)
	if err != nil {
		return 0, false
	}
	return d + time.Duration(f*float64(time.Second)+0.5), true
}

func isLetter(c byte) bool { return isUpper(c) || c >= 'a' && c <= 'z' }

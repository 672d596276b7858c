package text

import (
	"strconv"
	"strings"
	"time"

	"whydrop/devices"
)

// Set gives a value that was not given yet.
func Set[T any](o *devices.Opt[T], v T) {
	if !o.OK {
		*o = devices.Some(v)
	}
}

// SetOpt gives a value that was not given yet, if v is given.
func SetOpt[T any](to *devices.Opt[T], v devices.Opt[T]) {
	if !to.OK {
		*to = v
	}
}

// First returns the first of two that is given.
func First[T any](a, b devices.Opt[T]) devices.Opt[T] {
	if a.OK {
		return a
	}
	return b
}

// Sum returns the sum of those that are given; it is given if one of them is.
func Sum(counters ...devices.Opt[devices.Counter]) devices.Opt[devices.Counter] {
	var out devices.Opt[devices.Counter]
	for _, c := range counters {
		if c.OK {
			out = devices.CCLI(out.Value.Value + c.Value.Value)
		}
	}
	return out
}

// Unset says whether a cell of a table says that there is no value: "", "-", "--", "---", "n/a", "N/A", "Unknown".
func Unset(s string) bool {
	s = strings.TrimSpace(s)
	if strings.Trim(s, "-") == "" {
		return true
	}
	switch strings.ToLower(s) {
	case "n/a", "na", "unknown", "not available", "none":
		return true
	}
	return false
}

// Count reads a cell that holds a counter and nothing else.
func Count(s string) devices.Opt[devices.Counter] {
	n, rest, ok := Number(strings.TrimSpace(s))
	if !ok || strings.TrimSpace(rest) != "" {
		return devices.None[devices.Counter]()
	}
	return n
}

// Uint32 reads a number of at most 32 bits at the beginning of s, with what follows it.
func Uint32(s string) (v uint32, rest string, ok bool) {
	n, rest, ok := Number(s)
	if !ok || !n.OK || n.Value.Value > 1<<32-1 {
		return 0, s, false
	}
	return uint32(n.Value.Value), rest, true
}

// Float reads a number with or without sign and fraction at the beginning of s, with what follows it.
func Float(s string) (v float64, rest string, ok bool) {
	i := 0
	if i < len(s) && (s[i] == '-' || s[i] == '+') {
		i++
	}
	digits := i
	for i < len(s) && (IsDigit(s[i]) || s[i] == '.') {
		i++
	}
	if i == digits {
		return 0, s, false
	}
	v, err := strconv.ParseFloat(s[:i], 64)
	return v, s[i:], err == nil
}

// Decimal reads a number with or without a fraction and with or without commas between thousands.
func Decimal(s string) (v float64, rest string, ok bool) {
	n, rest, ok := Number(s)
	if !ok || !n.OK {
		return 0, s, false
	}
	v = float64(n.Value.Value)
	if len(rest) < 2 || rest[0] != '.' || !IsDigit(rest[1]) {
		return v, rest, true
	}
	j := 1
	for j < len(rest) && IsDigit(rest[j]) {
		j++
	}
	f, err := strconv.ParseFloat("0"+rest[:j], 64)
	return v + f, rest[j:], err == nil
}

// Rate reads a speed or a rate: a number and a unit of bits or bytes per second, of which the forms are many:
// 1000Mb/s, 10Gb/s, 1000Mbps, 100 Mb/s, 2000 bits/sec, 120 bytes/sec, 915.73 mega-bits/sec, 1Gbit, 10G. What has no
// unit that is known is none.
func Rate(s string) (bits float64, ok bool) {
	i := strings.IndexFunc(s, func(r rune) bool { return r >= '0' && r <= '9' })
	if i < 0 {
		return 0, false
	}
	v, unit, ok := Decimal(s[i:])
	if !ok {
		return 0, false
	}
	scale, ok := BitScale(unit)
	return v * scale, ok
}

// BitScale returns how many bits per second a unit stands for; what follows the unit after a blank is left alone.
func BitScale(unit string) (float64, bool) {
	unit = strings.TrimSpace(unit)
	if word, rest, ok := strings.Cut(unit, " "); ok {
		unit = word
		if next, _, _ := strings.Cut(strings.TrimSpace(rest), " "); strings.HasPrefix(next, "/") { // "Mbits / sec"
			unit += "/sec"
		}
	}
	scale, ok := bitUnits[strings.ToLower(strings.Trim(unit, "().,;"))]
	return scale, ok
}

// PacketScale returns how many packets per second a unit stands for.
func PacketScale(unit string) (float64, bool) {
	unit = strings.TrimSpace(unit)
	unit, _, _ = strings.Cut(unit, " ")
	scale, ok := packetUnits[strings.ToLower(strings.Trim(unit, "().,;"))]
	return scale, ok
}

var bitUnits = map[string]float64{
	"b/s": 1, "bps": 1, "bit/s": 1, "bits/sec": 1, "bits/s": 1, "bit/sec": 1, "bits/second": 1,
	"kb/s": 1e3, "kbps": 1e3, "kbit": 1e3, "kbits": 1e3, "kbit/sec": 1e3, "kbit/s": 1e3, "kilo-bits/sec": 1e3, "kbits/sec": 1e3, "k": 1e3,
	"mb/s": 1e6, "mbps": 1e6, "mbit": 1e6, "mbits": 1e6, "mbit/s": 1e6, "mbit/sec": 1e6, "mega-bits/sec": 1e6, "mbits/sec": 1e6, "m": 1e6,
	"gb/s": 1e9, "gbps": 1e9, "gbit": 1e9, "gbits": 1e9, "gbit/s": 1e9, "gbit/sec": 1e9, "giga-bits/sec": 1e9, "gbits/sec": 1e9, "g": 1e9,
	"tb/s": 1e12, "tbps": 1e12,
	"bytes/sec": 8, "bytes/s": 8, "byte/s": 8, "bytes/second": 8, "kbytes/sec": 8e3, "mbytes/sec": 8e6,
}

var packetUnits = map[string]float64{
	"packets/sec": 1, "packets/s": 1, "packets/second": 1, "pps": 1, "pkts/sec": 1, "pkts/s": 1, "p/s": 1, "frames/sec": 1,
	"kpps": 1e3, "mpps": 1e6, "kpkts/sec": 1e3, "kpkts": 1e3,
}

// Plain prints a figure without an exponent.
func Plain(v float64) string { return strconv.FormatFloat(v, 'f', -1, 64) }

// MaxSpeed is more than any single port offers (800 Gbit/s in IEEE 802.3df): what is above was no speed.
const MaxSpeed = 1.6e12

// MediaSpeed returns the highest speed in a media type: 10/100/1000BaseTX, 100/1G/2.5G/5G/10GBaseTX, SFP-10GBase-SR.
func MediaSpeed(s string) (most uint64, ok bool) {
	const word = "base"
	end := 0 // strings.ToLower would move what stands behind letters that are none
	for end+len(word) <= len(s) && !strings.EqualFold(s[end:end+len(word)], word) {
		end++
	}
	if end == 0 || end+len(word) > len(s) {
		return 0, false
	}
	from := end
	for from > 0 && (IsDigit(s[from-1]) || strings.IndexByte("/.Gg", s[from-1]) >= 0) {
		from--
	}
	for part := range strings.SplitSeq(s[from:end], "/") {
		scale := 1e6
		if n := len(part); n > 0 && (part[n-1] == 'G' || part[n-1] == 'g') {
			part, scale = part[:n-1], 1e9
		}
		v, err := strconv.ParseFloat(part, 64)
		if err == nil && v > 0 && v*scale <= MaxSpeed {
			most, ok = max(most, uint64(v*scale)), true
		}
	}
	return most, ok
}

// Ago reads a length of time: hh:mm:ss, d:hh:mm:ss, 3d04h, 38w1d, 1y2w, "8week(s) 2day(s)", "9 months",
// "14 minutes, 2 seconds". "never" is none.
func Ago(s string) (time.Duration, bool) {
	s = strings.ReplaceAll(strings.ToLower(strings.TrimSpace(s)), ": ", ":") // "01: 20: 01" has been seen
	var total time.Duration
	units := 0
	for s = strings.Trim(s, " ,"); s != ""; s = strings.Trim(s, " ,") {
		if clk, rest, ok := clockTime(s); ok {
			return total + clk, rest == ""
		}
		n, rest, ok := Uint32(s)
		if !ok || n > maxAgo && !smallUnit(rest) {
			return 0, false
		}
		unit, rest, ok := timeUnit(strings.TrimLeft(rest, " "))
		if !ok {
			return 0, false
		}
		total += time.Duration(n) * unit
		s = rest
		if units++; units > maxUnits || total < 0 {
			return 0, false
		}
	}
	return total, units > 0
}

// maxAgo keeps durations from overflowing: 200 years in any unit up to years. Weeks of a clock that was never set
// and smaller units may be more.
const (
	maxAgo   = 200
	maxUnits = 8
)

// smallUnit says whether a unit is at most a week, of which ten thousand are no overflow; and not more than that
// many.
func smallUnit(rest string) bool {
	u, _, ok := timeUnit(strings.TrimLeft(rest, " "))
	return ok && u <= 24*time.Hour*7
}

// clockTime reads hh:mm:ss or hh:mm:ss.mmm or d:hh:mm:ss at the beginning of s, up to a blank.
func clockTime(s string) (time.Duration, string, bool) {
	word, rest, _ := strings.Cut(s, " ")
	parts := strings.Split(word, ":")
	if len(parts) < 3 || len(parts) > 4 {
		return 0, s, false
	}
	scale := []time.Duration{24 * time.Hour, time.Hour, time.Minute, time.Second}[4-len(parts):]
	var d time.Duration
	for i, p := range parts {
		if i == len(parts)-1 {
			p, _, _ = strings.Cut(p, ".")
		}
		n, end, ok := Uint32(p)
		if !ok || end != "" || n > 1e5 {
			return 0, s, false
		}
		d += time.Duration(n) * scale[i]
	}
	return d, rest, true
}

// timeUnit reads the name of a unit at the beginning of s: w, week, weeks, week(s), ms is none.
func timeUnit(s string) (time.Duration, string, bool) {
	i := 0
	for i < len(s) && IsLetter(s[i]) {
		i++
	}
	rest := strings.TrimPrefix(s[i:], "(s)")
	word := strings.TrimSuffix(s[:i], "s")
	if i == 1 {
		word = s[:1]
	}
	u, ok := timeUnits[word]
	if !ok && i > 0 {
		return 0, s, false
	}
	return u, rest, ok
}

const day = 24 * time.Hour

var timeUnits = map[string]time.Duration{
	"y": 365 * day, "yr": 365 * day, "year": 365 * day, "month": 30 * day, "mo": 30 * day, "w": 7 * day, "wk": 7 * day, "week": 7 * day,
	"d": day, "day": day, "h": time.Hour, "hr": time.Hour, "hour": time.Hour, "m": time.Minute, "min": time.Minute,
	"minute": time.Minute, "s": time.Second, "sec": time.Second, "second": time.Second,
}

// MAC returns an address in lower case with colons, from any of the spellings in use: aabb.ccdd.eeff,
// aabb-ccdd-eeff, aa:bb:cc:dd:ee:ff, aa-bb-cc-dd-ee-ff, aabbcc-ddeeff, aabbccddeeff. ok is false for what is none.
func MAC(s string) (mac string, ok bool) {
	const digits = 12
	if len(s) < digits || len(s) > digits+5 {
		return "", false
	}
	var b [digits + 5]byte
	n := 0
	for i := range len(s) {
		c := s[i]
		switch {
		case c >= 'A' && c <= 'F':
			c += 'a' - 'A'
		case c >= 'a' && c <= 'f', IsDigit(c):
		case c == '.' || c == ':' || c == '-':
			continue
		default:
			return "", false
		}
		if n == len(b) {
			return "", false
		}
		if n%3 == 2 {
			b[n] = ':'
			n++
		}
		b[n] = c
		n++
	}
	if n != len(b) {
		return "", false
	}
	return string(b[:]), true
}

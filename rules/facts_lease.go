package rules

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A host that loses its address, its route or its link for a moment when it renews its lease does so at half of it, again at seven
// eighths if nobody answered, and at its end (RFC 2131, section 4.4.5). Trouble that comes back in that time is told apart by it.

const (
	aTimeUnit = `(s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)`
	anyNumber = `(\d+(?:\.\d+)?)`
)

var (
	leaseLength = regexp.MustCompile(`\bleases?(?:[- _]?(?:time|length|duration))?(?: (?:of|is|lasts|for))?[ :=]{1,3}` + anyNumber + ` ?` + aTimeUnit + `?\b|\b` + anyNumber + `[- ]?` + aTimeUnit + `[- ](?:dhcp )?leases?\b`)
	beatWords   = regexp.MustCompile(`\b(?:every|each) ` + anyNumber + ` ?` + aTimeUnit + `\b|\b` + anyNumber + ` ?` + aTimeUnit + ` apart\b`)
	gapWords    = regexp.MustCompile(`\b(los[st]\w*|losses|drops?|dropped|gaps?|outages?|fails?|failed|dies|dead|gone|disappears?|freez\w+|stalls?|disconnect\w*|interrupt\w*|breaks?|cut off)\b`)
)

// leaseBeat returns the time in which trouble is told to come back, s, and whether it is that of a lease which is told as well: 1 or 0,
// NaN if either is not told.
func (t *hearsay) leaseBeat(rs []result) (beat, fits float64) {
	beat, fits = nan, nan
	texts, troubled := append([]string(nil), t.text...), []string(nil)
	for _, s := range t.text {
		if gapWords.MatchString(s) {
			troubled = append(troubled, s)
		}
	}
	for _, r := range rs {
		texts, troubled = append(texts, r.words), append(troubled, r.words)
	}
	for _, lease := range timesTold(leaseLength, texts) {
		for _, b := range timesTold(beatWords, troubled) {
			fits = orZero(fits)
			for _, share := range []float64{1, 0.5, 0.875} {
				if math.Abs(b-share*lease) <= 0.05*b {
					return b, 1
				}
			}
		}
	}
	return beat, fits
}

// timesTold returns the times that the words tell, s. A number without a unit is one of seconds, as DHCP's own messages have it.
func timesTold(words *regexp.Regexp, texts []string) []float64 {
	var out []float64
	for _, m := range words.FindAllStringSubmatch(strings.Join(texts, "\n"), -1) {
		n, unit := m[1], m[2]
		if n == "" {
			n, unit = m[3], m[4]
		}
		if v, err := strconv.ParseFloat(n, 64); err == nil && v > 0 {
			out = append(out, v*unitSeconds(unit))
		}
	}
	return out
}

func unitSeconds(unit string) float64 {
	switch {
	case strings.HasPrefix(unit, "m"):
		return 60
	case strings.HasPrefix(unit, "h"):
		return 3600
	case strings.HasPrefix(unit, "d"):
		return 86400
	}
	return 1
}

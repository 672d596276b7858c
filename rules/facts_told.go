package rules

import (
	"math"
	"regexp"
	"strconv"
)

// A packet that is too large and must not be fragmented is discarded, and whoever sent it is to be told (RFC 1191, RFC 8201). Whether he was
// tells a limit that everybody can keep to from a black hole (RFC 2923, section 2.1).

var (
	// toldWords are what hosts and routers say of such a packet, in small letters.
	toldWords = word(`frag(?:mentation)? (?:is )?needed|needs? (?:to be|to) frag\w*|message too (?:long|big)|packet (?:size )?too (?:big|large)|must be fragmented|doit être fragmenté|fragmentiert werden|type ?= ?3,? code ?= ?4`)
	// untoldWords deny that within the same clause, or say that nothing at all came back.
	untoldWords = regexp.MustCompile(`\b(no|not|never|without|nor|dropp?(ed|s)|filter(ed|s)?|block(ed|s)?|denie[ds]|lost|missing|swallow(ed|s)?)\b`)
	silentWords = regexp.MustCompile(`\bno (answer|reply|response|message|error|icmp)s?\b( \w+){0,3} (of any kind|at all|either|whatsoever|comes? back|came back|returns?|returned)|\b(no|without( an?)?|never an?) icmp\b|\b(silently|vanish(es)?|no error at all)\b`)
	toldMTU     = regexp.MustCompile(`\bmtu ?[=:]? ?(\d{3,5})\b`)
)

// told reads from the words of the tests at sizes that did not pass whether their sender was told: 1 he was, 0 he was not; NaN if they do
// not say. The MTU is the one that he was told.
func (f *testFacts) told(failed []result) {
	f.Told, f.ToldMTU = nan, nan
	for _, r := range failed {
		loc := toldWords.FindStringSubmatchIndex(r.words)
		switch {
		case loc != nil && !untoldWords.MatchString(clause(r.words[:loc[2]], true)) && !untoldWords.MatchString(clause(r.words[loc[3]:], false)):
			f.Told = 1
			if m := toldMTU.FindStringSubmatch(r.words); m != nil {
				if v, err := strconv.ParseFloat(m[1], 64); err == nil && !(v >= f.ToldMTU) {
					f.ToldMTU = v
				}
			}
		case (loc != nil || silentWords.MatchString(r.words)) && math.IsNaN(f.Told):
			f.Told = 0
		}
	}
}

package rules

import (
	"regexp"
	"strings"
)

// written is a number as people write it into a note, with its unit: 16k, 256 KB, 1.5M.
var written = regexp.MustCompile(`\d+(?:\.\d+)?(?: ?[kmg])?`)

// turned compares tests that are alike in all but one figure of the topic's own: "police rate 100mbit burst 16k" and "... burst 256k". Nobody
// calls that on or off, and neither is before or after; what a figure changes is told by the rates. NaN if there are no such tests.
func turned(topic *regexp.Regexp, rs []result) cure {
	out := cure{factor: nan}
	for i, a := range rs {
		for _, b := range rs[i+1:] {
			if a.early || b.early || !alikeBut(a, b, "") || !figureDiffers(topic, a.words, b.words) {
				continue
			}
			c := compare([]result{a}, []result{b})
			if !(c.factor >= 1) {
				c = compare([]result{b}, []result{a})
			}
			if c.factor >= 1 && !(c.factor <= out.factor) {
				c.better, out = "changed", c
			}
		}
	}
	return out
}

// figureDiffers says whether two notes are the same but for one figure, which stands in the clause of a word of the topic.
func figureDiffers(topic *regexp.Regexp, a, b string) bool {
	x, y := written.FindAllStringIndex(a, -1), written.FindAllStringIndex(b, -1)
	if len(x) != len(y) || written.ReplaceAllString(a, "#") != written.ReplaceAllString(b, "#") {
		return false
	}
	at := -1
	for i := range x {
		if a[x[i][0]:x[i][1]] == b[y[i][0]:y[i][1]] {
			continue
		}
		if at >= 0 {
			return false // two figures differ: either may be what counts
		}
		at = x[i][0]
	}
	if at < 0 {
		return false // the same words
	}
	from := 0
	if cuts := clauseEnd.FindAllStringIndex(a[:at], -1); len(cuts) > 0 {
		from = cuts[len(cuts)-1][1]
	}
	rest := a[at:]
	if end := clauseEnd.FindStringIndex(rest); end != nil {
		rest = rest[:end[0]]
	}
	return topic.MatchString(strings.TrimSpace(a[from:at] + rest))
}

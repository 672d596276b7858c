package text

import (
	"iter"
	"strings"

	"whydrop/devices"
)

// Pairs goes through a line of counters with their labels: "3 input errors, 3 CRC", "0 runts  0 giants  0 CRC",
// "2 input packets 0 unicast packets". A label ends at a comma, a semicolon or before the next number. What stands
// before the first number is passed over.
func Pairs(line string) iter.Seq2[devices.Opt[devices.Counter], string] {
	return func(yield func(devices.Opt[devices.Counter], string) bool) {
		for line = skipToNumber(line); line != ""; line = skipToNumber(line) {
			n, rest, ok := Number(line)
			if !ok {
				line = line[1:]
				continue
			}
			label := rest
			line = ""
			for i := 0; i < len(rest); i++ {
				if c := rest[i]; c == ',' || c == ';' {
					label, line = rest[:i], rest[i+1:]
					break
				} else if c == ' ' && startsNumber(rest[i+1:]) && strings.TrimSpace(rest[:i]) != "" {
					label, line = rest[:i], rest[i+1:]
					break
				}
			}
			if !yield(n, strings.TrimSpace(label)) {
				return
			}
		}
	}
}

// skipToNumber cuts off what stands before the first word that is a number.
func skipToNumber(s string) string {
	for i := range len(s) {
		if (i == 0 || s[i-1] == ' ' || s[i-1] == '\t') && startsNumber(s[i:]) {
			return s[i:]
		}
	}
	return ""
}

// startsNumber says whether s begins with a word that is a number, or says that there is none.
func startsNumber(s string) bool {
	i := 0
	for i < len(s) && (IsDigit(s[i]) || s[i] == ',' && i > 0 && thousands(s[i+1:])) {
		i++
	}
	if i > 0 {
		return i == len(s) || s[i] == ' ' || s[i] == ','
	}
	for i < len(s) && s[i] == '-' {
		i++
	}
	if i == 1 && len(s) > 2 && s[1] == '1' && s[2] == ' ' {
		return true
	}
	return i > 0 && i < len(s) && s[i] == ' ' && i+1 < len(s) && IsLetter(s[i+1])
}

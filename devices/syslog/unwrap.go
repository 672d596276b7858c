package syslog

import "strings"

// consoles are the widths at which consoles break lines.
var consoles = map[int]bool{80: true, 132: true}

// Unwrap joins what a console broke at its width, in the midst of words: a message that fills the width and does not
// end its sentence, with the line behind it if that has no header of its own. The slice is not changed.
func Unwrap(lines []string) []string {
	var out []string
	full := false
	for _, line := range lines {
		line = strings.TrimRight(line, "\r\n")
		if full && line != "" && !headed(line) {
			out[len(out)-1] += line
			full = consoles[len(line)]
			continue
		}
		out = append(out, line)
		full = consoles[len(line)] && headed(line)
	}
	return out
}

// headed says whether a line has a message's name.
func headed(line string) bool {
	_, c, _ := cut(line)
	if c.mnemonic == "" {
		_, c, _ = cutSlashes(line)
	}
	return c.mnemonic != ""
}

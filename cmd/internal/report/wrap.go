package report

import (
	"strings"

	"github.com/rivo/uniseg"
)

// Columns is the width of the text form: it fits a ticket and a mail that is quoted once.
const Columns = 78

// Wrap breaks clean text into lines of at most width columns, between words where it can, but not between a number
// and its unit. It returns at least one line.
func Wrap(s string, width int) []string {
	width = max(width, 8)
	var lines []string
	line, used := "", 0
	flush := func() {
		if line != "" {
			lines = append(lines, line)
		}
		line, used = "", 0
	}
	for _, word := range withUnits(strings.Fields(s), width) {
		n := uniseg.StringWidth(word)
		if used > 0 && used+1+n > width {
			flush()
		}
		for n > width { // a word longer than a line is cut
			head, rest := cut(word, width)
			lines = append(lines, head)
			word, n = rest, uniseg.StringWidth(rest)
		}
		if used > 0 {
			line, used = line+" ", used+1
		}
		line, used = line+word, used+n
	}
	flush()
	if len(lines) == 0 {
		return []string{""}
	}
	return lines
}

// units are the words that mean little without the number before them.
var units = map[string]bool{
	"%": true, "ns": true, "us": true, "µs": true, "ms": true, "s": true, "min": true, "h": true, "d": true, "UTC": true,
	"bit": true, "bit/s": true, "kbit/s": true, "Mbit/s": true, "Gbit/s": true, "Tbit/s": true,
	"B": true, "KiB": true, "MiB": true, "GiB": true, "bytes": true, "dBm": true, "dB": true, "mA": true, "mW": true, "W": true, "V": true,
}

// withUnits joins each number with the unit behind it to one word, where a line takes that.
func withUnits(words []string, width int) []string {
	var out []string
	for i, word := range words {
		if i > 0 && units[strings.TrimRight(word, ".,;:)")] && isNumber(words[i-1]) {
			if joined := out[len(out)-1] + " " + word; uniseg.StringWidth(joined) <= width {
				out[len(out)-1] = joined
				continue
			}
		}
		out = append(out, word)
	}
	return out
}

// isNumber says whether a word is a number or a time of day, whatever sign or bracket stands before it.
func isNumber(word string) bool {
	word = strings.TrimLeft(word, "(<>~±+-")
	return word != "" && strings.Trim(word, "0123456789.,:e-") == "" && word[0] >= '0' && word[0] <= '9'
}

// cut splits text before the character that would pass width columns; at least one character stays in head.
func cut(s string, width int) (head, rest string) {
	used, at, state := 0, 0, -1
	for at < len(s) {
		cluster, _, w, next := uniseg.FirstGraphemeClusterInString(s[at:], state)
		if at > 0 && used+w > width {
			break
		}
		used, at, state = used+w, at+len(cluster), next
	}
	return s[:at], s[at:]
}

// Clip shortens clean text to at most width columns and marks the cut with an ellipsis.
func Clip(s string, width int) string {
	switch {
	case width <= 0:
		return ""
	case uniseg.StringWidth(s) <= width:
		return s
	case width == 1:
		return "…"
	}
	head, _ := cut(s, width-1)
	if uniseg.StringWidth(head) > width-1 { // one wide character alone does not fit
		head = ""
	}
	return head + "…"
}

// Pad is Clip, then filled with spaces to exactly width columns.
func Pad(s string, width int) string {
	s = Clip(s, width)
	return s + strings.Repeat(" ", max(0, width-uniseg.StringWidth(s)))
}

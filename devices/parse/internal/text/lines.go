package text

import (
	"iter"
	"strings"

	"whydrop/devices"
)

// Lines walks through a text line by line without copying it.
type Lines struct {
	text string
	at   int // where the next line begins
}

// NewLines returns the lines of a text, which may be of any length and end with or without a newline. Terminal
// control and odd blanks in it become plain blanks, so that offsets stay right.
func NewLines(text string) Lines {
	if Noisy(text) {
		text = Denoise(text)
	}
	return Lines{text: text}
}

// Each returns the lines of a text one after the other, as NewLines and Next do; for who needs no more of them.
func Each(text string) iter.Seq[string] {
	return func(yield func(string) bool) {
		lines := NewLines(text)
		for line, _, _, ok := lines.Next(); ok; line, _, _, ok = lines.Next() {
			if !yield(line) {
				return
			}
		}
	}
}

// Text returns the text that the lines are of.
func (l *Lines) Text() string { return l.text }

// Next returns the next line without its line end and blanks at either side, and where it begins and ends in the
// text; ok is false at the end.
func (l *Lines) Next() (line string, from, to int, ok bool) {
	if l.at >= len(l.text) {
		return "", 0, 0, false
	}
	from = l.at
	if i := strings.IndexByte(l.text[from:], '\n'); i >= 0 {
		to, l.at = from+i, from+i+1
	} else {
		to, l.at = len(l.text), len(l.text)
	}
	return Trim(l.text[from:to]), from, to, true
}

// Peek returns what Next would, and stays.
func (l *Lines) Peek() string {
	at := l.at
	line, _, _, _ := l.Next()
	l.at = at
	return line
}

// Trim takes blanks from both sides, a mail's quotation marks and a pager's remains from the left.
func Trim(s string) string {
	i, j := 0, len(s)
	for i < j && (s[i] <= ' ' || s[i] == '>') {
		i++
	}
	for i < j && s[j-1] <= ' ' {
		j--
	}
	s = s[i:j]
	if len(s) > 0 && (s[0] == '-' || s[0] == '<') {
		return trimPager(s)
	}
	return s
}

// trimPager takes "--More--" and the backspaces and blanks that wipe it from the left.
func trimPager(s string) string {
	rest, ok := strings.CutPrefix(s, "--More--")
	if !ok {
		if rest, ok = strings.CutPrefix(s, "<--- More --->"); !ok {
			return s
		}
	}
	return strings.TrimLeft(rest, " \b\r\t")
}

// IsDigit says whether c is a decimal digit.
func IsDigit(c byte) bool { return c >= '0' && c <= '9' }

// IsLetter says whether c is an ASCII letter.
func IsLetter(c byte) bool { return c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z' }

// Number reads a counter at the beginning of s: digits, with or without commas between thousands. "-", "--" and
// "-1" mean that the device does not count this: the number is then not given. ok is false if there is neither.
func Number(s string) (n devices.Opt[devices.Counter], rest string, ok bool) {
	if s == "" {
		return n, s, false
	}
	if s[0] == '-' {
		i := 1
		for i < len(s) && (s[i] == '-' || IsDigit(s[i])) {
			i++
		}
		return n, s[i:], i == len(s) || s[i] == ' '
	}
	var v uint64
	i, over := 0, false
	for i < len(s) {
		c := s[i]
		if c == ',' && i > 0 && thousands(s[i+1:]) {
			i++
			continue
		}
		if !IsDigit(c) {
			break
		}
		if d := uint64(c - '0'); v > (^uint64(0)-d)/10 {
			over = true
		} else {
			v = v*10 + d
		}
		i++
	}
	if i == 0 {
		return n, s, false
	}
	if !over {
		n = devices.CCLI(v)
	}
	return n, s[i:], true
}

// thousands says whether s begins with exactly three digits.
func thousands(s string) bool {
	return len(s) >= 3 && IsDigit(s[0]) && IsDigit(s[1]) && IsDigit(s[2]) && (len(s) == 3 || !IsDigit(s[3]))
}

// After returns what follows the first occurrence of mark.
func After(s, mark string) (string, bool) {
	_, rest, ok := strings.Cut(s, mark)
	return rest, ok
}

// blanks lists the blanks of web pages and mails that stand for plain ones.
var blanks = []string{"\u00a0", "\u3000", "\u200b", "\ufeff"}

// Noisy says whether a text holds characters that scanning would stumble over: terminal control, and blanks that
// are none.
func Noisy(s string) bool {
	for _, c := range []byte{0x1b, '\b', 0} {
		if strings.IndexByte(s, c) >= 0 {
			return true
		}
	}
	for _, b := range blanks {
		if strings.Contains(s, b) {
			return true
		}
	}
	return false
}

// Denoise takes escape sequences, backspaces and NULs out and makes odd blanks plain. Offsets stay right: each
// byte taken out becomes a blank.
func Denoise(s string) string {
	for _, b := range blanks {
		s = strings.ReplaceAll(s, b, strings.Repeat(" ", len(b)))
	}
	b := []byte(s)
	for i := 0; i < len(b); i++ {
		switch b[i] {
		case 0, '\b':
			b[i] = ' '
		case 0x1b:
			b[i] = ' '
			if i+1 < len(b) && b[i+1] == '[' {
				i = wipeCSI(b, i+1)
			}
		}
	}
	return string(b)
}

// wipeCSI makes the control sequence that begins with the bracket at i blank, up to its final byte or the end of
// the line, and returns where that is.
func wipeCSI(b []byte, i int) int {
	b[i] = ' '
	for i++; i < len(b) && b[i] != '\n'; i++ {
		final := b[i] >= 0x40 && b[i] <= 0x7e
		b[i] = ' '
		if final {
			break
		}
	}
	return i
}

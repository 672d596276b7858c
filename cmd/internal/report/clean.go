package report

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Clean returns text from a device, a peer or a file in a form that is safe to show on a terminal, in a page or
// in a ticket: one line, in which nothing acts. Control characters (C0, DEL, C1), bytes that are no UTF-8, and
// characters that are invisible or reorder what stands around them become readable escapes (\x1b, \u202e), so
// nothing is hidden and nothing is carried out. The result is at most four times as long as s. Clean of a clean
// text is that text.
//
// It leaves markup alone: whoever writes HTML, Markdown or tagged terminal text escapes that as well.
func Clean(s string) string {
	if isPlain(s) {
		return s
	}
	var b strings.Builder
	b.Grow(len(s) + 16)
	marks := 0
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Me, r) {
			marks++
		} else {
			marks = 0
		}
		switch {
		case r == utf8.RuneError && n == 1, r < 0x20, r == 0x7f:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case hidden(r) || marks > maxMarks || marks > 0 && b.Len() == 0:
			escapeRune(&b, r)
		default:
			b.WriteString(s[i : i+n])
		}
		i += n
	}
	return b.String()
}

// maxMarks is how many combining marks may follow one character: no living script needs more than three, and
// a pile of them paints over the neighbouring lines.
const maxMarks = 3

func isPlain(s string) bool {
	for i := range len(s) {
		if s[i] < 0x20 || s[i] > 0x7e {
			return false
		}
	}
	return true
}

// hidden says whether the rune has no shape of its own: controls, format characters (bidi controls, zero
// width, tags), line and paragraph separators, private use, unassigned, and the letters that are drawn as nothing.
func hidden(r rune) bool {
	switch {
	case r == 0x034f, // combining grapheme joiner
		r == 0x115f, r == 0x1160, r == 0x3164, r == 0xffa0, // Hangul fillers
		r == 0x17b4, r == 0x17b5, // Khmer inherent vowels
		r == 0x2800,                  // braille pattern blank
		r >= 0x180b && r <= 0x180f,   // Mongolian selectors
		r >= 0xfe00 && r <= 0xfe0f,   // variation selectors
		r >= 0xe0100 && r <= 0xe01ef: // variation selectors supplement
		return true
	}
	return !unicode.IsGraphic(r)
}

func escapeRune(b *strings.Builder, r rune) {
	if r > 0xffff {
		fmt.Fprintf(b, `\U%08x`, r)
		return
	}
	fmt.Fprintf(b, `\u%04x`, r)
}

// prose is Clean for sentences of ours with device text in them: line breaks and tabs count as spaces.
func prose(s string) string { return Clean(strings.Join(strings.Fields(s), " ")) }

package report

import (
	"fmt"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

// hostileTexts are at least 200 sequences that do something to a terminal or to a reader's eyes.
func hostileTexts() []string {
	var out []string
	for b := range 0x20 {
		out = append(out, "a"+string(rune(b))+"b")
	}
	for b := 0x7f; b < 0xa0; b++ {
		out = append(out, "a"+string(rune(b))+"b", "a"+string([]byte{byte(b)})+"b")
	}
	for _, final := range "ABCDEFGHJKLMPSTXZ@`abcdefghilmnqrstu" {
		out = append(out, fmt.Sprintf("a\x1b[7%cb", final))
	}
	for _, r := range []rune{0xad, 0x34f, 0x61c, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180b, 0x180e, 0x2028, 0x2029, 0x202f - 1, 0x2800, 0x3164, 0xfe0f, 0xfeff, 0xffa0, 0xfff9, 0xe000, 0xe0001, 0xe0041, 0xe0100, 0x10ffff} {
		out = append(out, "a"+string(r)+"b")
	}
	for r := rune(0x200b); r <= 0x200f; r++ {
		out = append(out, "a"+string(r)+"b")
	}
	for r := rune(0x202a); r <= 0x202e; r++ {
		out = append(out, "a"+string(r)+"b")
	}
	for r := rune(0x2060); r <= 0x206f; r++ {
		out = append(out, "a"+string(r)+"b")
	}
	return append(out,
		"\x1b]52;c;cm0gLXJm\x07", "\x1b]52;c;cm0gLXJm\x1b\\", "\x1b]8;;http://192.0.2.1\x1b\\click\x1b]8;;\x1b\\",
		"\x1b]0;title\x07", "\x1b]2;never ended", "\x1bP+q544e\x1b\\", "\x1bP never ended", "\x1b_apc\x1b\\", "\x1b^pm\x1b\\", "\x1bX sos",
		"\x1b[999999999999999999E", "\x1b[1000000000E", "\x1b[8mhidden\x1b[28m", "\x1b[2J\x1b[H", "\x1b[?1049h", "\x1b[?25l", "\x1b[6n", "\x1b[c", "\x1bc",
		"\x1b#8", "\x1b(0lqk", "\x1b%G", "\x1bN", "\x1bO", "\x1b[", "\x1b", "\x1b\x1b\x1b", "\x9b2J", "\x9d0;t\x9c", "\u009b2J", "\u009d0;t\u009c",
		"visible\rhidden", "one\ntwo", "one\r\ntwo", "a\bb", "a\vb", "a\fb", "\x0e\x0f", "[red]text[-]", "[::b]text", `["region"]text[""]`, "[red[]",
		"\xff\xfe", "\xc3", "\xe2\x80", "\xf0\x9f\x98", "\xed\xa0\x80", "\xc0\x9b", "a"+strings.Repeat("\u0301", 80), "\u0301lead", strings.Repeat("\x1b", 1000),
		"\u202eexe.gnp\u202c", "\u2066\u2067\u2068\u2069", "p\u0430ypal", "\x00", "nul\x00nul",
	)
}

func TestCleanLeavesNothingThatActs(t *testing.T) {
	texts := hostileTexts()
	if len(texts) < 200 {
		t.Fatalf("the corpus has %d sequences, want at least 200", len(texts))
	}
	for _, in := range texts {
		got := Clean(in)
		if !utf8.ValidString(got) {
			t.Errorf("Clean(%q) = %q: not UTF-8", in, got)
		}
		marks := 0
		for _, r := range got {
			if !unicode.IsGraphic(r) || unicode.Is(unicode.Cf, r) {
				t.Errorf("Clean(%q) = %q: %U is still in it", in, got, r)
			}
			if marks++; !unicode.Is(unicode.Mn, r) {
				marks = 0
			}
			if marks > maxMarks {
				t.Errorf("Clean(%q) = %q: a pile of marks", in, got)
			}
		}
		if len(got) > 4*len(in) {
			t.Errorf("Clean(%q) is %d bytes long, more than 4 times %d", in, len(got), len(in))
		}
		if again := Clean(got); again != got {
			t.Errorf("Clean(Clean(%q)) = %q, want %q", in, again, got)
		}
	}
}

func TestCleanShowsWhatItTookAway(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"plain text stays", "GigabitEthernet1/0/1 is up", "GigabitEthernet1/0/1 is up"},
		{"letters of any script stay", "Zürich 東京 Đà Nẵng नमस्ते", "Zürich 東京 Đà Nẵng नमस्ते"},
		{"a decomposed letter stays", "e\u0301a", "e\u0301a"},
		{"an escape sequence is read, not run", "\x1b[31mred", `\x1b[31mred`},
		{"a carriage return hides nothing", "up\rdown", `up\x0ddown`},
		{"a line break makes no second line", "a\nb", `a\x0ab`},
		{"a raw C1 byte", "a\x9bb", `a\x9bb`},
		{"an encoded C1", "a\u009bb", `a\u009bb`},
		{"a right-to-left override", "a\u202eb", `a\u202eb`},
		{"a zero-width space", "a\u200bb", `a\u200bb`},
		{"a tag beyond the basic plane", "a\U000e0041b", `a\U000e0041b`},
		{"bytes that are no UTF-8", "a\xff\xc3b", `a\xff\xc3b`},
		{"the fourth mark in a row", "e\u0301\u0301\u0301\u0301", "e\u0301\u0301\u0301" + `\u0301`},
		{"nothing", "", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := Clean(tt.in); got != tt.want {
				t.Errorf("got %q, want %q", got, tt.want)
			}
		})
	}
}

func FuzzClean(f *testing.F) {
	for _, s := range hostileTexts() {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, in string) {
		got := Clean(in)
		if Clean(got) != got || !utf8.ValidString(got) || len(got) > 4*len(in) {
			t.Errorf("Clean(%q) = %q", in, got)
		}
		for _, r := range got {
			if !unicode.IsGraphic(r) {
				t.Errorf("Clean(%q) = %q: %U", in, got, r)
			}
		}
	})
}

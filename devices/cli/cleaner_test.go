package cli

import (
	"bytes"
	"strings"
	"testing"
)

func TestCleaner(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"plain", "sw1#\n\tx", "sw1#\n\tx"},
		{"carriage returns", "a\r\nb\r", "a\nb"},
		{"colours", "\x1b[1;32msw1\x1b[0m#", "sw1#"},
		{"cursor positions", "\x1b[24;1H\x1b[2Ksw1#", "sw1#"},
		{"a title ended by BEL", "\x1b]0;title\x07sw1#", "sw1#"},
		{"a title ended by ST", "\x1b]0;title\x1b\\sw1#", "sw1#"},
		{"clipboard", "\x1b]52;c;AAAA\x07x", "x"},
		{"a device control string", "\x1bPq#0\x1b\\x", "x"},
		{"character set", "\x1b(Bx", "x"},
		{"a repeated newline of many", "a\x1b[99999999999999Eb", "ab"},
		{"NUL, BEL, DEL", "a\x00b\x07c\x7fd", "abcd"},
		{"backspaces stay", "--More--\b\b", "--More--\b\b"},
		{"UTF-8", "Überlauf 交换机", "Überlauf 交换机"},
		{"an open sequence hides no more than a line", "\x1b[12\nsw1#", "sw1#"},
		{"an open title hides no more than its limit", "\x1b]" + strings.Repeat("x", maxEscape) + "sw1#", "sw1#"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var whole, bytewise cleaner
			if got := string(whole.clean([]byte(c.in))); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			var got []byte
			for _, b := range []byte(c.in) {
				got = append(got, bytewise.clean([]byte{b})...)
			}
			if string(got) != c.want {
				t.Errorf("byte by byte %q, want %q", got, c.want)
			}
		})
	}
}

func FuzzCleaner(f *testing.F) {
	f.Add([]byte("\x1b[1;32msw1\x1b[0m#\x1b]0;t\x07"), 3)
	f.Add([]byte("\x1bP\x1b\x1b\\\x1b[\x1b(\x1b"), 1)
	f.Fuzz(func(t *testing.T, in []byte, at int) {
		var whole, parts cleaner
		want := whole.clean(bytes.Clone(in))
		if len(want) > len(in) || bytes.ContainsAny(want, "\x1b\x00\r\x07\x7f") {
			t.Fatalf("%q became %q", in, want)
		}
		at = min(max(at, 0), len(in))
		got := append(bytes.Clone(parts.clean(bytes.Clone(in[:at]))), parts.clean(bytes.Clone(in[at:]))...)
		if !bytes.Equal(got, want) {
			t.Fatalf("cut at %d %q, whole %q", at, got, want)
		}
		if len(rubOut(want)) > len(want) || bytes.IndexByte(rubOut(want), '\b') >= 0 {
			t.Fatalf("rubbed out: %q", rubOut(want))
		}
	})
}

func TestRubOutAndWipe(t *testing.T) {
	for in, want := range map[string]string{"abc\b\bXY": "aXY", "\b\bab": "ab", "ab\b \b": "a ", "": ""} {
		if got := string(rubOut([]byte(in))); got != want {
			t.Errorf("rubOut(%q) = %q, want %q", in, got, want)
		}
	}
	for in, want := range map[string]string{
		"\b\b\b   \b\b\b  MTU": "  MTU", "          MTU": "  MTU", "  MTU": "  MTU", "MTU": "MTU", "": "",
	} {
		if got := string(wipe([]byte(in), len("--More--"))); got != want {
			t.Errorf("wipe(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestRefusalIsTheDevicesOwnWordsOnly(t *testing.T) {
	for text, want := range map[string]string{
		"            ^\n% Invalid input detected at '^' marker.\n\n":            "% Invalid input detected at '^' marker.",
		"% Ambiguous command:  \"show i\"\n":                                    "% Ambiguous command:  \"show i\"",
		"Command authorization failed.\n":                                       "Command authorization failed.",
		"% \x1b[31mred":                                                         "%  [31mred",
		"Syslog logging: enabled\n\n\n\n\nLog Buffer\n% Invalid input in a log": "",
		"%LINK-3-UPDOWN: Interface Gi0/1, changed state to up\n":                "",
		gi1:  "",
		tree: "",
		"":   "",
	} {
		if got := refusal(text, nil); got != want {
			t.Errorf("refusal(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestForeignIsAShortAnswerOfAnotherSystem(t *testing.T) {
	for text, want := range map[string]string{
		"bash: show: command not found\n":                                 "bash: show: command not found",
		"/bin/sh: 1: show: not found\n":                                   "/bin/sh: 1: show: not found",
		"-sh: `show`: not found":                                          "-sh: 'show': not found",
		"zsh: command not found: show\n":                                  "zsh: command not found: show",
		"Command 'show' not found, did you mean:\n  command 'snow'\n":     "Command 'show' not found, did you mean:",
		"        ^\nError: Unrecognized command found at '^' position.\n": "Error: Unrecognized command found at '^' position.",
		"            ^\n% Invalid input detected at '^' marker.\n\n":      "",
		"% Unknown command or computer name, or unable to find address\n": "",
		"Syslog logging: enabled\n\nLog Buffer (4096 bytes):\n\nNov 30 14:01:58: %X-3-Y: rommon: command not found\n": "",
		gi1: "", tree: "", log: "", "": "",
	} {
		if got := foreign(text); got != want {
			t.Errorf("foreign(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestPrintable(t *testing.T) {
	for in, want := range map[string]string{
		"  a\x1b[2Jb\n": "a [2Jb", "x\u202ey": "x y", "\xff\xfe": "", "ok ü": "ok ü", strings.Repeat("x", 300): strings.Repeat("x", 200) + "…",
	} {
		if got := strings.TrimSpace(printable(in)); got != want {
			t.Errorf("printable(%q) = %q, want %q", in, got, want)
		}
	}
}

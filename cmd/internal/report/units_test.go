package report

import (
	"testing"
	"time"
)

func TestFiguresAreWrittenAsPeopleReadThem(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"a gigabit link that is full", Rate(941.2e6), "941.2 Mbit/s"},
		{"ten gigabit", Rate(9.41e9), "9.41 Gbit/s"},
		{"a trickle", Rate(640), "640 bit/s"},
		{"no rate", Rate(0), "0 bit/s"},
		{"a port's speed", Figure("if.speed", 1e9, ""), "1 Gbit/s"},
		{"an odd speed", Speed(2.5e9), "2.5 Gbit/s"},
		{"a small loss keeps its digits", Percent(0.00098), "0.098 %"},
		{"a large loss", Percent(0.231), "23.1 %"},
		{"no loss", Percent(0), "0.0 %"},
		{"all of it", Percent(1), "100.0 %"},
		{"a round trip", Figure("path.rtt", 0.00084, "s"), "0.84 ms"},
		{"a longer round trip", Figure("path.rtt", 0.01024, "s"), "10.2 ms"},
		{"an outage below a second", Length(840 * time.Millisecond), "840 ms"},
		{"an outage of seconds", Length(4210 * time.Millisecond), "4.21 s"},
		{"an outage of minutes", Length(125 * time.Second), "2 min 05 s"},
		{"an outage of hours", Length(62 * time.Minute), "1 h 02 min"},
		{"no time at all", Length(0), "0 ms"},
		{"a round length", RoundLength(46800 * time.Millisecond), "47 s"},
		{"a window", Figure("tcp.send_window", 65536, "byte"), "64.0 KiB"},
		{"errors", Figure("if.in.fcs", 420, ""), "420.0 packet/s"},
		{"one error a minute is not none", Figure("if.in.fcs", 1./60, ""), "0.017 packet/s"},
		{"a very small loss is not none", Percent(2e-7), "2e-05 %"},
		{"a port that is down", Figure("if.oper", 0, ""), "down"},
		{"a port that is up", Figure("if.oper", 1, "state"), "up"},
		{"half duplex", Figure("if.half_duplex", 1, ""), "half duplex"},
		{"a unit nobody knows", Figure("x", 3.14159, "furlong"), "3.142 furlong"},
		{"milliseconds from elsewhere", Figure("x", 12, "ms"), "12 ms"},
		{"a metric's name", MetricName("if.in.fcs"), "FCS errors (CRC)"},
		{"a moment", Stamp(time.Date(2026, 3, 1, 14, 2, 5, 120e6, time.UTC)), "2026-03-01 14:02:05.120 UTC"},
		{"a time of day of which nobody told the date", Stamp(NoDay.Add(14 * time.Hour)), "14:00:00.000 UTC"},
		{"an event's name", MetricName("stp.state"), "stp.state"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

func TestWrap(t *testing.T) {
	tests := []struct {
		name  string
		in    string
		width int
		want  []string
	}{
		{"nothing is one line", "", 10, []string{""}},
		{"words are kept", "one two three", 8, []string{"one two", "three"}},
		{"a long word is cut", "abcdefghijkl", 8, []string{"abcdefgh", "ijkl"}},
		{"a long word after a short one", "a abcdefghijkl", 8, []string{"a", "abcdefgh", "ijkl"}},
		{"wide characters count twice", "東京東京東京", 8, []string{"東京東京", "東京"}},
		{"a number keeps its unit", "it stalled for 12 ms.", 16, []string{"it stalled for", "12 ms."}},
		{"a time keeps its zone", "at 05:41:11.2 UTC (8 s)", 16, []string{"at", "05:41:11.2 UTC", "(8 s)"}},
		{"a unit in narrow lines goes alone", "12345678 Mbit/s", 8, []string{"12345678", "Mbit/s"}},
		{"a word before a unit's name is none", "the letter s of it", 10, []string{"the letter", "s of it"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := Wrap(tt.in, tt.width)
			if len(got) != len(tt.want) {
				t.Fatalf("got %q, want %q", got, tt.want)
			}
			for i := range got {
				if got[i] != tt.want[i] {
					t.Errorf("line %d: got %q, want %q", i, got[i], tt.want[i])
				}
			}
		})
	}
}

func TestClipAndPad(t *testing.T) {
	tests := []struct{ name, got, want string }{
		{"short stays", Clip("abc", 5), "abc"},
		{"long is marked", Clip("abcdef", 5), "abcd…"},
		{"a wide character is not halved", Clip("東京東京", 4), "東…"},
		{"no room", Clip("abc", 0), ""},
		{"one column", Clip("abc", 1), "…"},
		{"padded", Pad("ab", 4), "ab  "},
		{"padded wide", Pad("東京東", 4), "東… "},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if tt.got != tt.want {
				t.Errorf("got %q, want %q", tt.got, tt.want)
			}
		})
	}
}

package cisco_ios

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// seed adds the captures whose names begin so, whole and cut in the middle of a line.
func seed(f *testing.F, prefix string) {
	f.Helper()
	files, _ := filepath.Glob(filepath.Join("testdata", prefix+"*.txt"))
	if len(files) == 0 {
		f.Fatal("no captures")
	}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(b))
		f.Add(string(b[:len(b)/2]))
		f.Add(strings.ReplaceAll(string(b), "\n", " \r\n\x1b[K--More--\b\b\b"))
	}
	f.Add("")
	f.Add("\x1b[\x1b]\x00%%%-1-- 0/0/0/0/0 is is , line protocol is \n")
}

func FuzzShowInterfaces(f *testing.F) {
	seed(f, "show_interfaces_")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, p := range ShowInterfaces(text) {
			if p.From < end || p.To < p.From || p.To > len(text) {
				t.Fatalf("block at %d to %d, the one before ends at %d, the text at %d", p.From, p.To, end, len(text))
			}
			end = p.To
			if p.Interface.Name == "" || p.Interface.SpeedMax.OK && p.Interface.SpeedMax.Value < p.Interface.Speed.Value {
				t.Fatalf("port %+v", p.Interface)
			}
		}
		if len(FindInterfaces(text)) > len(ShowInterfaces(text)) {
			t.Fatal("more is found in prose than in output")
		}
	})
}

func FuzzShowSpanningTreeDetail(f *testing.F) {
	seed(f, "show_spanning_tree_detail_")
	f.Fuzz(func(t *testing.T, text string) {
		trees := ShowSpanningTreeDetail(text)
		b, ports := Combine(trees)
		if (b == nil) != (len(trees) == 0) {
			t.Fatalf("%d instances, bridge %v", len(trees), b)
		}
		for _, p := range ports {
			if p.Name == "" {
				t.Fatal("a port without a name")
			}
		}
	})
}

func FuzzShowLogging(f *testing.F) {
	seed(f, "show_logging_")
	f.Fuzz(func(t *testing.T, text string) {
		for _, l := range ShowLogging(text, asked) {
			if l.Text == "" || l.Mnemonic == "" && !l.Time.OK {
				t.Fatalf("line %+v", l)
			}
		}
	})
}

func FuzzShowClock(f *testing.F) {
	for _, s := range []string{"*14:02:05.123 UTC Mon Nov 30 2026", ".15:02:05.123 CET Mon Nov 30 2026\n", "Time source is NTP, 14:02:05.120 UTC Mon Nov 30 2026"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if c, ok := ShowClock(text); ok && (c.Time.IsZero() || !utf8.ValidString(c.Quality)) {
			t.Fatalf("clock %+v", c)
		}
	})
}

func FuzzShowVersion(f *testing.F) {
	seed(f, "show_version_")
	f.Fuzz(func(t *testing.T, text string) {
		if software, name := ShowVersion(text); strings.Contains(software+name, "\n") {
			t.Fatalf("%q, %q", software, name)
		}
	})
}

func BenchmarkShowInterfaces(b *testing.B) {
	one, err := os.ReadFile("testdata/show_interfaces_2960x.txt")
	if err != nil {
		b.Fatal(err)
	}
	block := string(one)[strings.Index(string(one), "GigabitEthernet1/0/1 "):strings.Index(string(one), "GigabitEthernet1/0/2 ")]
	text := strings.Repeat(block, 48)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if n := len(ShowInterfaces(text)); n != 48 {
			b.Fatal(n)
		}
	}
}

package app

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What people copy from pages and forums, with what these put around it, reads as what was pasted there.
func TestATextReadsTheSameAsAPage(t *testing.T) {
	read := func(text string) string {
		doc := Analyze([]string{"-"}, strings.NewReader(text))
		out := string(doc.Verdict)
		for _, f := range doc.Findings {
			out += fmt.Sprintf(" %s:%s", f.ID, f.Verdict)
		}
		for _, b := range doc.Inputs {
			if b.Kind != "prose" {
				out += " " + b.Kind
			}
		}
		return out
	}
	for _, file := range []string{"cwnd-fixed.txt", "vrp-crc-cn.txt", "fortios-election.txt", "proc-snmp-twice.txt", "stp-and-windows-ping.txt", "junos-policer.txt"} {
		b, err := os.ReadFile(filepath.Join("testdata/analyze", file))
		if err != nil {
			t.Fatal(err)
		}
		text := string(b)
		for name, page := range map[string]string{
			"a fence of Markdown":      "# Trouble\n\n**see below**\n\n```text\n" + text + "```\n\nThanks!\n",
			"preformatted HTML":        "<html><body>\n<p>Hello,</p>\n<pre class=\"x\"><code>" + html.EscapeString(text) + "</code></pre>\n</body></html>\n",
			"HTML on one line":         "<p>" + strings.ReplaceAll(strings.ReplaceAll(html.EscapeString(text), "\n", "<br>"), "  ", " &nbsp;") + "</p>",
			"a quotation of a forum":   "[quote=\"somebody, post:1\"]\n[code]" + text + "[/code]\n[/quote]\nSame here.\n",
			"a quotation with a fence": "> somebody wrote:\n>\n> ```\n> " + strings.ReplaceAll(text, "\n", "\n> ") + "\n> ```\n\nTry another cable.\n",
		} {
			if got, want := read(page), read(text); got != want {
				t.Errorf("%s as %s: %s, want %s", file, name, got, want)
			}
		}
	}
	table := "| Window | Rate |\n|---|---|\n| 16 KB | 9.1 Mbit/s |\n| 32 KB | 18.3 Mbit/s |\n| 64 KB | 36.4 Mbit/s |\n| 128 KB | 72.9 Mbit/s |\n"
	if got, want := read("The window and the rate:\n\n"+table), "found tcp-window:holds rate-list"; got != want {
		t.Errorf("a table: %s, want %s", got, want)
	}
}

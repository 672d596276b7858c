package main

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/spf13/cobra"
)

func TestTextsAreBrokenAnew(t *testing.T) {
	const text = "A first sentence that\ngoes on and ends.\nExit code 0: well;\n1: not.\n\n  kept as it is\nlast"
	const want = "A first sentence that goes\non and ends.\nExit code 0: well; 1: not.\n\n  kept as it is\nlast"
	if got := reflow(text, 26); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestHelpFits80Columns(t *testing.T) {
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		var out bytes.Buffer
		c.SetOut(&out)
		if err := c.Help(); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(out.String(), "\n") {
			words := len(strings.Fields(line))
			if utf8.RuneCountInString(line) > helpColumns && words > 3 && !strings.Contains(line, "whydrop ") { // a command line is to be copied whole
				t.Errorf("%s: %q", c.CommandPath(), line)
			}
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(newRoot())
}

func TestValuesThatMayBeLeftOutAreShownAsInManuals(t *testing.T) {
	for in, want := range map[string]string{
		`  --trace PROTOCOL[="udp"]   the hops`: "  --trace [=PROTOCOL]        the hops",
		"  --rate RATE   a rate":                "  --rate RATE   a rate",
	} {
		if got := optional(in); got != want {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}

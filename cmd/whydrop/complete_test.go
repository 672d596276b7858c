package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

func TestShellsAreOfferedTheValuesOfFlags(t *testing.T) {
	for path, flags := range flagValues {
		for flag, values := range flags {
			root := newRoot()
			var out bytes.Buffer
			root.SetOut(&out)
			root.SetErr(&bytes.Buffer{})
			root.SetArgs(append(append([]string{cobra.ShellCompRequestCmd}, strings.Fields(path)[1:]...), "--"+flag+"="))
			if err := root.Execute(); err != nil {
				t.Fatal(err)
			}
			got := strings.Fields(out.String())
			if want := append(append([]string{}, values...), ":4"); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s --%s: offered %q, want %q", path, flag, got, want)
			}
		}
	}
}

func TestEveryFormatIsOffered(t *testing.T) {
	var each func(*cobra.Command)
	each = func(c *cobra.Command) {
		f := c.Flags().Lookup("format")
		if _, ok := c.GetFlagCompletionFunc("format"); f != nil && f.Shorthand == "" && !ok { // iperf 2's -f is a unit
			t.Errorf("%s --format offers no values", c.CommandPath())
		}
		for _, sub := range c.Commands() {
			each(sub)
		}
	}
	each(newRoot())
}

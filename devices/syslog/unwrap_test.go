package syslog

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLinesThatAConsoleBrokeAreJoined(t *testing.T) {
	whole := "Nov 30 2026 14:02:05 R1 %%01IFPDT/4/IF_STATE(l)[6]:Interface GigabitEthernet0/0/1 has turned into UP state."
	in := []string{whole[:80], whole[80:], "[R1]", whole, strings.Repeat("x", 80), "y", ""}
	want := []string{whole, "[R1]", whole, strings.Repeat("x", 80), "y", ""}
	if d := cmp.Diff(want, Unwrap(in)); d != "" {
		t.Error(d)
	}
	if got := told(Unwrap(in)[0]); got != "if.oper GigabitEthernet0/0/1 from=down layer=link to=up" {
		t.Error(got)
	}
}

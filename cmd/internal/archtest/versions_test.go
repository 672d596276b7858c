package archtest

import (
	"cmp"
	"os"
	"strconv"
	"strings"
	"testing"
)

// floors are the oldest versions that may be built with, and what an older one lets through.
var floors = []struct{ module, version, why string }{
	{"github.com/gosnmp/gosnmp", "v1.47.0", "GHSA-w96x-5v55-24xx: SNMPv3 authentication bypass and panics on malformed packets"},
	{"golang.org/x/crypto", "v0.59.0", "CVE-2023-48795 (Terrapin), CVE-2025-22869 and server panics in older ones"},
	{"github.com/scrapli/scrapligo", "v1.4.3", "the version whose traps our own transport was written against; v2 is not pure Go"},
}

func TestLibrariesAreNotOlderThanTheirFloor(t *testing.T) {
	b, err := os.ReadFile("../../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	have := map[string]string{}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(strings.TrimPrefix(strings.TrimSpace(line), "require ")); len(f) >= 2 && strings.HasPrefix(f[1], "v") {
			have[f[0]] = f[1]
		}
	}
	for _, f := range floors {
		switch got := have[f.module]; {
		case got == "":
			t.Errorf("%s is not in go.mod", f.module)
		case older(got, f.version):
			t.Errorf("%s is %s, older than %s: %s", f.module, got, f.version, f.why)
		}
	}
}

func TestOlder(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"v1.47.0", "v1.47.0", false}, {"v1.46.9", "v1.47.0", true}, {"v1.100.0", "v1.47.0", false},
		{"v0.9.0", "v0.59.0", true}, {"v2.0.0", "v1.4.3", false}, {"v1.4.3-0.20250101-abc", "v1.4.3", true},
	} {
		if got := older(tt.a, tt.b); got != tt.want {
			t.Errorf("older(%s, %s): got %v, want %v", tt.a, tt.b, got, tt.want)
		}
	}
}

// older compares two versions (semver.org, section 11); a pre-release is older than its release.
func older(a, b string) bool {
	coreA, preA, isPreA := strings.Cut(strings.TrimPrefix(a, "v"), "-")
	coreB, preB, isPreB := strings.Cut(strings.TrimPrefix(b, "v"), "-")
	pa, pb := strings.Split(coreA, "."), strings.Split(coreB, ".")
	for i := range min(len(pa), len(pb)) {
		x, _ := strconv.Atoi(pa[i])
		y, _ := strconv.Atoi(pb[i])
		if c := cmp.Compare(x, y); c != 0 {
			return c < 0
		}
	}
	if isPreA != isPreB {
		return isPreA
	}
	return preA < preB
}

package oid

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPackKeepsTheOrderOfTheMIB(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		arcs := rapid.SliceOfN(rapid.Uint32(), 1, 20)
		a, b := arcs.Draw(t, "a"), arcs.Draw(t, "b")
		name := func(x []uint32) string {
			var p []byte
			for _, n := range x {
				p = append(p, byte(n>>24), byte(n>>16), byte(n>>8), byte(n))
			}
			return Unpack(string(p))
		}
		pa, err := Pack(name(a))
		if err != nil || !slices.Equal(Arcs(pa), a) || Unpack(pa) != name(a) {
			t.Fatalf("%v: %v, %v", a, err, Arcs(pa))
		}
		pb, _ := Pack("." + name(b))
		if got, want := strings.Compare(pa, pb), slices.Compare(a, b); got != want {
			t.Fatalf("%v and %v compare as %d, want %d", a, b, got, want)
		}
	})
}

func TestPackRefusesWhatIsNoIdentifier(t *testing.T) {
	for _, s := range []string{"", ".", "1..3", "1.3.x", "1.4294967296", "-1", strings.Repeat("1.", 200) + "1"} {
		if p, err := Pack(s); err == nil {
			t.Errorf("Pack(%.20q) = %x", s, p)
		}
	}
}

package snmp

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"whydrop/correlate/timeline"
)

func TestUnseenObjectsAreOfTablesThatThereAre(t *testing.T) {
	for name := range objectNames {
		i := slices.IndexFunc(Tables, func(x Table) bool { return x.Name == name })
		if i < 0 {
			t.Errorf("there is no table %s", name)
		} else if !Tables[i].Unseen {
			t.Errorf("%s has been seen on a real device; its names are needed no more", name)
		}
	}
	for object, want := range map[string]bool{
		"ifHCInOctets": false, "dot3StatsFCSErrors": false, "dot3HCStatsFCSErrors": true, "dot3HCInPauseFrames": true, "cieIfInIgnored": false, "locIfInIgnored": true,
		"cbQosCMDropPkt64": true, "cpscSuppressedPacket": true, "cdaiVlanDropped": true, "": false,
	} {
		if got := Unseen(object); got != want {
			t.Errorf("%q: got %v, want %v", object, got, want)
		}
	}
}

// TestEveryUnseenTableOfCountersIsNamedInTheSources: an unseen table of counters that no metric's sources name would be marked
// nowhere.
func TestEveryUnseenTableOfCountersIsNamedInTheSources(t *testing.T) {
	word := regexp.MustCompile(`[A-Za-z0-9]+`)
	named := map[string]bool{}
	for _, d := range timeline.Metrics() {
		for _, w := range word.FindAllString(d.Sources, -1) {
			for name, begins := range objectNames {
				if slices.ContainsFunc(begins, func(b string) bool { return strings.HasPrefix(w, b) }) {
					named[name] = true
				}
			}
		}
	}
	for _, x := range Tables {
		same := func(y string) bool { return strings.Fields(y)[0] == strings.Fields(x.Name)[0] }
		if !x.Unseen || x.Cadence != Counters {
			continue
		}
		found := false
		for name := range named {
			found = found || same(name)
		}
		if !found {
			t.Errorf("%s: no metric's sources name an object of it", x.Name)
		}
	}
}

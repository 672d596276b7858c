package rules

import (
	"strings"
	"testing"

	"whydrop/correlate/timeline"
)

func TestWhatPeopleTellIsTheCase(t *testing.T) {
	for text, want := range map[string]bool{
		"the port is err-disabled":                             true,
		"Error-disabled by BPDU guard":                         true,
		"no port is err-disabled":                              false,
		"it was err-disabled a year ago":                       false,
		"the port had been err-disabled, opening did not help": false,
		"the port is up":                                       false,
	} {
		tell := &hearsay{tellers: []teller{tellerOf(timeline.Event{Subject: timeline.Port("sw1", "Gi0/3"), Text: text})}}
		about, got := tell.toldOf("errdisabled", nil)
		if got != want {
			t.Errorf("%q: told %v, want %v", text, got, want)
		}
		if got && (about.subject != timeline.Port("sw1", "Gi0/3") || about.words != text) {
			t.Errorf("%q is told of %s as %q", text, about.subject, about.words)
		}
	}
}

func TestNoticesOfTestsTellAsWell(t *testing.T) {
	about, ok := (&hearsay{}).toldOf("errdisabled", []result{{words: "all is fine"}, {words: "the port was shut by bpdu guard"}})
	if !ok || about.subject != (timeline.Subject{}) {
		t.Errorf("got %v, %v", about, ok)
	}
}

func TestAPathThatIsWellIsToldOfNothing(t *testing.T) {
	st := story{Empty: true, Tests: []map[string]string{{"proto": "icmp", "loss_ratio": "0"}, {"proto": "tcp", "rate_bps": "941000000"}},
		Events: []happens{{Of: "sw1", Type: "mark", At: 1, Text: "a port is err-disabled", By: byHand + "ticket"}}}
	snap, topo := st.build(t)
	for _, d := range Evaluate(Default(), snap, topo) {
		if d.ID() == "err-disabled" {
			t.Errorf("%s: %s", d.Verdict, d.Summary)
		}
	}
}

// What words alone could have told is no reason against a rival where the path itself was watched.
func TestRivalsOfAWatchedPathAreNotJudgedByWords(t *testing.T) {
	for _, id := range []string{"port-flap", "bad-cable", "silent-drop", "stp-reconvergence", "host-limit"} {
		for _, c := range loadCases(t, id).Cases {
			if c.Story.Empty {
				continue
			}
			snap, topo := c.Story.build(t)
			for _, d := range Evaluate(Default(), snap, topo) {
				for _, why := range d.Against {
					if strings.Contains(why, "nobody tells") || strings.Contains(why, "nobody compared") {
						t.Errorf("%s/%s: %s", id, c.Name, why)
					}
				}
			}
		}
	}
}

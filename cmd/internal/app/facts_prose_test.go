package app

import (
	"fmt"
	"testing"

	"whydrop/correlate/timeline"
)

func TestSentencesThatTellOfALinkThatComesAndGoes(t *testing.T) {
	for sentence, want := range map[string]int{
		"uplink flaps at night":                            1,
		"port is flapping":                                 1,
		"interface goes up and down":                       1,
		"link down/up 14 times":                            1,
		"link state changed 37 times since yesterday":      1,
		"44 carrier transitions in 10 minutes":             1,
		"the LED goes out for a second":                    1,
		"autonegotiation restarts every hour":              1,
		"line protocol keeps going down and coming back":   1,
		"never flapped":                                    0,
		"no link flaps in the log":                         0,
		"link up, no flaps":                                0,
		"BGP neighbor flapping":                            0,
		"port is up and stays up":                          0,
		"the host's address is flapping between ports":     0,
		"should the link flap again, call the NOC at once": 0,
	} {
		f, err := ParseFacts("f", fmt.Appendf(nil, "schema: 1\nevents:\n  - {device: sw1, port: Gi1, text: %q}\n", sentence))
		if err != nil {
			t.Fatal(err)
		}
		downs := 0
		for _, e := range eventsOf(f.Snapshot, timeline.EventOper) {
			if e.Attrs["to"] == "down" {
				downs++
			}
		}
		if downs != want {
			t.Errorf("%q: %d losses of carrier, want %d", sentence, downs, want)
		}
	}
}

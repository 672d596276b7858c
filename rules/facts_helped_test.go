package rules

import (
	"math"
	"testing"
)

func TestWhatPeopleTellOfATrial(t *testing.T) {
	for _, x := range []struct {
		topic, text string
		want        float64
	}{
		{"cable", "with another cable nothing is lost any more", 1},
		{"cable", "the patch lead was replaced and the errors stopped", 1},
		{"cable", "a new patch cord did not help", 0},
		{"cable", "it still drops with a different cable", 0},
		{"cable", "replaced the cable, issue resolved", 1},
		{"cable", "with another cable the loss went to 0", 1},
		{"cable", "swapped the cable, same issue", 0},
		{"cable", "another cable was tried, the loss remains", 0},
		{"cable", "the cable is 30 m long", math.NaN()},
		{"cable", "cable replaced, switch rebooted, nothing helped", 0},
		{"cable", "the cable works", math.NaN()},
		{"eee", "eee was disabled at both ends and it made no difference", 0},
		{"eee", "since eee is off not one link was lost", 1},
		{"port", "moved to another port: the same problem", 0},
		{"port", "on another port there are no errors", 1},
		{"eee", "on another port there are no errors", math.NaN()},
	} {
		t.Run(x.text, func(t *testing.T) {
			got := (&hearsay{kinds: []string{x.text}}).helped(x.topic, nil)
			if got != x.want && !(math.IsNaN(got) && math.IsNaN(x.want)) {
				t.Errorf("%s: got %v, want %v", x.topic, got, x.want)
			}
		})
	}
}

package rules

import "testing"

func TestNotesThatDifferInOneFigureOfATopic(t *testing.T) {
	for name, tt := range map[string]struct {
		topic, a, b string
		want        bool
	}{
		"the burst of a policer":                 {"policer", "tc police rate 100mbit burst 16k", "tc police rate 100mbit burst 256k", true},
		"two figures differ":                     {"policer", "police rate 50mbit burst 16k", "police rate 100mbit burst 256k", false},
		"the number of the run":                  {"policer", "police rate 100mbit, run 1", "police rate 100mbit, run 2", false},
		"the same note":                          {"policer", "police rate 100mbit", "police rate 100mbit", false},
		"other words as well":                    {"policer", "police rate 10mbit", "police at 20mbit", false},
		"a figure in a clause of another matter": {"policer", "rate limit 30 mbit, vlan 10", "rate limit 30 mbit, vlan 20", false},
		"a figure beside a sign for one":         {"policer", "police rate 5#, then 6", "police rate ##, then 6", false},
		"a sign for a figure where one stands":   {"policer", "police rate ##", "police rate 1#", false},
		"a unit that differs":                    {"pacing", "bursts of 64 k", "bursts of 64 m", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := figureDiffers(topics[tt.topic], tt.a, tt.b); got != tt.want {
				t.Errorf("%q and %q: %v, want %v", tt.a, tt.b, got, tt.want)
			}
		})
	}
}

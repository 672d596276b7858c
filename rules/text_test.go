package rules

import (
	"math"
	"testing"
)

func TestWhatIsCountedStandsInTheRightNumber(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		n    float64
		want string
	}{
		"several":                 {"it dropped {n} frames of 9", 3, "it dropped 3 frames of 9"},
		"one":                     {"it dropped {n} frames of 9", 1, "it dropped 1 frame of 9"},
		"one with its verb":       {"{n} segments were sent again", 1, "1 segment was sent again"},
		"one of several":          {"one of {n} outages coincides", 1, "one of 1 outages coincides"},
		"what is no noun of ours": {"port {n} counts", 1, "port 1 counts"},
	} {
		t.Run(name, func(t *testing.T) {
			env := map[string]any{"n": c.n}
			text := Text{Text: c.text}
			if err := text.compile(vocabularyOf(env), nil); err != nil {
				t.Fatal(err)
			}
			if got := text.fill(env); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	for want, got := range map[string]string{
		"94 % busy": occupied(0.94), "busy on 1.3 cores at once": occupied(1.27), "? % busy": occupied(math.NaN()),
		"1 device": Plural(1, "device"), "0 devices": Plural(0, "device"), "2 switches": Plural(2, "switch"),
		"3 series": Plural(3, "series"), "2 entries": Plural(2, "entry"),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

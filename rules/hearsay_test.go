package rules

import (
	"fmt"
	"slices"
	"testing"
)

func TestOfManySentencesOneOfEachKindIsKept(t *testing.T) {
	var text []string
	for i := range 300 {
		text = append(text, fmt.Sprintf("interface gi1/0/%d changed state to down", i))
	}
	text = append(text, "interface gi1/0/7 has another duplex")
	want := []string{"interface gi1/0/0 changed state to down", "interface gi1/0/7 has another duplex"}
	if got := oneOfEach(text); !slices.Equal(got, want) {
		t.Errorf("kept %q, want %q", got, want)
	}
	if few := text[:100]; len(oneOfEach(few)) != len(few) {
		t.Error("of few sentences some were left out")
	}
}

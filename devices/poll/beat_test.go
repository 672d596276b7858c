package poll

import (
	"testing"
	"time"
)

func TestABeatIsSharedByWhatIsClose(t *testing.T) {
	b := newBeat(time.Second, 100)
	if b.every != beatMost {
		t.Fatalf("a beat every %s, want %s", b.every, beatMost)
	}
	late := map[time.Duration]bool{}
	for n := range 40 {
		place := b.start.Add(time.Duration(n) * b.every)
		at := b.at(place)
		if d := at.Sub(place); d < 0 || d > b.every/2 {
			t.Errorf("beat %d is %s late, want up to %s", n, d, b.every/2)
		}
		if other := b.at(place.Add(b.every - 1)); other != at {
			t.Errorf("beat %d is at %s and %s", n, at.Sub(b.start), other.Sub(b.start))
		}
		late[at.Sub(place)] = true
	}
	if len(late) < 20 {
		t.Errorf("40 beats are late by %d different times, want them to keep no step", len(late))
	}
	if b := newBeat(time.Second, 800); b.every != 10*time.Millisecond {
		t.Errorf("of 800 devices a beat is every %s, want 10ms: no more than %d together", b.every, together)
	}
	if none := (beat{}); none.at(b.start) != b.start {
		t.Error("the zero beat moves moments")
	}
}

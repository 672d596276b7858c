package host

import (
	"testing"
	"time"
)

func TestSharesOfWaiting(t *testing.T) {
	before := Waits{Ready: time.Second, Throttled: 10 * time.Second, Limited: true}
	got := Waits{Ready: 4 * time.Second, Throttled: 11 * time.Second, Limited: true}.since(before, 2*time.Second)
	if want := (WaitShares{Ready: 1.5, Throttled: 0.5, Limited: true}); got != want {
		t.Errorf("got %+v, want %+v", got, want)
	}
	if got := (Waits{}).since(before, time.Second); got != (WaitShares{}) {
		t.Errorf("threads that ended: got %+v, want nothing", got)
	}
}

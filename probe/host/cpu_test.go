package host

import (
	"math"
	"testing"
	"time"
)

func near(a, b float64) bool { return math.Abs(a-b) < 1e-9 }

func TestSharesOfATime(t *testing.T) {
	for _, c := range []struct {
		name string
		a, b Times
		want Shares
		ok   bool
	}{
		{"half idle", Times{}, Times{User: 30, System: 20, Idle: 50}, Shares{Busy: 0.5}, true},
		{"softirqs and interrupts are one", Times{}, Times{IRQ: 10, SoftIRQ: 30, Idle: 60}, Shares{Busy: 0.4, SoftIRQ: 0.4}, true},
		{"what the hypervisor took was not idle", Times{}, Times{Steal: 25, Idle: 75}, Shares{Busy: 0.25, Steal: 0.25}, true},
		{"waiting for a disk is not busy", Times{}, Times{IOWait: 90, User: 10}, Shares{Busy: 0.1, IOWait: 0.9}, true},
		{"nice counts", Times{Nice: 5}, Times{Nice: 15}, Shares{Busy: 1}, true},
		{"iowait fell, as it may", Times{IOWait: 10, Idle: 10}, Times{IOWait: 9, Idle: 20}, Shares{}, true},
		{"no tick passed", Times{User: 7}, Times{User: 7}, Shares{}, false},
	} {
		got, ok := c.b.Since(c.a)
		if ok != c.ok || !near(got.Busy, c.want.Busy) || !near(got.SoftIRQ, c.want.SoftIRQ) || !near(got.Steal, c.want.Steal) || !near(got.IOWait, c.want.IOWait) {
			t.Errorf("%s: got %+v, %v, want %+v, %v", c.name, got, ok, c.want, c.ok)
		}
	}
}

func TestBusiestCoreWithCoresSwitchedOff(t *testing.T) {
	a := CPU{Cores: []Core{{0, Times{}}, {2, Times{}}, {3, Times{}}}}
	b := CPU{Cores: []Core{{0, Times{User: 10, Idle: 90}}, {1, Times{User: 100}}, {3, Times{SoftIRQ: 60, Idle: 40}}}}
	got, ok := b.Busiest(a)
	if !ok || !near(got.Busy, 0.6) || !near(got.SoftIRQ, 0.6) {
		t.Errorf("got %+v, %v: a core that one reading lacks must not count", got, ok)
	}
	if _, ok := (CPU{}).Busiest(a); ok {
		t.Error("known without any core")
	}
}

func TestLoad(t *testing.T) {
	var l Load
	if _, ok := l.Host(); ok {
		t.Error("the first call has nothing to compare with")
	}
	if _, ok := l.Process(time.Now()); ok {
		t.Error("the first call has nothing to compare with")
	}
	if _, err := ReadCPU(); err != nil {
		t.Skip(err)
	}
	for end := time.Now().Add(60 * time.Millisecond); time.Now().Before(end); {
		_ = math.Sqrt(float64(end.UnixNano())) // keeps a core busy: at least two ticks pass
	}
	if v, ok := l.Host(); !ok || v <= 0 || v > 1 {
		t.Errorf("host: %v, %v", v, ok)
	}
	if u, ok := l.Process(time.Now()); !ok || u.Total() <= 0 || u.Total() > 64 {
		t.Errorf("process: %+v, %v", u, ok)
	}
}

func TestClockSteps(t *testing.T) {
	at := func(wall, mono, boot time.Duration) instant {
		return instant{wall: time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC).Add(wall), mono: mono, boot: boot}
	}
	const s, ms = time.Second, time.Millisecond
	for _, c := range []struct {
		name       string
		a, b       instant
		set, slept time.Duration
	}{
		{"nothing happened", at(0, 0, 0), at(s, s, s), 0, 0},
		{"set forward", at(0, 0, 0), at(5*s, s, s), 4 * s, 0},
		{"set back", at(0, 0, 0), at(-5*s, s, s), -6 * s, 0},
		{"a jitter of the readings", at(0, 0, 0), at(s+9*ms, s, s), 0, 0},
		{"a small step", at(0, 0, 0), at(s+11*ms, s, s), 11 * ms, 0},
		{"readings far apart prove no small step", at(0, 0, 0), instant{wall: at(s+30*ms, 0, 0).wall, mono: s, boot: s, error: 40 * ms}, 0, 0},
		{"slept", at(0, 0, 0), at(61*s, s, 61*s), 0, 60 * s},
		{"slept, and the clock was a little behind afterwards", at(0, 0, 0), at(60*s+700*ms, s, 61*s), 0, 60 * s},
		{"slept and set", at(0, 0, 0), at(3661*s, s, 61*s), time.Hour, 60 * s},
		{"slept where no clock tells", at(0, 0, -1), at(61*s, s, -1), 60 * s, 0},
	} {
		if set, slept := step(c.a, c.b); set != c.set || slept != c.slept {
			t.Errorf("%s: got set %v, slept %v, want %v, %v", c.name, set, slept, c.set, c.slept)
		}
	}
}

func TestReadingTheClocksFindsNoStep(t *testing.T) {
	a := readClocks()
	b := readClocks()
	if set, slept := step(a, b); set != 0 || slept != 0 {
		t.Errorf("set %v, slept %v", set, slept)
	}
	if b.mono < a.mono || a.error < 0 || a.error > time.Minute {
		t.Errorf("%+v, then %+v", a, b)
	}
}

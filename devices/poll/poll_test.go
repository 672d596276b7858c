package poll

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// fake answers as the function says and notes when it was asked.
type fake struct {
	mu     sync.Mutex
	asked  []time.Time
	out    int // outstanding
	most   int
	answer func(n int, ctx context.Context) (devices.Reading, error)
}

func (f *fake) Name() string { return "snmp" }
func (f *fake) Close() error { return nil }
func (f *fake) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	f.mu.Lock()
	f.asked = append(f.asked, time.Now())
	n := len(f.asked)
	f.out++
	f.most = max(f.most, f.out)
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.out--
		f.mu.Unlock()
	}()
	from := time.Now().UTC()
	r, err := f.answer(n, ctx)
	r.Device, r.Origin.Collector = d.Name, "snmp:"+d.Name
	if err == nil || errors.Is(err, devices.ErrPartial) {
		r.Span = timeline.Span{From: from, To: time.Now().UTC()}
	}
	return r, err
}

var sw1 = devices.Device{Name: "sw1", Ports: []string{"Gi1/0/1"}, OffPath: []string{"Gi1/0/9"}, SNMP: &devices.SNMP{}}

// play polls sw1 with the fake for a time that costs none.
func play(t *testing.T, d devices.Device, f *fake, length time.Duration) timeline.Snapshot {
	t.Helper()
	var store timeline.Store
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), length)
		defer cancel()
		if err := run(ctx, Config{Devices: []devices.Device{d}, Out: &store}, func(Source) devices.Collector { return f }); err != nil {
			t.Error(err)
		}
	})
	return store.Snapshot()
}

func took(d time.Duration) func(int, context.Context) (devices.Reading, error) {
	return func(int, context.Context) (devices.Reading, error) {
		time.Sleep(d)
		return devices.Reading{}, nil
	}
}

func TestRunKeepsASchedule(t *testing.T) {
	f := &fake{answer: took(200 * time.Millisecond)}
	s := play(t, sw1, f, 60*time.Second)
	if n := len(f.asked); n < 59 || n > 61 {
		t.Errorf("asked %d times in a minute, want 60", n)
	}
	if last := f.asked[len(f.asked)-1].Sub(f.asked[0]); last > 59500*time.Millisecond {
		t.Errorf("the schedule drifts: poll %d came after %s", len(f.asked), last)
	}
	if f.most != 1 {
		t.Errorf("%d polls outstanding", f.most)
	}
	if n := len(s.Series(timeline.Device("sw1"), timeline.Reachable)); n != len(f.asked) {
		t.Errorf("%d samples of device.reachable for %d polls", n, len(f.asked))
	}
	if g := s.Gaps(); len(g) != 0 {
		t.Errorf("gaps without a reason: %+v", g)
	}
}

func TestRunSparesASlowDevice(t *testing.T) {
	slow := true
	f := &fake{}
	f.answer = func(n int, _ context.Context) (devices.Reading, error) {
		if slow = n < 20; slow {
			time.Sleep(3 * time.Second)
		}
		return devices.Reading{}, nil
	}
	s := play(t, sw1, f, 5*time.Minute)
	if got := f.asked[18].Sub(f.asked[17]); got < 6*time.Second || got > 9*time.Second {
		t.Errorf("asked every %s while it takes 3s, want 8s", got)
	}
	n := len(f.asked)
	if got := f.asked[n-1].Sub(f.asked[n-2]); got > 1100*time.Millisecond {
		t.Errorf("asked every %s at the end, want 1s again", got)
	}
	if e := s.EventsOf(timeline.Device("sw1"), timeline.EventSlow); len(e) != 3 || e[2].Attrs["period_ms"] != "8000" {
		t.Errorf("events device.slow: %+v, want 2 s, 4 s and 8 s", e)
	}
}

func TestOneLostDatagramSlowsNothing(t *testing.T) {
	f := &fake{}
	f.answer = func(n int, _ context.Context) (devices.Reading, error) {
		if n == 10 || n == 30 {
			time.Sleep(900 * time.Millisecond) // asked again after a second without an answer, or nearly
		}
		return devices.Reading{}, nil
	}
	s := play(t, sw1, f, time.Minute)
	if len(f.asked) < 58 || len(s.EventsOf(timeline.Device("sw1"), timeline.EventSlow)) != 0 {
		t.Errorf("asked %d times in a minute, %+v; want 60 and no event", len(f.asked), s.Events())
	}
}

func TestRunSaysWhatADeadDeviceHides(t *testing.T) {
	f := &fake{}
	f.answer = func(n int, _ context.Context) (devices.Reading, error) {
		if n > 10 && n <= 30 {
			time.Sleep(2 * time.Second)
			return devices.Reading{}, fmt.Errorf("snmp: sw1: no answer in 1s (2 tries): %w", devices.ErrTimeout)
		}
		return devices.Reading{Interfaces: []devices.Interface{{Name: "Gi1/0/1"}, {Name: "Gi1/0/9"}}}, nil
	}
	s := play(t, sw1, f, 5*time.Minute)
	for _, sub := range []timeline.Subject{timeline.Device("sw1"), timeline.Port("sw1", "Gi1/0/1"), timeline.Port("sw1", "Gi1/0/9")} {
		var covered timeline.Span
		gaps := 0
		for _, g := range s.Gaps() {
			if g.Subject == sub && g.Reason == timeline.ReasonTimeout {
				if !covered.IsZero() && !covered.Overlaps(g.Span) {
					t.Errorf("%s: gaps leave a hole: %v then %v", sub, covered, g.Span)
				}
				covered = covered.Union(g.Span)
				gaps++
			}
		}
		if gaps != 20 {
			t.Errorf("%s: %d gaps for 20 failed polls", sub, gaps)
		}
		if covered.From.After(f.asked[10]) || covered.To.Before(f.asked[29]) {
			t.Errorf("%s: gaps cover %v, want from %v to %v", sub, covered, f.asked[10], f.asked[29])
		}
	}
	zeros := 0
	for _, x := range s.Series(timeline.Device("sw1"), timeline.Reachable) {
		if x.Value == 0 {
			zeros++
		}
	}
	if zeros != 20 {
		t.Errorf("device.reachable is 0 in %d samples, want 20", zeros)
	}
	// After three failures: 2, 4, 8, 10, 10 ... s of peace.
	for n, want := range map[int]time.Duration{13: 4 * time.Second, 14: 6 * time.Second, 20: 12 * time.Second} {
		if got := f.asked[n].Sub(f.asked[n-1]); got < want || got > want+time.Second {
			t.Errorf("pause before poll %d: %s, want %s", n+1, got, want)
		}
	}
	if got := f.asked[32].Sub(f.asked[31]); got > 1100*time.Millisecond {
		t.Errorf("asked every %s once it answers again", got)
	}
}

func TestRunStopsAfterTwoRefusedLogins(t *testing.T) {
	f := &fake{answer: func(int, context.Context) (devices.Reading, error) {
		return devices.Reading{}, fmt.Errorf("snmp: sw1: wrong pass phrase: %w", devices.ErrAuth)
	}}
	s := play(t, sw1, f, 4*time.Minute)
	if len(f.asked) != 2 {
		t.Errorf("%d logins, want 2", len(f.asked))
	}
	g := s.Gaps()
	if len(g) == 0 || g[0].Reason != timeline.ReasonAuth {
		t.Errorf("gaps: %+v, want the reason auth", g)
	}
}

func TestRunNamesThePortsThatAPartialAnswerLacks(t *testing.T) {
	f := &fake{answer: func(int, context.Context) (devices.Reading, error) {
		return devices.Reading{Interfaces: []devices.Interface{{Name: "Gi1/0/1"}}}, fmt.Errorf("port Gi1/0/9 not found: %w", devices.ErrPartial)
	}}
	s := play(t, sw1, f, time.Minute)
	partial := func(port string) (n int) {
		for _, g := range s.GapsOf(timeline.Port("sw1", port), timeline.InBits) {
			if g.Reason == timeline.ReasonPartial {
				n++
			}
		}
		return n
	}
	if n := partial("Gi1/0/1"); n != 0 {
		t.Errorf("%d gaps for the port that was read", n)
	}
	if n := partial("Gi1/0/9"); n < 3 || n > 10 {
		t.Errorf("%d gaps in a minute for the port that is missing, want one now and then", n)
	}
	if n := len(s.Series(timeline.Device("sw1"), timeline.Reachable)); n < 59 {
		t.Errorf("%d samples of device.reachable", n)
	}
}

func TestRunSurvivesAFaultInACollector(t *testing.T) {
	f := &fake{answer: func(n int, _ context.Context) (devices.Reading, error) {
		if n == 2 {
			panic("hostile answer")
		}
		return devices.Reading{}, nil
	}}
	s := play(t, sw1, f, 10*time.Second)
	if len(f.asked) < 9 || len(s.Gaps()) == 0 {
		t.Errorf("asked %d times, %d gaps", len(f.asked), len(s.Gaps()))
	}
}

func TestFailureOfOneSourceDoesNotBlindTheOther(t *testing.T) {
	d := sw1
	d.SSH = &devices.SSH{}
	good := &fake{answer: took(time.Millisecond)}
	bad := &fake{answer: func(int, context.Context) (devices.Reading, error) {
		return devices.Reading{}, fmt.Errorf("ssh: refused: %w", devices.ErrAuth)
	}}
	var store timeline.Store
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		run(ctx, Config{Devices: []devices.Device{d}, Out: &store}, func(s Source) devices.Collector {
			if s.Name == SNMP.Name {
				return good
			}
			return bad
		})
	})
	s := store.Snapshot()
	last, _ := s.Last(timeline.Device("sw1"), timeline.Reachable)
	if last.Value != 1 {
		t.Error("device.reachable is 0 although SNMP answers")
	}
	text := ""
	for _, g := range s.Gaps() {
		text += g.Text
		if g.Kind == timeline.KindPort && g.Span.To.After(good.asked[1]) {
			t.Errorf("a port that SNMP reads has a gap: %+v", g)
		}
	}
	if text == "" {
		t.Error("the refused login is not on the timeline")
	}
}

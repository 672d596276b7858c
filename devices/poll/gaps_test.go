package poll

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

func TestTheLastGapKeepsTheRealReason(t *testing.T) {
	for name, c := range map[string]struct {
		answer func(int, context.Context) (devices.Reading, error)
		reason timeline.Reason
		text   string
	}{
		"the credentials are refused": {func(int, context.Context) (devices.Reading, error) {
			return devices.Reading{}, fmt.Errorf("snmp: sw1: authentication of \"v3user\" failed: %w", devices.ErrAuth)
		}, timeline.ReasonAuth, "authentication of \"v3user\" failed"},
		"the answers are rubbish": {func(int, context.Context) (devices.Reading, error) {
			return devices.Reading{}, fmt.Errorf("snmp: sw1: the answer could not be decoded: %w", devices.ErrPartial)
		}, timeline.ReasonPartial, "could not be decoded"},
		"a question is cut off by the end": {func(n int, ctx context.Context) (devices.Reading, error) {
			if n > 1 {
				<-ctx.Done()
			}
			return devices.Reading{}, fmt.Errorf("snmp: sw1: answers came from elsewhere: %w", devices.ErrTimeout)
		}, timeline.ReasonTimeout, "answers came from elsewhere"},
		"no answer at all came before the end": {func(_ int, ctx context.Context) (devices.Reading, error) {
			<-ctx.Done()
			return devices.Reading{}, fmt.Errorf("snmp: sw1: stopped while asking: %w", devices.ErrTimeout)
		}, timeline.ReasonStopped, "stopped while the device gave no answer: snmp: sw1: stopped while asking"},
		"it fell silent a while before the end": {func(n int, ctx context.Context) (devices.Reading, error) {
			if n > 3 {
				<-ctx.Done()
				return devices.Reading{}, fmt.Errorf("snmp: sw1: stopped while asking: %w", devices.ErrTimeout)
			}
			return devices.Reading{}, nil
		}, timeline.ReasonStopped, "stopped while the device gave no answer"},
	} {
		t.Run(name, func(t *testing.T) {
			s := play(t, sw1, &fake{answer: c.answer}, 20*time.Second)
			var last timeline.Gap
			for _, g := range s.Gaps() {
				if g.Subject == timeline.Device("sw1") && !g.Span.To.Before(last.Span.To) {
					last = g
				}
			}
			if last.Reason != c.reason || !strings.Contains(last.Text, c.text) {
				t.Errorf("last gap: %s %q, want %s %q", last.Reason, last.Text, c.reason, c.text)
			}
		})
	}
}

func TestNoGapAtTheEndOfADeviceThatAnswers(t *testing.T) {
	s := play(t, sw1, &fake{answer: took(100 * time.Millisecond)}, 20*time.Second)
	if g := s.Gaps(); len(g) != 0 {
		t.Errorf("gaps %+v", g)
	}
}

func TestEveryGapNamesItsCollector(t *testing.T) {
	d := sw1
	d.SSH = &devices.SSH{}
	var store timeline.Store
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		err := run(ctx, Config{Devices: []devices.Device{d}, Out: &store}, func(s Source) devices.Collector {
			return &fake{answer: func(n int, _ context.Context) (devices.Reading, error) {
				switch {
				case s.Name == Interfaces.Name:
					return devices.Reading{}, fmt.Errorf("cli: sw1: refused the password: %w", devices.ErrAuth)
				case s.Name == Log.Name:
					return devices.Reading{}, fmt.Errorf("cli: sw1: no answer: %w", devices.ErrTimeout)
				case n%2 == 0:
					return devices.Reading{Interfaces: []devices.Interface{{Name: "Gi1/0/1"}}}, fmt.Errorf("cut: %w", devices.ErrPartial)
				}
				return devices.Reading{}, fmt.Errorf("snmp: sw1: no answer: %w", devices.ErrTimeout)
			}}
		})
		if err != nil {
			t.Error(err)
		}
	})
	seen := map[string]int{}
	for _, g := range store.Snapshot().Gaps() {
		seen[g.Origin.Collector]++
	}
	if len(seen) != 2 || seen["snmp:sw1"] == 0 || seen["ssh:sw1"] == 0 {
		t.Errorf("gaps by collector: %v, want of snmp:sw1 and ssh:sw1 only", seen)
	}
}

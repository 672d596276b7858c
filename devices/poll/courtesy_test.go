package poll

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// TestDeadAndSlowDevicesDelayNoOther polls one silent device, one slow one and twenty quick ones.
func TestDeadAndSlowDevicesDelayNoOther(t *testing.T) {
	var mu sync.Mutex
	asked := map[string][]time.Time{}
	all := collectFunc(func(ctx context.Context, d devices.Device) (devices.Reading, error) {
		mu.Lock()
		asked[d.Name] = append(asked[d.Name], time.Now())
		mu.Unlock()
		from := time.Now().UTC()
		switch d.Name {
		case "silent":
			<-ctx.Done()
			return devices.Reading{}, fmt.Errorf("snmp: silent: no answer: %w", devices.ErrTimeout)
		case "slow":
			time.Sleep(3 * time.Second)
		default:
			time.Sleep(20 * time.Millisecond)
		}
		return devices.Reading{Device: d.Name, Span: timeline.Span{From: from, To: time.Now().UTC()}, Origin: timeline.Origin{Collector: "snmp:" + d.Name}}, nil
	})
	list := []devices.Device{{Name: "silent", SNMP: &devices.SNMP{}}, {Name: "slow", SNMP: &devices.SNMP{}}}
	for n := range 20 {
		list = append(list, devices.Device{Name: fmt.Sprintf("quick%d", n), SNMP: &devices.SNMP{}})
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		var store timeline.Store
		if err := run(ctx, Config{Devices: list, Out: &store}, func(Source) devices.Collector { return all }); err != nil {
			t.Error(err)
		}
	})
	for name, at := range asked {
		if !strings.HasPrefix(name, "quick") {
			continue
		}
		if len(at) < 59 {
			t.Errorf("%s was asked %d times in a minute, want 60", name, len(at))
		}
		for n := 1; n < len(at); n++ {
			most := 1100 * time.Millisecond
			if n == 1 {
				most += 500 * time.Millisecond // to its own moment within the second
			}
			if gap := at[n].Sub(at[n-1]); gap > most {
				t.Errorf("%s waited %s for poll %d", name, gap, n+1)
			}
		}
	}
	var moments []time.Duration
	for _, at := range asked {
		if len(at) > 50 {
			moments = append(moments, time.Duration(at[20].Nanosecond()))
		}
	}
	slices.Sort(moments)
	if between := moments[len(moments)-1] - moments[0]; between < 700*time.Millisecond {
		t.Errorf("20 devices are asked within %s of each second, want them spread over it", between)
	}
	if n := len(asked["silent"]); n < 1 || n > 3 {
		t.Errorf("the silent device was asked %d times in a minute, each for 30 s at most", n)
	}
	if n := len(asked["slow"]); n < 6 || n > 15 {
		t.Errorf("the slow device was asked %d times in a minute, want every 8 s in the end", n)
	}
}

// collectFunc is a collector without sessions.
type collectFunc func(context.Context, devices.Device) (devices.Reading, error)

func (f collectFunc) Name() string { return "snmp" }
func (f collectFunc) Close() error { return nil }
func (f collectFunc) Collect(ctx context.Context, d devices.Device) (devices.Reading, error) {
	return f(ctx, d)
}

func TestRunSparesABusyDevice(t *testing.T) {
	for name, tt := range map[string]struct {
		cpu         func(n int) devices.Opt[float64]
		middle, end time.Duration
	}{
		"busy, then calm": {func(n int) devices.Opt[float64] {
			return devices.Some(map[bool]float64{true: 0.95, false: 0.2}[n < 20])
		}, 5 * time.Second, time.Second},
		"busy, then neither": {func(n int) devices.Opt[float64] {
			return devices.Some(map[bool]float64{true: 0.95, false: 0.8}[n < 20])
		}, 5 * time.Second, 5 * time.Second},
		"never busy":                         {func(int) devices.Opt[float64] { return devices.Some(0.8) }, time.Second, time.Second},
		"not told":                           {func(int) devices.Opt[float64] { return devices.Opt[float64]{} }, time.Second, time.Second},
		"no share of anything":               {func(int) devices.Opt[float64] { return devices.Some(95.0) }, time.Second, time.Second},
		"busy once, never told again, so no": {func(n int) devices.Opt[float64] { return devices.Opt[float64]{Value: 0.95, OK: n == 2} }, 5 * time.Second, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			f := &fake{}
			f.answer = func(n int, _ context.Context) (devices.Reading, error) { return devices.Reading{CPU: tt.cpu(n)}, nil }
			s := play(t, sw1, f, 5*time.Minute)
			near := func(what string, got, want time.Duration) {
				if got < want*9/10 || got > want*11/10 {
					t.Errorf("asked every %s %s, want %s", got, what, want)
				}
			}
			near("while it is busy", f.asked[10].Sub(f.asked[9]), tt.middle)
			near("at the end", f.asked[len(f.asked)-1].Sub(f.asked[len(f.asked)-2]), tt.end)
			told := s.EventsOf(timeline.Device("sw1"), timeline.EventSlow)
			if want := map[bool]int{true: 3}[tt.middle > time.Second]; len(told) != want {
				t.Errorf("%d events device.slow, want %d: %+v", len(told), want, told)
			} else if want > 0 && !strings.Contains(told[0].Text, "95 % busy") {
				t.Errorf("the event says %q", told[0].Text)
			}
		})
	}
}

func TestSNMPTellsThePlatformToTheCommandLine(t *testing.T) {
	const ios = "Cisco IOS Software, C2960X Software (C2960X-UNIVERSALK9-M), Version 15.2(4)E7, RELEASE SOFTWARE (fc2)"
	for name, tt := range map[string]struct {
		given, descr string
		after        time.Duration
		want         string
	}{
		"it answers":                    {"", ios, 500 * time.Millisecond, "cisco_ios"},
		"it answers with nothing known": {"", "Printer 9000", 500 * time.Millisecond, ""},
		"it answers too late":           {"", ios, 10 * time.Second, ""},
		"the site file knows better":    {"arista_eos", ios, 500 * time.Millisecond, "arista_eos"},
	} {
		t.Run(name, func(t *testing.T) {
			d := devices.Device{Name: "sw1", Platform: tt.given, SNMP: &devices.SNMP{}, SSH: &devices.SSH{}}
			agent := &fake{answer: func(int, context.Context) (devices.Reading, error) {
				time.Sleep(tt.after)
				return devices.Reading{SysDescr: devices.Some(tt.descr)}, nil
			}}
			var mu sync.Mutex
			asked := map[string]int{}
			shell := collectFunc(func(_ context.Context, d devices.Device) (devices.Reading, error) {
				mu.Lock()
				defer mu.Unlock()
				asked[d.Platform]++
				return devices.Reading{}, nil
			})
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
				defer cancel()
				var store timeline.Store
				if err := run(ctx, Config{Devices: []devices.Device{d}, Out: &store}, func(s Source) devices.Collector {
					if s.Name == SNMP.Name {
						return agent
					}
					return shell
				}); err != nil {
					t.Error(err)
				}
			})
			if len(asked) != 1 || asked[tt.want] == 0 {
				t.Errorf("the command line was asked as %v, want always as %q", asked, tt.want)
			}
		})
	}
}

package host

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/netip"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe"
)

// fake is a system of which a test says what it counts. Time is virtual.
type fake struct {
	mu          sync.Mutex
	start       time.Time
	offset      time.Duration // of the wall clock
	asleep      time.Duration // so far
	lacks       error         // what it does not tell
	links       map[int]Link
	disciplines map[int]Queue
	setups      map[string]Setup
	routes      map[string]int
	cores       CPU
	udps        UDPCounters
	full        uint64
	changed     func()
	closed      bool
}

func newFake() *fake {
	return &fake{start: time.Now(), links: map[int]Link{2: {Index: 2, Name: "eth0", MTU: 1500, Up: true, Ethernet: true, HasDowns: true, Counters: &LinkCounters{}}},
		disciplines: map[int]Queue{2: {Kind: "fq_codel"}}, setups: map[string]Setup{"eth0": {Driver: "igb", SpeedBits: 1e9, Duplex: "full", On: []string{"TSO"}}},
		routes: map[string]int{"192.0.2.1": 2}, cores: CPU{Cores: []Core{{0, Times{}}, {1, Times{}}}}}
}

func (f *fake) with(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fake) cpu() (CPU, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.cores, f.lacks
}

func (f *fake) process() (user, system time.Duration, err error) {
	return time.Since(f.start) / 4, time.Since(f.start) / 4, f.lacks
}

func (f *fake) waits() (Waits, error) {
	return Waits{Ready: time.Since(f.start) / 10, Throttled: time.Since(f.start) / 20, Limited: true}, f.lacks
}

func (f *fake) udp() (UDPCounters, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.udps, f.lacks
}

func (f *fake) backlog() (uint64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.full, f.lacks
}

func (f *fake) route(_ context.Context, to netip.Addr) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if i, ok := f.routes[to.String()]; ok {
		return i, nil
	}
	return 0, fmt.Errorf("no route to %s", to)
}

func (f *fake) link(index int) (Link, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	l, ok := f.links[index]
	if !ok {
		return l, errors.New("no such device")
	}
	if l.Counters != nil {
		c := *l.Counters
		l.Counters = &c
	}
	return l, nil
}

func (f *fake) queues() (map[int]Queue, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.disciplines == nil {
		return nil, errNotGiven
	}
	return maps.Clone(f.disciplines), nil
}

func (f *fake) setup(name string) Setup {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.setups[name]
}

func (f *fake) watch(ctx context.Context, changed func()) error {
	f.with(func() { f.changed = changed })
	<-ctx.Done()
	return nil
}

func (f *fake) clocks() instant {
	f.mu.Lock()
	defer f.mu.Unlock()
	ran := time.Since(f.start)
	return instant{wall: f.start.Round(0).Add(ran + f.offset + f.asleep), mono: ran, boot: ran + f.asleep}
}

func (f *fake) close() { f.closed = true }

// watch runs a sampler over the fake for some virtual seconds, while act happens to it.
func watch(t *testing.T, seconds int, f *fake, act func(*fake), to ...string) timeline.Snapshot {
	t.Helper()
	if to == nil {
		to = []string{"192.0.2.1"}
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Duration(seconds)*time.Second+50*time.Millisecond)
	defer cancel()
	var store timeline.Store
	var wg sync.WaitGroup
	wg.Go(func() { act(f) })
	if err := (&Sampler{Name: "a-b", To: to, sys: f}).Probe(ctx, &store); err != nil {
		t.Error(err)
	}
	wg.Wait()
	if !f.closed {
		t.Error("the system is still open")
	}
	return store.Snapshot()
}

func values(s timeline.Snapshot, sub timeline.Subject, m timeline.Metric) []float64 {
	var out []float64
	for _, x := range s.Series(sub, m) {
		out = append(out, float64(int(x.Value*1000+0.5))/1000)
	}
	return out
}

var eth0 = timeline.Port(timeline.LocalHost, "eth0")

func TestWhatTheHostCountedBecomesRates(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := watch(t, 3, newFake(), func(f *fake) {
			time.Sleep(1500 * time.Millisecond) // in the second second
			f.with(func() {
				f.cores = CPU{All: Times{User: 50, SoftIRQ: 20, Steal: 10, Idle: 120}, Cores: []Core{{0, Times{User: 10, SoftIRQ: 20, Steal: 5, Idle: 65}}, {1, Times{User: 40, Steal: 5, Idle: 55}}}}
				f.udps = UDPCounters{Errors: 12, Full: 9}
				f.full = 2
				c := f.links[2].Counters
				c.Missed, c.Fifo, c.InBytes, c.InPackets, c.InDrops, c.OutErrors, c.FCS = 5, 5, 9600, 100, 3, 1, 4
				f.disciplines[2] = Queue{Kind: "fq_codel", Drops: 7, Backlog: 3000}
			})
		})
		for _, c := range []struct {
			sub  timeline.Subject
			m    timeline.Metric
			want []float64
		}{
			{local, timeline.HostUDPDrops, []float64{0, 9, 0}},
			{local, timeline.HostUDPErrors, []float64{0, 3, 0}},
			{local, timeline.HostNICDrops, []float64{0, 7, 0}}, // 5 in the ring under two names, 2 in the input queue
			{local, timeline.HostQueueDrops, []float64{0, 7, 0}},
			{local, timeline.HostQueue, []float64{0, 3000, 3000}},
			{local, timeline.HostProcessCPU, []float64{0.5, 0.5, 0.5}},
			{local, timeline.HostSchedGap, []float64{0, 0, 0}},
			{eth0, timeline.Oper, []float64{1, 1, 1}},
			{eth0, timeline.Speed, []float64{1e9, 1e9, 1e9}},
			{eth0, timeline.HalfDuplex, []float64{0, 0, 0}},
			{eth0, timeline.InBits, []float64{0, 8 * (9600 + 100*4), 0}},
			{eth0, timeline.InPackets, []float64{0, 100, 0}},
			{eth0, timeline.InDrops, []float64{0, 3, 0}},
			{eth0, timeline.InFCS, []float64{0, 4, 0}},
			{eth0, timeline.InOverrun, []float64{0, 5, 0}},
			{eth0, timeline.OutErrors, []float64{0, 1, 0}},
		} {
			if got := values(s, c.sub, c.m); !slices.Equal(got, c.want) {
				t.Errorf("%s %s: got %v, want %v", c.sub, c.m, got, c.want)
			}
		}
		// The cores ticked in one second only: the others are gaps, of which the first is told.
		for m, want := range map[timeline.Metric]float64{timeline.HostCPU: 0.4, timeline.HostSteal: 0.05, timeline.HostSoftirq: 0.2, timeline.HostCoreBusy: 0.45} {
			if got := values(s, local, m); len(got) != 1 || !near(got[0], want) {
				t.Errorf("%s: got %v, want %v", m, got, want)
			}
		}
		for _, x := range s.Series(local, timeline.HostUDPDrops) {
			if x.Span.Width() != time.Second || x.Origin.Collector != "host:local" {
				t.Errorf("a sample over %v by %q", x.Span.Width(), x.Origin.Collector)
			}
		}
	})
}

func TestTheOwnLinkIsAnEvent(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		name string
		act  func(*fake)
		want []string // at, from, to
	}{
		{"steady", func(*fake) {}, nil},
		{"goes down and comes back", func(f *fake) {
			time.Sleep(1210 * ms)
			f.with(func() { l := f.links[2]; l.Up, l.Downs = false, 1; f.links[2] = l })
			time.Sleep(500 * ms)
			f.with(func() { l := f.links[2]; l.Up = true; f.links[2] = l })
		}, []string{"1.2-1.3 up down", "1.7-1.8 down up"}},
		{"the kernel announces it", func(f *fake) {
			time.Sleep(1210 * ms)
			f.with(func() { l := f.links[2]; l.Up = false; f.links[2] = l })
			f.changed()
		}, []string{"1.2-1.2 up down"}},
		{"shorter than two looks", func(f *fake) {
			time.Sleep(1210 * ms)
			f.with(func() { l := f.links[2]; l.Downs = 1; f.links[2] = l })
		}, []string{"1.2-1.3 up down", "1.2-1.3 down up"}},
		{"taken out", func(f *fake) {
			time.Sleep(1210 * ms)
			f.with(func() { delete(f.links, 2) })
		}, []string{"1.2-1.3 up notPresent"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake()
				start := f.start
				s := watch(t, 3, f, c.act)
				var got []string
				for _, e := range s.EventsOf(eth0, timeline.EventOper) {
					got = append(got, fmt.Sprintf("%.1f-%.1f %s %s", e.Span.From.Sub(start).Seconds(), e.Span.To.Sub(start).Seconds(), e.Attrs["from"], e.Attrs["to"]))
				}
				if !slices.Equal(got, c.want) {
					t.Errorf("got %q, want %q", got, c.want)
				}
			})
		})
	}
}

func TestTheSetUpIsToldWhenItChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := watch(t, 25, newFake(), func(f *fake) {
			time.Sleep(3 * time.Second)
			f.with(func() { f.setups["eth0"] = Setup{Driver: "igb", SpeedBits: 100e6, Duplex: "half"} })
		})
		var got []string
		for _, e := range s.EventsOf(local, timeline.EventNIC) {
			got = append(got, e.Text)
		}
		want := []string{
			"eth0: igb, 1000 Mbit/s full duplex, MTU 1500, queue fq_codel, TSO on",
			"eth0: igb, 100 Mbit/s half duplex, MTU 1500, queue fq_codel",
		}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		if e := s.EventsOf(eth0, timeline.EventSpeed); len(e) != 1 || e[0].Attrs["from"] != "1000000000" || e[0].Attrs["to"] != "100000000" {
			t.Errorf("speed: %+v", e)
		}
		if e := s.EventsOf(eth0, timeline.EventDuplex); len(e) != 1 || e[0].Attrs["to"] != "half" {
			t.Errorf("duplex: %+v", e)
		}
		if v := values(s, eth0, timeline.HalfDuplex); v[0] != 0 || v[len(v)-1] != 1 {
			t.Errorf("half duplex: %v", v)
		}
	})
}

func TestTheClockIsSetAndTheHostSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := watch(t, 6, newFake(), func(f *fake) {
			time.Sleep(1500 * time.Millisecond)
			f.with(func() { f.offset = -3 * time.Second })
			time.Sleep(2 * time.Second)
			f.with(func() { f.asleep = time.Minute })
		})
		var got []string
		for _, e := range s.EventsOf(local, timeline.EventClockStep) {
			got = append(got, e.Text+" "+e.Attrs["step_ms"]+e.Attrs["slept_ms"])
		}
		slices.Sort(got) // the one that was set back may stand before what was earlier
		want := []string{"the clock of this host was set back by 3s -3000", "this host slept for 1m0s and measured nothing meanwhile 60000"}
		if !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
		for _, x := range s.Series(local, timeline.HostSchedGap) {
			if x.Span.Width() != time.Second {
				t.Errorf("a sample over %v", x.Span.Width())
			}
		}
	})
}

func TestWhatIsNotGivenIsOneGapAndNever0(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.lacks = errNotGiven
		f.disciplines = nil
		l := f.links[2]
		l.Counters = nil
		f.links[2] = l
		s := watch(t, 5, f, func(*fake) {})
		for _, m := range []timeline.Metric{timeline.HostCPU, timeline.HostCoreBusy, timeline.HostSoftirq, timeline.HostSteal, timeline.HostIOWait,
			timeline.HostProcessCPU, timeline.HostCPUWait, timeline.HostThrottled, timeline.HostUDPDrops, timeline.HostUDPErrors, timeline.HostNICDrops, timeline.HostQueueDrops, timeline.HostQueue} {
			if v := values(s, local, m); len(v) != 0 {
				t.Errorf("%s: %v", m, v)
			}
			if g := s.GapsOf(local, m); len(g) != 1 || g[0].Reason != timeline.ReasonUnsupported || !strings.Contains(g[0].Text, "not given") {
				t.Errorf("%s: gaps %+v", m, g)
			}
		}
		if v := values(s, local, timeline.HostSchedGap); len(v) != 5 {
			t.Errorf("timers are there on every system: %v", v)
		}
	})
}

func TestFarEndsWithoutARoute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.routes = nil
		s := watch(t, 12, f, func(f *fake) {
			time.Sleep(7 * time.Second)
			f.with(func() { f.routes = map[string]int{"192.0.2.1": 2} })
		})
		if g := s.GapsOf(local, timeline.HostNICDrops); len(g) == 0 || !strings.Contains(g[0].Text, "no route to 192.0.2.1") {
			t.Errorf("gaps: %+v", g)
		}
		if v := values(s, eth0, timeline.Oper); len(v) != 2 {
			t.Errorf("from the second look at the routes on the card is watched: %v", v)
		}
	})
}

func TestACardBelowAVLANIsWatchedToo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.links[5] = Link{Index: 5, Name: "eth0.7", Kind: "vlan", Parent: 2, Up: true, Ethernet: true, Counters: &LinkCounters{}}
		f.disciplines[5] = Queue{Kind: "noqueue"}
		f.routes = map[string]int{"192.0.2.1": 5}
		s := watch(t, 12, f, func(f *fake) {
			time.Sleep(2500 * time.Millisecond)
			f.with(func() { f.links[2].Counters.Missed = 9 })
			time.Sleep(time.Second)
			f.with(func() { f.routes = nil })
		})
		if got, want := values(s, local, timeline.HostNICDrops), []float64{0, 0, 9, 0, 0}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if a, b := len(values(s, eth0, timeline.Oper)), len(values(s, timeline.Port("local", "eth0.7"), timeline.Oper)); a != 5 || b != 5 {
			t.Errorf("%d and %d seconds: both are let go when the route is gone", a, b)
		}
	})
}

func TestACounterThatFallsWasReset(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake()
		f.udps.Full = 100
		f.links[2].Counters.InPackets = 1000
		s := watch(t, 3, f, func(f *fake) {
			time.Sleep(1500 * time.Millisecond)
			f.with(func() { f.udps.Full = 1; f.links[2].Counters.InPackets = 5 })
		})
		if got, want := values(s, local, timeline.HostUDPDrops), []float64{0, 0}; !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if g := s.GapsOf(local, timeline.HostUDPDrops); len(g) != 1 || g[0].Reason != timeline.ReasonReset {
			t.Errorf("gaps: %+v", g)
		}
		if g := s.GapsOf(eth0, timeline.InPackets); len(g) != 1 || g[0].Reason != timeline.ReasonReset {
			t.Errorf("gaps of the card: %+v", g)
		}
	})
}

type other struct{ probe.Prober }

func TestSamplersOfSeveralPathsBecomeOne(t *testing.T) {
	a, b, c := &Sampler{Name: "a", To: []string{"x"}}, &Sampler{Name: "b", To: []string{"y", "x"}}, &Sampler{Name: "c", To: []string{"z"}}
	o, p := other{}, other{}
	got := Together([]probe.Prober{o, a, p, b, c})
	if len(got) != 3 {
		t.Fatalf("%d probers", len(got))
	}
	s, ok := got[1].(*Sampler)
	if !ok || s.Name != "a" || !slices.Equal(s.To, []string{"x", "y", "z"}) {
		t.Errorf("got %+v", got[1])
	}
	if len(a.To) != 1 {
		t.Error("the caller's sampler was changed")
	}
	if got := Together([]probe.Prober{o}); len(got) != 1 {
		t.Errorf("without any: %v", got)
	}
}

package devices

import (
	"fmt"
	"math"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

var t0 = time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC)

// polls builds readings of one device's port, one second apart unless told.
type polls struct {
	differ    Differ
	collector string
	at        time.Time
	ticks     uint32
	rtt       time.Duration
	records   []timeline.Record
	last      []timeline.Record
}

func newPolls() *polls {
	return &polls{collector: "snmp:sw1", at: t0, ticks: 360000, rtt: 2 * time.Millisecond}
}

// poll hands a reading to the Differ and moves on by d.
func (p *polls) poll(d time.Duration, i Interface, more ...func(*Reading)) []timeline.Record {
	if i.Name == "" {
		i.Name = "Gi1/0/1"
	}
	sp := timeline.Span{From: p.at, To: p.at.Add(p.rtt)}
	r := Reading{
		Device: "sw1", Span: sp, Origin: timeline.Origin{Collector: p.collector, Exchange: 1},
		Clock: Some(Clock{p.ticks, sp}), Interfaces: []Interface{i},
	}
	if !isSNMP(p.collector) {
		r.Clock = None[Clock]()
	}
	for _, m := range more {
		m(&r)
	}
	p.last = p.differ.Records(r)
	p.records = append(p.records, p.last...)
	p.at = p.at.Add(d)
	p.ticks += uint32(d / tick)
	return p.last
}

func gig(in, out uint64) Interface {
	return Interface{InOctets: C64(in), OutOctets: C64(out), Speed: Some[uint64](1e9), Oper: Some("up")}
}

var port1 = timeline.Port("sw1", "Gi1/0/1")

func samplesOf(recs []timeline.Record, m timeline.Metric) (out []timeline.Sample) {
	for _, r := range recs {
		if s, ok := r.(timeline.Sample); ok && s.Metric == m {
			out = append(out, s)
		}
	}
	return out
}

func gapsOf(recs []timeline.Record, sub timeline.Subject, reason timeline.Reason) (out []timeline.Gap) {
	for _, r := range recs {
		if g, ok := r.(timeline.Gap); ok && g.Subject == sub && g.Reason == reason {
			out = append(out, g)
		}
	}
	return out
}

func eventsOf(recs []timeline.Record, t timeline.EventType) (out []timeline.Event) {
	for _, r := range recs {
		if e, ok := r.(timeline.Event); ok && e.Type == t {
			out = append(out, e)
		}
	}
	return out
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(math.Abs(a), math.Abs(b))+1e-9 }

func TestCountersBecomeRates(t *testing.T) {
	const sec = time.Second
	type step struct {
		after time.Duration
		i     Interface
		with  func(*Reading)
	}
	c32 := func(in uint64) Interface {
		return Interface{InOctets: C32(in), Speed: Some[uint64](100e6), Oper: Some("up")}
	}
	reboot := func(r *Reading) { r.Clock.Value.Ticks = 100 }
	for name, c := range map[string]struct {
		first   Interface
		then    step
		want    float64 // if.in.bits; -1: none
		reset   bool    // a gap with ReasonReset for the port
		suspect bool    // a gap with ReasonSuspect for the metric
		event   timeline.EventType
	}{
		"a rate":                  {gig(1000, 0), step{sec, gig(126000, 0), nil}, 1e6, false, false, ""},
		"over the real time":      {gig(1000, 0), step{4 * sec, gig(501000, 0), nil}, 1e6, false, false, ""},
		"nothing moved for long":  {gig(1000, 0), step{6 * sec, gig(1000, 0), nil}, 0, false, false, ""},
		"32 bits wrap":            {c32(1<<32 - 500), step{sec, c32(500), nil}, 8000, false, false, ""},
		"32 bits fall too far":    {c32(1 << 31), step{sec, c32(500), nil}, -1, true, false, timeline.EventCleared},
		"64 bits never wrap":      {gig(1<<64-500, 7), step{sec, gig(500, 7), nil}, -1, true, false, timeline.EventCleared},
		"rebooted between":        {gig(1e9, 0), step{sec, gig(2e9, 0), reboot}, -1, true, false, timeline.EventRestart},
		"beyond the line":         {gig(0, 0), step{sec, gig(1e9, 0), nil}, -1, false, true, ""},
		"a width that changes":    {c32(5000), step{sec, Interface{InOctets: C64(6000), Speed: Some[uint64](100e6)}, nil}, -1, true, false, ""},
		"a wrap, uptime not read": {c32(1<<32 - 500), step{sec, c32(500), func(r *Reading) { r.Clock = None[Clock]() }}, -1, true, false, timeline.EventCleared},
		"a discontinuity": {
			Interface{InOctets: C64(1000), Discontinue: Some[uint32](5)},
			step{sec, Interface{InOctets: C64(2000), Discontinue: Some[uint32](9)}, nil}, -1, true, false, "",
		},
		"a discontinuity beyond sysUpTime that does not change": {
			Interface{InOctets: C64(1000), Discontinue: Some[uint32](4294967196), Speed: Some[uint64](1e9)},
			step{sec, Interface{InOctets: C64(2000), Discontinue: Some[uint32](4294967196), Speed: Some[uint64](1e9)}, nil}, 8000, false, false, "",
		},
		"renumbered": {
			Interface{InOctets: C64(1000), Index: Some[uint32](3)},
			step{sec, Interface{InOctets: C64(2000), Index: Some[uint32](4)}, nil}, -1, true, false, timeline.EventRenumbered,
		},
		"32 bits of octets that may wrap twice": {
			Interface{InOctets: C32(5), Speed: Some[uint64](1e9)},
			step{120 * sec, Interface{InOctets: C32(9), Speed: Some[uint64](1e9)}, nil}, -1, false, true, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			p.poll(c.then.after, c.first)
			var more []func(*Reading)
			if c.then.with != nil {
				more = append(more, c.then.with)
			}
			recs := p.poll(sec, c.then.i, more...)
			got := samplesOf(recs, timeline.InBits)
			switch {
			case c.want < 0 && len(got) > 0:
				t.Errorf("rate %v, want none", got[0].Value)
			case c.want >= 0 && len(got) != 1:
				t.Errorf("%d samples, want one; records: %+v", len(got), recs)
			case c.want >= 0 && !near(got[0].Value, c.want):
				t.Errorf("rate %v, want %v", got[0].Value, c.want)
			}
			if g := gapsOf(recs, port1, timeline.ReasonReset); (len(g) > 0) != c.reset {
				t.Errorf("gaps with reason reset: %+v, want some: %v", g, c.reset)
			}
			if g := gapsOf(recs, port1, timeline.ReasonSuspect); (len(g) > 0) != c.suspect {
				t.Errorf("gaps with reason suspect: %+v, want some: %v", g, c.suspect)
			}
			for _, e := range []timeline.EventType{timeline.EventRestart, timeline.EventCleared, timeline.EventRenumbered} {
				if got := len(eventsOf(recs, e)); got > 0 != (e == c.event) {
					t.Errorf("%d events %s, want %q", got, e, c.event)
				}
			}
			// The next poll has a rate again.
			i := c.then.i
			i.InOctets.Value.Value += 125
			if got := samplesOf(p.poll(sec, i), timeline.InBits); !c.suspect && (len(got) != 1 || !near(got[0].Value, 1000) && c.then.with == nil) {
				t.Errorf("after it: %+v, want 1000 bit/s", got)
			}
		})
	}
}

func TestCommandLineCountersAreClearedOrNotBelieved(t *testing.T) {
	cli := func(in, drops uint64, clear string) Interface {
		i := Interface{InPackets: CCLI(in), OutDrops: CCLI(drops), Speed: Some[uint64](1e9)}
		if clear != "" {
			i.LastClear = Some(clear)
		}
		return i
	}
	for name, c := range map[string]struct {
		a, b      Interface
		rate      bool
		cleared   bool
		suspected timeline.Metric
	}{
		"they rise":                         {cli(100, 5, "never"), cli(600, 5, "never"), true, false, ""},
		"cleared for the first time":        {cli(100, 5, "never"), cli(600, 5, "00:00:02"), false, true, ""},
		"cleared again":                     {cli(100, 5, "1d21h"), cli(3, 0, "00:00:02"), false, true, ""},
		"the time since the clearing grows": {cli(100, 5, "23:59:58"), cli(600, 5, "1d00h"), true, false, ""},
		"all fall without a word":           {cli(100, 5, ""), cli(3, 0, ""), false, true, ""},
		"one falls while another rises":     {cli(100, 2255550, "never"), cli(600, 451110, "never"), true, false, timeline.OutDrops},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			p.collector = "ssh:sw1"
			p.poll(5*time.Second, c.a)
			recs := p.poll(5*time.Second, c.b)
			if got := samplesOf(recs, timeline.InPackets); (len(got) == 1) != c.rate || c.rate && !near(got[0].Value, 100) {
				t.Errorf("in.packets: %+v, want 100/s: %v", got, c.rate)
			}
			if got := len(eventsOf(recs, timeline.EventCleared)) == 1; got != c.cleared {
				t.Errorf("cleared: %v, want %v", got, c.cleared)
			}
			g := gapsOf(recs, port1, timeline.ReasonSuspect)
			if c.suspected == "" != (len(g) == 0) || len(g) > 0 && g[0].Metric != c.suspected {
				t.Errorf("suspected: %+v, want %q", g, c.suspected)
			}
			if c.suspected == "" {
				return
			}
			i := c.b
			i.OutDrops = CCLI(i.OutDrops.Value.Value + 1000)
			if got := samplesOf(p.poll(5*time.Second, i), timeline.OutDrops); len(got) != 0 {
				t.Errorf("a counter that fell without a reason is believed again: %+v", got)
			}
		})
	}
}

func TestMorePacketsThanTheLineCanCarryAreNotBelieved(t *testing.T) {
	set := map[timeline.Metric]func(*Interface, uint64){
		timeline.InErrors:       func(i *Interface, n uint64) { i.InErrors = C64(n) },
		timeline.OutErrors:      func(i *Interface, n uint64) { i.OutErrors = C64(n) },
		timeline.InDrops:        func(i *Interface, n uint64) { i.InDrops = C64(n) },
		timeline.OutDrops:       func(i *Interface, n uint64) { i.OutDrops = C64(n) },
		timeline.InFCS:          func(i *Interface, n uint64) { i.FCS = C64(n) },
		timeline.LateCollisions: func(i *Interface, n uint64) { i.LateCollisions = C64(n) },
		timeline.InPackets:      func(i *Interface, n uint64) { i.InPackets = C64(n) },
	}
	for metric, put := range set {
		for name, c := range map[string]struct {
			speed uint64
			step  uint64
			want  bool // believed
		}{
			"what a line of 1 Gbit/s carries": {1e9, 1_488_000, true},
			"more than it carries":            {1e9, 1_700_000, false},
			"far more":                        {1e9, 4e9, false},
			"more than 10 Gbit/s carry":       {1e10, 17_000_000, false},
			"no speed is known":               {0, 17_000_000, true},
		} {
			t.Run(string(metric)+": "+name, func(t *testing.T) {
				i := gig(1000, 1000)
				i.Speed = None[uint64]()
				if c.speed > 0 {
					i.Speed = Some(c.speed)
				}
				p := newPolls()
				put(&i, 100)
				p.poll(time.Second, i)
				i.InOctets.Value.Value += 1000
				put(&i, 100+c.step)
				recs := p.poll(time.Second, i)
				got, gaps := samplesOf(recs, metric), gapsOf(recs, port1, timeline.ReasonSuspect)
				if believed := len(got) == 1 && len(gaps) == 0; believed != c.want || !c.want && (len(got) > 0 || len(gaps) != 1 || gaps[0].Metric != metric) {
					t.Errorf("samples %+v, suspect %+v; want it believed: %v", got, gaps, c.want)
				}
			})
		}
	}
}

func TestDropsOfASlowPortThatAFastOneFeeds(t *testing.T) {
	p := newPolls()
	i := Interface{InOctets: C64(1), OutDrops: C64(0), Speed: Some[uint64](10e6)}
	p.poll(time.Second, i)
	i.InOctets, i.OutDrops = C64(2), C64(81_000) // 1 Gbit/s of 1500 octets into 10 Mbit/s
	if got := samplesOf(p.poll(time.Second, i), timeline.OutDrops); len(got) != 1 || !near(got[0].Value, 81_000) {
		t.Errorf("drops %+v, want 81000/s", got)
	}
}

func TestCountersThatFallAgainAndAgain(t *testing.T) {
	one := func(n int, i *Interface) { // one counter falls in every other poll, the others rise
		i.OutDrops = C64(uint64(1000 + n%2*500))
	}
	all := func(n int, i *Interface) {
		i.InOctets, i.OutOctets, i.InPackets = C64(uint64(1000+n%2*500)), C64(uint64(1000+n%2*500)), C64(uint64(10+n%2*5))
	}
	for name, c := range map[string]struct {
		change  func(int, *Interface)
		metric  timeline.Metric
		cleared int
	}{
		"one of them": {one, timeline.OutDrops, 0},
		"all of them": {all, timeline.InBits, 3},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			at := func(n int) Interface {
				i := gig(1e6+uint64(n)*1000, 1e6+uint64(n)*1000)
				i.InPackets, i.OutDrops = C64(uint64(n)*10), C64(1000)
				if n < 60 {
					c.change(n, &i)
				}
				return i
			}
			var late []timeline.Record // once it is known
			for n := range 60 {
				if recs := p.poll(time.Second, at(n)); n > 10 {
					late = append(late, recs...)
				}
			}
			if got := samplesOf(late, c.metric); len(got) > 0 {
				t.Errorf("%d samples of a counter that falls again and again", len(got))
			}
			gaps := 0
			for _, g := range gapsOf(late, port1, timeline.ReasonSuspect) {
				if (g.Metric == c.metric || g.Metric == "") && g.Text == fallsAgain {
					gaps++
				}
			}
			if gaps < 40 {
				t.Errorf("%d gaps in 49 polls", gaps)
			}
			if got := len(eventsOf(p.records, timeline.EventUnreliable)); got != 1 {
				t.Errorf("%d events of unreliable counters, want one", got)
			}
			if got := len(eventsOf(p.records, timeline.EventCleared)); got != c.cleared {
				t.Errorf("%d events of cleared counters, want %d", got, c.cleared)
			}
			for n := 60; n < 240; n++ {
				p.poll(time.Second, at(n))
			}
			if got := samplesOf(p.last, c.metric); len(got) != 1 {
				t.Errorf("not believed again after three minutes of rising: %+v", p.last)
			}
		})
	}
}

func TestARestartIsDatedByTheDevicesClock(t *testing.T) {
	p := newPolls()
	p.poll(10*time.Second, gig(5, 5))
	recs := p.poll(time.Second, gig(9, 9), func(r *Reading) { r.Clock.Value.Ticks = 300 })
	e := eventsOf(recs, timeline.EventRestart)
	if len(e) != 1 {
		t.Fatalf("events %+v", e)
	}
	if off := e[0].Span.Mid().Sub(t0.Add(7 * time.Second)); off.Abs() > 20*time.Millisecond {
		t.Errorf("restarted %s after the first poll, want 7s", e[0].Span.Mid().Sub(t0))
	}
	p.ticks = 400
	if e := eventsOf(p.poll(time.Second, gig(10, 10)), timeline.EventRestart); len(e) != 0 {
		t.Errorf("a second restart: %+v", e)
	}
}

func TestEngineBootsTellOfARestart(t *testing.T) {
	p := newPolls()
	boots := func(n uint32) func(*Reading) { return func(r *Reading) { r.EngineBoot = Some(n) } }
	p.poll(time.Second, gig(5, 5), boots(3))
	if e := eventsOf(p.poll(time.Second, gig(6, 6), boots(4)), timeline.EventRestart); len(e) != 1 {
		t.Errorf("events %+v", e)
	}
}

func TestCollectorsAreNotMixed(t *testing.T) {
	p := newPolls()
	ssh := func(in uint64) []timeline.Record {
		p.collector = "ssh:sw1"
		defer func() { p.collector = "snmp:sw1" }()
		return p.poll(0, Interface{Name: "Gi1/0/1", InOctets: CCLI(in), Runts: CCLI(in), Speed: Some[uint64](1e9), Oper: Some("up")})
	}
	p.poll(time.Second, gig(1e9, 0))
	ssh(5)
	recs := p.poll(time.Second, gig(1e9+125000, 0))
	if got := samplesOf(recs, timeline.InBits); len(got) != 1 || !near(got[0].Value, 1e6) {
		t.Errorf("snmp: %+v, want 1 Mbit/s", got)
	}
	recs = ssh(125005)
	if got := samplesOf(recs, timeline.InBits); len(got) != 0 {
		t.Errorf("the command line's octets stand beside SNMP's: %+v", got)
	}
	if got := samplesOf(recs, timeline.InRunts); len(got) != 1 {
		t.Errorf("runts, which only the command line has: %+v", got)
	}
	p.at = p.at.Add(20 * time.Second) // SNMP falls silent
	if got := samplesOf(ssh(225005), timeline.InBits); len(got) != 1 {
		t.Errorf("the command line does not take over: %+v", got)
	}
}

func TestWhatIsNotGivenIsAGap(t *testing.T) {
	p := newPolls()
	for n := range uint64(15) {
		p.poll(time.Second, gig(n*1000, n*1000))
	}
	g := gapsOf(p.records, port1, timeline.ReasonUnsupported)
	metrics := map[timeline.Metric]int{}
	for _, x := range g {
		metrics[x.Metric]++
	}
	if metrics[timeline.InFCS] != 1 || metrics[timeline.OutDrops] != 1 || metrics[timeline.InBits] != 0 {
		t.Errorf("gaps %v, want one each for what the device lacks", metrics)
	}
	for _, m := range []timeline.Metric{timeline.InFCS, timeline.OutDrops} {
		if s := samplesOf(p.records, m); len(s) != 0 {
			t.Errorf("%s was made up: %+v", m, s)
		}
	}
}

func TestAPortThatIsAwayForOnePoll(t *testing.T) {
	p := newPolls()
	p.poll(time.Second, gig(0, 0))
	p.poll(time.Second, Interface{Name: "other"})
	recs := p.poll(time.Second, gig(250000, 0))
	if got := samplesOf(recs, timeline.InBits); len(got) != 1 || !near(got[0].Value, 1e6) {
		t.Errorf("%+v, want 1 Mbit/s over the two seconds", got)
	}
}

func TestRecordsAreWellFormed(t *testing.T) {
	p := newPolls()
	for n := range uint64(5) {
		p.poll(time.Second, gig(n*1000, n*1000), func(r *Reading) {
			r.CPU = Some(0.3)
			r.LocalClock = Some(LocalClock{Time: p.at.Add(-3 * time.Second), Span: r.Span})
		})
	}
	for _, r := range p.records {
		if s, ok := r.(timeline.Sample); ok {
			if d, known := timeline.Describe(s.Metric); !known || d.Kind != s.Kind {
				t.Errorf("%s of a %s is not in the table of metrics", s.Metric, s.Kind)
			}
			if s.Origin.Collector == "" {
				t.Errorf("%s has no origin", s.Metric)
			}
		}
		if sp := r.Covers(); sp.To.Before(sp.From) || sp.IsZero() {
			t.Errorf("%T covers %v", r, sp)
		}
	}
	if c := samplesOf(p.last, timeline.ClockOffset); len(c) != 1 || math.Abs(c[0].Value+3) > 0.1 {
		t.Errorf("clock offset %+v, want -3 s", c)
	}
	if fmt.Sprint(samplesOf(p.last, timeline.DeviceCPU)[0].Value) != "0.3" {
		t.Errorf("cpu %+v", samplesOf(p.last, timeline.DeviceCPU))
	}
}

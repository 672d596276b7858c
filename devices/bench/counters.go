package main

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/devices"
)

// counters lets devices live through random histories and looks at what the Differ makes of their counters: wraps at
// 32 and 64 bits, clears, reboots, restarts of the agent alone, other ifIndexes, discontinuities, counters that stand
// still, missed polls and agents that refresh their counters rarely.
func counters(full bool, _ []string) error {
	histories := 20_000
	if full {
		histories = 1_000_000
	}
	began := time.Now()
	workers := runtime.GOMAXPROCS(0)
	tallies := make([]tally, workers)
	var wg sync.WaitGroup
	for w := range workers {
		wg.Go(func() {
			for n := w; n < histories; n += workers {
				newHistory(uint64(n)).run(&tallies[w])
			}
		})
	}
	wg.Wait()
	var sum tally
	for i := range tallies {
		sum.add(&tallies[i])
	}
	fmt.Printf("%d histories, %d polls, %d rates, in %s\n", histories, sum.polls, sum.rates, time.Since(began).Round(time.Millisecond))
	fmt.Printf("rates below 0: %d; above 1.1 times the line: %d; not a number: %d\n", sum.negative, sum.over, sum.nan)
	found, all := 0, 0
	for _, k := range breaks {
		found, all = found+sum.found[k], all+sum.broke[k]
		fmt.Printf("  %-16s %8d, found %7.3f %%, %d that nothing could show\n", k, sum.broke[k], percent(sum.found[k], sum.broke[k]), sum.hidden[k])
	}
	fmt.Printf("resets found: %.3f %% of %d; resets seen where there were none: %.4f %% of %d polls\n", percent(found, all), all, percent(sum.falsely, sum.quiet), sum.quiet)
	if sum.first != "" {
		fmt.Println("first:", sum.first)
	}
	switch {
	case sum.negative+sum.over+sum.nan > 0:
		return fmt.Errorf("%d absurd rates", sum.negative+sum.over+sum.nan)
	case percent(found, all) < 99:
		return fmt.Errorf("resets found: %.3f %%, want 99", percent(found, all))
	case percent(sum.falsely, sum.quiet) > 0.1:
		return fmt.Errorf("false resets: %.4f %%, want at most 0.1", percent(sum.falsely, sum.quiet))
	}
	return nil
}

// breaks are the ways in which counters begin anew.
var breaks = []string{"cleared", "reboot", "agent restart", "renumbered", "discontinuity"}

// tally is what came of histories.
type tally struct {
	polls, rates, negative, over, nan, quiet, falsely int
	broke, found, hidden                              map[string]int
	first                                             string // the first absurd rate or false reset
}

func (t *tally) add(o *tally) {
	t.polls, t.rates, t.negative, t.over, t.nan = t.polls+o.polls, t.rates+o.rates, t.negative+o.negative, t.over+o.over, t.nan+o.nan
	t.quiet, t.falsely = t.quiet+o.quiet, t.falsely+o.falsely
	for _, m := range []struct{ to, from *map[string]int }{{&t.broke, &o.broke}, {&t.found, &o.found}, {&t.hidden, &o.hidden}} {
		if *m.to == nil {
			*m.to = map[string]int{}
		}
		for k, v := range *m.from {
			(*m.to)[k] += v
		}
	}
	if t.first == "" {
		t.first = o.first
	}
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}

// figuresOf is how many counters a port of a history has: octets and packets both ways, and errors.
const figuresOf = 5

// history is one device with one port, and what happens to it.
type history struct {
	seed    uint64
	r       *rand.Rand
	at      time.Time
	speed   float64
	bits    uint8
	size    float64 // octets of a packet
	load    [2]float64
	refresh time.Duration
	stale   time.Duration
	up      time.Duration // sysUpTime
	index   uint32
	discont uint32

	truth, shown, before [figuresOf]float64 // before: as shown at the last poll
	seen                 bool
	differ               devices.Differ
}

func newHistory(seed uint64) *history {
	r := rand.New(rand.NewPCG(seed, 1))
	h := &history{
		seed: seed, r: r, at: time.Date(2026, 11, 30, 12, 0, 0, 0, time.UTC), index: 1,
		speed: []float64{10e6, 100e6, 1e9, 10e9, 100e9}[r.IntN(5)], bits: []uint8{32, 64, 64}[r.IntN(3)], size: 64 + r.Float64()*1400,
		refresh: []time.Duration{0, 0, 0, 1500 * time.Millisecond, 3 * time.Second}[r.IntN(5)],
		up:      time.Duration(math.Exp(r.Float64()*17) * float64(time.Second)),
	}
	if r.IntN(20) == 0 {
		h.up = 1<<32*10*time.Millisecond - time.Duration(r.IntN(15))*time.Second // its clock will wrap
	}
	h.load = [2]float64{r.Float64() * 0.9, r.Float64() * 0.9}
	for i := range h.truth {
		h.truth[i] = math.Floor(math.Exp(r.Float64() * 38)) // up to 2^54: exact in a float64
	}
	if h.bits == 32 && r.IntN(3) == 0 {
		h.truth[0] = 1<<32 - math.Floor(r.Float64()*h.speed)
	}
	h.wrap()
	h.shown = h.truth
	return h
}

func (h *history) wrap() {
	if h.bits == 32 {
		for i := range h.truth {
			h.truth[i] = math.Mod(h.truth[i], 1<<32)
		}
	}
}

// live lets time pass.
func (h *history) live(d time.Duration) {
	h.at, h.up = h.at.Add(d), h.up+d
	for way := range 2 {
		octets := math.Floor(h.load[way] * h.speed / 8 * d.Seconds())
		h.truth[way] += octets
		h.truth[2+way] += math.Floor(octets / h.size)
	}
	if h.r.IntN(50) == 0 {
		h.truth[4] += float64(h.r.IntN(20))
	}
	h.wrap()
	if h.stale += d; h.stale >= h.refresh {
		h.shown, h.stale = h.truth, 0
	}
}

// happen lets something happen before the next poll: how long the poll is away, and which break it was.
func (h *history) happen() (pause time.Duration, broke string) {
	pause = time.Duration(800+h.r.IntN(400)) * time.Millisecond
	switch n := h.r.IntN(100); {
	case n < 4:
		h.load[h.r.IntN(2)] = h.r.Float64() * 0.95
	case n < 6:
		h.load = [2]float64{}
	case n < 9:
		pause *= time.Duration(2 + h.r.IntN(20)) // polls are missed
	case n < 11:
		h.stale = -time.Duration(h.r.IntN(4)) * time.Second // the agent does not refresh
	case n < 13:
		broke = "cleared"
		h.truth = [figuresOf]float64{}
	case n < 14:
		broke = "reboot"
		off := time.Duration(15+h.r.IntN(60)) * time.Second // the quickest switches take so long
		h.truth, h.up = [figuresOf]float64{}, -off
		pause = off + time.Duration(500+h.r.IntN(10000))*time.Millisecond
	case n < 15:
		broke = "agent restart"
		h.up = -time.Duration(200+h.r.IntN(500)) * time.Millisecond
	case n < 16:
		broke = "renumbered"
		h.index += 1 + uint32(h.r.IntN(100))
		for i := range h.truth {
			h.truth[i] = math.Floor(math.Exp(h.r.Float64() * 38))
		}
	case n < 17:
		broke = "discontinuity"
		h.discont = uint32(h.up / (10 * time.Millisecond)) //nolint:gosec // sysUpTime wraps
		for i := range h.truth {
			h.truth[i] = math.Floor(math.Exp(h.r.Float64() * 38))
		}
	}
	h.wrap()
	if broke != "" && broke != "agent restart" {
		h.shown, h.stale = h.truth, 0
	}
	return pause, broke
}

func (h *history) run(t *tally) {
	if t.broke == nil {
		t.broke, t.found, t.hidden = map[string]int{}, map[string]int{}, map[string]int{}
	}
	for range 24 {
		pause, broke := h.happen()
		h.live(pause)
		records := h.poll()
		t.polls++
		reset := h.judge(records, t)
		switch {
		case !h.seen:
		case broke == "":
			if t.quiet++; reset {
				t.falsely++
				t.note("history %d: a reset where there was none: %s", h.seed, text(records))
			}
		case broke == "cleared" && !h.fell():
			t.hidden[broke]++
		default:
			if t.broke[broke]++; reset {
				t.found[broke]++
			}
		}
		h.before, h.seen = h.shown, true
	}
}

// fell says whether any counter shows less than before: without it a clearing leaves no trace.
func (h *history) fell() bool {
	for i := range h.shown {
		if h.shown[i] < h.before[i] {
			return true
		}
	}
	return false
}

func (h *history) poll() []timeline.Record {
	sp := timeline.Span{From: h.at, To: h.at.Add(time.Duration(1+h.r.IntN(30)) * time.Millisecond)}
	c := func(i int) devices.Opt[devices.Counter] {
		return devices.Some(devices.Counter{Value: uint64(h.shown[i]), Bits: h.bits})
	}
	ticks := uint32(h.up / (10 * time.Millisecond)) //nolint:gosec // sysUpTime wraps
	return h.differ.Records(devices.Reading{
		Device: "d", Span: sp, Origin: timeline.Origin{Collector: "snmp:d"}, Clock: devices.Some(devices.Clock{Ticks: ticks, Span: sp}),
		Interfaces: []devices.Interface{{
			Name: "p", Index: devices.Some(h.index), Discontinue: devices.Some(h.discont), Oper: devices.Some("up"), Speed: devices.Some(uint64(h.speed)),
			InOctets: c(0), OutOctets: c(1), InPackets: c(2), OutPackets: c(3), InErrors: c(4),
		}},
	})
}

// judge looks at every rate and says whether the records tell of counters that began anew.
func (h *history) judge(records []timeline.Record, t *tally) (reset bool) {
	packets := h.speed / ((64 + 20) * 8) // the shortest frames with preamble and gap (IEEE 802.3)
	for _, r := range records {
		switch r := r.(type) {
		case timeline.Sample:
			var most float64
			switch r.Metric {
			case timeline.InBits, timeline.OutBits:
				most = h.speed
			case timeline.InPackets, timeline.OutPackets, timeline.InErrors:
				most = packets
			case timeline.Utilisation:
				most = 1
			default:
				continue
			}
			t.rates++
			switch {
			case math.IsNaN(r.Value) || math.IsInf(r.Value, 0):
				t.nan++
			case r.Value < 0:
				t.negative++
			case r.Value > 1.1*most*(1+1e-9):
				t.over++
			default:
				continue
			}
			t.note("history %d: %s is %g on a line of %g", h.seed, r.Metric, r.Value, h.speed)
		case timeline.Gap:
			reset = reset || r.Kind == timeline.KindPort && r.Metric == "" && (r.Reason == timeline.ReasonReset || r.Reason == timeline.ReasonSuspect)
		}
	}
	return reset
}

func (t *tally) note(format string, args ...any) {
	if t.first == "" {
		t.first = fmt.Sprintf(format, args...)
	}
}

func text(records []timeline.Record) (s string) {
	for _, r := range records {
		if g, ok := r.(timeline.Gap); ok {
			s += g.Text + "; "
		}
	}
	return s
}

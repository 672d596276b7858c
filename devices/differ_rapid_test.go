package devices

import (
	"math"
	"strconv"
	"testing"
	"time"

	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
)

// world is a device whose port carries traffic, and all that can happen to its counters. It knows what was really
// carried.
type world struct {
	speed   float64
	in      uint64 // octets
	bits    uint8
	ticks   uint32
	index   uint32
	discont uint32
	offer   float64 // share of the line in use

	refresh time.Duration
	shown   uint64
	stale   time.Duration

	before uint32 // ticks of the last poll
}

// run lets time pass.
func (w *world) run(d time.Duration) {
	w.in += uint64(w.offer * w.speed / 8 * d.Seconds())
	if w.bits == 32 {
		w.in &= 1<<32 - 1
	}
	w.ticks += uint32(d / tick)
	if w.stale += d; w.stale >= w.refresh {
		w.shown, w.stale = w.in, 0
	}
}

func TestRatesAreNeverAbsurd(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := &world{
			speed: rapid.SampledFrom([]float64{10e6, 100e6, 1e9, 10e9}).Draw(t, "speed"),
			bits:  rapid.SampledFrom([]uint8{32, 64}).Draw(t, "bits"),
			ticks: rapid.SampledFrom([]uint32{1, 360000, 1<<32 - 700}).Draw(t, "ticks"),
			in:    rapid.Uint64Max(1<<62).Draw(t, "in"), index: 1,
			offer: 0.5, refresh: rapid.SampledFrom([]time.Duration{0, 0, 1500 * time.Millisecond, 3 * time.Second}).Draw(t, "refresh"),
		}
		if w.bits == 32 {
			w.in &= 1<<32 - 1
		}
		w.shown = w.in
		var d Differ
		var last uint64
		at, polled := t0, false
		for range rapid.IntRange(5, 40).Draw(t, "polls") {
			what := rapid.SampledFrom([]string{"", "", "", "", "", "", "load", "stop", "reset", "reboot", "gap", "renumber", "discontinuity", "wrap", "frozen"}).Draw(t, "what")
			pause := time.Duration(rapid.IntRange(800, 1200).Draw(t, "ms")) * time.Millisecond
			switch what {
			case "load":
				w.offer = rapid.Float64Range(0, 1).Draw(t, "offer")
			case "stop":
				w.offer = 0
			case "reset":
				w.in, w.shown = uint64(rapid.IntRange(0, 1000).Draw(t, "left")), 0
			case "reboot":
				w.in, w.shown, w.ticks = 0, 0, uint32(rapid.IntRange(0, 50).Draw(t, "up"))
			case "gap":
				pause *= 10
			case "renumber":
				w.index++
				w.in, w.shown = rapid.Uint64Max(1<<62).Draw(t, "other"), w.in
			case "discontinuity":
				w.discont = w.ticks
				w.in = rapid.Uint64Max(1<<62).Draw(t, "other")
			case "wrap":
				if w.bits == 32 {
					w.in = 1<<32 - 1000
				}
			}
			if w.bits == 32 {
				w.in &= 1<<32 - 1
			}
			if what == "reset" || what == "reboot" || what == "renumber" || what == "discontinuity" || what == "wrap" {
				w.shown = w.in
			}
			w.run(pause)
			if what == "frozen" && w.in > 0 {
				w.shown = w.in - 1
			}
			at = at.Add(pause)
			sp := timeline.Span{From: at, To: at.Add(time.Duration(rapid.IntRange(1, 30).Draw(t, "rtt")) * time.Millisecond)}
			recs := d.Records(Reading{
				Device: "sw1", Span: sp, Origin: timeline.Origin{Collector: "snmp:sw1"}, Clock: Some(Clock{w.ticks, sp}),
				Interfaces: []Interface{{
					Name: "p", Index: Some(w.index), Discontinue: Some(w.discont), Oper: Some("up"), Speed: Some(uint64(w.speed)),
					InOctets: Some(Counter{w.shown, w.bits}), OutOctets: Some(Counter{w.shown, w.bits}),
				}},
			})
			known := w.before > 10000 && w.before < 1<<32-20000 // else it looks like a clock that runs on or wraps
			w.before = w.ticks
			fell := polled && w.shown < last
			clean := what == "" || what == "load" || what == "stop" || what == "gap"
			last, polled = w.shown, true
			restarts, resets := 0, 0
			for _, r := range recs {
				switch r := r.(type) {
				case timeline.Sample:
					if math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || r.Value < 0 {
						t.Fatalf("%s of %v is %v", r.Metric, r.Subject, r.Value)
					}
					if (r.Metric == timeline.InBits || r.Metric == timeline.OutBits) && r.Value > 1.1*w.speed*(1+1e-9) {
						t.Fatalf("%s is %g on a line of %g", r.Metric, r.Value, w.speed)
					}
					if r.Metric == timeline.Utilisation && r.Value > 1.1*(1+1e-9) {
						t.Fatalf("utilisation is %g", r.Value)
					}
				case timeline.Event:
					if r.Type == timeline.EventRestart {
						restarts++
					}
				}
				if g, ok := r.(timeline.Gap); ok && g.Kind == timeline.KindPort && (g.Reason == timeline.ReasonReset || g.Metric == "" && g.Text == fallsAgain) {
					resets++
				}
				if c := r.Covers(); c.To.Before(c.From) {
					t.Fatalf("%T covers %v", r, c)
				}
			}
			if clean && resets > 0 && (w.bits == 64 || w.refresh == 0) { // a wrap in the first step of a slow agent is too much
				t.Fatalf("a reset was seen after %q", what)
			}
			if fell && w.bits == 64 && what == "reset" && resets == 0 {
				t.Fatal("a reset was missed")
			}
			if restarts > 0 && what != "reboot" {
				t.Fatalf("a restart was seen after %q: ticks %d", what, w.ticks)
			}
			if restarts == 0 && what == "reboot" && known {
				t.Fatalf("a reboot was missed")
			}
		}
	})
}

func TestLogLinesAreNeverTwiceNorLost(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := newLogs()
		size := rapid.IntRange(3, 12).Draw(t, "buffer")
		var buffer []LogLine
		l.readOnly([]LogLine{l.line(t0.Add(-time.Minute), "SYS", "A", nil, "")})
		written, total, unique := 0, 0, rapid.Bool().Draw(t, "unique")
		for range rapid.IntRange(1, 15).Draw(t, "readings") {
			// No more lines between two readings than the buffer keeps beside one that was there before.
			for range rapid.IntRange(0, size-1).Draw(t, "lines") {
				port := ""
				if unique {
					port = strconv.Itoa(written)
				}
				same := rapid.IntRange(0, 2).Draw(t, "same")
				buffer = append(buffer, l.line(l.at.Add(-time.Duration(same)*time.Second), "SYS", "B", nil, port))
				written++
			}
			if len(buffer) > size {
				buffer = buffer[len(buffer)-size:]
			}
			if len(buffer) == 0 {
				continue
			}
			total += len(allEvents(l.readOnly(buffer)))
		}
		// Equal lines at the seam can be told apart only by what stands around them.
		if total > written {
			t.Fatalf("%d events for %d lines", total, written)
		}
		if unique && total != written {
			t.Fatalf("%d events for %d different lines", total, written)
		}
	})
}

package outage

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"whydrop/correlate/timeline"
)

// Whatever stretches go dark, in whatever way, the outages are the gaps between the arrivals that the simulation
// knows of: none is missing, none is made up, both ends agree within two heartbeats.
func TestRandomDarkness(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beat := time.Duration(rapid.SampledFrom([]int{5, 10, 20, 50}).Draw(t, "heartbeat")) * ms
		delay := time.Duration(rapid.IntRange(1, 40).Draw(t, "delay")) * ms
		w := world{beat: beat, there: steady(delay), back: steady(delay)}
		var forward, reverse []want
		at := time.Second
		for range rapid.IntRange(1, 5).Draw(t, "outages") {
			from := at + time.Duration(rapid.IntRange(0, 300).Draw(t, "pause"))*ms
			to := from + time.Duration(rapid.IntRange(1, 1500).Draw(t, "length"))*ms
			longer := to
			kind := rapid.SampledFrom([]string{timeline.Forward, timeline.Reverse, "reverse longer"}).Draw(t, "kind")
			if kind != timeline.Reverse {
				w.there = dark(w.there, from, to)
				forward = append(forward, expected(beat, delay, from, to)...)
			}
			switch kind {
			case timeline.Reverse:
				// A packet enters the way back when it has come there.
				w.back = dark(w.back, from+delay, to+delay)
				reverse = append(reverse, expected(beat, 2*delay, from, to)...)
			case "reverse longer":
				// More than three heartbeats are lost on the way back, and more than are in flight.
				longer = to + 2*delay + 5*beat + max(50*ms, time.Duration(rapid.IntRange(0, 1000).Draw(t, "longer"))*ms)
				w.back = dark(w.back, from+delay, longer+delay)
				reverse = append(reverse, expected(beat, 2*delay, from, longer)...)
			}
			at = longer + max(time.Second, 10*beat)
		}
		w.length = at + 2*time.Second
		s := w.run()
		compare(t, s, timeline.Forward, forward, 2*beat)
		compare(t, s, timeline.Reverse, reverse, 2*beat)
		for _, k := range s.Keys() {
			for _, x := range s.Series(k.Subject, k.Metric) {
				if x.Value < 0 || x.Value != x.Value || k.Metric != timeline.RTT && x.Value > 1 {
					t.Fatalf("%s is %v", k.Metric, x.Value)
				}
			}
		}
	})
}

// expected is the outage that a dark stretch makes: from the arrival before to the arrival after, if at least three
// heartbeats fall in it and it is not shorter than an outage; slack for either is the judge's.
func expected(beat, delay, from, to time.Duration) []want {
	first := (from + beat - 1) / beat // the first heartbeat lost
	last := (to - 1) / beat
	if n := int(last - first + 1); n >= minLost && time.Duration(n+2)*beat >= minDark(beat) {
		return []want{{from: (first-1)*beat + delay, to: (last+1)*beat + delay, lost: n}}
	}
	return nil
}

func compare(t *rapid.T, s timeline.Snapshot, direction string, wants []want, slack time.Duration) {
	start := s.Span().From
	var got []timeline.Span
	for _, e := range s.EventsOf(timeline.Path("a-b"), timeline.EventOutage) {
		if e.Attrs["direction"] == direction || e.Attrs["direction"] == timeline.Both {
			got = append(got, e.Span)
		}
	}
	if len(got) != len(wants) {
		t.Fatalf("%s: %d outages, want %d: %v, %v", direction, len(got), len(wants), got, wants)
	}
	for i, g := range got {
		if w := wants[i]; (g.From.Sub(start)-w.from).Abs() > slack || (g.To.Sub(start)-w.to).Abs() > slack {
			t.Fatalf("%s: outage from %s to %s, want %s to %s", direction, g.From.Sub(start), g.To.Sub(start), w.from, w.to)
		}
	}
}

// However the host stalls, however long the reflector keeps heartbeats, and whichever way clocks are set: a path that
// delivers everything in time has no outage.
func TestRandomStallsAreNoOutages(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		beat := time.Duration(rapid.SampledFrom([]int{5, 10, 20, 50}).Draw(t, "heartbeat")) * ms
		// stretches draws up to four stretches of up to 2.5 s within 7 s.
		stretches := func(name string) func(time.Duration) (time.Duration, bool) {
			var from, to []time.Duration
			for range rapid.IntRange(0, 4).Draw(t, name) {
				a := time.Duration(rapid.IntRange(100, 4000).Draw(t, "from")) * ms
				from, to = append(from, a), append(to, a+time.Duration(rapid.IntRange(1, 2500).Draw(t, "length"))*ms)
			}
			return func(at time.Duration) (time.Duration, bool) {
				until := at
				for again := true; again; { // one stretch may end in another
					again = false
					for i := range from {
						if until >= from[i] && until < to[i] {
							until, again = to[i], true
						}
					}
				}
				return until - at, until > at
			}
		}
		asleep, busy := stretches("the host sleeps"), func(time.Duration) (time.Duration, bool) { return 0, false }
		set, by := time.Duration(rapid.IntRange(0, 8000).Draw(t, "far clock set at"))*ms, time.Duration(rapid.IntRange(-5000, 5000).Draw(t, "by"))*ms
		if rapid.Bool().Draw(t, "the clock is right") {
			by, busy = 0, stretches("the reflector is busy") // what it keeps is measured by its clock
		}
		s := world{
			beat: beat, length: 8 * time.Second, there: steady(3 * ms), back: steady(4 * ms),
			sends: func(at time.Duration) bool { _, s := asleep(at); return !s },
			stays: func(at time.Duration) time.Duration { d, _ := busy(at); return d },
			skew: func(at time.Duration) time.Duration {
				if at >= set {
					return by
				}
				return 0
			},
		}.run()
		for _, e := range s.EventsOf(timeline.Path("a-b"), timeline.EventOutage) {
			t.Fatalf("%s, from %s: %v", e.Text, e.Span.From.Sub(s.Span().From), e.Attrs)
		}
	})
}

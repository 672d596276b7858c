package devices

import (
	"math"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

func TestTheAgentsPaceIsNotTakenForTraffic(t *testing.T) {
	const rate = 50e6 // bit/s
	octets := func(d time.Duration) uint64 { return 1e9 + uint64(rate/8*d.Seconds()) }
	for name, c := range map[string]struct {
		refresh time.Duration
		poll    time.Duration
	}{
		"every poll":            {time.Millisecond, time.Second},
		"every 1.5 polls":       {1500 * time.Millisecond, time.Second},
		"every other poll":      {2 * time.Second, time.Second},
		"every third poll":      {3 * time.Second, time.Second},
		"every fifth poll":      {5 * time.Second, time.Second},
		"a little over a poll":  {1020 * time.Millisecond, time.Second},
		"a little under a poll": {980 * time.Millisecond, time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			for now := time.Duration(0); now < 90*time.Second; now += c.poll {
				p.poll(c.poll, gig(octets(now.Truncate(c.refresh)), 0))
			}
			odd := 0
			for n, s := range samplesOf(p.records, timeline.InBits) {
				if math.Abs(s.Value-rate) > 0.1*rate {
					odd++
					if n > 6 && (c.refresh >= c.poll || s.Value > 2*rate) {
						t.Errorf("sample %d at %s: %.3g, want %.3g", n, s.Span.To.Sub(t0), s.Value, rate)
					}
				}
			}
			// A poll that sees two refreshes of a pace just quicker than ours can't be told from a burst.
			if odd > 4 {
				t.Errorf("%d samples are off", odd)
			}
			period := samplesOf(p.records, timeline.RefreshPeriod)
			if len(period) == 0 {
				t.Fatal("the refresh period was not found")
			}
			want := max(c.refresh, c.poll).Seconds()
			if got := period[len(period)-1].Value; math.Abs(got-want) > 0.1*want {
				t.Errorf("refresh period %v s, want %v", got, want)
			}
			if slow := len(eventsOf(p.records, timeline.EventSlow)) > 0; slow != (c.refresh > c.poll*3/2) {
				t.Errorf("device.slow: %v", slow)
			}
		})
	}
}

func TestErrorsThatAreReadLiveBesideOctetsThatAreNot(t *testing.T) {
	p := newPolls()
	for now := time.Duration(0); now < 60*time.Second; now += time.Second {
		i := gig(1e9+uint64(6.25e6*now.Truncate(3*time.Second).Seconds()), 0)
		i.FCS = C32(uint64(now.Seconds() * 10))
		p.poll(time.Second, i)
	}
	for _, s := range samplesOf(p.records, timeline.InBits) {
		if s.Span.From.Sub(t0) > 10*time.Second && math.Abs(s.Value-50e6) > 5e6 {
			t.Errorf("octets at %s: %.3g, want 5e7", s.Span.To.Sub(t0), s.Value)
		}
	}
	fcs := samplesOf(p.records, timeline.InFCS)
	if len(fcs) < 55 {
		t.Errorf("%d samples of FCS errors in 60 s", len(fcs))
	}
	for _, s := range fcs[4:] {
		if math.Abs(s.Value-10) > 0.1 {
			t.Errorf("FCS errors at %s: %v/s, want 10", s.Span.To.Sub(t0), s.Value)
		}
	}
}

func TestTrafficThatStopsIsSeenSoon(t *testing.T) {
	const rate = 50e6
	for name, c := range map[string]struct {
		refresh      time.Duration
		length, soon time.Duration
	}{
		"for 1.5 s":             {time.Millisecond, 1500 * time.Millisecond, 2 * time.Second},
		"for 4 s":               {time.Millisecond, 4 * time.Second, 2 * time.Second},
		"for 10 s, slow agent":  {3 * time.Second, 10 * time.Second, 6 * time.Second},
		"for 30 s, paced agent": {2 * time.Second, 30 * time.Second, 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPolls()
			stop := 60 * time.Second
			carried := func(d time.Duration) float64 {
				if d > stop {
					d = max(stop, d-c.length)
				}
				return rate / 8 * d.Seconds()
			}
			seen := time.Duration(0)
			for now := time.Duration(0); now < 120*time.Second; now += time.Second {
				recs := p.poll(time.Second, gig(1e9+uint64(carried(now.Truncate(c.refresh))), 0))
				for _, s := range samplesOf(recs, timeline.InBits) {
					if now > stop && s.Value < rate/20 && seen == 0 {
						seen = now - stop
					}
				}
			}
			if seen == 0 || seen > c.soon {
				t.Errorf("zero seen after %s, want within %s", seen, c.soon)
			}
			sum := 0.0
			for _, s := range samplesOf(p.records, timeline.InBits) {
				sum += s.Value * s.Span.Width().Seconds() / 8
				if s.Value > 1.1*rate && c.refresh < time.Second {
					t.Errorf("%.3g at %s, never more than %.3g was sent", s.Value, s.Span.To.Sub(t0), rate)
				}
			}
			if want := carried(119 * time.Second); math.Abs(sum-want) > 0.08*want {
				t.Errorf("octets in all samples: %.4g, carried %.4g", sum, want)
			}
		})
	}
}

package outage

import (
	"strings"
	"testing"
	"time"

	"whydrop/correlate/timeline"
)

// What this host lost itself, and what a far end that stood still delayed, is no outage.
func TestHostsThatStandStill(t *testing.T) {
	const beat = 5 * ms
	answer := func(b *Book, start time.Time, n uint64, there, kept, at time.Duration, dropped int) {
		far := &Far{Received: start.Add(there), Sent: start.Add(there + kept), Sequence: uint32(n), Counts: true}
		b.Answer(Answer{Number: n, At: start.Add(at), Exact: true, Far: far, Dropped: dropped})
	}
	tests := []struct {
		name    string
		do      func(b *Book, start time.Time, n uint64, sent time.Duration)
		outages int
		host    bool
	}{
		{"answers 100 to 199 are lost", func(b *Book, start time.Time, n uint64, sent time.Duration) {
			if n < 100 || n >= 200 {
				answer(b, start, n, sent+ms, 0, sent+2*ms, 0)
			}
		}, 1, false},
		{"they came, and the socket was full", func(b *Book, start time.Time, n uint64, sent time.Duration) {
			switch {
			case n == 200:
				answer(b, start, n, sent+ms, 0, sent+2*ms, 100)
			case n < 100 || n > 200:
				answer(b, start, n, sent+ms, 0, sent+2*ms, 0)
			}
		}, 0, true},
		{"ten of them found no room, the rest is the path's", func(b *Book, start time.Time, n uint64, sent time.Duration) {
			switch {
			case n == 200:
				answer(b, start, n, sent+ms, 0, sent+2*ms, 10)
			case n < 100 || n > 200:
				answer(b, start, n, sent+ms, 0, sent+2*ms, 0)
			}
		}, 1, false},
		{"heartbeats 100 to 139 wait on the path", func(b *Book, start time.Time, n uint64, sent time.Duration) {
			if n >= 100 && n < 140 {
				answer(b, start, n, 700*ms+time.Duration(n)*ms/100, 0, 701*ms+time.Duration(n)*ms/100, 0)
				return
			}
			answer(b, start, n, sent+ms, 0, sent+2*ms, 0)
		}, 1, false},
		{"the same, and the far end answers some late: it has no processor time", func(b *Book, start time.Time, n uint64, sent time.Duration) {
			if n >= 100 && n < 140 {
				answer(b, start, n, 700*ms+time.Duration(n)*ms/100, 20*ms, 721*ms+time.Duration(n)*ms/100, 0)
				return
			}
			answer(b, start, n, sent+ms, 0, sent+2*ms, 0)
		}, 0, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var store timeline.Store
			path := timeline.Path("a-b")
			start := time.Now()
			b := New(Config{Path: path, Heartbeat: beat, Out: &store}, start)
			for n := range uint64(400) {
				b.Sent(start.Add(time.Duration(n) * beat))
			}
			for n := range uint64(400) {
				tt.do(b, start, n, time.Duration(n)*beat)
			}
			b.Close(start.Add(4 * time.Second))
			s := store.Snapshot()
			if es := s.EventsOf(path, timeline.EventOutage); len(es) != tt.outages {
				t.Errorf("%d outages, want %d: %+v", len(es), tt.outages, es)
			}
			told := false
			for _, g := range s.GapsOf(path, timeline.RTT) {
				told = told || g.Reason == timeline.ReasonHost
			}
			if told != tt.host {
				t.Errorf("told as the host's: %v, want %v", told, tt.host)
			}
		})
	}
}

// An outage tells what numbers vouch for, what the arrivals show, and what the own link did.
func TestAnOutageTellsWhatItIsMadeOf(t *testing.T) {
	var store timeline.Store
	path := timeline.Path("a-b")
	start := time.Now()
	b := New(Config{Path: path, Heartbeat: 10 * ms, Out: &store}, start)
	at := func(d time.Duration) time.Time { return start.Add(d) }
	b.Carrier(at(100*ms), "eth9", false) // long before
	for n := range uint64(200) {
		sent := time.Duration(n) * 10 * ms
		b.Sent(at(sent))
		if n < 100 || n >= 120 {
			b.Answer(Answer{Number: n, At: at(sent + 2*ms), Exact: true})
		}
	}
	b.Carrier(at(995*ms), "eth0", false)
	b.Carrier(at(1190*ms), "eth0", true)
	b.Close(at(4 * time.Second))
	es := store.Snapshot().EventsOf(path, timeline.EventOutage)
	if len(es) != 1 {
		t.Fatalf("outages %+v, want one", es)
	}
	a := es[0].Attrs
	for key, want := range map[string]string{"lost": "20", "dark_ms": "200.0", "gap_ms": "210.0"} {
		if a[key] != want {
			t.Errorf("%s: %q, want %q", key, a[key], want)
		}
	}
	seen, err1 := time.Parse(time.RFC3339Nano, a["last_seen"])
	next, err2 := time.Parse(time.RFC3339Nano, a["first_seen"])
	if err1 != nil || err2 != nil || next.Sub(seen) != 210*ms || !seen.Equal(es[0].Span.From) {
		t.Errorf("last seen %q, first seen %q, the span is %v", a["last_seen"], a["first_seen"], es[0].Span)
	}
	if c := a["carrier"]; !strings.HasPrefix(c, "eth0 down at ") || !strings.Contains(c, ", eth0 up at ") || strings.Contains(c, "eth9") || !strings.Contains(es[0].Text, c) {
		t.Errorf("carrier %q in %q", c, es[0].Text)
	}
}

// The kernel's time of arrival is of the wall clock: one that was set while an answer was on its way or waited to be read
// is no round trip, and no reason to doubt the others.
func TestTheClockIsSetWhileAnswersAreOnTheirWay(t *testing.T) {
	for _, step := range []time.Duration{-10 * time.Second, 10 * time.Second} {
		var store timeline.Store
		path := timeline.Path("a-b")
		start := time.Now()
		b := New(Config{Path: path, Heartbeat: 10 * ms, Out: &store}, start)
		for n := range uint64(100) {
			sent := time.Duration(n) * 10 * ms
			b.Sent(start.Add(sent))
			a := Answer{Number: n, At: start.Add(sent + 4*ms), Exact: true}
			if n >= 50 && n < 53 {
				if a.Exact = step > 0; a.Exact { // set forward: it seems to have come long ago; set back: not believed
					a.At = a.At.Add(-step)
				}
			}
			b.Answer(a)
		}
		b.Close(start.Add(3 * time.Second))
		s := store.Snapshot()
		if es := s.EventsOf(path, timeline.EventOutage); len(es) > 0 {
			t.Errorf("set by %s: outages %+v", step, es)
		}
		for _, x := range s.Series(path, timeline.RTT) {
			if x.Value != 0.004 {
				t.Errorf("set by %s: round trip %v, want 4 ms", step, x.Value)
			}
		}
	}
}

// How far an outage reaches is known as well as heartbeats were sent about its ends.
func TestAnOutageTellsHowLateThisHostWasAtItsEnds(t *testing.T) {
	for _, tt := range []struct {
		name   string
		unsent time.Duration // the heartbeat that was not sent
		late   string
		wrong  string
	}{
		{name: "a heartbeat in the middle was not sent", unsent: 1100 * ms, wrong: "12.0"},
		{name: "the first that would have been lost was not sent", unsent: 1000 * ms, late: "10.0", wrong: "22.0"},
		{name: "the first after it was not sent", unsent: 1200 * ms, late: "10.0", wrong: "22.0"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := world{beat: 10 * ms, length: 4 * time.Second, roundTrip: true,
				there: dark(steady(ms), 1000*ms, 1200*ms), back: steady(ms),
				sends: func(at time.Duration) bool { return at != tt.unsent },
			}.run()
			es := s.EventsOf(timeline.Path("a-b"), timeline.EventOutage)
			if len(es) != 1 {
				t.Fatalf("outages %+v, want one", es)
			}
			a := es[0].Attrs
			if a["host_late_ms"] != tt.late || a["error_ms"] != tt.wrong || (tt.late != "") != strings.Contains(es[0].Text, "late to send") {
				t.Errorf("late %q, wrong by %q, %q; want %q and %q", a["host_late_ms"], a["error_ms"], es[0].Text, tt.late, tt.wrong)
			}
		})
	}
}

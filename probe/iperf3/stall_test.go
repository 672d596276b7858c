package iperf3

import (
	"testing"
	"time"

	"whydrop/probe/tcpinfo"
)

// script is a flow read every 10 ms: what is true from each moment on.
type step struct {
	at       time.Duration
	moves    bool          // bytes arrive
	waits    bool          // data is outstanding
	shut     bool          // and none of it in flight
	rtt      time.Duration // 0: as before
	retrans  []time.Duration
	timeouts uint64
}

func opt[T any](v T) tcpinfo.Opt[T] { return tcpinfo.Opt[T]{Value: v, OK: true} }

func play(d *detector, end time.Duration, steps []step) (stalls []stall, open *stall) {
	start := time.Unix(1_000_000, 0)
	var moved, retrans uint64
	cur := step{rtt: time.Millisecond}
	for i := 0; ; i++ {
		at := time.Duration(i) * 10 * time.Millisecond
		if at > end {
			return stalls, d.open(start.Add(end))
		}
		for _, s := range steps {
			if s.at == at {
				if s.rtt == 0 {
					s.rtt = cur.rtt
				}
				cur = s
			}
			for _, r := range s.retrans {
				if r == at {
					retrans++
				}
			}
		}
		if cur.moves {
			moved += 1000
		}
		r := reading{at: start.Add(at), moved: moved, exact: true, outstanding: cur.waits || cur.moves, shut: cur.shut, rtt: cur.rtt,
			infos: []tcpinfo.Info{{RTT: opt(cur.rtt), Retransmitted: opt(retrans), Timeouts: opt(cur.timeouts)}}}
		if i == 0 {
			d.begin(r)
			continue
		}
		if s := d.observe(r); s != nil {
			stalls = append(stalls, *s)
		}
	}
}

func TestDetector(t *testing.T) {
	ms := time.Millisecond
	tests := []struct {
		name  string
		end   time.Duration
		steps []step
		want  []time.Duration // lengths of the stalls, to 15 ms
		open  bool
		more  func(s stall) bool
	}{
		{"a steady flow", 5 * time.Second, []step{{at: 0, moves: true}}, nil, false, nil},
		{"an idle flow", 5 * time.Second, []step{{at: 0, moves: true}, {at: time.Second}}, nil, false, nil},
		{"a second without progress", 3 * time.Second, []step{{at: 0, moves: true}, {at: time.Second, waits: true}, {at: 2 * time.Second, moves: true}},
			[]time.Duration{time.Second}, false, nil},
		{"a pause of 190 ms is none", 3 * time.Second, []step{{at: 0, moves: true}, {at: time.Second, waits: true}, {at: 1180 * ms, moves: true}}, nil, false, nil},
		{"a pause of 300 ms on a path of 20 ms", 3 * time.Second, []step{{at: 0, moves: true, rtt: 20 * ms}, {at: time.Second, waits: true}, {at: 1300 * ms, moves: true}},
			[]time.Duration{300 * ms}, false, nil},
		{"a pause of 700 ms on a path of 200 ms is none", 3 * time.Second, []step{{at: 0, moves: true, rtt: 200 * ms}, {at: time.Second, waits: true}, {at: 1700 * ms, moves: true}}, nil, false, nil},
		{"not over when the probe stops", 3 * time.Second, []step{{at: 0, moves: true}, {at: time.Second, waits: true}}, nil, true, nil},
		{"nothing ever arrived", 3 * time.Second, []step{{at: 0, waits: true}}, nil, false, nil},
		{"idle before data waits", 4 * time.Second, []step{{at: 0, moves: true}, {at: time.Second}, {at: 2 * time.Second, waits: true}, {at: 2100 * ms, moves: true}}, nil, false, nil},
		{"two stalls", 5 * time.Second, []step{{at: 0, moves: true}, {at: time.Second, waits: true}, {at: 1500 * ms, moves: true}, {at: 3 * time.Second, waits: true}, {at: 4 * time.Second, moves: true}},
			[]time.Duration{500 * ms, time.Second}, false, nil},
		{"time-outs are counted and the last wait is back-off", 6 * time.Second,
			[]step{{at: 0, moves: true}, {at: time.Second, waits: true, retrans: []time.Duration{1200 * ms, 1600 * ms, 2400 * ms}, timeouts: 3}, {at: 4 * time.Second, moves: true, retrans: []time.Duration{4 * time.Second, 4010 * ms}, timeouts: 4}},
			[]time.Duration{3 * time.Second}, false, func(s stall) bool {
				return s.known && s.timeouts == 4 && (s.backoff-1600*ms).Abs() < 20*ms && !s.windowShut
			}},
		{"the retransmission that got through was seen a round trip before", 6 * time.Second,
			[]step{{at: 0, moves: true, rtt: 100 * ms}, {at: time.Second, waits: true, retrans: []time.Duration{1400 * ms, 2200 * ms, 3800 * ms}, timeouts: 3}, {at: 3900 * ms, moves: true, timeouts: 3}},
			[]time.Duration{2900 * ms}, false, func(s stall) bool { return (s.backoff - 1600*ms).Abs() < 20*ms }},
		{"a window that is shut is told", 4 * time.Second, []step{{at: 0, moves: true}, {at: time.Second, waits: true, shut: true}, {at: 2 * time.Second, moves: true}},
			[]time.Duration{time.Second}, false, func(s stall) bool { return s.windowShut }},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var d detector
			stalls, open := play(&d, tt.end, tt.steps)
			if len(stalls) != len(tt.want) || (open != nil) != tt.open {
				t.Fatalf("stalls %+v, open %+v; want %v, %v", stalls, open, tt.want, tt.open)
			}
			for i, s := range stalls {
				if d := s.to.Sub(s.from) - tt.want[i]; d.Abs() > 15*ms {
					t.Errorf("stall %d lasted %v, want %v", i, s.to.Sub(s.from), tt.want[i])
				}
				if s.err <= 0 || s.err > 120*ms {
					t.Errorf("error of %v", s.err)
				}
				if tt.more != nil && !tt.more(s) {
					t.Errorf("got %+v", s)
				}
			}
		})
	}
}

func TestDetectorDoesNotBlameThePathForALateHost(t *testing.T) {
	var d detector
	start := time.Unix(1_000_000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	d.begin(reading{at: start})
	d.observe(reading{at: at(10), moved: 1000, outstanding: true})
	// The host did not run for a second; the flow moved meanwhile.
	if s := d.observe(reading{at: at(1010), moved: 2000, outstanding: true}); s != nil {
		t.Errorf("a stall of %v", s.to.Sub(s.from))
	}
}

func TestStallGoesOnOverTwoFlows(t *testing.T) {
	var d detector
	start := time.Unix(1_000_000, 0)
	at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
	d.begin(reading{at: start})
	d.observe(reading{at: at(10), moved: 1000, outstanding: true})
	for ms := 20; ms <= 500; ms += 10 {
		d.observe(reading{at: at(ms), moved: 1000, outstanding: true})
	}
	d.end()
	d.begin(reading{at: at(2000)})
	s := d.observe(reading{at: at(2010), moved: 1, outstanding: true})
	if s == nil || !s.from.Equal(at(5)) || !s.to.Equal(at(2005)) {
		t.Errorf("got %+v, want a stall from 5 ms to 2005 ms", s)
	}
}

func TestDetectorDoesNotBelieveAShortShutWindowOnAStarvedHost(t *testing.T) {
	start := time.Unix(1_000_000, 0)
	for _, c := range []struct {
		name  string
		stall time.Duration
		shut  bool
		late  time.Duration // how late one reading before the stall is
		want  bool
	}{
		{"a punctual host", 400 * time.Millisecond, true, 0, true},
		{"a late host", 400 * time.Millisecond, true, 40 * time.Millisecond, false},
		{"a late host and data in flight", 400 * time.Millisecond, false, 40 * time.Millisecond, true},
		{"a late host and a long stall", 1500 * time.Millisecond, true, 40 * time.Millisecond, true},
	} {
		var d detector
		d.begin(reading{at: start})
		at, moved := start, uint64(0)
		read := func(step time.Duration, moves bool) (ended *stall) {
			at = at.Add(step)
			if moves {
				moved += 1000
			}
			return d.observe(reading{at: at, moved: moved, outstanding: true, shut: c.shut && !moves, rtt: time.Millisecond})
		}
		for range 100 {
			read(10*time.Millisecond, true)
		}
		read(10*time.Millisecond+c.late, true)
		for range int(c.stall / (10 * time.Millisecond)) {
			read(10*time.Millisecond, false)
		}
		if got := read(10*time.Millisecond, true); (got != nil) != c.want {
			t.Errorf("%s: stall %+v, want one: %v", c.name, got, c.want)
		}
	}
}

// A window that is shut for less than a second while this host is late proves nothing about the path.
func TestDetectorDoesNotTrustAShutWindowOfALateHost(t *testing.T) {
	for _, tt := range []struct {
		name   string
		late   bool
		length int // ms
		want   bool
	}{
		{"on time", false, 400, true},
		{"late", true, 400, false},
		{"late, and too long for that", true, 1400, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var d detector
			start := time.Unix(1_000_000, 0)
			at := func(ms int) time.Time { return start.Add(time.Duration(ms) * time.Millisecond) }
			d.begin(reading{at: start})
			ms, moved, found := 10, uint64(0), false
			observe := func(r reading) {
				r.at, r.moved = at(ms), moved
				found = d.observe(r) != nil || found
				ms += 10
			}
			for range 50 {
				moved += 1000
				observe(reading{outstanding: true})
			}
			if tt.late {
				ms += 40
			}
			for range tt.length / 10 {
				observe(reading{outstanding: true, shut: true})
			}
			moved += 1000
			observe(reading{outstanding: true})
			if found != tt.want {
				t.Errorf("a stall was found: %v, want %v", found, tt.want)
			}
		})
	}
}

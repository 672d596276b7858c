package trace

import (
	"context"
	"errors"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// net is a simulated path: what answers a packet, and after how long. It is called once per packet.
type simulated struct {
	answer func(ttl, n int, at time.Duration) (r reply, after time.Duration, ok bool)
	start  time.Time
	one    bool
	wait   []reply
	sends  []time.Duration
	ttls   []int
	fails  error
}

func (s *simulated) single() bool    { return s.one }
func (s *simulated) srcPort() uint16 { return 40000 }
func (s *simulated) close()          {}

func (s *simulated) send(ttl, n int, now time.Time) error {
	if s.fails != nil {
		return s.fails
	}
	s.sends, s.ttls = append(s.sends, now.Sub(s.start)), append(s.ttls, ttl)
	if r, after, ok := s.answer(ttl, n, now.Sub(s.start)); ok {
		r.at = now.Add(after)
		s.wait = append(s.wait, r)
	}
	return nil
}

func (s *simulated) receive(until time.Time, give func(reply)) {
	first := -1
	for i, r := range s.wait {
		if !r.at.After(until) && (first < 0 || r.at.Before(s.wait[first].at)) {
			first = i
		}
	}
	if first < 0 {
		time.Sleep(time.Until(until))
		return
	}
	r := s.wait[first]
	s.wait = append(s.wait[:first], s.wait[first+1:]...)
	time.Sleep(time.Until(r.at))
	give(r)
}

var target = netip.MustParseAddr("192.0.2.9")

// router returns the address of the router at a distance.
func router(ttl int) netip.Addr { return netip.AddrFrom4([4]byte{10, 0, 0, byte(ttl)}) }

// path answers as a path of so many hops does, 5 ms for each.
func path(length int) func(ttl, n int, at time.Duration) (reply, time.Duration, bool) {
	return func(ttl, n int, _ time.Duration) (reply, time.Duration, bool) {
		if ttl >= length {
			return reply{n: n, by: target, end: true}, time.Duration(length) * 5 * time.Millisecond, true
		}
		return reply{n: n, by: router(ttl)}, time.Duration(ttl) * 5 * time.Millisecond, true
	}
}

// simulate runs a trace over a simulated path in virtual time.
func simulate(t *testing.T, s *simulated, c Config, limit time.Duration) (res Result, took time.Duration) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		s.start = time.Now()
		e := newEngine(c.withDefaults(), target, s)
		e.run(ctx)
		res, took = e.summary(), time.Since(s.start)
	})
	return res, took
}

func TestAPathOfFiveHops(t *testing.T) {
	s := &simulated{answer: path(5)}
	rounds := 0
	res, took := simulate(t, s, Config{Progress: func(Result) { rounds++ }}, time.Minute)
	if len(res.Hops) != 5 || !res.Reached || res.Hops[4].Answered != 10 || res.Hops[2].Median != 15*time.Millisecond || rounds != 10 {
		t.Errorf("%d rounds, %+v", rounds, res)
	}
	if took > 9500*time.Millisecond || len(s.sends) != 50 {
		t.Errorf("%d packets in %s, want 50 in little more than 9 s", len(s.sends), took)
	}
	for i := 1; i < len(s.sends); i++ {
		if s.sends[i]-s.sends[i-1] < gap {
			t.Fatalf("packets %s apart", s.sends[i]-s.sends[i-1])
		}
	}
}

func TestASilentTargetIsLookedForSparingly(t *testing.T) {
	s := &simulated{answer: func(ttl, n int, at time.Duration) (reply, time.Duration, bool) {
		r, after, ok := path(99)(ttl, n, at)
		return r, after, ok && ttl <= 3
	}}
	res, _ := simulate(t, s, Config{Rounds: 3}, time.Minute)
	if len(res.Hops) != 3 || res.Reached || res.Hops[2].CountedOK {
		t.Errorf("%+v", res)
	}
	if want := 3 + giveUp + 2*5; len(s.sends) != want {
		t.Errorf("%d packets, want %d: %v", len(s.sends), want, s.ttls)
	}
	if m := res.Meaning(); !strings.Contains(m, "did not answer") || !strings.Contains(m, "hop 3 (10.0.0.3)") {
		t.Errorf("meaning: %s", m)
	}
}

func TestNothingAnswers(t *testing.T) {
	s := &simulated{answer: func(int, int, time.Duration) (reply, time.Duration, bool) { return reply{}, 0, false }}
	res, took := simulate(t, s, Config{Rounds: 2}, time.Minute)
	if len(res.Hops) != 0 || !strings.Contains(res.Meaning(), "silent") || took > 4*time.Second {
		t.Errorf("after %s: %s %+v", took, res.Meaning(), res)
	}
}

func TestAPathThatBecomesLongerAndShorter(t *testing.T) {
	s := &simulated{answer: func(ttl, n int, at time.Duration) (reply, time.Duration, bool) {
		switch {
		case at < 2*time.Second:
			return path(4)(ttl, n, at)
		case at < 6*time.Second:
			return path(6)(ttl, n, at)
		}
		return path(3)(ttl, n, at)
	}}
	res, _ := simulate(t, s, Config{}, time.Minute)
	if len(res.Hops) != 3 || !res.Reached || len(res.Hops[2].From) != 2 {
		t.Errorf("%v %+v", s.ttls, res.Hops)
	}
}

// Routers that quote the UDP header alone, on a socket that is not shown it.
func TestAnswersThatDoNotSayWhatTheyAreForAreAskedForOneByOne(t *testing.T) {
	s := &simulated{answer: func(ttl, n int, at time.Duration) (reply, time.Duration, bool) {
		r, after, ok := path(5)(ttl, n, at)
		if ttl < 5 {
			r.n = -1
		}
		return r, after, ok && (ttl != 2 || n%2 == 0)
	}}
	res, _ := simulate(t, s, Config{Rounds: 6}, time.Minute)
	if res.Guessed == 0 || len(res.Hops) != 5 {
		t.Fatalf("%+v", res)
	}
	for _, h := range res.Hops {
		if h.TTL != 2 && (len(h.From) != 1 || h.Answered != h.Sent || h.Median != time.Duration(h.TTL)*5*time.Millisecond) {
			t.Errorf("hop %d: %+v", h.TTL, h)
		}
	}
}

func TestOneAtATime(t *testing.T) {
	s := &simulated{one: true, answer: func(ttl, n int, at time.Duration) (reply, time.Duration, bool) {
		r, after, _ := path(4)(ttl, n, at)
		return r, after, ttl != 2
	}}
	res, took := simulate(t, s, Config{Rounds: 4}, time.Minute)
	if len(res.Hops) != 4 || res.Hops[1].Answered != 0 || res.Hops[1].Name() != "*" || res.Hops[3].Answered != 4 || took > 6*time.Second {
		t.Errorf("%s: %+v", took, res)
	}
	if res.Hops[1].Counted != 0 || strings.Contains(res.Meaning(), "Not counted") {
		t.Errorf("a hop that never answers says nothing: %s", res.Meaning())
	}
}

func TestInterrupted(t *testing.T) {
	s := &simulated{answer: path(5)}
	res, took := simulate(t, s, Config{Rounds: 1000}, 2500*time.Millisecond)
	if took > 2600*time.Millisecond || res.Rounds != 3 || res.Hops[4].Loss() != 0 {
		t.Errorf("%s: %+v", took, res)
	}
}

func TestAHostThatCannotSend(t *testing.T) {
	s := &simulated{fails: errors.New("network is unreachable")}
	res, _ := simulate(t, s, Config{Rounds: 2}, time.Minute)
	if res.Sent() != 0 || res.NotSent == 0 {
		t.Errorf("%+v", res)
	}
}

func TestMeaning(t *testing.T) {
	hop := func(ttl, sent, answered int) Hop {
		h := Hop{TTL: ttl, Sent: sent, Answered: answered}
		if answered > 0 {
			h.From = []Answerer{{router(ttl), answered}}
		}
		return h
	}
	end := func(sent, answered int) Hop {
		h := hop(4, sent, answered)
		h.From, h.Target = []Answerer{{target, answered}}, true
		return h
	}
	tests := []struct {
		name string
		hops []Hop
		want string // part of it
		not  string // no part of it
	}{
		{"nothing lost", []Hop{hop(1, 10, 10), hop(2, 10, 10), hop(3, 10, 10), end(10, 10)}, "lost none", "Not counted"},
		{"a middle hop that limits its answers", []Hop{hop(1, 10, 10), hop(2, 10, 2), hop(3, 10, 10), end(10, 10)}, "hop 2 (10.0.0.2) left 80 %", "begins"},
		{"two of them", []Hop{hop(1, 10, 5), hop(2, 10, 2), hop(3, 10, 10), end(10, 10)}, "hop 1 (10.0.0.1) left 50 % and hop 2", "begins"},
		{"loss from hop 3 on", []Hop{hop(1, 20, 20), hop(2, 20, 20), hop(3, 20, 14), end(20, 15)}, "between hop 2 (10.0.0.2) and hop 3 (10.0.0.3)", "Not counted"},
		{"loss from hop 3 on, hop 2 limits", []Hop{hop(1, 20, 20), hop(2, 20, 2), hop(3, 20, 14), end(20, 15)}, "between hop 1 (10.0.0.1) and hop 2", ""},
		{"loss from the first hop on", []Hop{hop(1, 20, 14), hop(2, 20, 14), hop(3, 20, 14), end(20, 15)}, "at or before hop 1", ""},
		{"loss behind a silent hop", []Hop{hop(1, 20, 20), hop(2, 20, 20), hop(3, 20, 0), end(20, 15)}, "between hop 2 (10.0.0.2) and hop 4 (192.0.2.9)", ""},
		{"one packet lost", []Hop{hop(1, 20, 20), hop(2, 20, 20), hop(3, 20, 20), end(20, 19)}, "too few", "begins"},
		{"a loop", []Hop{hop(1, 3, 3), hop(2, 3, 3), hop(3, 3, 3), hop(2, 3, 3)}, "loop", ""},
	}
	for _, tt := range tests {
		r := Result{Target: target, Method: UDP, Hops: tt.hops}
		r.conclude()
		m := r.Meaning()
		if !strings.Contains(m, tt.want) || tt.not != "" && strings.Contains(m, tt.not) {
			t.Errorf("%s: %q, want %q, not %q", tt.name, m, tt.want, tt.not)
		}
	}
}

func TestWhatCannotBeTraced(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Config
		want string
	}{
		{"an unknown method", Config{To: "127.0.0.1", Method: "sctp"}, "no method"},
		{"no host", Config{}, "trace:"},
		{"TCP of a size", Config{To: "127.0.0.1", Method: TCP, Size: 1000}, "no size"},
		{"too small", Config{To: "127.0.0.1", Size: 10}, "size"},
	} {
		if _, err := Run(t.Context(), tt.c); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

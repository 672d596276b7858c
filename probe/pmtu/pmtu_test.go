package pmtu

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/probe/icmperr"
	"whydrop/probe/trace"
)

// simulated is a path in virtual time.
type simulated struct {
	there, back int         // what it takes; 0: anything
	says        func() int  // what a router says of larger packets; nil: nothing
	always      bool        // it says so of packets that pass too: a forger
	loss        float64     // of packets and of answers
	dark        func() bool // nothing passes
	counts      bool        // the far end counts
	refuses     bool        // a closed port answers too
	small       bool        // answers are small
	own         int         // the own link; larger packets cannot be sent
	count       uint32
	wait        []reply
	random      *rand.Rand
	sizes       []int
}

var router = netip.MustParseAddr("10.0.0.1")

func (s *simulated) lost() bool {
	return s.dark != nil && s.dark() || s.loss > 0 && s.random.Float64() < s.loss
}

func (s *simulated) send(size, n int) error {
	if s.own > 0 && size > s.own {
		return errors.New("message too long")
	}
	s.sizes = append(s.sizes, size)
	at := time.Now().Add(5 * time.Millisecond)
	tooBig := s.there > 0 && size > s.there
	if s.says != nil && (tooBig || s.always) && !s.lost() {
		s.wait = append(s.wait, reply{n: n, at: at, notice: &icmperr.Notice{By: router, Type: 3, Code: 4, MTU: s.says()}})
	}
	if tooBig || s.lost() {
		return nil
	}
	c := s.count
	s.count++
	if s.back > 0 && size > s.back || s.lost() {
		return nil
	}
	if s.small {
		size = 0
	}
	s.wait = append(s.wait, reply{n: n, at: at.Add(5 * time.Millisecond), size: size, count: c, counts: s.counts})
	return nil
}

func (s *simulated) receive(until time.Time, give func(reply)) {
	if len(s.wait) == 0 || s.wait[0].at.After(until) {
		time.Sleep(time.Until(until))
		return
	}
	r := s.wait[0]
	s.wait = s.wait[1:]
	time.Sleep(time.Until(r.at))
	give(r)
}

func (s *simulated) pause() time.Duration { return 10 * time.Millisecond }
func (s *simulated) close()               {}

// simulate measures a simulated path whose own link takes so much.
func simulate(t *testing.T, s *simulated, own int) (r Result, took time.Duration) {
	if s.random == nil {
		s.random = rand.New(rand.NewPCG(1, 2))
	}
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		r = Result{Means: STAMP, OwnMTU: own, Believed: own, Target: router}
		m := &measurement{to: router, t: newTester(s), r: &r, refusals: func(ctx context.Context) (*tester, error) {
			if !s.refuses {
				return nil, ErrSilent
			}
			t := newTester(&simulated{there: s.there, random: s.random, small: true})
			t.alive(ctx)
			return t, nil
		}}
		if !m.t.alive(ctx) {
			return
		}
		m.measure(ctx)
		r.Interrupted = m.failed != nil
		r.Sent, took = m.t.sent, time.Since(start)
	})
	return r, took
}

func fixed(n int) func() int { return func() int { return n } }

func TestMTUs(t *testing.T) {
	tests := []struct {
		name     string
		s        simulated
		mtu      int
		ends     Ends
		back     int
		backEnds Ends
		means    string // part of the meaning
	}{
		{"a whole path", simulated{counts: true}, 1500, OwnLink, 1500, OwnLink, "So does the way back"},
		{"a router says 1400", simulated{there: 1400, says: fixed(1400), counts: true}, 1400, Router, 1400, OwnLink, "10.0.0.1 says of larger packets that its next link takes 1400"},
		{"an old router does not say how much", simulated{there: 1400, says: fixed(0), counts: true}, 1400, Router, 1400, OwnLink, "not how large"},
		{"nobody says anything", simulated{there: 1400, counts: true}, 1400, BlackHole, 1400, OwnLink, "MSS is at most 1360"},
		{"a router says more than passes", simulated{there: 1400, says: fixed(1480), counts: true}, 1400, Router, 1400, OwnLink, "vanish nevertheless"},
		{"a router says less than passes", simulated{there: 1450, says: fixed(1300), counts: true}, 1450, Router, 1450, OwnLink, "Larger ones pass nevertheless"},
		{"somebody lies about packets that pass", simulated{says: fixed(600), always: true, counts: true}, 1500, OwnLink, 1500, OwnLink, "1500 bytes"},
		{"the way back is narrower, silently", simulated{back: 1380, counts: true}, 1500, OwnLink, 1380, BlackHole, "answers vanished"},
		{"both ways, the way back narrower", simulated{there: 1450, back: 1380, counts: true}, 1450, BlackHole, 1380, BlackHole, "1380"},
		{"both ways, the way there narrower", simulated{there: 1380, back: 1450, counts: true}, 1380, BlackHole, 1380, OwnLink, "at least"},
		{"the far end does not count and nothing else answers", simulated{back: 1380}, 1380, Unclear, 1380, "", "nothing here answers that would tell which"},
		{"the far end does not count, a closed port refuses", simulated{back: 1380, refuses: true}, 1500, OwnLink, 1380, BlackHole, "vanished"},
		{"the same, the way there narrower", simulated{there: 1380, refuses: true}, 1380, BlackHole, 1380, OwnLink, "black hole"},
		{"the same, both narrower", simulated{there: 1450, back: 1380, refuses: true}, 1450, BlackHole, 1380, BlackHole, "black hole"},
		{"one byte less than the own link", simulated{there: 1499, counts: true}, 1499, BlackHole, 1499, OwnLink, ""},
		{"an odd size", simulated{there: 1237, counts: true}, 1237, BlackHole, 1237, OwnLink, ""},
		{"hardly anything", simulated{there: 161, counts: true}, 161, BlackHole, 161, OwnLink, ""},
		{"a router that does not say it every time", simulated{there: 1400, counts: true, says: fixed(1400), loss: 0.05}, 1400, Router, 1400, OwnLink, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			r, took := simulate(t, &tt.s, 1500)
			if r.MTU != tt.mtu || r.Ends != tt.ends || r.Back != tt.back || r.BackEnds != tt.backEnds || r.Interrupted {
				t.Errorf("MTU %d by %q, back %d by %q, interrupted %v; want %d %q %d %q: %+v", r.MTU, r.Ends, r.Back, r.BackEnds, r.Interrupted, tt.mtu, tt.ends, tt.back, tt.backEnds, r.Steps)
			}
			if !strings.Contains(r.Meaning(), tt.means) {
				t.Errorf("meaning: %s; want %q in it", r.Meaning(), tt.means)
			}
			if took > 20*time.Second || r.Sent > 120 {
				t.Errorf("%d packets in %s", r.Sent, took)
			}
		})
	}
}

func TestEveryMTUIsFoundExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for range 60 {
		mtu := controlSize + random.IntN(9001-controlSize)
		s := &simulated{there: mtu, counts: true}
		if random.IntN(2) == 0 {
			s.says = fixed(mtu)
		}
		if r, _ := simulate(t, s, 9000); r.MTU != mtu || r.Interrupted {
			t.Errorf("found %d, want %d: %v", r.MTU, mtu, s.sizes)
		}
	}
}

// Loss of one packet in ten is no hole, and does not make one in the way of finding one.
func TestLoss(t *testing.T) {
	wrong := 0
	for i := range uint64(100) {
		s := &simulated{there: 1420, counts: true, loss: 0.1, random: rand.New(rand.NewPCG(i, i))}
		if r, _ := simulate(t, s, 1500); r.MTU != 1420 {
			wrong++
			t.Logf("found %d: %+v", r.MTU, r.Steps)
		}
	}
	if wrong > 3 {
		t.Errorf("wrong in %d of 100 runs with 10 %% of loss each way", wrong)
	}
}

func TestAPathThatGoesDarkMeanwhile(t *testing.T) {
	for _, tt := range []struct {
		name   string
		length time.Duration
		broken bool
	}{
		{"for three seconds", 3 * time.Second, false},
		{"for good", time.Hour, true},
	} {
		var start time.Time
		s := &simulated{there: 1400, counts: true}
		s.dark = func() bool {
			if start.IsZero() {
				start = time.Now()
			}
			at := time.Since(start)
			return at > 500*time.Millisecond && at < 500*time.Millisecond+tt.length
		}
		r, took := simulate(t, s, 1500)
		if r.Interrupted != tt.broken || !tt.broken && r.MTU != 1400 || took > 25*time.Second {
			t.Errorf("%s: MTU %d, interrupted %v, after %s", tt.name, r.MTU, r.Interrupted, took)
		}
		if tt.broken && !strings.Contains(r.Meaning(), "no time") {
			t.Errorf("%s: %s", tt.name, r.Meaning())
		}
	}
}

func TestSizesThatCannotBeSent(t *testing.T) {
	s := &simulated{own: 1480, counts: true}
	if r, _ := simulate(t, s, 1500); r.MTU != 1480 {
		t.Errorf("%+v", r)
	}
}

func TestArrived(t *testing.T) {
	for _, tt := range []struct {
		name               string
		before, now        uint32
		since, sent, small int
		want               int
	}{
		{"none", 7, 8, 3, 3, 1, 0},
		{"all three", 7, 11, 3, 3, 1, 3},
		{"one", 7, 9, 3, 3, 1, 1},
		{"none, several small ones", 7, 8, 3, 3, 2, 0},
		{"one of the large or one of the small", 7, 9, 3, 3, 2, -1},
		{"the far end began anew", 7, 0, 3, 3, 1, -1},
		{"its number wraps", 1<<32 - 1, 1, 3, 3, 1, 1},
		{"others use the session", 7, 99, 3, 3, 1, -1},
	} {
		if got := arrived(tt.before, tt.now, tt.since, tt.sent, tt.small); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
}

func TestBetween(t *testing.T) {
	hop := func(ttl, answered int) trace.Hop {
		h := trace.Hop{TTL: ttl, Answered: answered}
		if answered > 0 {
			h.From = []trace.Answerer{{Addr: netip.AddrFrom4([4]byte{10, 0, 0, byte(ttl)}), Times: answered}}
		}
		return h
	}
	small := trace.Result{Hops: []trace.Hop{hop(1, 2), hop(2, 0), hop(3, 2), hop(4, 2)}}
	for _, tt := range []struct {
		name           string
		large          []trace.Hop
		behind, before int
	}{
		{"behind the first hop", []trace.Hop{hop(1, 2)}, 1, 3},
		{"before the first hop", nil, 0, 1},
		{"before the target", []trace.Hop{hop(1, 2), hop(2, 0), hop(3, 1)}, 3, 4},
		{"nowhere", []trace.Hop{hop(1, 2), hop(2, 0), hop(3, 1), hop(4, 1)}, 4, 0},
	} {
		behind, before := between(small, trace.Result{Hops: tt.large})
		if behind.TTL != tt.behind || before.TTL != tt.before {
			t.Errorf("%s: %v %v", tt.name, behind, before)
		}
	}
}

func TestWhatCannotBeMeasured(t *testing.T) {
	for _, tt := range []struct {
		name string
		c    Config
	}{
		{"no host", Config{}},
		{"too small", Config{To: "127.0.0.1", Max: 60}},
		{"too large", Config{To: "127.0.0.1", Max: 70000}},
	} {
		if _, err := Run(t.Context(), tt.c); err == nil || !strings.HasPrefix(err.Error(), "pmtu") {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

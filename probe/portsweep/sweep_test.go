package portsweep

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// simulated is a flow in virtual time: what becomes of its packets is said by a function.
type simulated struct {
	number uint16
	fate   func(n int, at time.Duration) (lost bool, after time.Duration)
	start  time.Time
	wait   []answer
	count  int
	counts bool
	there  bool // what is lost is lost on the way there
}

func (s *simulated) port() uint16 { return s.number }
func (s *simulated) busy() bool   { return false }
func (s *simulated) close()       {}

func (s *simulated) send(n int, now time.Time) error {
	lost, after := s.fate(n, now.Sub(s.start))
	c := s.count
	if !lost || !s.there {
		s.count++
	}
	if !lost {
		s.wait = append(s.wait, answer{n: n, at: now.Add(after), count: c, counts: s.counts})
	}
	return nil
}

func (s *simulated) receive(give func(answer)) {
	for len(s.wait) > 0 && !s.wait[0].at.After(time.Now()) {
		give(s.wait[0])
		s.wait = s.wait[1:]
	}
}

func TestSweeps(t *testing.T) {
	const ms = time.Millisecond
	tests := []struct {
		name   string
		fate   func(port int) func(n int, at time.Duration) (bool, time.Duration)
		there  bool
		loss   int // ports of the cluster
		delay  int
		means  string
		rounds int
	}{
		{"a healthy path", func(int) func(int, time.Duration) (bool, time.Duration) {
			return func(n int, _ time.Duration) (bool, time.Duration) { return false, 3*ms + time.Duration(n%3)*ms }
		}, true, 0, 0, "no bad member", 10},
		{"one member of four is dead", func(p int) func(int, time.Duration) (bool, time.Duration) {
			return func(int, time.Duration) (bool, time.Duration) { return p%4 == 1, 3 * ms }
		}, true, 16, 0, "16 of 64 source ports lost all", 10},
		{"one member of eight loses every second packet on the way back", func(p int) func(int, time.Duration) (bool, time.Duration) {
			return func(n int, _ time.Duration) (bool, time.Duration) { return p%8 == 1 && n%2 == 0, 3 * ms }
		}, false, 8, 0, "on the way back", 10},
		{"one member of four has a queue", func(p int) func(int, time.Duration) (bool, time.Duration) {
			return func(n int, _ time.Duration) (bool, time.Duration) {
				if p%4 == 1 {
					return false, 20 * ms
				}
				return false, 3 * ms
			}
		}, true, 0, 16, "had late answers to all", 10},
		{"one member of four stalls for three seconds", func(p int) func(int, time.Duration) (bool, time.Duration) {
			return func(_ int, at time.Duration) (bool, time.Duration) {
				return p%4 == 1 && at > 2*time.Second && at < 5*time.Second, 3 * ms
			}
		}, true, 16, 0, "% of their packets, the others none", 10},
		{"the whole path stalls for three seconds", func(int) func(int, time.Duration) (bool, time.Duration) {
			return func(_ int, at time.Duration) (bool, time.Duration) {
				return at > 2*time.Second && at < 5*time.Second, 3 * ms
			}
		}, true, 0, 0, "as chance would", 10},
		{"the whole path is dark for 300 ms", func(int) func(int, time.Duration) (bool, time.Duration) {
			return func(_ int, at time.Duration) (bool, time.Duration) {
				return at > 2100*ms && at < 2400*ms, 3 * ms
			}
		}, true, 0, 0, "as chance would", 10},
		{"a dark path", func(int) func(int, time.Duration) (bool, time.Duration) {
			return func(int, time.Duration) (bool, time.Duration) { return true, 0 }
		}, true, 0, 0, "dark for all", 2},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var flows []flow
				for i := range 64 {
					flows = append(flows, &simulated{number: uint16(30000 + i), fate: tt.fate(i), start: time.Now(), counts: true, there: tt.there})
				}
				start := time.Now()
				s := newSweep(flows, stampRate)
				s.run(t.Context(), tt.rounds, nil)
				r := s.result()
				loss, delay := 0, 0
				if r.Loss.Found() {
					loss = len(r.Loss.Ports)
				}
				if r.Delay.Found() {
					delay = len(r.Delay.Ports)
				}
				if loss != tt.loss || delay != tt.delay || !strings.Contains(r.Meaning(), tt.means) {
					t.Errorf("loss on %d ports, delay on %d; want %d, %d: %s", loss, delay, tt.loss, tt.delay, r.Meaning())
				}
				if took := time.Since(start); took > time.Duration(tt.rounds)*time.Second+answerTime+10*tick {
					t.Errorf("took %s", took)
				}
				for _, p := range r.Ports {
					if p.Sent != tt.rounds {
						t.Errorf("port %d sent %d of %d", p.Number, p.Sent, tt.rounds)
					}
				}
			})
		})
	}
}

func TestInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var flows []flow
		for i := range 64 {
			flows = append(flows, &simulated{number: uint16(30000 + i), start: time.Now(), fate: func(int, time.Duration) (bool, time.Duration) { return false, 300 * time.Millisecond }})
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2500*time.Millisecond)
		defer cancel()
		s := newSweep(flows, stampRate)
		s.run(ctx, 100, nil)
		if r := s.result(); r.Loss.Found() || strings.Contains(r.Meaning(), "were lost") {
			t.Errorf("what was under way counts as lost: %s", r.Meaning())
		}
	})
}

func TestTheRateIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var at []time.Duration
		var flows []flow
		for i := range 128 {
			flows = append(flows, &simulated{number: uint16(30000 + i), start: time.Now(), fate: func(_ int, d time.Duration) (bool, time.Duration) {
				at = append(at, d)
				return false, 0
			}})
		}
		s := newSweep(flows, tcpRate)
		s.run(t.Context(), 2, nil)
		for i := range at {
			if n := i + 1 - tcpRate; n >= 0 && at[i]-at[n] < 900*time.Millisecond {
				t.Fatalf("%d packets in %s", tcpRate, at[i]-at[n])
			}
		}
	})
}

func TestNothingToAsk(t *testing.T) {
	if _, err := Run(t.Context(), Config{To: "127.0.0.1"}); err == nil || !strings.Contains(err.Error(), "nothing answers") {
		t.Error(err)
	}
	if _, err := Run(t.Context(), Config{}); err == nil {
		t.Error("no host: no error")
	}
}

func TestList(t *testing.T) {
	if got := List([]uint16{1, 3, 4, 5, 6, 9, 10}); got != "1 3-6 9 10" {
		t.Error(got)
	}
}

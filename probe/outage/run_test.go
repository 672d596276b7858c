package outage

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
)

// fakeWire is a wire in virtual time. Its functions say what happens to a heartbeat sent so long after the start.
type fakeWire struct {
	start   time.Time
	answers func(time.Duration) bool
	refuses func(time.Duration) bool
	fails   func(time.Duration) error
	sent    []time.Duration
	waiting []Answer
	refused int
}

func (w *fakeWire) Send(n uint64, now time.Time) error {
	at := now.Sub(w.start)
	w.sent = append(w.sent, at)
	if w.fails != nil && w.fails(at) != nil {
		return w.fails(at)
	}
	switch {
	case w.refuses != nil && w.refuses(at):
		w.refused++
	case w.answers(at):
		w.waiting = append(w.waiting, Answer{Number: n, At: now.Add(time.Millisecond), Exact: true})
	}
	return nil
}

func (w *fakeWire) Receive(b *Book) {
	for ; w.refused > 0; w.refused-- {
		b.Refused()
	}
	for _, a := range w.waiting {
		b.Answer(a)
	}
	w.waiting = nil
}

func always(time.Duration) bool { return true }
func never(time.Duration) bool  { return false }

func TestRunSaysWhatIsNotThePathsFault(t *testing.T) {
	tests := []struct {
		name     string
		w        fakeWire
		problems []string // reasons
		beats    [2]int   // heartbeats sent in 20 s, at least and at most
		outages  int
	}{
		{"a far end that answers", fakeWire{answers: always}, nil, [2]int{1000, 1001}, 0},
		{"nobody answers, ever", fakeWire{answers: never}, []string{"silent"}, [2]int{500, 530}, 0},
		{"a host without a reflector", fakeWire{answers: never, refuses: always}, []string{"refused"}, [2]int{50, 80}, 0},
		{"the reflector goes and comes back", fakeWire{answers: always, refuses: func(at time.Duration) bool { return at > 5*time.Second && at < 10*time.Second }},
			[]string{"refused"}, [2]int{780, 830}, 0},
		{"the reflector is restarted", fakeWire{answers: always, refuses: func(at time.Duration) bool { return at > 5*time.Second && at < 5500*time.Millisecond }},
			nil, [2]int{1000, 1001}, 0},
		{"the path is dark from the middle on", fakeWire{answers: func(at time.Duration) bool { return at < 5*time.Second }}, nil, [2]int{1000, 1001}, 1},
		{"this host has no route for a while", fakeWire{answers: always, fails: func(at time.Duration) error {
			if at > 5*time.Second && at < 6*time.Second {
				return errors.New("network is unreachable")
			}
			return nil
		}}, nil, [2]int{1000, 1001}, 1},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
				defer cancel()
				tt.w.start = time.Now()
				var store timeline.Store
				path := timeline.Path("a-b")
				Run(ctx, Config{Path: path, Collector: "icmp:a-b", Kind: "icmp", To: "192.0.2.1", Heartbeat: 20 * ms, Out: &store}, &tt.w)
				s := store.Snapshot()
				var problems []string
				for _, e := range s.EventsOf(path, timeline.EventProbeProblem) {
					problems = append(problems, e.Attrs["reason"])
				}
				if len(problems) != len(tt.problems) || len(problems) > 0 && problems[0] != tt.problems[0] {
					t.Errorf("problems %q, want %q", problems, tt.problems)
				}
				if n := len(tt.w.sent); n < tt.beats[0] || n > tt.beats[1] {
					t.Errorf("sent %d heartbeats, want %d to %d", n, tt.beats[0], tt.beats[1])
				}
				if got := s.EventsOf(path, timeline.EventOutage); len(got) != tt.outages {
					t.Errorf("outages %+v, want %d", got, tt.outages)
				}
				for _, typ := range []timeline.EventType{timeline.EventProbeStart, timeline.EventProbeStop} {
					if got := s.EventsOf(path, typ); len(got) != 1 {
						t.Errorf("%d events %s, want 1", len(got), typ)
					}
				}
			})
		})
	}
}

package heartbeat

import (
	"context"
	"errors"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"whydrop/correlate/timeline"
	"whydrop/probe/outage"
)

// echo is a wire whose far end answers, or not.
type echo struct {
	silent, closed bool
	n              []uint64
}

func (e *echo) Send(n uint64, _ time.Time) error { e.n = append(e.n, n); return nil }

func (e *echo) Receive(b *outage.Book) {
	for _, n := range e.n {
		if !e.silent {
			b.Answer(outage.Answer{Number: n, At: time.Now()})
		}
	}
	e.n = nil
}

func (e *echo) Close() { e.closed = true }

func TestProbeAndCheckCloseTheirWire(t *testing.T) {
	errOpen, errNone := errors.New("cannot be opened"), errors.New("no answer")
	config := func(*echo) outage.Config {
		return outage.Config{Path: timeline.Path("a-b"), Heartbeat: 20 * time.Millisecond, Out: timeline.SinkFunc(func(timeline.Record) {})}
	}
	probe := func(ctx context.Context, open func(context.Context) (*echo, error)) error {
		return Probe(ctx, open, config)
	}
	check := func(ctx context.Context, open func(context.Context) (*echo, error)) error {
		return Check(ctx, open, func(_ *echo, refused bool) error { return errNone })
	}
	tests := []struct {
		name   string
		do     func(context.Context, func(context.Context) (*echo, error)) error
		open   error
		ended  bool // ctx has ended before
		silent bool
		want   error
	}{
		{"a probe ends with its context", probe, nil, false, false, nil},
		{"a probe that cannot be", probe, errOpen, false, false, errOpen},
		{"a probe that was ended while it opened", probe, errOpen, true, false, nil},
		{"a far end that answers", check, nil, false, false, nil},
		{"a far end that says nothing", check, nil, false, true, errNone},
		{"a check that cannot be", check, errOpen, false, false, errOpen},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
				defer cancel()
				if tt.ended {
					cancel()
				}
				w := &echo{silent: tt.silent}
				err := tt.do(ctx, func(context.Context) (*echo, error) { return w, tt.open })
				if !errors.Is(err, tt.want) {
					t.Errorf("got %v, want %v", err, tt.want)
				}
				if w.closed != (tt.open == nil) {
					t.Errorf("the wire is closed: %v", w.closed)
				}
			})
		})
	}
}

func TestPendingQuestions(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		p := NewPending[int](ctx)
		cancel() // what is under way is given up by Close alone
		ask := func(n int, after time.Duration) {
			p.Go(time.Second, func(ctx context.Context) (int, bool) {
				select {
				case <-time.After(after):
					return n, true
				case <-ctx.Done():
					return 0, false
				}
			})
		}
		ask(1, 300*time.Millisecond)
		ask(2, 100*time.Millisecond)
		ask(3, 2*time.Second) // longer than it may take
		var got []int
		for range 3 {
			time.Sleep(500 * time.Millisecond)
			p.Each(func(n int) { got = append(got, n) })
		}
		if len(got) != 2 || got[0] != 2 || got[1] != 1 {
			t.Errorf("got %v, want 2 and 1", got)
		}
		ask(4, 900*time.Millisecond)
		began := time.Now()
		p.Close()
		if d := time.Since(began); d > 0 {
			t.Errorf("closing took %v", d)
		}
	})
}

func TestEvery(t *testing.T) {
	for _, tt := range []struct {
		name        string
		asked, want time.Duration
	}{
		{"nothing asked for", 0, 5 * time.Second},
		{"what is asked for", 2 * time.Second, 2 * time.Second},
		{"too often", time.Millisecond, time.Second},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if got := Every(tt.asked, 5*time.Second, time.Second); got != tt.want {
				t.Errorf("got %v, want %v", got, tt.want)
			}
		})
	}
}

func TestCauseIsWithoutAddresses(t *testing.T) {
	inner := errors.New("no route")
	for name, err := range map[string]error{"of the net package": &net.OpError{Op: "dial", Err: inner}, "another": inner} {
		if got := Cause(err); got != inner {
			t.Errorf("%s: got %v", name, got)
		}
	}
}
